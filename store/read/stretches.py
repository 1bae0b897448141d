"""Stretches of tables' time, many tables at once: their shoes, how their devices stood before, and their events."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from schemas.records import AnyEvent
from store.connect import Store
from store.read.events import events_where
from store.read.pieces import careful_pieces, events_about, quick_pieces

_EVENTS_AT_ONCE = 20_000
_RECORDS_AT_ONCE = 5_000
FOR_EVER = 2**62
"""A sequence that no event reaches."""


@dataclass(frozen=True, slots=True)
class ShoeTimes:
    """When a shoe was heard of, by device time in microseconds since 1970, and how much was said of it."""

    shoe: str
    first: int
    last: int
    events: int
    partition: int
    """One in which its events are."""


@dataclass(frozen=True, slots=True)
class SourceStand:
    """How a source stood before a sequence."""

    sequence: int
    """The highest before it."""
    time: int
    """The largest device time before it, in microseconds since 1970."""
    types: frozenset[str]


def shoes_of(store: Store, tables: Collection[str]) -> dict[str, list[ShoeTimes]]:
    """By table: its shoes by their first event."""
    rows = store.query(
        "SELECT table, shoe, toUnixTimestamp64Micro(min(time)), toUnixTimestamp64Micro(max(time)), count(),"
        " min(partition) FROM events WHERE table IN %(tables)s AND shoe != ''"
        # As they are stored they are together; put in order here, where it takes less than planning it does.
        " GROUP BY table, shoe SETTINGS optimize_aggregation_in_order = 1",
        {"tables": tuple(tables)},
    )
    found: dict[str, list[ShoeTimes]] = {}
    for table, *shoe in sorted(rows, key=lambda row: (row[2], row[1])):
        found.setdefault(table, []).append(ShoeTimes(*shoe))
    return found


Sequences = Mapping[str, Mapping[str, tuple[int, int]]]
"""By table and source: the first and the last of a run of sequences."""


def sequences_between(store: Store, times: Mapping[str, tuple[int, int]]) -> dict[str, dict[str, tuple[int, int]]]:
    """By table and source: the lowest and the highest sequence that it dates between two moments (microseconds, both
    included), which differ by table."""
    starts, ends = zip(*times.values(), strict=True)
    rows = store.query(
        # Planned sooner where the engine has no choice of what to read first. What holds for all tables lets it pass
        # over what is outside all of their times.
        "SELECT table, source, min(sequence), max(sequence) FROM events PREWHERE table IN %(tables)s"
        " AND time BETWEEN fromUnixTimestamp64Micro(%(first)s, 'UTC') AND fromUnixTimestamp64Micro(%(last)s, 'UTC')"
        # Numbers of which some fit into fewer bytes become unsigned ones, which have no type in common with the last.
        " AND toUnixTimestamp64Micro(time)"
        " BETWEEN transform(table, %(names)s, CAST(%(starts)s, 'Array(Int64)'), toInt64(0))"
        " AND transform(table, %(names)s, CAST(%(ends)s, 'Array(Int64)'), toInt64(0))"
        " GROUP BY table, source",
        {"tables": tuple(times), "names": list(times), "starts": list(starts), "ends": list(ends),
         "first": min(starts), "last": max(ends)},
    )  # fmt: skip
    found: dict[str, dict[str, tuple[int, int]]] = {}
    for table, source, first, last in rows:
        found.setdefault(table, {})[source] = first, last
    return found


def stands_before(store: Store, sequences: Sequences) -> dict[str, dict[str, SourceStand]]:
    """By table: how each of its sources stood before its run of sequences; sources without one, at their end."""
    bound, given = by_source(sequences, 0, FOR_EVER)
    accepted = accepted_events(store, sequences)
    rows = store.query(
        f"SELECT table, source, maxIf(sequence, {accepted}), toUnixTimestamp64Micro(maxIf(time, {accepted})),"
        f" groupUniqArray(toString(type)) FROM events WHERE table IN %(tables)s AND sequence < {bound}"
        f" GROUP BY table, source HAVING countIf({accepted}) > 0",
        given,
    )
    found: dict[str, dict[str, SourceStand]] = {}
    for table, source, sequence, time, types in rows:
        found.setdefault(table, {})[source] = SourceStand(sequence, time, frozenset(types))
    return found


def accepted_events(store: Store, tables: Collection[str]) -> str:
    """What holds of those events of ``tables``, as SQL, that were not refused later: when these happened, and what they
    say, is nothing that the others are judged by. Most tables have none, and are not asked of each event."""
    refused = store.query("SELECT 1 FROM rejected WHERE table IN %(tables)s LIMIT 1", {"tables": tuple(tables)})
    place = "log, topic, partition, offset, place"
    return f"(({place}) GLOBAL NOT IN (SELECT {place} FROM rejected WHERE table IN %(tables)s))" if refused else "1"


def by_source(sequences: Sequences, end: int, otherwise: int, name: str = "bound") -> tuple[str, dict[str, Any]]:
    """One end of each run of sequences as SQL, by table and source; ``otherwise`` where there is no run."""
    tables = list(sequences)
    sources = sorted({source for runs in sequences.values() for source in runs})
    numbers = {source: number for number, source in enumerate(sources, start=1)}
    # Names become numbers where there are few of them, in the dictionaries of their columns.
    width = len(sources) + 1
    bounds = {
        place * width + numbers[source]: run[end]
        for place, table in enumerate(tables)
        for source, run in sequences[table].items()
    }
    sql = (
        f"transform(transform(toString(table), %(names)s, %(places)s, toUInt64(0))"
        f" + transform(toString(source), %(sources)s, %(numbers)s, toUInt64(0)),"
        f" %({name}_of)s, %({name}s)s, toUInt64({otherwise}))"
    )
    return sql, {
        "tables": tuple(tables),
        "names": tables,
        "places": [place * width for place in range(len(tables))],
        "sources": sources or [""],
        "numbers": list(numbers.values()) or [0],
        f"{name}_of": list(bounds) or [0],
        f"{name}s": list(bounds.values()) or [otherwise],
    }


class EventsRead:
    """The events of some tables, kept as bytes and decoded table by table as they are asked for: what was just decoded
    is judged soonest."""

    def __init__(self, pieces: dict[str, list[bytes] | None]) -> None:
        self._pieces = pieces

    def take(self, table: str) -> list[AnyEvent] | None:
        """The events about a table, which are let go of here; None where a record of it is not plainly as it should
        be."""
        pieces = self._pieces.pop(table, [])
        return None if pieces is None else events_about(table, pieces)


def events_between(store: Store, sequences: Sequences) -> EventsRead:
    """The events of tables whose sequences are in the runs given, each record read once for all of them."""
    if not any(sequences.values()):
        return EventsRead({})
    condition, given = _in_runs(sequences)
    columns = store.columns(
        "SELECT table, log, topic, partition, groupArray(offset), groupArray(place) FROM events"
        f" WHERE {condition} GROUP BY table, log, topic, partition",
        given,
    )
    offsets_of: dict[Home, set[int]] = {}
    for _, log, topic, partition, offsets, _ in zip(*columns, strict=True):
        offsets_of.setdefault((log, topic, partition), set()).update(offsets)
    pieces_of: dict[Home, dict[int, list[bytes]]] = {home: {} for home in offsets_of}
    for home, offset, count, raw in _raw_records(store, offsets_of):
        pieces_of[home][offset] = quick_pieces(raw, count) or careful_pieces(raw)
    found: dict[str, list[bytes] | None] = {}
    for table, log, topic, partition, offsets, places in zip(*columns, strict=True):
        known = found.setdefault(table, [])
        cut = pieces_of[log, topic, partition]
        try:
            if known is not None:
                known += [cut[offset][place] for offset, place in zip(offsets, places, strict=True)]
        except LookupError:
            found[table] = None
    return EventsRead(found)


def events_with_care(store: Store, table: str, runs: Mapping[str, tuple[int, int]]) -> Iterator[AnyEvent]:
    """The events of one table in the runs given, each looked at alone; StoreContradicts where one is not what is stored
    for it."""
    if runs:
        found = events_where(store, *_in_runs({table: runs}), at_once=_EVENTS_AT_ONCE)
        yield from (stored.event for stored in found)


def arrivals_between(
    store: Store, table: str, runs: Mapping[str, tuple[int, int]]
) -> dict[tuple[str, int], tuple[int, int]]:
    """By log and partition: when the first and the last of the events of a table in the runs given came, in
    milliseconds since 1970."""
    condition, given = _in_runs({table: runs})
    rows = store.query(
        "SELECT log, partition, toUnixTimestamp64Milli(min(arrival)), toUnixTimestamp64Milli(max(arrival)) FROM events"
        f" WHERE {condition} GROUP BY log, partition",
        given,
    )
    return {(log, partition): (first, last) for log, partition, first, last in rows}


def rows_by_round(store: Store, tables: Collection[str]) -> dict[str, dict[tuple[str, int], int]]:
    """By table, and by shoe and round: of how many events there are rows, those that were refused later left out."""
    rows = store.query(
        "SELECT table, shoe, round, uniqExact(source, sequence, id_mark) FROM events WHERE table IN %(tables)s"
        f" AND round != 0 AND {accepted_events(store, tables)}"
        " GROUP BY table, shoe, round SETTINGS optimize_aggregation_in_order = 1",
        {"tables": tuple(tables)},
    )
    found: dict[str, dict[tuple[str, int], int]] = {}
    for table, shoe, round, count in rows:
        found.setdefault(table, {})[shoe, round] = count
    return found


def rows_of_shoes(store: Store, table: str, shoes: Collection[str]) -> set[tuple[str, int, str, int]]:
    """Of which events of some shoes there are rows: shoe, round, source and sequence."""
    rows = store.query(
        "SELECT DISTINCT shoe, round, source, sequence FROM events"
        " PREWHERE table = %(table)s AND shoe IN %(shoes)s AND round != 0",
        {"table": table, "shoes": tuple(shoes)},
    )
    return {(shoe, round, source, sequence) for shoe, round, source, sequence in rows}


def _in_runs(sequences: Sequences) -> tuple[str, dict[str, Any]]:
    first, given = by_source(sequences, 0, FOR_EVER, "first")
    last, more = by_source(sequences, 1, 0, "last")
    return f"table IN %(tables)s AND sequence >= {first} AND sequence <= {last}", {**given, **more}


Home = tuple[str, str, int]
"""Log, topic and partition of a record."""


def _raw_records(store: Store, wanted: Mapping[Home, Collection[int]]) -> Iterator[tuple[Home, int, int, bytes]]:
    """Where they are, how many events they hold, and their bytes; where most of a span is wanted, all records of it."""
    keys = sorted((home, offset) for home, offsets in wanted.items() for offset in offsets)
    for start in range(0, len(keys), _RECORDS_AT_ONCE):
        homes: dict[Home, list[int]] = {}
        for home, offset in keys[start : start + _RECORDS_AT_ONCE]:
            homes.setdefault(home, []).append(offset)
        given: dict[str, Any] = {}
        conditions = []
        for number, ((log, topic, partition), offsets) in enumerate(homes.items()):
            dense = offsets[-1] - offsets[0] < 2 * len(offsets)
            span = f"BETWEEN {offsets[0]} AND {offsets[-1]}" if dense else f"IN %(offsets{number})s"
            place = f"log = %(log{number})s AND topic = %(topic{number})s AND partition = {partition}"
            conditions.append(f"({place} AND offset {span})")
            given |= {f"log{number}": log, f"topic{number}": topic, f"offsets{number}": () if dense else tuple(offsets)}
        columns = store.columns(
            "SELECT log, topic, partition, offset, events + rejected, raw FROM records WHERE "
            + " OR ".join(conditions),
            given,
            as_bytes=True,
        )
        for log_name, topic_name, partition, offset, count, raw in zip(*columns, strict=True):
            yield (log_name.decode(), topic_name.decode(), partition), offset, count, raw
