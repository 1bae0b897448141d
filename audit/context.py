"""What a round's verdict needs from outside the round: configuration, shoe, what came before and what came next."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from audit.devices import EVER_AFTER, Obscurity
from audit.facts import Fact


@dataclass(frozen=True, slots=True)
class RoundContext:
    """The surroundings of one round."""

    table: str
    shoe: str
    round: int
    configuration: Fact | None
    """The last ``table.configured.v1`` at or before the round's beginning."""
    loaded: Fact | None
    """The shoe's ``shoe.loaded.v1``."""
    earlier: Mapping[str, int] = field(default_factory=dict)
    """How many copies of each of the round's own cards the shoe dealt in its earlier rounds."""
    dealt_before: int = 0
    """How many cards that were in all."""
    restriction: int | None = None
    """The wagers per playing area that a ruling in an earlier round of the shoe restricted it to."""
    used_once: frozenset[str] = frozenset()
    """The players (see ``who``) whose one time under the minimum is used up (DTB, FF4 5.14)."""
    next_opening: Fact | None = None
    """The opening of the round that came next at the table."""
    over: bool = True
    """Whether the round has come to an end: closed, followed by another of its shoe, or its shoe has ended."""
    obscurity: Obscurity = field(default_factory=lambda: Obscurity(()))

    @property
    def until(self) -> int:
        """The time up to which a fact can belong to this round."""
        return self.next_opening.at if self.next_opening is not None else EVER_AFTER


def who(player: str | None, position: int) -> str:
    """By what a player is told apart at a table; one who is not known, by the position."""
    return f"player {player}" if player is not None else f"position {position}"
