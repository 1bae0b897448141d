"""What a worker reads of tables before it goes on, many at once: the shoes that it folds again, and what stands beside
them."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from schemas.findings import parse_finding
from schemas.topics import HEARTBEAT
from store.connect import Store
from store.read.events import events_where
from store.read.stretches import FOR_EVER, accepted_events, by_source
from store.rows.raw import RecordKey, StoredEvent
from store.rows.verdicts import FindingState, RoundKey
from store.write.raw import id_mark

_EVENTS_AT_ONCE = 2_000
_MARKS_AT_ONCE = 2_000
_TABLES_AT_ONCE = 200
"""More would make a statement longer than the store takes."""
_MOST_REFUSED = 10_000
_MOST_FOUND = 100_000
_CONFIGURED = "shoe = '' AND round = 0 AND type = 'table.configured.v1'"

Firsts = Mapping[str, Mapping[str, int]]
"""By table and source: the first sequence that is read."""


@dataclass(frozen=True, slots=True)
class ShoeSpan:
    """What was heard of a shoe."""

    shoe: str
    first_time: int
    """Device time of the first event, in microseconds since 1970."""
    last_time: int
    rounds: tuple[int, ...]
    unjudged: tuple[int, ...]
    """Rounds without a verdict."""


@dataclass(frozen=True, slots=True)
class SourceBase:
    """How a source stood when its later events began."""

    sequence: int
    """The highest before them."""
    time: int
    """The largest device time before them, in microseconds since 1970."""
    types: frozenset[str]
    """The types of events that it had sent."""
    last_beat: StoredEvent | None
    """Its last heartbeat before them."""


@dataclass(frozen=True, slots=True)
class UnderMinimum:
    """A round in which a bet stood under its minimum."""

    key: RoundKey
    opened: int
    """Microseconds since 1970."""
    game: str
    status: str
    bets: tuple[tuple[str | None, int, str, int, int, int], ...]
    """Player, position, wager, stake, paid and collected (0 where it was not settled) of each bet."""


class Heard(NamedTuple):
    """What was heard of a table from a device time on."""

    firsts: dict[str, int]
    """By source: the lowest sequence."""
    events: int
    """How many there are."""


@dataclass(frozen=True, slots=True)
class RefusedEvent:
    """Where an event was refused, and what it fills in the sequence of its source; None: cannot be read."""

    key: RecordKey
    place: int
    source: str | None
    sequence: int | None
    type: str | None


def shoe_spans(store: Store, partitions: Mapping[str, int]) -> dict[str, list[ShoeSpan]]:
    """By table: its shoes by their first event, as they were heard of in the partition that is given for it."""
    rows = store.query(
        "SELECT table, shoe, toUnixTimestamp64Micro(min(first_time)), toUnixTimestamp64Micro(max(last_time)),"
        " groupUniqArrayIf(round, round > 0) FROM round_spans WHERE partition IN %(partitions)s"
        " AND (partition, table) IN %(pairs)s GROUP BY table, shoe ORDER BY min(first_time), shoe",
        {
            "partitions": tuple(set(partitions.values())),
            "pairs": tuple((partition, table) for table, partition in partitions.items()),
        },
    )
    judged: dict[tuple[str, str], set[int]] = {}
    for table, shoe, numbers in store.query(
        "SELECT table, shoe, groupUniqArray(round) FROM verdicts WHERE table IN %(tables)s GROUP BY table, shoe",
        {"tables": tuple(partitions)},
    ):
        judged[table, shoe] = set(numbers)
    found: dict[str, list[ShoeSpan]] = {}
    for table, shoe, first, last, rounds in rows:
        unjudged = set(rounds) - judged.get((table, shoe), set())
        span = ShoeSpan(shoe, first, last, tuple(sorted(rounds)), tuple(sorted(unjudged)))
        found.setdefault(table, []).append(span)
    return found


def heard_since(store: Store, starts: Mapping[str, int]) -> dict[str, Heard]:
    """By table: what was heard of it from a device time on that differs by table (microseconds since 1970)."""
    rows = store.query(
        f"SELECT table, source, min(sequence), count() FROM events WHERE {_SINCE} GROUP BY table, source",
        _given(starts),
    )
    found = {table: Heard({}, 0) for table in starts}
    for table, source, first, count in rows:
        before = found[table]
        before.firsts[source] = first
        found[table] = before._replace(events=before.events + count)
    return found


def source_bases(store: Store, firsts: Firsts) -> dict[str, dict[str, SourceBase]]:
    """By table: how each of its sources stood before its first sequence to be read; sources without one, at their
    end."""
    bound, given = _bounds(firsts)
    accepted = accepted_events(store, firsts)
    beat = f"{accepted} AND type = %(beat)s"
    rows = store.query(
        f"SELECT table, source, maxIf(sequence, {accepted}), toUnixTimestamp64Micro(maxIf(time, {accepted})),"
        f" groupUniqArray(toString(type)), maxIf(toInt64(sequence), {beat}), countIf({beat}) FROM events"
        f" WHERE table IN %(tables)s AND sequence < {bound} GROUP BY table, source HAVING countIf({accepted}) > 0",
        {"beat": HEARTBEAT, **given},
    )
    beats = tuple((table, source, beat) for table, source, _, _, _, beat, count in rows if count)
    last: dict[tuple[str, str], StoredEvent] = {}
    if beats:
        condition = (
            "table IN %(tables)s AND type = %(beat)s AND (toString(table), toString(source), sequence) IN %(beats)s"
        )
        tables = tuple({table for table, _, _ in beats})
        for stored in events_where(store, condition, {"tables": tables, "beat": HEARTBEAT, "beats": beats}):
            last[stored.event.subject, stored.event.source] = stored
    found: dict[str, dict[str, SourceBase]] = {table: {} for table in firsts}
    for table, source, sequence, time, types, _, _ in rows:
        found[table][source] = SourceBase(sequence, time, frozenset(types), last.get((table, source)))
    return found


def events_from(store: Store, firsts: Firsts) -> dict[str, list[StoredEvent]]:
    """By table: all its stored events from each source's first sequence on."""
    if not any(firsts.values()):
        return {}
    bound, given = _bounds(firsts)
    condition = f"table IN %(tables)s AND sequence >= {bound}"
    return _by_table(events_where(store, condition, given, at_once=_EVENTS_AT_ONCE))


