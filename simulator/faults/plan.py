"""When a table errs, and how: faults are spread over its rounds at the share asked for."""

from collections.abc import Callable, Sequence

from simulator.round import Round
from simulator.setup import Setup
from simulator.state import TableState


class Plan:
    """The faults of one table."""

    __slots__ = ()

    def __init__(self, share: float, codes: Sequence[str] | None, setup: Setup, seed: int) -> None:
        pass

    def course(self, state: TableState) -> Callable[[Round], None] | None:
        return None

    def decks(self, state: TableState) -> int:
        return state.setup.decks

    def to_the_end(self, state: TableState) -> bool:
        return False

    def reports_shoe(self, state: TableState) -> bool:
        return True

    def remaining(self, state: TableState, remaining: list[str] | None) -> list[str] | None:
        return remaining
