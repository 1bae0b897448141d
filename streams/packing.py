"""Packing: many events of one partition into one record, a JSON array, because the cost of a stream is per record."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from streams.routing import Parcel

MAX_EVENTS = 256
MAX_BYTES = 256 * 1024


@dataclass(frozen=True, slots=True)
class PackedRecord:
    """A record ready to be sent: null key, explicit partition."""

    topic: str
    partition: int
    value: bytes
    events: int


@dataclass(slots=True)
class _Box:
    items: list[bytes] = field(default_factory=list)
    size: int = 2


class Packer:
    """Gathers parcels by partition; what it gives out keeps their order within each partition."""

    def __init__(self, max_events: int = MAX_EVENTS, max_bytes: int = MAX_BYTES) -> None:
        self._max_events = max_events
        self._max_bytes = max_bytes
        self._boxes: dict[tuple[str, int], _Box] = {}

    def add(self, parcel: Parcel) -> list[PackedRecord]:
        """Put the parcel in; gives the records that are full because of it."""
        place = (parcel.topic, parcel.partition)
        box = self._boxes.get(place)
        ready: list[PackedRecord] = []
        if box is not None and (parcel.alone or box.size + len(parcel.raw) + 1 > self._max_bytes):
            ready.append(_close(place, self._boxes.pop(place)))
            box = None
        if parcel.alone:
            return [*ready, PackedRecord(parcel.topic, parcel.partition, parcel.raw, 1)]
        if box is None:
            box = self._boxes[place] = _Box()
        box.items.append(parcel.raw)
        box.size += len(parcel.raw) + 1
        if len(box.items) >= self._max_events or box.size >= self._max_bytes:
            ready.append(_close(place, self._boxes.pop(place)))
        return ready

    def drain(self) -> Iterator[PackedRecord]:
        """Everything that is left, full or not."""
        boxes, self._boxes = self._boxes, {}
        for place, box in boxes.items():
            yield _close(place, box)


def _close(place: tuple[str, int], box: _Box) -> PackedRecord:
    return PackedRecord(*place, b"[" + b",".join(box.items) + b"]", len(box.items))
