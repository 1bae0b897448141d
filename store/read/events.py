"""Raw events as they came: one round, one shoe, one table's evening, one event by its id."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from schemas.decoding import decode_record, split_record
from schemas.events import AnyEvent
from store.connect import Store
from store.errors import StoreContradicts
from store.rows.raw import RecordKey, StoredEvent
from store.write.raw import id_mark

_CONFIGURATION = "table.configured.v1"
_RECORDS_AT_ONCE = 500


def round_events(store: Store, table: str, shoe: str, round: int) -> list[StoredEvent]:
    """All stored events of one round, in the order of their device times."""
    condition = "table = %(table)s AND shoe = %(shoe)s AND round = %(round)s"
    return list(events_where(store, condition, {"table": table, "shoe": shoe, "round": round}))


def shoe_events(store: Store, table: str, shoe: str) -> list[StoredEvent]:
    """All stored events of one shoe: what is said of the shoe, and of every round of it."""
    return list(events_where(store, "table = %(table)s AND shoe = %(shoe)s", {"table": table, "shoe": shoe}))


def configuration_events(store: Store, table: str) -> list[StoredEvent]:
    """Every configuration that a table ever had, by device time; they are never deleted."""
    condition = "table = %(table)s AND shoe = '' AND round = 0 AND type = %(type)s"
    return list(events_where(store, condition, {"table": table, "type": _CONFIGURATION}))


def table_events(store: Store, table: str, start: int, end: int) -> Iterator[StoredEvent]:
    """A table's evening: what its devices date from ``start`` until before ``end`` (microseconds since 1970)."""
    condition = (
        "table = %(table)s AND time >= fromUnixTimestamp64Micro(%(start)s, 'UTC')"
        " AND time < fromUnixTimestamp64Micro(%(end)s, 'UTC')"
    )
    yield from events_where(store, condition, {"table": table, "start": start, "end": end})


def events_by_id(store: Store, table: str, source: str, event_id: str) -> list[StoredEvent]:
    """The events of a source about a table with this id: one, or several when the id was used again."""
    condition = "table = %(table)s AND source = %(source)s AND id_mark = %(mark)s"
    found = events_where(store, condition, {"table": table, "source": source, "mark": id_mark(event_id)})
    return [stored for stored in found if stored.event.id == event_id]


def events_by_ids(store: Store, table: str, identities: Sequence[tuple[str, str]]) -> list[StoredEvent]:
    """The events about a table with these sources and ids."""
    if not identities:
        return []
    wanted = set(identities)
    marks = tuple({(source, id_mark(event_id)) for source, event_id in wanted})
    condition = "table = %(table)s AND (toString(source), id_mark) IN %(marks)s"
    found = events_where(store, condition, {"table": table, "marks": marks})
    return [stored for stored in found if (stored.event.source, stored.event.id) in wanted]


class _Reference(NamedTuple):
    """A row of ``events``: where an event is, and enough to know it again."""

    log: str
    topic: str
    partition: int
    offset: int
    place: int
    table: str
    source: str
    sequence: int


def events_where(store: Store, condition: str, parameters: Mapping[str, Any]) -> Iterator[StoredEvent]:
    """The events that meet a condition, by device time, then source and sequence; their records a few at a time."""
    rows = store.query(
        "SELECT log, topic, partition, offset, place, table, source, sequence FROM events"
        f" WHERE {condition} ORDER BY time, source, sequence, log, topic, partition, offset, place"
        " LIMIT 1 BY log, topic, partition, offset, place",
        parameters,
    )
    references = iter([_Reference(*row) for row in rows])
    while batch := list(islice(references, _RECORDS_AT_ONCE)):
        yield from _with_bytes(store, batch)


def _with_bytes(store: Store, references: Sequence[_Reference]) -> list[StoredEvent]:
    records = records_by_key(store, {RecordKey(*reference[:4]) for reference in references})
    found: list[StoredEvent] = []
    for reference in references:
        key = RecordKey(*reference[:4])
        if key not in records:
            raise StoreContradicts(f"the record {_name(key)} of a stored event of {reference.table} is not there")
        arrival, count, raw = records[key]
        piece, event = _event_at(raw, count, reference)
        found.append(StoredEvent(key, reference.place, arrival, piece, event))
    return found


def records_by_key(store: Store, keys: Iterable[RecordKey]) -> dict[RecordKey, tuple[int, int, bytes]]:
    """Records as received: arrival in milliseconds, how many events they hold, and their bytes."""
    wanted = tuple((key.log, key.topic, key.partition, key.offset) for key in keys)
    if not wanted:
        return {}
    columns = store.columns(
        "SELECT log, topic, partition, offset, toUnixTimestamp64Milli(arrival), events + rejected, raw FROM records"
        " WHERE (log, topic, partition, offset) IN %(keys)s",
        {"keys": wanted},
        as_bytes=True,
    )
    return {
        RecordKey(log.decode(), topic.decode(), partition, offset): (arrival, count, raw)
        for log, topic, partition, offset, arrival, count, raw in zip(*columns, strict=True)
    }


def _event_at(raw: bytes, count: int, reference: _Reference) -> tuple[bytes, AnyEvent]:
    """The bytes at a place of a record, and the event they are: cut quickly where that is certain, else with care."""
    for pieces in (_quick_cut(raw, count), split_record(raw)):
        if reference.place < len(pieces):
            piece = pieces[reference.place]
            events = decode_record(piece).events
            if len(events) == 1 and _is(events[0], reference):
                return piece, events[0]
    key = RecordKey(*reference[:4])
    raise StoreContradicts(
        f"place {reference.place} of record {_name(key)} does not hold the event that is stored for it:"
        f" {reference.source} about {reference.table}, sequence {reference.sequence}"
    )


_BETWEEN = b"},{"


def _quick_cut(raw: bytes, count: int) -> list[bytes]:
    """The events of a record without spaces between them. What a string holds may mislead it: the caller checks."""
    if count == 1:
        return []
    pieces = raw.split(_BETWEEN)
    if len(pieces) != count or raw[:2] != b"[{" or raw[-2:] != b"}]":
        return []
    return [b"{" + piece + b"}" for piece in (pieces[0][2:], *pieces[1:-1], pieces[-1][:-2])]


def _is(event: AnyEvent, reference: _Reference) -> bool:
    return (event.subject, event.source, event.sequence) == (reference.table, reference.source, reference.sequence)


def _name(key: RecordKey) -> str:
    return f"{key.log}{'/' if key.log else ''}{key.topic}/{key.partition}/{key.offset}"