def configurations_of(store: Store, tables: Collection[str]) -> dict[str, list[StoredEvent]]:
    """By table: every configuration that it ever had, by device time."""
    condition = f"table IN %(tables)s AND {_CONFIGURED}"
    return _by_table(events_where(store, condition, {"tables": tuple(tables)}))


def events_named(store: Store, names: Mapping[str, Collection[tuple[str, str]]]) -> dict[str, list[StoredEvent]]:
    """By table: the events about it with these sources and ids."""
    marks = sorted({(table, source, id_mark(name)) for table, wanted in names.items() for source, name in wanted})
    found: dict[str, list[StoredEvent]] = {}
    for start in range(0, len(marks), _MARKS_AT_ONCE):
        part = tuple(marks[start : start + _MARKS_AT_ONCE])
        condition = "table IN %(tables)s AND (toString(table), toString(source), id_mark) IN %(marks)s"
        given = {"tables": tuple({table for table, _, _ in part}), "marks": part}
        for stored in events_where(store, condition, given):
            if (stored.event.source, stored.event.id) in names[stored.event.subject]:
                found.setdefault(stored.event.subject, []).append(stored)
    return found


def refused_since(store: Store, starts: Mapping[str, int]) -> dict[str, list[RefusedEvent]]:
    """By table: what was refused of it from an arrival on (milliseconds since 1970), by arrival."""
    rows = store.query(
        "SELECT table, log, topic, partition, offset, place, source, sequence, type FROM rejected FINAL"
        " WHERE table IN %(tables)s AND toUnixTimestamp64Milli(arrival) >= "
        f"{_OF_TABLE} AND arrival >= fromUnixTimestamp64Milli(%(first)s, 'UTC')"
        f" ORDER BY arrival, log, topic, partition, offset, place LIMIT {_MOST_REFUSED} BY table",
        _given(starts),
    )
    found: dict[str, list[RefusedEvent]] = {}
    for table, log, topic, partition, offset, place, source, sequence, kind in rows:
        refused = RefusedEvent(RecordKey(log, topic, partition, offset), place, source or None, sequence, kind or None)
        found.setdefault(table, []).append(refused)
    return found


def findings_since(store: Store, starts: Mapping[str, int]) -> dict[str, list[FindingState]]:
    """By table: the last state of what was found from a device time on (microseconds since 1970), by device time."""
    columns = store.columns(
        "SELECT table, finding, version, toUnixTimestamp64Micro(time), toUnixTimestamp64Milli(raised)"
        f" FROM findings FINAL WHERE {_SINCE} ORDER BY time, table, id LIMIT {_MOST_FOUND} BY table",
        _given(starts),
        as_bytes=True,
    )
    found: dict[str, list[FindingState]] = {}
    for table, published, version, time, raised in zip(*columns, strict=True):
        state = FindingState(finding=parse_finding(published), version=version, time=time, raised=raised)
        found.setdefault(table.decode(), []).append(state)
    return found


