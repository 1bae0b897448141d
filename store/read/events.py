"""Raw events as they came: one round, one shoe, one table's evening, one event by its id."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import islice
from typing import Any, NamedTuple

from schemas.decoding import decode_lines, decode_record, split_record
from schemas.records import AnyEvent
from store.connect import Store
from store.errors import StoreContradicts
from store.read.rejections import refused_among
from store.rows.raw import RecordKey, StoredEvent
from store.write.raw import id_mark

_CONFIGURATION = "table.configured.v1"
_LOADING = "shoe.loaded.v1"
_OPENING = "round.opened.v1"
_EVENTS_AT_ONCE = 500
_REFERENCE = "toUnixTimestamp64Micro(time), source, sequence, log, topic, partition, offset, place"
"""The columns of a ``_Reference`` before the table."""
_SOME_TIME_AFTER = "toIntervalMinute(5) +"
"""No worker that is at work takes so long between the events of a record and the record itself."""


def round_events(store: Store, table: str, shoe: str, round: int) -> list[StoredEvent]:
    """All stored events of one round, in the order of their device times."""
    condition = "shoe = %(shoe)s AND round = %(round)s"
    return list(events_where(store, condition, {"shoe": shoe, "round": round}, table=table))


class RoundSurrounded(NamedTuple):
    """A round's events with what its story needs from outside it."""

    events: list[StoredEvent]
    """In the order of their device times."""
    configuration: StoredEvent | None
    """The last one at or before the round's opening, or its first event."""
    loadings: list[StoredEvent]
    """Of its shoe."""
    refused: frozenset[tuple[RecordKey, int]]
    """Those of the events, by record and place, that came again with another content, and count for nothing."""


def round_surrounded(store: Store, table: str, shoe: str, round: int) -> RoundSurrounded:
    """One round with the configuration in force and the loading of its shoe, in three questions: the engine takes
    longer to plan more of them than to answer these. Of what was refused, neither is taken."""
    rows = store.query(
        f"SELECT {_REFERENCE}, round, type, id_mark FROM events"
        " PREWHERE table = %(table)s AND ((shoe = %(shoe)s AND round IN (0, %(round)s))"
        " OR (shoe = '' AND round = 0 AND type = %(configured)s))",
        {"table": table, "shoe": shoe, "round": round, "configured": _CONFIGURATION},
    )
    rows = sorted(set(rows))
    own = [row for row in rows if row[8] == round]
    if not own:
        return RoundSurrounded([], None, [], frozenset())
    began = next((row for row in own if row[9] == _OPENING), own[0])[0]
    configured = [row for row in rows if row[9] == _CONFIGURATION and row[0] <= began]
    loaded = [row for row in rows if row[9] == _LOADING]
    places = {row: (RecordKey(*row[3:7]), row[7]) for row in (*own, *configured, *loaded)}
    known = refused_among(store, table, places.values())
    # One body of each content is stored as refused; where it was sent again, that counts for nothing either.
    bodies = {_body(row) for row, place in places.items() if place in known} if known else set()
    configured = [row for row in configured if _body(row) not in bodies][-1:]
    loaded = [row for row in loaded if _body(row) not in bodies]
    references = [_Reference._make((*row[:8], table)) for row in (*own, *configured, *loaded)]
    found = {(each.key, each.place): each for each in _with_bytes(store, references, long_since=True)}

    def of(chosen: Sequence[tuple[Any, ...]]) -> list[StoredEvent]:
        return [found[places[row]] for row in chosen if places[row] in found]

    refused = frozenset(places[row] for row in own if _body(row) in bodies)
    return RoundSurrounded(of(own), next(iter(of(configured)), None), of(loaded), refused)


def _body(row: Sequence[Any]) -> tuple[str, int, int]:
    """By what an event that was sent again is known: source, sequence and the mark of its id."""
    return row[1], row[2], row[10]


def shoe_events(store: Store, table: str, shoe: str) -> list[StoredEvent]:
    """All stored events of one shoe: what is said of the shoe, and of every round of it."""
    return list(events_where(store, "shoe = %(shoe)s", {"shoe": shoe}, table=table))


