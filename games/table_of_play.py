"""The Table of Play: which hand gets a third card (DTB 3.14, FF4 3.14, SE 3.9, EB 3.8)."""

from typing import Final

NATURAL: Final = 8
"""A total of eight or nine in the initial deal ends the dealing."""

PLAYER_STANDS: Final = 6
"""Player draws on zero to five and stands on six and seven."""

_ANY: Final = frozenset(range(10))

BANKER_DRAWS: Final[tuple[frozenset[int], ...]] = (
    _ANY,
    _ANY,
    _ANY,
    _ANY - {8},
    frozenset(range(2, 8)),
    frozenset(range(4, 8)),
    frozenset({6, 7}),
    frozenset(),
)
"""By Banker's total on two cards: the point values of Player's third card on which Banker draws."""

BANKER_DRAWS_ALONE: Final = 5
"""When Player stands, Banker draws on zero to five."""


def player_draws(player: int, banker: int) -> bool:
    """Whether Player takes a third card, from the totals of the initial deal."""
    return player < PLAYER_STANDS and banker < NATURAL


def banker_draws(player: int, banker: int, third: int | None) -> bool:
    """Whether Banker takes a third card; ``third`` is the value of Player's third card, None if Player stood."""
    if player >= NATURAL or banker >= NATURAL:
        return False
    if third is None:
        return banker <= BANKER_DRAWS_ALONE
    return third in BANKER_DRAWS[banker]
