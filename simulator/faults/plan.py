"""When a table errs, and how: faults are spread over its rounds at the share asked for, codes drawn evenly."""

from collections.abc import Sequence

from simulator.chance import Chance
from simulator.faults.catalogue import RULE_CODES, VARIANTS
from simulator.faults.shoes import (
    DECKS,
    RUNS_OUT,
    SHORT,
    UNREPORTED,
    miscounted,
    of_unreported_shoe,
    running_out,
    slug_was_dealt,
    wrong_decks,
)
from simulator.faults.variant import Course, Variant
from simulator.setup import Setup
from simulator.state import TableState
from simulator.truth import Fault

_APART = 3
"""A fault and the next one of a table are at least so many rounds apart: one must not be a consequence of the other."""

_SHOE_TO_RUN_OUT = 4
"""Decks of a shoe that is dealt to its last card: the fewest that 2.1 of every document allows."""


class Plan:
    """The faults of one table."""

    __slots__ = ("_bag", "_chance", "_codes", "_share")

    def __init__(self, share: float, codes: Sequence[str] | None, setup: Setup, seed: int) -> None:
        self._codes = tuple(RULE_CODES if codes is None else codes)
        # Rounds right after a fault get none, so the others get more.
        self._share = min(1.0, share / max(1e-9, 1 - (_APART - 1) * share)) if share < 1 / _APART else 1.0
        self._chance = Chance(seed, "faults", setup.table)
        self._bag: list[str] = []

    def course(self, state: TableState) -> Course | None:
        """How the coming round goes wrong, None if it does not."""
        shoe = state.shoe
        if shoe.to_the_end:
            return running_out(state)
        if shoe.unreported:
            return of_unreported_shoe
        # Near the cutting card, rounds are left alone: what a fault needs of the next round might not come.
        near_the_end = shoe.cut is None or shoe.place + 8 >= shoe.cut
        if not self._share or state.quiet or near_the_end or self._chance.random() >= self._share:
            return None
        variant = self._draw(state)
        if variant is None:
            return None
        state.quiet = variant.quiet
        return variant.play

    def _draw(self, state: TableState) -> Variant | None:
        """A way of going wrong that is possible now; codes come in turn, each as often as the others."""
        if not self._bag:
            self._bag = list(self._codes)
            self._chance.shuffle(self._bag)
        for bag in (self._bag, self._refilled()):
            for place, code in enumerate(bag):
                fitting = [variant for variant in VARIANTS[code] if variant.fits(state)]
                if fitting:
                    del bag[place]
                    self._bag = bag
                    return self._chance.pick(fitting)
        return None

    def _refilled(self) -> list[str]:
        bag = list(self._codes)
        self._chance.shuffle(bag)
        return bag

    def decks(self, state: TableState, shoe: str) -> int:
        """With how many decks the next shoe is loaded."""
        if state.wish == DECKS:
            state.wish = None
            return wrong_decks(state, shoe)
        if state.wish == RUNS_OUT:
            return _SHOE_TO_RUN_OUT
        return state.shoe.decks if state.rig.slug else state.setup.decks

    def to_the_end(self, state: TableState) -> bool:
        """Whether the next shoe is dealt to its last card."""
        if state.wish != RUNS_OUT:
            return False
        state.wish = None
        return True

    def unreported(self, state: TableState) -> bool:
        """Whether nobody says that the next shoe is loaded."""
        if state.wish != UNREPORTED:
            return False
        state.wish = None
        return True

    def remaining(self, state: TableState, remaining: list[str] | None) -> list[str] | None:
        """What is reported as left over at the shoe's end."""
        if state.wish == SHORT:
            state.wish = None
            return miscounted(state)
        slug_was_dealt(state)
        if remaining is not None and state.shoe.off_balance:
            table = state.setup.table
            state.truth(Fault(table, state.shoe.id, None, SHORT, None, None, (SHORT,), "a card that does not belong"))
        return remaining