def configuration_events(store: Store, table: str) -> list[StoredEvent]:
    """Every configuration that a table ever had, by device time; they are never deleted."""
    condition = "shoe = '' AND round = 0 AND type = %(type)s"
    return list(events_where(store, condition, {"type": _CONFIGURATION}, table=table))


def table_events(store: Store, table: str, start: int, end: int) -> Iterator[StoredEvent]:
    """A table's evening: what its devices date from ``start`` until before ``end`` (microseconds since 1970)."""
    condition = "time >= fromUnixTimestamp64Micro(%(start)s, 'UTC') AND time < fromUnixTimestamp64Micro(%(end)s, 'UTC')"
    yield from events_where(store, condition, {"start": start, "end": end}, table=table)


def events_by_id(store: Store, table: str, source: str, event_id: str) -> list[StoredEvent]:
    """The events of a source about a table with this id: one, or several when the id was used again."""
    condition = "source = %(source)s AND id_mark = %(mark)s"
    found = events_where(store, condition, {"source": source, "mark": id_mark(event_id)}, table=table)
    return [stored for stored in found if stored.event.id == event_id]


class _Reference(NamedTuple):
    """A row of ``events``: where an event is, and enough to know it again; in the order in which events are read."""

    time: int
    source: str
    sequence: int
    log: str
    topic: str
    partition: int
    offset: int
    place: int
    table: str

    @property
    def key(self) -> RecordKey:
        return RecordKey(self.log, self.topic, self.partition, self.offset)


def events_where(
    store: Store,
    condition: str,
    parameters: Mapping[str, Any],
    *,
    table: str | None = None,
    at_once: int = _EVENTS_AT_ONCE,
) -> Iterator[StoredEvent]:
    """The events that meet a condition, of one table or of all, by device time, then source and sequence; the records
    of so many at once."""
    # Put in order here: for the few events of a round the engine takes longer to plan a sort than to find them. Planned
    # sooner, too, is what leaves it no choice of what to read first, and does not read what is known already.
    if table is None:
        rows = store.query(f"SELECT {_REFERENCE}, table FROM events WHERE {condition}", parameters)
        references = [_Reference(*row) for row in sorted(set(rows))]
    else:
        rows = store.query(
            f"SELECT {_REFERENCE} FROM events PREWHERE table = %(of_table)s AND ({condition})",
            {**parameters, "of_table": table},
        )
        references = [_Reference._make((*row, table)) for row in sorted(set(rows))]
    waiting = iter(references)
    while batch := list(islice(waiting, at_once)):
        yield from _with_bytes(store, batch)


def _with_bytes(
    store: Store, references: Sequence[_Reference], *, long_since: bool = False
) -> Iterator[StoredEvent]:  # fmt: skip
    """The bytes at the place of each reference, and the event that they are. ``long_since``: whether a record that came
    long before others is no longer waited for; a worker waits, as one that was killed before it may have left it."""
    # Made once for each: many events share a record, and a key is looked up several times.
    known = {reference[3:7]: RecordKey(*reference[3:7]) for reference in references}
    keys = [known[reference[3:7]] for reference in references]
    records = records_by_key(store, known.values())
    missing = set(known.values()) - records.keys()
    if missing:
        _refuse_lost(store, missing)
        if long_since:
            _refuse_long_gone(store, [reference for reference in references if reference.key in missing])
        there = [place for place, key in enumerate(keys) if key not in missing]
        keys, references = [keys[place] for place in there], [references[place] for place in there]
    cut = {key: quick_cut(raw, count) for key, (_, count, raw) in records.items()}
    pieces = [_at(cut[key], reference.place) for key, reference in zip(keys, references, strict=True)]
    decoded = decode_lines(pieces)
    # Cut and decoded all at once; whatever is not certain then, one by one and with care.
    single = Counter(decoded.places)
    events = {place: event for place, event in zip(decoded.places, decoded.events, strict=True) if single[place] == 1}
    apart: dict[RecordKey, list[bytes]] = {}
    for number, (key, reference, piece) in enumerate(zip(keys, references, pieces, strict=True)):
        arrival, _, raw = records[key]
        event = events.get(number)
        if event is not None and _is(event, reference):
            yield StoredEvent(key, reference.place, arrival, piece, event)
            continue
        if key not in apart:
            apart[key] = split_record(raw)
        yield StoredEvent(key, reference.place, arrival, *_with_care(apart[key], reference))


