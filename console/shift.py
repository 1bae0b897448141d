"""What a shift comes to: rounds, handle, win and hold with its 95 % band, what was found, and how alerts were met.

Theoretical hold: win over handle. Drop and fills are not known here.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from math import sqrt
from statistics import median

import numpy as np
from numpy.typing import NDArray
from pydantic import ConfigDict

from audit.watches.wager_odds import placed_odds
from console.hold import BAND
from games.readings import Readings
from games.rulebook import GAMES
from store.connect import Store
from store.read import reports
from store.read.alerts import AlertTimes, alert_times
from store.read.reports import By, FindingCount, Staked
from streams.alerting.raising import SELF_TEST_TABLE

TOLD = ConfigDict(use_attribute_docstrings=True)
"""Of what the API tells as it is."""

NO_FALSE_ALARM = frozenset({"test", "training"})
"""Resolutions that say nothing about whether the alert was right."""

NO_TABLES = (SELF_TEST_TABLE,)
"""They stand on no floor."""

PRICED = tuple((game.name, decks, wager) for game in GAMES.values() for decks in game.decks for wager in game.wagers)
"""Bets whose exact expectation is known."""


@dataclass(frozen=True, slots=True)
class HoldBand:
    """Win over handle of the rounds that the cards decided, beside what their wagers make likely; shares of 1."""

    __pydantic_config__ = TOLD

    rounds: int
    handle: int
    win: int
    expected: int
    """What the wagers placed give the house on average, in minor units."""
    deviation: int
    """Standard deviation of the win."""
    hold: float
    low: float
    """Lower end of the 95 % band around the expected hold."""
    high: float
    """Upper end."""
    inside: bool
    """Whether the hold lies in the band."""


@dataclass(frozen=True, slots=True)
class Line:
    """One table, dealer or player of the report, in one currency."""

    figures: reports.Figures
    band: HoldBand | None
    """None where no money was at stake in a round that the cards decided."""


@dataclass(frozen=True, slots=True)
class Response:
    """How the alerts of one code, or all of them, were met."""

    __pydantic_config__ = TOLD

    code: str
    """Empty: all."""
    alerts: int
    acknowledged: int
    resolved: int
    to_acknowledge: float | None
    """Median seconds from raising to the first acknowledgement; None: none was."""
    slowest_acknowledge: float | None
    to_resolve: float | None
    """Median seconds from raising to the last resolution."""
    slowest_resolve: float | None
    false_alarms: int
    judged: int
    """Resolved as confirmed or as false alarm."""
    false_share: float | None
    """Of those that people judged, as a share of 1; None: nobody judged any."""


@dataclass(frozen=True, slots=True)
class Shift:
    """A shift, or any other span of time."""

    start: int
    """Microseconds since 1970."""
    end: int
    totals: list[Line]
    """One line per currency: amounts of different currencies are never added up."""
    findings: list[FindingCount]
    responses: list[Response]
    """By code, the most frequent first."""
    response: Response
    """Of all alerts."""


def shift(store: Store, readings: Readings, start: int, end: int, tables: tuple[str, ...] = ()) -> Shift:
    """The shift from ``start`` until before ``end`` (microseconds since 1970), of all tables or of these; the band is
    that of the odds under these readings (A-01 to A-05)."""
    times = alert_times(store, start // 1_000, end // 1_000, tables)
    by_code: dict[str, list[AlertTimes]] = defaultdict(list)
    for each in times:
        by_code[each.code].append(each)
    responses = [_response(code, met) for code, met in by_code.items()]
    return Shift(
        start,
        end,
        _totals(lines(store, readings, "table", start, end, tables)),
        reports.finding_counts(store, start, end, tables, NO_TABLES),
        sorted(responses, key=lambda each: (-each.alerts, each.code)),
        _response("", times),
    )


def lines(store: Store, readings: Readings, by: By, start: int, end: int, tables: tuple[str, ...] = ()) -> list[Line]:
    """The shift by table, dealer or player, the highest handle first."""
    money = {
        (each.name, each.currency): each for each in reports.decided(store, by, start, end, PRICED, tables, NO_TABLES)
    }
    stakes: dict[tuple[str, str], list[Staked]] = defaultdict(list)
    for each in reports.staked(store, by, start, end, PRICED, tables, NO_TABLES):
        stakes[each.name, each.currency].append(each)
    found = []
    for figures in reports.figures(store, by, start, end, tables, NO_TABLES):
        key = figures.name, figures.currency
        moved = money.get(key)
        found.append(Line(figures, None if moved is None else _band(moved, *_expectation(stakes[key], readings))))
    return found


def _totals(by_table: list[Line]) -> list[Line]:
    """All tables of a currency together: money adds up, and so do variances, as tables do not know of each other."""
    of_currency: dict[str, list[Line]] = defaultdict(list)
    for line in by_table:
        of_currency[line.figures.currency].append(line)
    return [_together(currency, of_currency[currency]) for currency in sorted(of_currency)]


def _together(currency: str, by_table: list[Line]) -> Line:
    figures = [line.figures for line in by_table]
    bands = [line.band for line in by_table if line.band is not None]
    together = reports.Figures(
        name="",
        currency=currency,
        rounds=sum(each.rounds for each in figures),
        void=sum(each.void for each in figures),
        flagged=sum(each.flagged for each in figures),
        unverifiable=sum(each.unverifiable for each in figures),
        bets=sum(each.bets for each in figures),
        handle=sum(each.handle for each in figures),
        win=sum(each.win for each in figures),
        findings=sum(each.findings or 0 for each in figures),
    )
    moved = reports.Decided(
        "", currency, sum(b.rounds for b in bands), sum(b.handle for b in bands), sum(b.win for b in bands)
    )
    expected = float(sum(band.expected for band in bands))
    variance = float(sum(band.deviation**2 for band in bands))
    return Line(together, _band(moved, expected, variance) if moved.handle else None)


def _band(moved: reports.Decided, expected: float, variance: float) -> HoldBand:
    spread = sqrt(max(variance, 0.0))
    hold = moved.win / moved.handle
    low, high = ((expected + side * BAND * spread) / moved.handle for side in (-1, 1))
    return HoldBand(
        rounds=moved.rounds,
        handle=moved.handle,
        win=moved.win,
        expected=round(expected),
        deviation=round(spread),
        hold=hold,
        low=low,
        high=high,
        inside=low <= hold <= high,
    )


@lru_cache(maxsize=256)
def _moments(
    game: str, decks: int, readings: Readings
) -> tuple[dict[str, int], NDArray[np.float64], NDArray[np.float64]]:
    """By wager its place; the mean net win of a player per unit, and the covariances, exact up to the last rounding."""
    wagers = tuple(GAMES[game].wagers)
    odds = placed_odds(game, decks, wagers, readings)
    means = odds.nets @ odds.chances
    apart = odds.nets - means[:, None]
    return {wager: place for place, wager in enumerate(wagers)}, means, (apart * odds.chances) @ apart.T


def _expectation(stakes: Iterable[Staked], readings: Readings) -> tuple[float, float]:
    """What the house wins on average on these stakes, and the variance of it."""
    expected = variance = 0.0
    for each in stakes:
        places, means, covariances = _moments(each.game, each.decks, readings)
        expected -= each.stakes * float(means[places[each.first]])
        variance += each.products * float(covariances[places[each.first], places[each.second]])
    return expected, variance


def _response(code: str, alerts: list[AlertTimes]) -> Response:
    seen = [each.acknowledged / 1e6 - each.raised / 1e3 for each in alerts if each.acknowledged is not None]
    done = [each for each in alerts if each.state == "resolved" and each.resolved is not None]
    took = [(each.resolved or 0) / 1e6 - each.raised / 1e3 for each in done]
    judged = [each for each in done if each.disposition not in NO_FALSE_ALARM]
    false = sum(each.disposition == "false alarm" for each in judged)
    return Response(
        code=code,
        alerts=len(alerts),
        acknowledged=len(seen),
        resolved=len(done),
        to_acknowledge=median(seen) if seen else None,
        slowest_acknowledge=max(seen, default=None),
        to_resolve=median(took) if took else None,
        slowest_resolve=max(took, default=None),
        false_alarms=false,
        judged=len(judged),
        false_share=false / len(judged) if judged else None,
    )
