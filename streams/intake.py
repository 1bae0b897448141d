"""A record of an input topic: taken apart, and every event checked to be in its place."""

from collections.abc import Callable
from functools import cache

from schemas.decoding import Decoded, Rejected, decode_record, split_record
from schemas.records import AnyEvent
from schemas.time import micros
from schemas.topics import carries, partition_of, topic_of
from store.rows.raw import Record
from streams.watermark import NEVER


def read_record(topic: str, partition: int, offset: int, arrival: int, raw: bytes, partitions: int) -> Record:
    """A record as the judge and the store take it; ``arrival`` in milliseconds, ``partitions`` of the topic."""
    decoded = decode_record(raw)
    if all(
        carries(topic, event.type) and partition_of(event.subject, partitions) == partition for event in decoded.events
    ):
        return Record(topic, partition, offset, arrival, raw, decoded)
    return Record(topic, partition, offset, arrival, raw, _without_strays(topic, partition, raw, decoded, partitions))


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
            rejected.append(
                Rejected(
                    pieces[place], place, reason, event.source, event.subject, event.sequence, event.id, event.type,
                    event.time,
                )
            )  # fmt: skip
    rejected.sort(key=lambda each: each.place)
    return Decoded(events, places, rejected)


def latest_time(record: Record) -> int:
    """The largest event time of a record, no later than its arrival (microseconds)."""
    arrival = record.arrival * 1_000
    return max((min(micros(event.time), arrival) for event in record.decoded.events), default=NEVER)


def origins(raw: bytes) -> Callable[[int], bytes]:
    """Gives the bytes of each event of a record by its place; the record is cut when the first is asked for."""

    @cache
    def pieces() -> list[bytes]:
        return split_record(raw)

    return lambda place: pieces()[place]
