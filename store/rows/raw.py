"""What came in: records of the log, their events, and what was refused."""

from dataclasses import dataclass

from schemas.decoding import Decoded
from schemas.records import AnyEvent


@dataclass(frozen=True, slots=True, order=True)
class RecordKey:
    """Where a record stands in the log."""

    log: str
    """The log that offsets count in: empty, or the id of the topics where they were made anew."""
    topic: str
    partition: int
    offset: int


@dataclass(frozen=True, slots=True)
class Record:
    """A record as received and as decoded."""

    topic: str
    partition: int
    offset: int
    arrival: int
    """Milliseconds since 1970 by the log's own time stamp, so that the record read twice is the same row."""
    raw: bytes
    decoded: Decoded
    """What of it was accepted and refused; whoever refuses an event that could be decoded moves it over."""
    log: str = ""

    @property
    def key(self) -> RecordKey:
        return RecordKey(self.log, self.topic, self.partition, self.offset)


@dataclass(frozen=True, slots=True)
class StoredEvent:
    """An event with the place it came from and its very bytes."""

    key: RecordKey
    place: int
    """In the record, from 0."""
    arrival: int
    """Milliseconds since 1970."""
    raw: bytes
    event: AnyEvent


@dataclass(frozen=True, slots=True)
class StoredRejection:
    """An event that was refused, with its bytes and the reason."""

    key: RecordKey
    place: int
    arrival: int
    """Milliseconds since 1970."""
    raw: bytes
    reason: str
    table: str | None
    """None here and below: cannot be read."""
    source: str | None
    sequence: int | None
    id: str | None
    type: str | None
    time: int | None
    """Microseconds since 1970."""
