"""Who won, by numpy over arrays in memory: what one would write in place of the generated SQL, nothing read from disk.

Totals and winner of baccarat rounds from their card numbers, by the Table of Play; no pairs, no wagers, no bets.
"""

import time

import numpy as np
from numpy.typing import NDArray

from games.cards import POINTS
from games.rulebook import Game
from games.settlement import outcome_of
from games.table_of_play import banker_draws, player_draws

Cards = NDArray[np.uint8]
_STOOD = 10
"""In place of the points of Player's third card."""


class Dealing:
    """A game's rounds."""

    def __init__(self, game: Game) -> None:
        self._points = np.array([POINTS[code] for code in game.deck.codes], np.uint8)
        self._player = np.array([[player_draws(one, other) for other in range(10)] for one in range(10)])
        self._banker = np.array(
            [
                [[banker_draws(one, other, None if third == _STOOD else third) for third in range(11)]
                 for other in range(10)]
                for one in range(10)
            ]
        )  # fmt: skip

    def totals(self, cards: Cards) -> tuple[Cards, Cards]:
        """Of Player and Banker, by round; each round has six card numbers, the superfluous ones disregarded."""
        points = self._points[cards]
        player, banker = (points[:, 0] + points[:, 2]) % 10, (points[:, 1] + points[:, 3]) % 10
        drawn = self._player[player, banker]
        third = np.where(drawn, points[:, 4], _STOOD)
        banker_drawn = self._banker[player, banker, third]
        own = np.where(drawn, points[:, 5], points[:, 4])
        return (player + np.where(drawn, points[:, 4], 0)) % 10, (banker + np.where(banker_drawn, own, 0)) % 10


def rounds_a_second(game: Game, rounds: int, turns: int) -> list[float]:
    """Of so many passes over random rounds; a sample is held against the rulebook first."""
    chance = np.random.default_rng(1)
    cards = chance.integers(0, game.deck.size, (rounds, 6), np.uint8)
    dealing = Dealing(game)
    _check(game, dealing, cards[:2_000])
    spent = []
    for _ in range(turns):
        began = time.perf_counter()
        player, banker = dealing.totals(cards)
        np.sign(player.astype(np.int8) - banker.astype(np.int8))
        spent.append(time.perf_counter() - began)
    return [rounds / each for each in spent]


def _check(game: Game, dealing: Dealing, cards: Cards) -> None:
    for row, player, banker in zip(cards, *dealing.totals(cards), strict=True):
        outcome = outcome_of(game, [game.deck.codes[number] for number in row])
        if outcome is None or tuple(outcome.totals.values()) != (player, banker):
            raise SystemExit(f"numpy and the rulebook differ on {row}: nothing was measured")
