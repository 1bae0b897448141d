"""Money won against the exact odds of the wagers placed: an account, and the evidence that it is out of range.

For each round the exact joint distribution of all wagers placed gives the moment generating function of the net win, so
``exp(tilt * net) / E[exp(tilt * net)]`` has expectation 1 whatever the size of the stakes, the covariance of wagers on
one round and the tail of side bets at 800 to 1; no normal approximation is made. Tilts are taken per standard deviation
of the account's usual round, which is known before the cards are, so that large and small accounts are judged alike and
every round weighs by its money. Products of these ratios begin anew at every shoe and are summed (Shiryaev and
Roberts); the sum has the number of shoes as its expectation, so it reaches 1 / rate within that many shoes with a
chance of at most the rate times their number, whenever one looks (Doob's inequality). Several tilts are mixed with
equal weight. An account that was raised is opened anew, and only new shoes raise it again.

The odds are those of a full shoe. Each round of a shoe by itself has exactly these, as any cards of a fairly shuffled
shoe are as good as the first ones, and dealing without replacement ties rounds of one shoe together only by parts in a
thousand. A player who follows the cards and bets by them may beat these odds fairly: such an account is one to look at,
and nobody is accused.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import log
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from audit.watches.summary import SettledBet
from audit.watches.wager_odds import placed_odds, whole_stake
from games.readings import DEFAULT_READINGS, Readings
from games.rulebook import GAMES

TILTS = tuple(2.0**power for power in range(1, -7, -1))
"""Per standard deviation of a round: from wins that show in a round or two to those that take thousands."""
AT_ONCE = 256
"""So many rounds are weighed at once: more than a shoe has, and few enough for any shoe that is told."""


@dataclass(frozen=True, slots=True)
class Account:
    """What some bets came to since the account was opened, from the players' side."""

    shoes: int = 0
    """With a bet in them."""
    rounds: int = 0
    """With a bet in them."""
    staked: int = 0
    net: int = 0
    """Won by the players; less than 0: by the house."""
    expected: Fraction = Fraction(0)
    """The exact expectation of the wagers placed."""
    variance: float = 0.0
    """Of the net win, covariances of wagers on one round included; in minor units, squared."""
    log_ratios: tuple[float, ...] = ()
    """By tilt: the logarithm of the sum of likelihood ratios begun at each shoe; empty before the first."""

    @property
    def log_evidence(self) -> float:
        """The logarithm of the mixture over all tilts."""
        return float(np.logaddexp.reduce(self.log_ratios)) - log(len(self.log_ratios)) if self.log_ratios else 0.0

    def to_json(self) -> list[Any]:
        """As plain JSON."""
        expected = f"{self.expected.numerator}/{self.expected.denominator}"
        return [self.shoes, self.rounds, self.staked, self.net, expected, self.variance, list(self.log_ratios)]

    @classmethod
    def from_json(cls, data: Sequence[Any]) -> "Account":
        """Read back what ``to_json`` wrote."""
        shoes, rounds, staked, net, expected, variance, log_ratios = data
        return cls(shoes, rounds, staked, net, Fraction(expected), variance, tuple(log_ratios))


class Exposure(NamedTuple):
    """The bets of one round that belong to one account."""

    stakes: Mapping[str, int]
    """By wager."""
    roundable: int
    """How many of them may be settled in a fraction of a minor unit, so that either whole amount beside it is right."""
    net: int


def exposure_of(game: str, bets: Sequence[SettledBet], readings: Readings = DEFAULT_READINGS) -> Exposure | None:
    """The bets of one round taken together, or None; one on a wager that the game has not is never at risk."""
    wagers = GAMES[game].wagers
    stakes: dict[str, int] = {}
    roundable = net = 0
    for bet in bets:
        stake, wager = bet.stake, bet.wager
        if stake > 0 and wager in wagers:
            stakes[wager] = stakes.get(wager, 0) + stake
            roundable += stake % whole_stake(game, wager, readings) != 0
            net += bet.net
    return Exposure(stakes, roundable, net) if stakes else None


def add_shoe(
    account: Account,
    game: str,
    decks: int,
    exposures: Sequence[Exposure],
    tilts: Sequence[float],
    start: float = 1.0,
    readings: Readings = DEFAULT_READINGS,
) -> Account:
    """The account after one more shoe; ``start`` is the weight of the evidence that begins with it."""
    totals: dict[str, int] = {}
    for each in exposures:
        for wager, stake in each.stakes.items():
            totals[wager] = totals.get(wager, 0) + stake
    wagers = tuple(sorted(totals))
    odds = placed_odds(game, decks, wagers, readings)
    columns = {wager: column for column, wager in enumerate(wagers)}
    stakes = np.zeros((len(exposures), len(wagers)))
    for row, each in enumerate(exposures):
        for wager, stake in each.stakes.items():
            stakes[row, columns[wager]] = stake
    outcomes = stakes @ odds.nets
    means = outcomes @ odds.chances
    variances = ((outcomes - means[:, None]) ** 2) @ odds.chances
    rounds = account.rounds + np.arange(1, len(exposures) + 1)
    # Each round in units of the larger of its own deviation and the usual one so far: all known before its cards.
    unit = np.sqrt(np.maximum((account.variance + np.cumsum(variances)) / rounds, variances))
    unit[unit == 0] = 1.0
    nets = np.array([each.net for each in exposures], dtype=np.float64)
    slack = np.array([each.roundable for each in exposures], dtype=np.float64)
    gained = _log_ratios(np.array(tilts), nets, outcomes, slack, unit, odds.chances)
    earlier = account.log_ratios or (-np.inf,) * len(tilts)
    begun = log(start) if start > 0 else -np.inf
    ratios = [float(np.logaddexp(before, begun)) + gain for before, gain in zip(earlier, gained, strict=True)]
    return Account(
        shoes=account.shoes + 1,
        rounds=account.rounds + len(exposures),
        staked=account.staked + sum(totals.values()),
        net=account.net + sum(each.net for each in exposures),
        expected=account.expected
        + sum((totals[wager] * mean for wager, mean in zip(wagers, odds.means, strict=True)), Fraction(0)),
        variance=account.variance + float(variances.sum()),
        log_ratios=tuple(ratios) if np.isfinite(ratios).all() else (),
    )


def _log_ratios(
    tilts: NDArray[np.float64],
    nets: NDArray[np.float64],
    outcomes: NDArray[np.float64],
    slack: NDArray[np.float64],
    unit: NDArray[np.float64],
    chances: NDArray[np.float64],
) -> list[float]:
    """By tilt: the logarithm of the likelihood ratio of all rounds of a shoe.

    Where a settlement may be rounded, the whole amount that favours the accused side is taken for every outcome.
    """
    total = np.zeros(len(tilts))
    for start in range(0, len(nets), AT_ONCE):
        part = slice(start, start + AT_ONCE)
        favoured = outcomes[part] + np.sign(tilts)[:, None, None] * slack[part, None]
        exponents = tilts[:, None, None] * favoured / unit[part, None]
        highest = exponents.max(axis=2)
        cumulant = highest + np.log(np.exp(exponents - highest[:, :, None]) @ chances)
        total += (tilts[:, None] * nets[part] / unit[part] - cumulant).sum(axis=1)
    return [float(each) for each in total]
