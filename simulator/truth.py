"""The truth beside the events: which fault was put where, and every finding that it must raise."""

from collections.abc import Callable
from dataclasses import dataclass

import orjson


@dataclass(frozen=True, slots=True)
class Fault:
    """One injected fault."""

    table: str | None
    """None where the bytes tell no table."""
    shoe: str | None
    round: int | None
    """None where the fault is of a device or a shoe."""
    code: str
    """The finding code that was injected."""
    bet: str | None
    draw: int | None
    consequences: tuple[str, ...]
    """Every finding code expected because of it, its own included, as often as it is expected."""
    variant: str
    """Which way of going wrong it was; for people, not part of the line."""

    def line(self) -> bytes:
        """The fault as one line of the truth file."""
        return orjson.dumps(
            {
                "table": self.table, "shoe": self.shoe, "round": self.round, "code": self.code, "bet": self.bet,
                "draw": self.draw, "consequences": self.consequences,
            }
        )  # fmt: skip


TruthSink = Callable[[Fault], None]
"""Takes each fault when it is injected."""
