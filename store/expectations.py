"""What every wager brings on average and how wagers of one round hang together: exact, counted once and kept in a file.

Counting all games with every number of decks takes some ten seconds, so that the answers under the readings in force
are in ``expectations.json``, which ``python -m store.expectations`` writes; other readings are counted when asked for.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from importlib.resources import files
from math import sqrt
from pathlib import Path
from typing import Any

import orjson

from games.odds import Odds, odds
from games.readings import DEFAULT_READINGS, Readings
from games.rulebook import rulebook

FILE = "expectations.json"


@dataclass(frozen=True, slots=True)
class Expectation:
    """Of one game with so many decks, in a round from a full shoe."""

    game: str
    decks: int
    returns: Mapping[str, Fraction]
    """Expected net per unit staked, by wager."""
    covariances: Mapping[tuple[str, str], float]
    """Of the nets of one unit on each of two wagers, in either order."""

    def deviation(self, wager: str) -> float:
        """Standard deviation of the net per unit staked."""
        return sqrt(self.covariances[wager, wager])


def expectations(readings: Readings = DEFAULT_READINGS) -> list[Expectation]:
    """Of all games with every number of decks that they may be played with."""
    if readings == DEFAULT_READINGS:
        return [_read(each) for each in orjson.loads(files("store").joinpath(FILE).read_bytes())]
    return list(_counted(readings))


def expectation_of(counted: Odds) -> Expectation:
    """The expectation that exact odds come to."""
    means = {name: wager.mean for name, wager in counted.wagers.items()}
    return Expectation(
        counted.game,
        counted.decks,
        means,
        {
            (one, other): float(product - means[one] * means[other])
            for (one, other), product in counted.products.items()
        },
    )


def _counted(readings: Readings) -> Iterator[Expectation]:
    for game in rulebook(readings).values():
        for decks in game.decks:
            yield expectation_of(odds(game, decks))


def _read(kept: Mapping[str, Any]) -> Expectation:
    wagers = list(kept["returns"])
    covariances: dict[tuple[str, str], float] = {}
    for i, (one, row) in enumerate(zip(wagers, kept["covariances"], strict=True)):
        for other, covariance in zip(wagers[i:], row, strict=True):
            covariances[one, other] = covariances[other, one] = covariance
    returns = {wager: Fraction(text) for wager, text in kept["returns"].items()}
    return Expectation(kept["game"], kept["decks"], returns, covariances)


def _written(expected: Expectation) -> dict[str, Any]:
    """As the file has it: of the covariances those from the diagonal on, in the order of the wagers."""
    wagers = list(expected.returns)
    return {
        "game": expected.game,
        "decks": expected.decks,
        "returns": {name: f"{mean.numerator}/{mean.denominator}" for name, mean in expected.returns.items()},
        "covariances": [[expected.covariances[one, other] for other in wagers[i:]] for i, one in enumerate(wagers)],
    }


def main() -> None:
    """Counts everything and writes the file."""
    lines = [orjson.dumps(_written(each)).decode() for each in _counted(DEFAULT_READINGS)]
    (Path(__file__).parent / FILE).write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
