"""The exact joint distribution of the wagers that somebody placed, as arrays."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache
from math import lcm

import numpy as np
from numpy.typing import NDArray

from games.odds import net_distribution
from games.readings import DEFAULT_READINGS, Readings
from games.rulebook import rulebook


@dataclass(frozen=True, slots=True, eq=False)
class PlacedOdds:
    """What each possible outcome of a round brings to these wagers, per unit staked on each."""

    nets: NDArray[np.float64]
    """One row per wager, one column per outcome that these wagers can tell apart."""
    chances: NDArray[np.float64]
    """Of each outcome, from a full shoe."""
    means: tuple[Fraction, ...]
    """The exact expected net win per unit of each wager."""


@lru_cache(maxsize=4096)
def placed_odds(game: str, decks: int, wagers: tuple[str, ...], readings: Readings = DEFAULT_READINGS) -> PlacedOdds:
    """The odds of these wagers of a game, with so many decks."""
    rules = rulebook(readings)[game]
    places = [list(rules.wagers).index(wager) for wager in wagers]
    joint: dict[tuple[Fraction, ...], int] = {}
    for nets, count in net_distribution(rules, decks).items():
        told = tuple(nets[place] for place in places)
        joint[told] = joint.get(told, 0) + count
    outcomes = sum(joint.values())
    columns = list(zip(*joint, strict=True))
    return PlacedOdds(
        nets=np.array([[float(net) for net in column] for column in columns], dtype=np.float64),
        chances=np.array([count / outcomes for count in joint.values()], dtype=np.float64),
        means=tuple(
            sum((net * count for net, count in zip(column, joint.values(), strict=True)), Fraction(0)) / outcomes
            for column in columns
        ),
    )


@cache
def whole_stake(game: str, wager: str, readings: Readings = DEFAULT_READINGS) -> int:
    """Stakes that are a multiple of this are always settled in whole minor units, e.g. 20 where 0.95 to 1 is paid."""
    return lcm(*(line.net.denominator for line in rulebook(readings)[game].wagers[wager].lines))
