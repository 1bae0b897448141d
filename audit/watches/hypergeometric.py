"""Exact chances of how often a card or a rank comes in cards dealt from full decks, over one shoe and over several."""

from collections.abc import Iterable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Chances = NDArray[np.float64]
"""The chance of each count from 0 on."""


@lru_cache(maxsize=4096)
def chances_of(cards: int, copies: int, dealt: int) -> Chances:
    """How often one of so many copies is among the cards dealt from a fair shoe of so many cards."""
    log_factorial = np.concatenate([np.zeros(1), np.cumsum(np.log(np.arange(1, cards + 1, dtype=np.float64)))])
    counts = np.arange(copies + 1)
    possible = (counts <= dealt) & (dealt - counts <= cards - copies)
    seen = counts[possible]

    def log_choose(whole: int, part: NDArray[np.int64]) -> NDArray[np.float64]:
        chosen: NDArray[np.float64] = log_factorial[whole] - log_factorial[part] - log_factorial[whole - part]
        return chosen

    chances = np.zeros(copies + 1)
    whole = log_choose(cards, np.array([dealt]))[0]
    chances[possible] = np.exp(log_choose(copies, seen) + log_choose(cards - copies, dealt - seen) - whole)
    chances /= chances.sum()
    chances.flags.writeable = False
    return chances


def chances_of_sum(each: Iterable[Chances]) -> Chances:
    """How often it comes in several shoes together; all terms are positive, so that small tails keep their digits."""
    total: Chances = np.ones(1)
    for chances in each:
        total = np.convolve(total, chances)
    return total


def tails(total: Chances) -> tuple[Chances, Chances]:
    """The chance of each count or fewer, and of each count or more."""
    return np.minimum(1.0, np.cumsum(total)), np.minimum(1.0, np.cumsum(total[::-1])[::-1])
