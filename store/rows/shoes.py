"""Summaries of shoes for the watches over many rounds, and the exact expectation of wagers."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class ShoeSummary:
    """What a shoe came to; of several summaries the one with the highest version counts."""

    table: str
    shoe: str
    version: int
    game: str | None
    decks: int | None
    loaded: int
    """Microseconds since 1970, as ended is."""
    ended: int
    rounds: int
    summarised: int
    """Milliseconds since 1970."""
    summary: Mapping[str, Any]
    """Whatever the watches need, as JSON has it."""

    def __post_init__(self) -> None:
        if not 0 <= self.version < 1 << 20:
            raise ValueError(f"version {self.version} is beyond what the store can put in order")


@dataclass(frozen=True, slots=True, kw_only=True)
class WagerOdds:
    """What a wager is expected to bring, per unit staked."""

    game: str
    decks: int
    wager: str
    expected_return: Fraction
    """Exact expected net."""
    deviation: float
    """Standard deviation of the net, for charts."""
    version: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class WagerCovariance:
    """How the nets of two wagers of one round go together, per unit staked on each."""

    game: str
    decks: int
    wager: str
    other: str
    covariance: float
    """For the band around an expected win; of a wager with itself: its variance."""
    version: int = 1