def _refuse_lost(store: Store, missing: Iterable[RecordKey]) -> None:
    """A record is stored after its events, and records in their order: one without a later one is still to come, and so
    are its events; one that later ones have passed was taken away."""
    for key in sorted(missing):
        later = store.query(
            "SELECT 1 FROM records WHERE log = %(log)s AND topic = %(topic)s AND partition = %(partition)s"
            " AND offset > %(offset)s LIMIT 1",
            {"log": key.log, "topic": key.topic, "partition": key.partition, "offset": key.offset},
        )
        if later:
            _refuse_if_gone(store, key)


def _refuse_long_gone(store: Store, references: Sequence[_Reference]) -> None:
    """Where all that came behind a record in its topic was taken away with it, later ones of any topic tell."""
    earliest = min(references)
    later = store.query(
        f"SELECT 1 FROM records WHERE arrival > {_SOME_TIME_AFTER} (SELECT max(arrival) FROM events"
        " WHERE table = %(table)s AND log = %(log)s AND topic = %(topic)s AND partition = %(partition)s"
        " AND offset = %(offset)s) LIMIT 1",
        {"table": earliest.table, **asdict(earliest.key)},
    )
    if later:
        _refuse_if_gone(store, earliest.key)


def _refuse_if_gone(store: Store, key: RecordKey) -> None:
    # It may have come in between.
    if key not in records_by_key(store, [key]):
        raise StoreContradicts(f"the record {_name(key)} of a stored event is not there")


def records_by_key(store: Store, keys: Iterable[RecordKey]) -> dict[RecordKey, tuple[int, int, bytes]]:
    """Records as received: arrival in milliseconds, how many events they hold, and their bytes."""
    wanted = tuple((key.log, key.topic, key.partition, key.offset) for key in keys)
    if not wanted:
        return {}
    columns = store.columns(
        "SELECT log, topic, partition, offset, toUnixTimestamp64Milli(arrival), events + rejected, raw FROM records"
        " PREWHERE (log, topic, partition, offset) IN %(keys)s",
        {"keys": wanted},
        as_bytes=True,
    )
    return {
        RecordKey(log.decode(), topic.decode(), partition, offset): (arrival, count, raw)
        for log, topic, partition, offset, arrival, count, raw in zip(*columns, strict=True)
    }


def _with_care(pieces: Sequence[bytes], reference: _Reference) -> tuple[bytes, AnyEvent]:
    """The bytes at a place of a record that was taken apart sign by sign, and the event they are."""
    piece = _at(pieces, reference.place)
    events = decode_record(piece).events
    if len(events) == 1 and _is(events[0], reference):
        return piece, events[0]
    raise StoreContradicts(
        f"place {reference.place} of record {_name(reference.key)} does not hold the event that is stored for it:"
        f" {reference.source} about {reference.table}, sequence {reference.sequence}"
    )


def quick_cut(raw: bytes, count: int) -> list[bytes]:
    """The events of a record without spaces between them; none where it is written otherwise.

    A string that holds what stands between two events may mislead it: the caller checks what it gets.
    """
    if count == 1 and raw[:1] == b"{" and raw[-1:] == b"}":
        return [raw]
    if count == 1 and raw[:2] == b"[{" and raw[-2:] == b"}]":
        return [raw[1:-1]]
    pieces = raw.split(b"},{")
    if count == 1 or len(pieces) != count or raw[:2] != b"[{" or raw[-2:] != b"}]":
        return []
    return [b"{" + piece + b"}" for piece in (pieces[0][2:], *pieces[1:-1], pieces[-1][:-2])]


def _at(pieces: Sequence[bytes], place: int) -> bytes:
    return pieces[place] if place < len(pieces) else b""


def _is(event: AnyEvent, reference: _Reference) -> bool:
    return (event.subject, event.source, event.sequence) == (reference.table, reference.source, reference.sequence)


def _name(key: RecordKey) -> str:
    return f"{key.log}{'/' if key.log else ''}{key.topic}/{key.partition}/{key.offset}"
