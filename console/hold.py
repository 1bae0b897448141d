"""Hold of a table against the exact expectation of the wagers placed there, with its 95 % band, over the last day.

Theoretical hold: win over handle. Drop and fills are not known here.
"""

import time
from math import sqrt
from typing import Final

import numpy as np
from pydantic import BaseModel, ConfigDict

from audit.watches.wager_odds import placed_odds
from games.readings import Readings
from games.rulebook import GAMES
from store.connect import Store
from store.read.wall import staked_rounds

DAY_MICROS: Final = 24 * 3600 * 1_000_000
BAND: Final = 1.96
"""Standard deviations to either side: 95 % where many rounds are added up."""


class Hold(BaseModel):
    """What a table held, and what it should have held."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    rounds: int
    """With money at stake and a winner."""
    handle: int
    """Sum of all stakes, in minor units."""
    win: int
    """What the house won."""
    expected: int
    """What the wagers placed give the house on average."""
    deviation: int
    """Standard deviation of the win."""
    low: int
    """Lower end of the band."""
    high: int
    """Upper end of the band."""
    path: list[tuple[int, int, int, int]]
    """At most 60 points: rounds so far, win, lower and upper end of the band."""


def hold_of(store: Store, table: str, readings: Readings) -> Hold:
    """Over the rounds of the last day, covariances of wagers on one round included; the odds are those of these
    readings (A-01 to A-05), by which the rounds are paid."""
    since = time.time_ns() // 1_000 - DAY_MICROS
    rounds = handle = win = 0
    expected = variance = 0.0
    steps: list[tuple[int, int, int, int]] = []
    for game, decks, stakes, won, _ in staked_rounds(store, table, since):
        rules = GAMES.get(game)
        if rules is None or decks not in rules.decks:
            continue
        known = {wager: stake for wager, stake in stakes.items() if wager in rules.wagers}
        if not known:
            continue
        names = tuple(sorted(known))
        odds = placed_odds(game, decks, names, readings)
        outcomes = np.array([known[name] for name in names], dtype=np.float64) @ odds.nets
        mean = float(outcomes @ odds.chances)
        rounds += 1
        handle += sum(known.values())
        win += won
        expected -= mean
        variance += float(((outcomes - mean) ** 2) @ odds.chances)
        steps.append((rounds, win, round(expected - BAND * sqrt(variance)), round(expected + BAND * sqrt(variance))))
    spread = sqrt(variance)
    every = max(1, len(steps) // 60)
    path = steps[::every]
    if steps and path[-1] != steps[-1]:
        path.append(steps[-1])
    return Hold(
        rounds=rounds,
        handle=handle,
        win=win,
        expected=round(expected),
        deviation=round(spread),
        low=round(expected - BAND * spread),
        high=round(expected + BAND * spread),
        path=path,
    )
