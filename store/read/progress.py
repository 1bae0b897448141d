"""How far the store is: which offsets it has, which rounds are still open, and what a worker needs to go on."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from store.connect import Store
from store.read.events import configuration_events, events_where, shoe_events
from store.rows.raw import StoredEvent
from store.rows.verdicts import RoundKey


@dataclass(frozen=True, slots=True)
class RoundSpan:
    """A round, or with round 0 what is said of its shoe alone, by what was heard of it."""

    key: RoundKey
    first_time: int
    """Device time of the first fact, in microseconds since 1970."""
    last_time: int
    last_arrival: int
    """Milliseconds since 1970."""
    closed: bool
    """The round was closed, or the shoe ended."""


_BLOCK = 10_000
"""So many offsets are counted together before single ones are looked at."""


def last_offset(store: Store, topic: str, partition: int, log: str = "") -> int | None:
    """The highest offset of a partition whose record is stored; all of that record's events are stored too."""
    return _of_last_record(store, "offset", topic, partition, log)


def last_arrival(store: Store, topic: str, partition: int, log: str = "") -> int | None:
    """When the last record of a partition that is stored arrived, in milliseconds since 1970."""
    return _of_last_record(store, "toUnixTimestamp64Milli(arrival)", topic, partition, log)


def _of_last_record(store: Store, what: str, topic: str, partition: int, log: str) -> int | None:
    rows = store.query(
        f"SELECT {what} FROM records WHERE log = %(log)s AND topic = %(topic)s AND partition = %(partition)s"
        " ORDER BY log DESC, topic DESC, partition DESC, offset DESC LIMIT 1",
        {"log": log, "topic": topic, "partition": partition},
    )
    return int(rows[0][0]) if rows else None


def stored_offsets(store: Store, topic: str, partition: int, first: int, last: int, log: str = "") -> frozenset[int]:
    """Which offsets from ``first`` to ``last`` are stored already, so that a worker skips them."""
    rows = store.query(
        "SELECT DISTINCT offset FROM records WHERE log = %(log)s AND topic = %(topic)s AND partition = %(partition)s"
        " AND offset BETWEEN %(first)s AND %(last)s",
        {"log": log, "topic": topic, "partition": partition, "first": first, "last": last},
    )
    return frozenset(offset for (offset,) in rows)


