"""A record of an input topic: taken apart, and every event checked to be in its place."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import lz4.block

from audit.filled import RejectedPlace
from schemas.decoding import Decoded, Rejected, decode_record, split_record
from schemas.records import AnyEvent
from schemas.time import all_micros, micros
from schemas.topics import carries, partition_of, topic_of
from store.rows.raw import Record, RecordKey, StoredEvent
from streams.watermark import NEVER, Reach

_FEW = 4
"""So many times and more are reckoned quicker together."""
_MUCH = 1_000
"""So many bytes and more are worth pressing."""
_CUT_LATELY = 8
"""Of so many records the single events are at hand once more: what is sent again comes in the order of before."""


def read_record(topic: str, partition: int, offset: int, arrival: int, raw: bytes, partitions: int) -> Record:
    """A record as the judge and the store take it; ``arrival`` in milliseconds, ``partitions`` of the topic."""
    decoded = decode_record(raw)
    events = decoded.events
    in_place = all(carries(topic, kind) for kind in {event.type for event in events}) and all(
        partition_of(table, partitions) == partition for table in {event.subject for event in events}
    )
    if not in_place:
        decoded = _without_strays(topic, partition, raw, decoded, partitions)
    return Record(topic, partition, offset, arrival, raw, decoded)


def _without_strays(topic: str, partition: int, raw: bytes, decoded: Decoded, partitions: int) -> Decoded:
    """An event on a topic or partition that is not its own is rejected."""
    pieces = split_record(raw)
    events: list[AnyEvent] = []
    places: list[int] = []
    rejected = list(decoded.rejected)
    for event, place in zip(decoded.events, decoded.places, strict=True):
        reason = None
        if not carries(topic, event.type):
            reason = f"{event.type} belongs on {topic_of(event.type)}, and came on {topic}"
        elif partition_of(event.subject, partitions) != partition:
            own = partition_of(event.subject, partitions)
            reason = f"events of {event.subject} belong on partition {own}, and it came on {partition}"
        if reason is None:
            events.append(event)
            places.append(place)
        else:
            rejected.append(refused(event, pieces[place], place, reason))
    rejected.sort(key=lambda each: each.place)
    return Decoded(events, places, rejected)


def refused(event: AnyEvent, raw: bytes, place: int, reason: str) -> Rejected:
    """An event that could be decoded and is rejected all the same."""
    return Rejected(
        raw, place, reason, event.source, event.subject, event.sequence, event.id, event.type, event.time
    )  # fmt: skip


class Origin:
    """Where events came from: gives the bytes and the place of each in its record."""

    __slots__ = ("_alone", "_events", "_places", "_pressed", "_record", "arrival", "key")

    def __init__(
        self,
        key: RecordKey,
        arrival: int,
        events: Sequence[AnyEvent],
        places: Sequence[int],
        record: bytes,
        *,
        alone: bool = False,
    ) -> None:
        self.key = key
        self.arrival = arrival
        """Milliseconds since 1970."""
        self._events = events
        self._places = places
        self._record = record
        self._pressed = False
        self._alone = alone
        """Whether the bytes are those of one event, and not of a record."""

    @classmethod
    def of_record(cls, record: Record) -> "Origin":
        """The origin of a record's events."""
        decoded = record.decoded
        return cls(record.key, record.arrival, decoded.events, decoded.places, record.raw)

    @classmethod
    def of_stored(cls, stored: StoredEvent) -> "Origin":
        """The origin of an event that was read from the store."""
        return cls(stored.key, stored.arrival, [stored.event], [stored.place], stored.raw, alone=True)

    def put_by(self) -> None:
        """The store has it: its bytes are asked for no more, but where an id turns out to be used twice. As long as one
        of its events is held they are kept in a quarter of their room."""
        if not self._pressed and len(self._record) >= _MUCH:
            self._record = lz4.block.compress(self._record)
            self._pressed = True

    def place(self, event: AnyEvent) -> int:
        """The place of an event in its record."""
        return next(place for place, each in zip(self._places, self._events, strict=True) if each is event)

    def raw(self, event: AnyEvent) -> bytes:
        """The bytes of an event."""
        return self._record if self._alone else _cut(self)[id(event)]

    def cut(self) -> dict[int, bytes]:
        """The bytes of each event of a record, by its identity in memory."""
        pieces = split_record(lz4.block.decompress(self._record) if self._pressed else self._record)
        return {id(each): pieces[place] for each, place in zip(self._events, self._places, strict=True)}


_cut = lru_cache(_CUT_LATELY)(Origin.cut)


@dataclass(slots=True)
class Share:
    """What one record brings to one table."""

    arrival: int
    """Microseconds since 1970."""
    origin: Origin
    events: list[AnyEvent] = field(default_factory=list)
    times: list[int] = field(default_factory=list)
    """Of the events, in microseconds since 1970."""
    places: list[RejectedPlace] = field(default_factory=list)
    """What was refused and fills a place in a sequence."""
    earliest: int = NEVER
    latest: int = NEVER
    """The smallest and the largest of the times."""


def shares(record: Record, times: Sequence[int]) -> dict[str, Share]:
    """A record by table; ``times`` are those of its events."""
    arrival, origin = record.arrival * 1_000, Origin.of_record(record)
    found: dict[str, Share] = {}
    for event, time in zip(record.decoded.events, times, strict=True):
        table = event.subject
        share = found.get(table)
        if share is None:
            share = found[table] = Share(arrival, origin)
        share.events.append(event)
        share.times.append(time)
    for share in found.values():
        share.earliest, share.latest = min(share.times), max(share.times)
    for rejected in record.decoded.rejected:
        if rejected.subject is not None and rejected.source is not None and rejected.sequence is not None:
            share = found.setdefault(rejected.subject, Share(arrival, origin))
            share.places.append(RejectedPlace(rejected.source, rejected.sequence, rejected.type))
    return found


def event_times(events: Sequence[AnyEvent]) -> list[int]:
    """When events happened, by their devices, in microseconds since 1970."""
    if len(events) < _FEW:
        return [micros(event.time) for event in events]
    times: list[int] = all_micros([event.time for event in events]).tolist()
    return times


def reach_of(record: Record, times: Sequence[int]) -> Reach:
    """How far a topic is read with a record, whose events are of these times. A clock that runs ahead does not count
    beyond the arrival of what it says."""
    arrival = record.arrival * 1_000
    return Reach(min(max(times, default=NEVER), arrival), arrival)
