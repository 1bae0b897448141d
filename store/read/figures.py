"""Figures for dashboards, reports and the wall: minutes of tables, findings by minute, the shoe's ledger, sources."""

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import orjson

from store.connect import Store
from store.rows.shoes import ShoeSummary, WagerCovariance, WagerOdds


@dataclass(frozen=True, slots=True)
class TableMinute:
    """What one table did in the rounds opened in one minute."""

    minute: int
    """Seconds since 1970."""
    table: str
    game: str | None
    pit: str | None
    currency: str | None
    rounds: int
    voids: int
    flagged: int
    unverifiable: int
    bets: int
    handle: int
    """Sum of the stakes, but those of void rounds: they are given back."""
    win: int
    """What the house collected less what it paid."""
    due_win: Decimal
    """The same as it should have been."""
    critical: int
    high: int
    medium: int
    low: int
    mean_latency_ms: float
    """From a round's last fact, by its device, to the verdict."""
    worst_latency_ms: int

    @property
    def hold(self) -> Fraction | None:
        """Win over handle; None without any handle. Theoretical: drop and fills are not known here."""
        return Fraction(self.win, self.handle) if self.handle else None


@dataclass(frozen=True, slots=True)
class FindingMinute:
    """How many findings of one kind a table had in one minute."""

    minute: int
    """Seconds since 1970."""
    table: str
    severity: str
    code: str
    findings: int
    cleared: int
    corrected: int


@dataclass(frozen=True, slots=True)
class SourceHour:
    """What was heard of a source about a table in one hour of arrival."""

    table: str
    source: str
    hour: int
    """Seconds since 1970."""
    first_sequence: int
    last_sequence: int
    last_time: int
    """Device time, microseconds since 1970."""
    last_arrival: int
    """Milliseconds since 1970."""
    fastest_ms: int
    """Shortest way from the device's time to arrival; below 0 where the device's clock runs ahead."""
    slowest_ms: int


def table_minutes(store: Store, start: int, end: int, tables: tuple[str, ...] = ()) -> list[TableMinute]:
    """Minutes from ``start`` until before ``end`` (seconds since 1970), of all tables or of these."""
    of_tables, parameters = _of_tables(tables)
    rows = store.query(
        "SELECT toUnixTimestamp(minute), table, game, pit, currency, rounds, voids, flagged, unverifiable, bets,"
        " handle, win, due_win, critical, high, medium, low, mean_latency_ms, worst_latency_ms FROM table_minutes"
        f" WHERE minute >= toDateTime(%(start)s, 'UTC') AND minute < toDateTime(%(end)s, 'UTC') AND {of_tables}"
        " ORDER BY minute, table, game, pit, currency",
        {"start": start, "end": end, **parameters},
    )
    return [TableMinute(row[0], row[1], row[2] or None, row[3] or None, row[4] or None, *row[5:]) for row in rows]


def finding_minutes(store: Store, start: int, end: int, tables: tuple[str, ...] = ()) -> list[FindingMinute]:
    """Findings by minute from ``start`` until before ``end`` (seconds since 1970), of all tables or of these."""
    of_tables, parameters = _of_tables(tables)
    rows = store.query(
        "SELECT toUnixTimestamp(minute), table, severity, code, findings, cleared_later, corrected_later"
        " FROM finding_minutes"
        f" WHERE minute >= toDateTime(%(start)s, 'UTC') AND minute < toDateTime(%(end)s, 'UTC') AND {of_tables}"
        " ORDER BY minute, table, severity, code",
        {"start": start, "end": end, **parameters},
    )
    return [FindingMinute(*row) for row in rows]


def shoe_ledger(store: Store, table: str, shoe: str) -> dict[str, int]:
    """How often each card of a shoe was read so far, by card code."""
    rows = store.query(
        "SELECT card, seen FROM shoe_ledger WHERE table = %(table)s AND shoe = %(shoe)s ORDER BY card",
        {"table": table, "shoe": shoe},
    )
    return dict(rows)


def source_hours(store: Store, start: int, end: int, tables: tuple[str, ...] = ()) -> list[SourceHour]:
    """What was heard of sources from ``start`` until before ``end`` (seconds since 1970), of all tables or of these."""
    of_tables, parameters = _of_tables(tables)
    rows = store.query(
        "SELECT table, source, toUnixTimestamp(hour), min(first_sequence), max(last_sequence),"
        " toUnixTimestamp64Micro(max(last_time)), toUnixTimestamp64Milli(max(last_arrival)), min(fastest_ms),"
        " max(slowest_ms) FROM source_hours"
        f" WHERE hour >= toDateTime(%(start)s, 'UTC') AND hour < toDateTime(%(end)s, 'UTC') AND {of_tables}"
        " GROUP BY table, source, hour ORDER BY hour, table, source",
        {"start": start, "end": end, **parameters},
    )
    return [SourceHour(*row) for row in rows]


def shoe_summaries(store: Store, table: str, before: int | None = None, count: int = 50) -> list[ShoeSummary]:
    """The last shoes of a table that ended before a moment (microseconds since 1970), the latest first."""
    condition = "" if before is None else " AND ended < fromUnixTimestamp64Micro(%(before)s, 'UTC')"
    rows = store.query(
        "SELECT table, shoe, version, game, decks, toUnixTimestamp64Micro(loaded), toUnixTimestamp64Micro(ended),"
        f" rounds, toUnixTimestamp64Milli(summarised), summary FROM shoes FINAL WHERE table = %(table)s{condition}"
        " ORDER BY ended DESC, shoe DESC LIMIT %(count)s",
        {"table": table, "before": before, "count": count},
    )
    return [
        ShoeSummary(
            table=row[0],
            shoe=row[1],
            version=row[2],
            game=row[3] or None,
            decks=row[4] or None,
            loaded=row[5],
            ended=row[6],
            rounds=row[7],
            summarised=row[8],
            summary=orjson.loads(row[9]),
        )
        for row in rows
    ]


def wager_odds(store: Store) -> list[WagerOdds]:
    """What every wager is expected to bring."""
    rows = store.query(
        "SELECT game, decks, wager, expected_return, deviation, version FROM wager_odds FINAL"
        " ORDER BY game, decks, wager"
    )
    return [
        WagerOdds(
            game=game,
            decks=decks,
            wager=wager,
            expected_return=Fraction(expected),
            deviation=deviation,
            version=version,
        )
        for game, decks, wager, expected, deviation, version in rows
    ]


def wager_covariances(store: Store) -> list[WagerCovariance]:
    """How the wagers of a round hang together."""
    rows = store.query(
        "SELECT game, decks, wager, other, covariance, version FROM wager_covariances FINAL"
        " ORDER BY game, decks, wager, other"
    )
    return [
        WagerCovariance(game=game, decks=decks, wager=wager, other=other, covariance=covariance, version=version)
        for game, decks, wager, other, covariance, version in rows
    ]


def _of_tables(tables: tuple[str, ...]) -> tuple[str, dict[str, Any]]:
    return ("table IN %(tables)s", {"tables": tables}) if tables else ("1", {})
