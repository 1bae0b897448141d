"""Stretches of tables' time, many tables at once: their shoes, how their devices stood before, and their events."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from schemas.decoding import decode_record, split_record
from schemas.records import AnyEvent
from store.connect import Store
from store.read.events import events_where, quick_cut

_EVENTS_AT_ONCE = 20_000
_RECORDS_AT_ONCE = 5_000
_BYTES_TOGETHER = 900_000
"""So many bytes are decoded together: under the length from which an array is looked at item by item."""
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
        "SELECT table, shoe, toUnixTimestamp64Micro(min(time)) AS first, toUnixTimestamp64Micro(max(time)), count(),"
        " min(partition) FROM events WHERE table IN %(tables)s AND shoe != ''"
        " GROUP BY table, shoe ORDER BY first, shoe",
        {"tables": tuple(tables)},
    )
    found: dict[str, list[ShoeTimes]] = {}
    for table, *shoe in rows:
        found.setdefault(table, []).append(ShoeTimes(*shoe))
    return found


Sequences = Mapping[str, Mapping[str, tuple[int, int]]]
"""By table and source: the first and the last of a run of sequences."""


def sequences_between(store: Store, times: Mapping[str, tuple[int, int]]) -> dict[str, dict[str, tuple[int, int]]]:
    """By table and source: the lowest and the highest sequence that it dates between two moments (microseconds, both
    included), which differ by table."""
    starts, ends = zip(*times.values(), strict=True)
    rows = store.query(
        "SELECT table, source, min(sequence), max(sequence) FROM events WHERE table IN %(tables)s AND time BETWEEN"
        " fromUnixTimestamp64Micro(transform(toString(table), %(names)s, %(starts)s, toInt64(0)), 'UTC') AND"
        " fromUnixTimestamp64Micro(transform(toString(table), %(names)s, %(ends)s, toInt64(0)), 'UTC')"
        # Lets the engine pass over what is outside all of them.
        " AND time BETWEEN fromUnixTimestamp64Micro(%(first)s, 'UTC') AND fromUnixTimestamp64Micro(%(last)s, 'UTC')"
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
    rows = store.query(
        "SELECT table, source, max(sequence), toUnixTimestamp64Micro(max(time)), groupUniqArray(toString(type))"
        f" FROM events WHERE table IN %(tables)s AND sequence < {bound} GROUP BY table, source",
        given,
    )
    found: dict[str, dict[str, SourceStand]] = {}
    for table, source, sequence, time, types in rows:
        found.setdefault(table, {})[source] = SourceStand(sequence, time, frozenset(types))
    return found


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


@dataclass(frozen=True, slots=True)
class EventsRead:
    """The events of some tables."""

    by_table: Mapping[str, Sequence[AnyEvent]]
    unclear: frozenset[str]
    """Tables of which a record is not plainly as it should be: they are not in ``by_table``."""


def events_between(store: Store, sequences: Sequences) -> EventsRead:
    """The events of tables whose sequences are in the runs given, each record read once for all of them."""
    read = _Reading()
    if not any(sequences.values()):
        return read.sorted_out()
    condition, given = _in_runs(sequences)
    columns = store.columns(
        "SELECT table, log, topic, partition, offset, groupUniqArray(place) FROM events"
        f" WHERE {condition} GROUP BY table, log, topic, partition, offset",
        given,
    )
    wanted: dict[Where, list[tuple[str, list[int]]]] = {}
    for table, log, topic, partition, offset, places in zip(*columns, strict=True):
        wanted.setdefault((log, topic, partition, offset), []).append((table, places))
    for key, count, raw in _raw_records(store, sorted(wanted)):
        about = wanted.pop(key, None)
        if about is not None:
            read.take(raw, count, about)
    read.unclear.update(table for about in wanted.values() for table, _ in about)
    return read.sorted_out()


def events_with_care(store: Store, table: str, runs: Mapping[str, tuple[int, int]]) -> Iterator[list[AnyEvent]]:
    """The events of one table in the runs given, each looked at alone; StoreContradicts where one is not what is stored
    for it."""
    if not runs:
        return
    found = events_where(store, *_in_runs({table: runs}), at_once=_EVENTS_AT_ONCE)
    while batch := [stored.event for stored in islice(found, _EVENTS_AT_ONCE)]:
        yield batch


def _in_runs(sequences: Sequences) -> tuple[str, dict[str, Any]]:
    first, given = by_source(sequences, 0, FOR_EVER, "first")
    last, more = by_source(sequences, 1, 0, "last")
    return f"table IN %(tables)s AND sequence >= {first} AND sequence <= {last}", {**given, **more}


class _Reading:
    """Records taken apart and decoded, many at a time."""

    def __init__(self) -> None:
        self.unclear: set[str] = set()
        self._events: dict[str, list[AnyEvent]] = defaultdict(list)
        self._parts: list[tuple[bytes, list[str]]] = []
        """Events side by side, and the table that each of them should be about."""
        self._size = 0

    def take(self, raw: bytes, count: int, wanted: list[tuple[str, list[int]]]) -> None:
        """What is at the places of a record with so many events, which are said to be about these tables."""
        about = {place: table for table, placed in wanted for place in placed}
        places = sorted(about)
        tables = [about[place] for place in places]
        if len(places) == count > 1 and raw[:2] == b"[{" and raw[-2:] == b"}]" and raw.count(b"},{") == count - 1:
            self._add(raw[1:-1], tables)
            return
        cut = quick_cut(raw, count)
        if not all(piece[:1] == b"{" and piece[-1:] == b"}" for piece in cut) or len(cut) <= places[-1]:
            cut = split_record(raw)
        if len(cut) <= places[-1]:
            self.unclear.update(tables)
            return
        for place, table in zip(places, tables, strict=True):
            self._add(cut[place], [table])

    def _add(self, events: bytes, tables: list[str]) -> None:
        if self._size + len(events) > _BYTES_TOGETHER:
            self._decode()
        self._parts.append((events, tables))
        self._size += len(events)

    def _decode(self) -> None:
        parts, self._parts, self._size = self._parts, [], 0
        if not parts:
            return
        told = [table for _, tables in parts for table in tables]
        if not self._file(b"[" + b",".join(events for events, _ in parts) + b"]", told):
            for events, tables in parts:
                if not self._file(events if len(tables) == 1 else b"[" + events + b"]", tables):
                    self.unclear.update(tables)

    def _file(self, raw: bytes, told: list[str]) -> bool:
        """Whether what was decoded are events about the tables told."""
        events = decode_record(raw).events
        if [event.subject for event in events] != told:
            return False
        filed = self._events
        for event in events:
            filed[event.subject].append(event)
        return True

    def sorted_out(self) -> EventsRead:
        """All that was taken, decoded."""
        self._decode()
        clear = {table: events for table, events in self._events.items() if table not in self.unclear}
        return EventsRead(clear, frozenset(self.unclear))


Where = tuple[str, str, int, int]
"""Log, topic, partition and offset of a record."""


def _raw_records(store: Store, keys: Sequence[Where]) -> Iterator[tuple[Where, int, bytes]]:
    """Where they are, how many events they hold, and their bytes; where most of a span is wanted, all records of it."""
    for start in range(0, len(keys), _RECORDS_AT_ONCE):
        homes: dict[tuple[str, str, int], list[int]] = {}
        for log, topic, partition, offset in keys[start : start + _RECORDS_AT_ONCE]:
            homes.setdefault((log, topic, partition), []).append(offset)
        given: dict[str, Any] = {}
        conditions = []
        for number, ((log, topic, partition), offsets) in enumerate(homes.items()):
            dense = offsets[-1] - offsets[0] < 2 * len(offsets)
            span = f"BETWEEN {offsets[0]} AND {offsets[-1]}" if dense else f"IN %(offsets{number})s"
            home = f"log = %(log{number})s AND topic = %(topic{number})s AND partition = {partition}"
            conditions.append(f"({home} AND offset {span})")
            given |= {f"log{number}": log, f"topic{number}": topic, f"offsets{number}": () if dense else tuple(offsets)}
        columns = store.columns(
            "SELECT log, topic, partition, offset, events + rejected, raw FROM records WHERE "
            + " OR ".join(conditions),
            given,
            as_bytes=True,
        )
        for log_name, topic_name, partition, offset, count, raw in zip(*columns, strict=True):
            yield (log_name.decode(), topic_name.decode(), partition, offset), count, raw
