"""SQL of win against its exact expectation with a band: stakes times the odds of each wager, split by anything.

The house expects the stakes on a wager times its edge. Wagers of one round are settled by the same cards, so that the
variance of a round takes every pair of its wagers: stake times stake times their covariance. Rounds are independent.
Void rounds count nowhere, nor do stakes without known odds (a wager or a number of decks that the game has not): what
is held against the expectation is what the expectation is of. Odds are those of a full shoe.
"""

from typing import Final

from dashboards.choosing import MONEY

BAND: Final = "1.96"
"""Standard deviations to either side: 95 % where many rounds are added up."""


def sums(by: str, condition: str = MONEY) -> str:
    """Rows of (what ``by`` names, handle, win, expected, variance), amounts in minor units.

    ``by`` is `game`, `table`, or an expression over a round with its name, e.g. ``$__timeInterval(opened) AS time``.
    """
    name = by.rsplit(" AS ", 1)[-1]
    keys = [name, *(each for each in ("game", "decks") if each != name)]
    of_round = [*keys, *(each for each in ("table", "shoe", "round") if each != name)]
    chosen = ", ".join([by, *of_round[1:]])
    names, rounds = ", ".join(keys), ", ".join(of_round)
    placed = (
        f"SELECT {chosen}, b.wager AS wager, toFloat64(sum(b.stake)) AS staked,"
        " toFloat64(sum(toInt128(ifNull(b.collected, 0)) - toInt128(ifNull(b.paid, 0)))) AS won"
        f" FROM rounds FINAL ARRAY JOIN bets AS b WHERE {condition} AND status != 'void' GROUP BY {rounds}, wager"
    )
    in_rounds = f"SELECT {rounds}, groupArray((wager, staked, won)) AS wagers FROM ({placed}) GROUP BY {rounds}"
    pairs = (
        f"SELECT {names}, one.1 AS wager, two.1 AS other, sum(one.2 * two.2) AS product,"
        " sumIf(one.2, wager = other) AS staked, sumIf(one.3, wager = other) AS won"
        f" FROM (SELECT {names}, wagers, one FROM ({in_rounds}) ARRAY JOIN wagers AS one)"
        f" ARRAY JOIN wagers AS two GROUP BY {names}, wager, other"
    )
    return (
        f"SELECT {name}, sum(staked) AS handle, sum(won) AS win, sum(-staked * odds.expectation) AS expected,"
        f" greatest(0, sum(product * bound.covariance)) AS variance FROM ({pairs}) AS placed"
        " INNER JOIN (SELECT game, decks, wager, other, covariance FROM wager_covariances FINAL) AS bound"
        " USING (game, decks, wager, other)"
        " INNER JOIN (SELECT game, decks, wager, expectation FROM wager_odds FINAL) AS odds USING (game, decks, wager)"
        f" GROUP BY {name}"
    )


def sums_by_wager(condition: str = MONEY) -> str:
    """Rows of (game, wager, bets, handle, win, expected, variance), amounts in minor units."""
    placed = (
        "SELECT game, decks, b.wager AS wager, count() AS placed, toFloat64(sum(b.stake)) AS staked,"
        " toFloat64(sum(toInt128(ifNull(b.collected, 0)) - toInt128(ifNull(b.paid, 0)))) AS won"
        f" FROM rounds FINAL ARRAY JOIN bets AS b WHERE {condition} AND status != 'void'"
        " GROUP BY game, decks, wager, table, shoe, round"
    )
    return (
        "SELECT game, wager, sum(placed) AS bets, sum(staked) AS handle, sum(won) AS win,"
        " sum(-staked * odds.expectation) AS expected,"
        f" sum(staked * staked * odds.deviation * odds.deviation) AS variance FROM ({placed}) AS placed"
        " INNER JOIN (SELECT game, decks, wager, expectation, deviation FROM wager_odds FINAL) AS odds"
        " USING (game, decks, wager) GROUP BY game, wager"
    )


def so_far(condition: str = MONEY) -> str:
    """Points in time of (won, expectation, lower, upper), each added up since the beginning of the time shown."""
    return (
        "SELECT time, sum(win) OVER so_far / ${minor} AS won, sum(expected) OVER so_far / ${minor} AS expectation,"
        f" (sum(expected) OVER so_far - {BAND} * sqrt(sum(variance) OVER so_far)) / ${{minor}} AS lower,"
        f" (sum(expected) OVER so_far + {BAND} * sqrt(sum(variance) OVER so_far)) / ${{minor}} AS upper"
        f" FROM ({sums('$__timeInterval(opened) AS time', condition)}) WINDOW so_far AS (ORDER BY time) ORDER BY time"
    )