def first_missing(store: Store, topic: str, partition: int, first: int, end: int, log: str = "") -> int:
    """The first offset from ``first`` on that is not stored; ``end`` where all before it are."""
    where = {"log": log, "topic": topic, "partition": partition, "first": first, "last": end - 1}
    counts: dict[int, int] = dict(
        store.query(
            f"SELECT intDiv(offset, {_BLOCK}), uniqExact(offset) FROM records WHERE log = %(log)s AND topic = %(topic)s"
            " AND partition = %(partition)s AND offset BETWEEN %(first)s AND %(last)s GROUP BY 1",
            where,
        )
    )
    for begin in range(first - first % _BLOCK, end, _BLOCK):
        low, high = max(begin, first), min(begin + _BLOCK, end)
        if counts.get(begin // _BLOCK, 0) < high - low:
            stored = stored_offsets(store, topic, partition, low, high - 1, log)
            return next(offset for offset in range(low, high) if offset not in stored)
    return end


def stored_events_count(store: Store) -> int:
    """How many events were stored, each record counted once."""
    return int(store.query("SELECT sum(events) FROM records FINAL")[0][0])


# Spans are summed up by month of arrival; what was heard of since then lies in that month or later, and the month
# before it may hold how the round began. All others are not even looked at.
_SINCE = (
    "partition = %(partition)s"
    " AND month >= toStartOfMonth(fromUnixTimestamp64Milli(%(since)s, 'UTC')) - INTERVAL 1 MONTH"
)
_HEARD_SINCE = "max(last_arrival) >= fromUnixTimestamp64Milli(%(since)s, 'UTC')"
_KEYS_AT_ONCE = 5_000


def open_rounds(store: Store, partition: int, since: int) -> list[RoundSpan]:
    """Rounds of a partition heard of since then (arrival, milliseconds) that have no verdict yet."""
    rows = store.query(
        "SELECT table, shoe, round, toUnixTimestamp64Micro(min(first_time)), toUnixTimestamp64Micro(max(last_time)),"
        f" toUnixTimestamp64Milli(max(last_arrival)), max(closed) FROM round_spans WHERE {_SINCE} AND round > 0"
        f" GROUP BY table, shoe, round HAVING {_HEARD_SINCE} ORDER BY table, shoe, round",
        {"partition": partition, "since": max(since, _A_MONTH)},
    )
    spans = [
        RoundSpan(RoundKey(table, shoe, round), first, last, arrival, bool(closed))
        for table, shoe, round, first, last, arrival, closed in rows
    ]
    judged = _judged(store, [span.key for span in spans])
    return [span for span in spans if span.key not in judged]


def open_shoes(store: Store, partition: int, since: int) -> list[tuple[str, str]]:
    """Table and shoe of what is in play in a partition.

    These are the shoes heard of since then (arrival, milliseconds) that have not ended, or have a round not judged.
    """
    rows = store.query(
        f"SELECT table, shoe FROM round_spans WHERE {_SINCE} GROUP BY table, shoe"
        f" HAVING {_HEARD_SINCE} AND maxIf(closed, round = 0) = 0",
        {"partition": partition, "since": max(since, _A_MONTH)},
    )
    unjudged = {(span.key.table, span.key.shoe) for span in open_rounds(store, partition, since)}
    return sorted({(table, shoe) for table, shoe in rows} | unjudged)


_A_MONTH = 31 * 24 * 3600 * 1000
"""Milliseconds; the earliest moment whose month before is still a date."""


def _judged(store: Store, keys: list[RoundKey]) -> set[RoundKey]:
    """Which of these rounds have a verdict."""
    found: set[RoundKey] = set()
    for first in range(0, len(keys), _KEYS_AT_ONCE):
        wanted = tuple((key.table, key.shoe, key.round) for key in keys[first : first + _KEYS_AT_ONCE])
        rows = store.query(
            "SELECT DISTINCT table, shoe, round FROM verdicts WHERE (table, shoe, round) IN %(keys)s", {"keys": wanted}
        )
        found |= {RoundKey(table, shoe, round) for table, shoe, round in rows}
    return found


def events_to_fold(store: Store, partition: int, since: int) -> Iterator[StoredEvent]:
    """All that a worker folds again when it takes over a partition.

    The configurations of its tables, and every event of the shoes that are in play there. A shoe comes whole, because
    each round counts the copies dealt before it.
    """
    configured: set[str] = set()
    for table, shoe in open_shoes(store, partition, since):
        if table not in configured:
            configured.add(table)
            yield from configuration_events(store, table)
        yield from shoe_events(store, table, shoe)


def known_tables(store: Store) -> list[str]:
    """All tables of which the store knows anything: those that were heard of, be it a configuration alone; and those on
    which a worker before may have said something of which nothing is stored, with verdicts or findings since an hour
    before the last record arrived. Verdicts and findings are stored before their records."""
    since = "(SELECT max(arrival) FROM records) - INTERVAL 1 HOUR"
    rows = store.query(
        "SELECT DISTINCT table FROM source_hours UNION DISTINCT"
        f" SELECT DISTINCT table FROM verdicts WHERE judged >= {since} UNION DISTINCT"
        f" SELECT DISTINCT table FROM findings WHERE raised >= {since} AND table != ''"
    )
    return sorted(table for (table,) in rows)


def table_modes(store: Store, ahead_ms: int) -> dict[str, str]:
    """By table: the mode in which it was configured last, but for configurations that were dated further ahead of their
    arrival than this (milliseconds)."""
    configured = (
        "shoe = '' AND round = 0 AND type = 'table.configured.v1'"
        " AND toUnixTimestamp64Micro(time) - 1000 * toUnixTimestamp64Milli(arrival) <= 1000 * %(ahead)s"
    )
    last = f"SELECT table, max(time) FROM events WHERE {configured} GROUP BY table"
    events = events_where(store, f"{configured} AND (table, time) GLOBAL IN ({last})", {"ahead": ahead_ms})
    return {each.event.subject: each.event.data.mode for each in events}


def last_times(store: Store, tables: Collection[str]) -> dict[str, int]:
    """By table: the largest device time that was heard of it, in microseconds since 1970."""
    rows = store.query(
        "SELECT table, toUnixTimestamp64Micro(max(last_time)) FROM source_hours WHERE table IN %(tables)s"
        " GROUP BY table",
        {"tables": tuple(tables)},
    )
    return dict(rows)


def last_revisions(store: Store, keys: Iterable[RoundKey]) -> dict[RoundKey, tuple[int, str]]:
    """Revision and digest of the last verdict of each of these rounds that has one."""
    wanted = tuple((key.table, key.shoe, key.round) for key in keys)
    if not wanted:
        return {}
    rows = store.query(
        "SELECT table, shoe, round, argMax(revision, precedence), lower(hex(argMax(digest, precedence))) FROM verdicts"
        " WHERE (table, shoe, round) IN %(keys)s GROUP BY table, shoe, round",
        {"keys": wanted},
    )
    return {RoundKey(table, shoe, round): (revision, digest) for table, shoe, round, revision, digest in rows}
