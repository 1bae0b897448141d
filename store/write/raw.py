"""Writes records, their events and what was refused; the presence of a record is the mark that all of it is stored."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, repeat
from typing import Any
from zlib import crc32

from schemas.time import all_micros, micros
from store.connect import Store
from store.rows.raw import Record, StoredRejection
from store.ticks import LATEST, OLDEST_ARRIVAL, arrival_ticks, device_ticks
from store.write.token import batch_token

_CONFIGURATION = "table.configured.v1"
_CARD = "card.drawn.v1"


def id_mark(event_id: str) -> int:
    """Two bytes by which an event is found again; the id itself stays in the record alone."""
    return crc32(event_id.encode()) & 0xFFFF


def write_records(store: Store, records: Sequence[Record]) -> None:
    """Stores a batch of records. It may come again, cut in any way: every row is known by its place in the log.

    Records go last. Who finds a record in the store knows that its events and refusals are there too.
    """
    if not records:
        return
    token = batch_token("records", _content(records))
    write_rejections(store, [rejection for record in records for rejection in rejections_of(record)])
    store.insert("events", event_columns(records), token)
    store.insert("records", _record_columns(records), token)


def write_rejections(store: Store, rejections: Sequence[StoredRejection]) -> None:
    """Stores what was refused, also what was accepted at first (its id came again with another content)."""
    if not rejections:
        return
    columns: dict[str, list[Any]] = {
        "table": [each.table or "" for each in rejections],
        "log": [each.key.log for each in rejections],
        "topic": [each.key.topic for each in rejections],
        "partition": [each.key.partition for each in rejections],
        "offset": [each.key.offset for each in rejections],
        "place": [each.place for each in rejections],
        "arrival": [arrival_ticks(each.arrival) for each in rejections],
        "reason": [each.reason for each in rejections],
        "source": [each.source or "" for each in rejections],
        "type": [each.type or "" for each in rejections],
        "id": [each.id or "" for each in rejections],
        "sequence": [each.sequence for each in rejections],
        "time": [None if each.time is None else device_ticks(each.time) for each in rejections],
        "digest": [hashlib.sha256(each.raw).digest() for each in rejections],
        "raw": [each.raw for each in rejections],
        "held": [int(each.arrival < OLDEST_ARRIVAL) for each in rejections],
    }
    token = batch_token(
        "rejected", (repr((each.key, each.place, each.reason)).encode() + each.raw for each in rejections)
    )
    store.insert("rejected", columns, token)


def rejections_of(record: Record) -> list[StoredRejection]:
    """What a record holds that was refused, with the place it came from."""
    return [
        StoredRejection(
            key=record.key,
            place=rejected.place,
            arrival=record.arrival,
            raw=rejected.raw,
            reason=rejected.reason,
            table=rejected.subject,
            source=rejected.source,
            sequence=rejected.sequence,
            id=rejected.id,
            type=rejected.type,
            time=None if rejected.time is None else micros(rejected.time),
        )
        for rejected in record.decoded.rejected
    ]


def _content(records: Sequence[Record]) -> Iterator[bytes]:
    for record in records:
        accepted = len(record.decoded.events)
        yield f"{record.log}/{record.topic}/{record.partition}/{record.offset}/{record.arrival}/{accepted}".encode()
        yield record.raw


def _kept(record: Record) -> int:
    """Whether a record outlives its retention.

    A configuration is in force until the next one, however old it is; and what a broken clock dates into the past is
    not deleted for that.
    """
    old = record.arrival < OLDEST_ARRIVAL
    return int(old or any(event.type == _CONFIGURATION for event in record.decoded.events))


def _record_columns(records: Sequence[Record]) -> dict[str, list[Any]]:
    return {
        "log": [record.log for record in records],
        "topic": [record.topic for record in records],
        "partition": [record.partition for record in records],
        "offset": [record.offset for record in records],
        "arrival": [arrival_ticks(record.arrival) for record in records],
        "events": [len(record.decoded.events) for record in records],
        "rejected": [len(record.decoded.rejected) for record in records],
        "raw": [record.raw for record in records],
        "held": [_kept(record) for record in records],
    }


def event_columns(records: Sequence[Record]) -> dict[str, Sequence[Any]]:
    """Column by column: what a record's events share is repeated, times are read all at once."""
    events = [event for record in records for event in record.decoded.events]
    counts = [len(record.decoded.events) for record in records]
    data = [event.data for event in events]
    cards = [each if event.type == _CARD else None for event, each in zip(events, data, strict=True)]

    def of_record(values: Iterable[Any]) -> list[Any]:
        return list(chain.from_iterable(map(repeat, values, counts)))

    held = of_record(int(record.arrival < OLDEST_ARRIVAL) for record in records)
    return {
        "table": [event.subject for event in events],
        "shoe": [getattr(each, "shoe", "") for each in data],
        "round": [getattr(each, "round", 0) for each in data],
        "type": [event.type for event in events],
        "log": of_record(record.log for record in records),
        "topic": of_record(record.topic for record in records),
        "partition": of_record(record.partition for record in records),
        "offset": of_record(record.offset for record in records),
        "place": [place for record in records for place in record.decoded.places],
        "source": [event.source for event in events],
        "sequence": [event.sequence for event in events],
        "id_mark": [crc32(event.id.encode()) & 0xFFFF for event in events],
        "time": all_micros([event.time for event in events]).clip(0, LATEST).tolist(),
        "arrival": of_record(arrival_ticks(record.arrival) for record in records),
        "draw": [0 if card is None else card.draw for card in cards],
        "card": ["" if card is None else card.card for card in cards],
        "held": [1 if event.type == _CONFIGURATION else old for event, old in zip(events, held, strict=True)],
    }
