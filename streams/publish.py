"""Publishing: a file of events to the topics where their devices would have written them, packed, and acknowledged.

Nothing of the file is judged here. What is no event, or an event that breaks the contract, is sent all the same
(`streams.routing` says where), so that it is kept, rejected and reported by those whose task that is.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from streams.broker_url import Broker, EmbeddedLog
from streams.outlets import Outlet, open_outlet
from streams.packing import MAX_BYTES, MAX_EVENTS, PackedRecord, Packer
from streams.routing import Router
from streams.topics import INPUTS, Layout, check, create

ABREAST_LINES = 8_192
"""After so many lines all that is gathered is sent, full or not: who reads in between finds every topic told up to the
same line. Else one topic's records could lie there minutes before another's."""


@dataclass(slots=True)
class Counts:
    """What was sent and acknowledged."""

    lines: int = 0
    """Lines read, blank ones not counted."""
    events: int = 0
    """Events sent; whether they keep to the contract is for the judge to say."""
    unreadable: int = 0
    """What was sent and is sure to be rejected: it lacks what an event has, or is too large."""
    refused: int = 0
    """What the broker will never take, for its size."""
    records: int = 0
    bytes: int = 0
    """Of the records, before compression."""
    topics: dict[str, int] = field(default_factory=lambda: dict.fromkeys(INPUTS, 0))
    """Events and unreadable things by topic."""


def publish(
    lines: Iterable[bytes | None],
    broker: Broker,
    *,
    max_events: int = MAX_EVENTS,
    max_bytes: int = MAX_BYTES,
    patience_seconds: float = 120.0,
    layout: Layout | None = None,
    progress: Callable[[int], None] | None = None,
) -> Counts:
    """Send each line to its topic; returns when the broker has acknowledged all.

    A null among the lines says that no more are at hand just now: what is gathered is then sent without waiting for
    company. `progress` is called with the number of bytes of each line. Events of one partition keep their order, and
    so do those of one source. A new embedded log gets its topics (`layout`) first.
    """
    if isinstance(broker, EmbeddedLog) and any(difference.actual == "missing" for difference in check(broker)):
        create(broker, layout)
    with open_outlet(broker, patience_seconds=patience_seconds) as outlet:
        return _publish(lines, outlet, Packer(max_events, max_bytes), progress)


def _publish(
    lines: Iterable[bytes | None], outlet: Outlet, packer: Packer, progress: Callable[[int], None] | None
) -> Counts:
    counts = Counts()
    router = Router(outlet.partitions)
    gathered = 0
    for line in lines:
        if line is None or gathered == ABREAST_LINES:
            for record in packer.drain():
                _send(record, outlet, counts)
            outlet.hand_over()
            gathered = 0
        if line is None:
            continue
        gathered += 1
        parcels = router.route(line)
        counts.lines += bool(parcels)
        for parcel in parcels:
            counts.topics[parcel.topic] += 1
            if parcel.hopeless:
                counts.unreadable += 1
            else:
                counts.events += 1
            for record in packer.add(parcel):
                _send(record, outlet, counts)
        if progress is not None:
            progress(len(line))
    for record in packer.drain():
        _send(record, outlet, counts)
    outlet.finish()
    for record in outlet.refused:
        counts.refused += record.events
        counts.records -= 1
        counts.bytes -= len(record.value)
    return counts


def _send(record: PackedRecord, outlet: Outlet, counts: Counts) -> None:
    counts.records += 1
    counts.bytes += len(record.value)
    outlet.send(record)
