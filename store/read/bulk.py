"""Reading in bulk what an audit of the store needs: whole partitions, whole tables, windows of a table's time."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

from schemas.decoding import decode_lines
from schemas.records import AnyEvent
from store.connect import Store
from store.read.events import events_where, quick_cut
from store.read.rounds import RoundFilter
from store.rows.verdicts import RoundKey, StoredVerdict

_EVENTS_AT_ONCE = 20_000
_RECORDS_AT_ONCE = 5_000
_BYTES_TOGETHER = 2_000_000
FOR_EVER = 2**62
"""A sequence that no event reaches."""


@dataclass(frozen=True, slots=True)
class PartitionShare:
    """How much a table has in one partition of the log."""

    table: str
    log: str
    partition: int
    events: int


@dataclass(frozen=True, slots=True)
class ShoeTimes:
    """When a shoe was heard of, by device time in microseconds since 1970, and how much was said of it."""

    shoe: str
    first: int
    last: int
    events: int


@dataclass(frozen=True, slots=True)
class SourceStand:
    """How a source stood before a sequence."""

    sequence: int
    """The highest before it."""
    time: int
    """The largest device time before it, in microseconds since 1970."""
    types: frozenset[str]


def partition_shares(store: Store, tables: Sequence[str] = ()) -> list[PartitionShare]:
    """In which partitions the events of tables are; of all tables where none is named."""
    condition = "table IN %(tables)s" if tables else "1"
    rows = store.query(
        f"SELECT table, log, partition, count() FROM events WHERE {condition}"
        " GROUP BY table, log, partition ORDER BY table, log, partition",
        {"tables": tuple(tables)} if tables else None,
    )
    return [PartitionShare(*row) for row in rows]


class RawRecord(NamedTuple):
    """A record of one partition as received."""

    topic: str
    offset: int
    accepted: int
    """How many events of it were accepted."""
    refused: int
    raw: bytes


def partition_records(store: Store, log: str, partition: int) -> Iterator[RawRecord]:
    """The records of one partition of all topics, each once."""
    seen: set[tuple[bytes, int]] = set()
    columns = store.columns(
        "SELECT topic, offset, events, rejected, raw FROM records WHERE log = %(log)s AND partition = %(partition)s",
        {"log": log, "partition": partition},
        as_bytes=True,
    )
    for topic, offset, accepted, refused, raw in zip(*columns, strict=True):
        if (topic, offset) not in seen:
            seen.add((topic, offset))
            yield RawRecord(topic.decode(), offset, accepted, refused, raw)


def refused_places(store: Store, log: str, partition: int) -> set[tuple[str, int, int]]:
    """What was refused of a partition: topic, offset and place in the record."""
    rows = store.query(
        "SELECT DISTINCT topic, offset, place FROM rejected WHERE log = %(log)s AND partition = %(partition)s",
        {"log": log, "partition": partition},
    )
    return {(topic, offset, place) for topic, offset, place in rows}


def refused_sequences(store: Store, tables: Sequence[str]) -> dict[str, list[tuple[str, int, str | None]]]:
    """By table: the places in the sequences of its sources that refused events fill, as source, sequence and type."""
    rows = store.query(
        "SELECT DISTINCT table, source, assumeNotNull(sequence), type FROM rejected WHERE table IN %(tables)s"
        " AND source != '' AND isNotNull(sequence)",
        {"tables": tuple(tables)},
    )
    found: dict[str, list[tuple[str, int, str | None]]] = {}
    for table, source, sequence, kind in rows:
        found.setdefault(table, []).append((source, sequence, kind or None))
    return found


Verdicts = dict[tuple[str, int], StoredVerdict]
"""By shoe and round."""


def table_verdicts(store: Store, table: str, shoes: Sequence[str] = ()) -> Verdicts:
    """The last verdict of each round of a table, or of some of its shoes."""
    return tables_verdicts(store, [table], shoes).get(table, {})


def tables_verdicts(store: Store, tables: Sequence[str], shoes: Sequence[str] = ()) -> dict[str, Verdicts]:
    """By table: the last verdict of each of its rounds, or of some of its shoes."""
    condition = "table IN %(tables)s" + (" AND shoe IN %(shoes)s" if shoes else "")
    columns = store.columns(
        "SELECT table, shoe, round, precedence, revision, digest, judge, toUnixTimestamp64Milli(judged), verdict"
        f" FROM verdicts WHERE {condition}",
        {"tables": tuple(tables), **({"shoes": tuple(shoes)} if shoes else {})},
        as_bytes=True,
    )
    last: dict[tuple[bytes, bytes, int], tuple[Any, ...]] = {}
    for row in zip(*columns, strict=True):
        key = row[:3]
        known = last.get(key)
        if known is None or row[3] > known[3]:
            last[key] = row
    found: dict[str, Verdicts] = {}
    for table, shoe, number, _, revision, digest, judge, judged, published in last.values():
        where = RoundKey(table.decode(), shoe.decode(), number)
        stored = StoredVerdict(where, revision, digest.hex(), judge.decode(), judged, published)
        found.setdefault(where.table, {})[where.shoe, number] = stored
    return found


def round_keys(store: Store, wanted: RoundFilter) -> list[RoundKey]:
    """The judged rounds that meet a filter, in the order of table, shoe and round."""
    condition, parameters = wanted.conditions()
    rows = store.query(
        f"SELECT table, shoe, round FROM rounds FINAL WHERE {condition} ORDER BY table, shoe, round", parameters
    )
    return [RoundKey(*row) for row in rows]


def shoe_times(store: Store, table: str) -> list[ShoeTimes]:
    """The shoes of a table by their first event."""
    rows = store.query(
        "SELECT shoe, toUnixTimestamp64Micro(min(time)) AS first, toUnixTimestamp64Micro(max(time)), count()"
        " FROM events WHERE table = %(table)s AND shoe != '' GROUP BY shoe ORDER BY first, shoe",
        {"table": table},
    )
    return [ShoeTimes(*row) for row in rows]


def sequences_between(store: Store, table: str, start: int, end: int) -> dict[str, tuple[int, int]]:
    """By source: the lowest and the highest sequence that it dates from ``start`` to ``end`` (microseconds)."""
    rows = store.query(
        "SELECT source, min(sequence), max(sequence) FROM events WHERE table = %(table)s"
        " AND time BETWEEN fromUnixTimestamp64Micro(%(start)s, 'UTC') AND fromUnixTimestamp64Micro(%(end)s, 'UTC')"
        " GROUP BY source",
        {"table": table, "start": start, "end": end},
    )
    return {source: (first, last) for source, first, last in rows}


def stands_before(store: Store, table: str, firsts: Mapping[str, int]) -> dict[str, SourceStand]:
    """How each source of a table stood before its first sequence; sources without one, at their end."""
    rows = store.query(
        "SELECT source, max(sequence), toUnixTimestamp64Micro(max(time)), groupUniqArray(toString(type)) FROM events"
        " WHERE table = %(table)s"
        f" AND sequence < transform(toString(source), %(sources)s, %(firsts)s, toUInt64({FOR_EVER})) GROUP BY source",
        {"table": table, "sources": list(firsts) or [""], "firsts": list(firsts.values()) or [FOR_EVER]},
    )
    return {source: SourceStand(sequence, time, frozenset(types)) for source, sequence, time, types in rows}


def events_between(store: Store, table: str, sequences: Mapping[str, tuple[int, int]]) -> Iterator[list[AnyEvent]]:
    """The events of a table whose sequences are, by source, from the first to the last named; many at a time."""
    if not sequences:
        return
    sources = list(sequences)
    firsts, lasts = zip(*sequences.values(), strict=True)
    condition = (
        f"table = %(table)s AND sequence >= transform(toString(source), %(sources)s, %(firsts)s, toUInt64({FOR_EVER}))"
        " AND sequence <= transform(toString(source), %(sources)s, %(lasts)s, toUInt64(0))"
    )
    given = {"table": table, "sources": sources, "firsts": list(firsts), "lasts": list(lasts)}
    plain = _plainly_read(store, table, condition, given)
    if plain is not None:
        yield from plain
        return
    found = events_where(store, condition, given, at_once=_EVENTS_AT_ONCE)
    while batch := [stored.event for stored in islice(found, _EVENTS_AT_ONCE)]:
        yield batch


def _plainly_read(
    store: Store, table: str, condition: str, given: Mapping[str, Any]
) -> list[list[AnyEvent]] | None:  # fmt: skip
    """The events that meet a condition, if every one is plainly at its place in its record; None: look with care."""
    columns = store.columns(f"SELECT log, topic, partition, offset, place FROM events WHERE {condition}", given)
    wanted: dict[tuple[str, str, int], dict[int, set[int]]] = {}
    for log, topic, partition, offset, place in zip(*columns, strict=True):
        wanted.setdefault((log, topic, partition), {}).setdefault(offset, set()).add(place)
    batches: list[list[AnyEvent]] = []
    pieces: list[bytes] = []
    size = 0
    for (log, topic, partition), places in wanted.items():
        missing = set(places)
        for offset, count, raw in _raw_records(store, log, topic, partition, sorted(places)):
            if offset not in missing:
                continue
            missing.discard(offset)
            cut = quick_cut(raw, count)
            if not cut or max(places[offset]) >= len(cut):
                return None
            chosen = [cut[place] for place in sorted(places[offset])]
            size += sum(map(len, chosen))
            pieces += chosen
            if size > _BYTES_TOGETHER:
                batches.append(decode_lines(pieces).events)
                if not _are_of(batches[-1], table, len(pieces)):
                    return None
                pieces, size = [], 0
        if missing:
            return None
    batches.append(decode_lines(pieces).events)
    return batches if _are_of(batches[-1], table, len(pieces)) else None


def _are_of(events: Sequence[AnyEvent], table: str, count: int) -> bool:
    return len(events) == count and all(event.subject == table for event in events)


def _raw_records(
    store: Store, log: str, topic: str, partition: int, offsets: Sequence[int]
) -> Iterator[tuple[int, int, bytes]]:
    """Offset, number of events and bytes of these records, and, where most of a span are wanted, of those between."""
    for start in range(0, len(offsets), _RECORDS_AT_ONCE):
        chunk = offsets[start : start + _RECORDS_AT_ONCE]
        dense = chunk[-1] - chunk[0] < 2 * len(chunk)
        columns = store.columns(
            "SELECT offset, events + rejected, raw FROM records WHERE log = %(log)s AND topic = %(topic)s"
            " AND partition = %(partition)s AND "
            + ("offset BETWEEN %(first)s AND %(last)s" if dense else "offset IN %(offsets)s"),
            {"log": log, "topic": topic, "partition": partition, "first": chunk[0], "last": chunk[-1],
             "offsets": () if dense else tuple(chunk)},
            as_bytes=True,
        )  # fmt: skip
        yield from zip(*columns, strict=True)


def tables_of(keys: Iterable[RoundKey]) -> dict[str, dict[str, set[int]]]:
    """Rounds by table and shoe."""
    found: dict[str, dict[str, set[int]]] = {}
    for key in keys:
        found.setdefault(key.table, {}).setdefault(key.shoe, set()).add(key.round)
    return found
