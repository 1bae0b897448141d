"""A seeded stream of choices that gives the same numbers under every Python version.

Only ``random.Random.random`` is used, whose output for an integer seed is fixed; the methods built on it here replace
those of the standard library, which have changed between versions.
"""

import random
from collections.abc import MutableSequence, Sequence
from hashlib import sha256
from typing import TypeVar

T = TypeVar("T")


def seed_of(*names: object) -> int:
    """A seed that depends on these names alone, never on the hash seed of the process."""
    return int.from_bytes(sha256("/".join(map(str, names)).encode()).digest()[:16], "big")


class Chance:
    """One stream of choices; each table and each player has its own."""

    __slots__ = ("random",)

    def __init__(self, *names: object) -> None:
        self.random = random.Random(seed_of(*names)).random

    def below(self, bound: int) -> int:
        """A whole number from 0 to just below the bound."""
        return int(self.random() * bound)

    def between(self, low: int, high: int) -> int:
        """A whole number from low to high, both included."""
        return low + int(self.random() * (high - low + 1))

    def happens(self, share: float) -> bool:
        """Whether something that happens in this share of cases happens now."""
        return self.random() < share

    def pick(self, choices: Sequence[T]) -> T:
        """One of the choices, all alike."""
        return choices[int(self.random() * len(choices))]

    def shuffle(self, items: MutableSequence[T]) -> None:
        """Every order is equally likely (Fisher and Yates)."""
        draw = self.random
        for place in range(len(items) - 1, 0, -1):
            other = int(draw() * (place + 1))
            items[place], items[other] = items[other], items[place]

    def some(self, items: Sequence[T], count: int) -> list[T]:
        """That many of the items, each at most once, in random order."""
        pool = list(items)
        self.shuffle(pool)
        return pool[:count]
