"""What a shift comes to: rounds, money and findings by table, dealer or player, and what was at stake for the band.

Every round counts once, in its last state, and belongs to the shift in which it was opened. Amounts of different
currencies are never added up. All tables count, or only ``tables``, and none of ``besides``.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from store.connect import Store

By = Literal["table", "dealer", "player"]


def _within(moment: str) -> str:
    """The condition that a column lies in the span that is asked for."""
    return (
        f"{moment} >= fromUnixTimestamp64Micro(%(start)s, 'UTC')"
        f" AND {moment} < fromUnixTimestamp64Micro(%(end)s, 'UTC')"
    )


_IN_SHIFT: Final = _within("opened")
_DECIDED: Final = "status != 'void' AND winner != '' AND b.stake > 0 AND (game, decks, b.wager) IN %(priced)s"
"""The cards decided, and the exact odds say what to expect."""

Priced = Sequence[tuple[str, int, str]]
"""Game, decks and wager of all bets whose expectation is known."""


@dataclass(frozen=True, slots=True)
class Figures:
    """What the rounds of one table, dealer or player in a shift came to, in one currency."""

    name: str
    """Empty: not known."""
    currency: str
    rounds: int
    void: int
    flagged: int
    unverifiable: int
    bets: int
    """With a stake that stands."""
    handle: int
    """Sum of the stakes in rounds that are not void."""
    win: int
    """What the house collected less what it paid."""
    findings: int | None
    """In the verdicts of these rounds; None for a player: a finding belongs to a round, not to who sat there."""


@dataclass(frozen=True, slots=True)
class Staked:
    """What was at stake on two wagers in the rounds that the cards decided: enough for the exact mean and spread."""

    name: str
    currency: str
    game: str
    decks: int
    first: str
    second: str
    """The same as ``first``: the wager by itself."""
    stakes: int
    """Sum of what was staked on ``first``; 0 where the two differ."""
    products: int
    """Sum over rounds of the stake on ``first`` times the stake on ``second``."""


@dataclass(frozen=True, slots=True)
class Decided:
    """The rounds that the cards decided, with money at stake."""

    name: str
    currency: str
    rounds: int
    handle: int
    win: int


@dataclass(frozen=True, slots=True)
class FindingCount:
    """How often something was found in a shift, rounds, shoes and devices alike: by device time, but ``device-clock``,
    which says that this time is wrong, by when it was raised."""

    code: str
    severity: str
    findings: int
    cleared: int
    """A later fact took these back."""
    corrected: int
    """The settlement was put right afterwards."""
    rounds: int
    """Rounds in which it stands; what is found of devices and shoes is of no round."""


def figures(
    store: Store, by: By, start: int, end: int, tables: Iterable[str] = (), besides: Iterable[str] = ()
) -> list[Figures]:
    """Figures of the rounds opened from ``start`` until before ``end`` (microseconds since 1970), by handle."""
    of_tables, parameters = _given(start, end, tables, besides)
    if by == "player":
        # A round counts for each of its players, with that player's own bets.
        rows = store.query(
            "SELECT b.player, currency, uniqExact(table, shoe, round), uniqExactIf((table, shoe, round),"
            " status = 'void'), uniqExactIf((table, shoe, round), status = 'flagged'),"
            " uniqExactIf((table, shoe, round), status = 'unverifiable'), countIf(b.stake > 0),"
            " sum(if(status = 'void', toInt128(0), toInt128(b.stake))),"
            " sum(toInt128(ifNull(b.collected, 0)) - toInt128(ifNull(b.paid, 0))), NULL"
            f" FROM rounds FINAL ARRAY JOIN bets AS b WHERE {_IN_SHIFT} AND {of_tables} AND b.player != ''"
            " GROUP BY b.player, currency ORDER BY 8 DESC, 1, 2",
            parameters,
        )
    else:
        rows = store.query(
            f"SELECT {by}, currency, count(), countIf(status = 'void'), countIf(status = 'flagged'),"
            " countIf(status = 'unverifiable'), sum(arrayCount(stake -> stake > 0, bets.stake)),"
            " sum(if(status = 'void', toInt128(0), arraySum(arrayMap(stake -> toInt128(stake), bets.stake)))),"
            " sum(arraySum(arrayMap((collected, paid) -> toInt128(ifNull(collected, 0)) - toInt128(ifNull(paid, 0)),"
            " bets.collected, bets.paid))), sum(length(codes))"
            f" FROM rounds FINAL WHERE {_IN_SHIFT} AND {of_tables}"
            f" GROUP BY {by}, currency ORDER BY 8 DESC, 1, 2",
            parameters,
        )
    return [Figures(*row) for row in rows]


def decided(
    store: Store, by: By, start: int, end: int, priced: Priced, tables: Iterable[str] = (), besides: Iterable[str] = ()
) -> list[Decided]:
    """Rounds, handle and win of what the cards decided with money at stake, to hold against `staked`."""
    of_tables, parameters = _given(start, end, tables, besides)
    parameters["priced"] = tuple(priced)
    named = " AND b.player != ''" if by == "player" else ""
    rows = store.query(
        f"SELECT {_name(by)} AS name, currency, uniqExact(table, shoe, round), sum(toInt128(b.stake)),"
        " sum(toInt128(ifNull(b.collected, 0)) - toInt128(ifNull(b.paid, 0)))"
        " FROM rounds FINAL ARRAY JOIN bets AS b"
        f" WHERE {_IN_SHIFT} AND {_DECIDED} AND {of_tables}{named}"
        " GROUP BY name, currency ORDER BY name, currency",
        parameters,
    )
    return [Decided(*row) for row in rows]


def staked(
    store: Store, by: By, start: int, end: int, priced: Priced, tables: Iterable[str] = (), besides: Iterable[str] = ()
) -> list[Staked]:
    """What was staked in the rounds that the cards decided: by wager, and by two wagers of one round."""
    of_tables, parameters = _given(start, end, tables, besides)
    parameters["priced"] = tuple(priced)
    named = " AND b.player != ''" if by == "player" else ""
    rows = store.query(
        "SELECT name, currency, game, decks, x .1 AS first, y .1 AS second,"
        " sumIf(x .2, first = second), sum(x .2 * y .2) FROM ("
        " SELECT name, currency, game, decks, groupArray((wager, stake)) AS stakes FROM ("
        f" SELECT {_name(by)} AS name, currency, game, decks, table, shoe, round, b.wager AS wager,"
        " sum(toInt128(b.stake)) AS stake FROM rounds FINAL ARRAY JOIN bets AS b"
        f" WHERE {_IN_SHIFT} AND {_DECIDED} AND {of_tables}{named}"
        " GROUP BY name, currency, game, decks, table, shoe, round, wager)"
        " GROUP BY name, currency, game, decks, table, shoe, round)"
        " ARRAY JOIN stakes AS x ARRAY JOIN stakes AS y"
        " GROUP BY name, currency, game, decks, first, second ORDER BY name, currency, game, decks, first, second",
        parameters,
    )
    return [Staked(*row) for row in rows]


def finding_counts(
    store: Store, start: int, end: int, tables: Iterable[str] = (), besides: Iterable[str] = ()
) -> list[FindingCount]:
    """What was found from ``start`` until before ``end`` (microseconds since 1970), the most frequent first."""
    of_tables, parameters = _given(start, end, tables, besides)
    rows = store.query(
        "SELECT code, severity, count() AS found, countIf(cleared = 1), countIf(corrected = 1),"
        " uniqExactIf((table, shoe, round), round > 0 AND cleared = 0) FROM findings FINAL"
        f" WHERE (code != 'device-clock' AND {_within('time')} OR code = 'device-clock' AND {_within('raised')})"
        f" AND {of_tables} GROUP BY code, severity ORDER BY found DESC, code, severity",
        parameters,
    )
    return [FindingCount(*row) for row in rows]


def _name(by: By) -> str:
    return "b.player" if by == "player" else f"toString({by})"


def _given(start: int, end: int, tables: Iterable[str], besides: Iterable[str]) -> tuple[str, dict[str, Any]]:
    parameters: dict[str, Any] = {"start": start, "end": end}
    conditions = ["1"]
    for condition, name, value in (
        ("table IN %(tables)s", "tables", tuple(tables)),
        ("table NOT IN %(besides)s", "besides", tuple(besides)),
    ):
        if value:
            conditions.append(condition)
            parameters[name] = value
    return " AND ".join(conditions), parameters