def last_judged(store: Store, since: int) -> dict[str, int]:
    """By table: when a verdict of it was judged last, of those since then (milliseconds since 1970)."""
    rows = store.query(
        "SELECT table, toUnixTimestamp64Milli(max(judged)) FROM verdicts"
        " WHERE judged >= fromUnixTimestamp64Milli(%(since)s, 'UTC') GROUP BY table",
        {"since": since},
    )
    return dict(rows)


def verdicts_since(store: Store, starts: Mapping[str, int]) -> list[tuple[str, bytes]]:
    """Table and verdict, as published, of what was judged from a time on that differs by table (milliseconds since
    1970), every revision once, in the order of judging."""
    found: list[tuple[int, str, bytes]] = []
    tables = list(starts)
    for first in range(0, len(tables), _TABLES_AT_ONCE):
        found += _verdicts_since(store, {table: starts[table] for table in tables[first : first + _TABLES_AT_ONCE]})
    return [(table, published) for _, table, published in sorted(found, key=lambda each: each[0])]


def _verdicts_since(store: Store, starts: Mapping[str, int]) -> Iterator[tuple[int, str, bytes]]:
    rows = (
        "SELECT table, shoe, round, revision FROM verdicts WHERE table IN %(tables)s AND toUnixTimestamp64Milli(judged)"
        f" >= {_OF_TABLE} AND judged >= fromUnixTimestamp64Milli(%(first)s, 'UTC')"
    )
    columns = store.columns(
        "SELECT toUnixTimestamp64Milli(min(judged)), table, argMax(verdict, precedence) FROM verdicts"
        " WHERE table IN %(tables)s"
        f" AND (table, shoe, round, revision) GLOBAL IN ({rows}) GROUP BY table, shoe, round, revision"
        " ORDER BY min(judged), table, shoe, round, revision",
        _given(starts),
        as_bytes=True,
    )
    for judged, table, published in zip(*columns, strict=True):
        yield judged, table.decode(), published


def rounds_under_minimum(store: Store, table: str) -> list[UnderMinimum]:
    """The last state of each round of a table in which a bet stood under its minimum, by its opening."""
    return under_minimum(store, [table]).get(table, [])


def under_minimum(store: Store, tables: Collection[str]) -> dict[str, list[UnderMinimum]]:
    """By table: the last state of each of its rounds in which a bet stood under its minimum, by its opening."""
    rows = store.query(
        "SELECT table, shoe, round, toUnixTimestamp64Micro(opened), game, status, bets.player, bets.position,"
        " bets.wager, bets.stake, bets.paid, bets.collected FROM rounds FINAL"
        " WHERE table IN %(tables)s AND has(codes, 'below-minimum') ORDER BY opened, shoe, round",
        {"tables": tuple(tables)},
    )
    found: dict[str, list[UnderMinimum]] = {}
    for table, shoe, number, opened, game, status, *columns in rows:
        bets = tuple(
            (player or None, position, wager, stake, paid or 0, collected or 0)
            for player, position, wager, stake, paid, collected in zip(*columns, strict=True)
        )
        round_ = UnderMinimum(RoundKey(table, shoe, number), opened, game, status, bets)
        found.setdefault(table, []).append(round_)
    return found


# Numbers of which some fit into fewer bytes become unsigned ones in the engine, which have no type in common with it.
_OF_TABLE = "transform(toString(table), %(names)s, CAST(%(starts)s, 'Array(Int64)'), toInt64(0))"
_SINCE = (
    f"table IN %(tables)s AND time >= fromUnixTimestamp64Micro({_OF_TABLE}, 'UTC')"
    # Lets the engine pass over what is before all of them.
    " AND time >= fromUnixTimestamp64Micro(%(first)s, 'UTC')"
)


def _given(starts: Mapping[str, int]) -> dict[str, Any]:
    """What a condition needs that begins at another time for each table."""
    return {
        "tables": tuple(starts),
        "names": list(starts),
        "starts": list(starts.values()),
        "first": min(starts.values()),
    }


def _bounds(firsts: Firsts) -> tuple[str, dict[str, Any]]:
    """The first sequence by table and source, as SQL; beyond all where none is given."""
    runs = {table: {source: (first, first) for source, first in of.items()} for table, of in firsts.items()}
    return by_source(runs, 0, FOR_EVER)


def _by_table(events: Iterator[StoredEvent]) -> dict[str, list[StoredEvent]]:
    found: dict[str, list[StoredEvent]] = {}
    for stored in events:
        found.setdefault(stored.event.subject, []).append(stored)
    return found
