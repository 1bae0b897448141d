"""Where an event goes: its topic by type, its partition by table; what is no event goes where it is seen and rejected.

- A known type goes to its topic, an unknown one to the topic of its kind (`card.…`), and what has no kind of ours where
  its source last wrote.
- Heartbeats go where their device writes: where it last wrote, or before that by the last word of its source
  (`…/reader`, `…/rfid`), and to the floor otherwise.
- Without a readable table, partition 0. What is no JSON object goes to the floor, partition 0.

An event on its way is never changed: its bytes are what the judge, the store and an auditor get to see.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from schemas.decoding import MAX_EVENT_BYTES, holds_an_object, split_record
from schemas.events import Envelope
from schemas.topics import BETS, CARDS, FLOOR, HEARTBEAT, INPUT, partition_of

_BY_TYPE: Mapping[str, str] = {each: topic.name for topic in INPUT for each in topic.types if each != HEARTBEAT}
_BY_KIND: Mapping[str, str] = {each.partition(".")[0]: name for each, name in _BY_TYPE.items()}
_BY_DEVICE: Mapping[str, str] = {"reader": CARDS.name, "rfid": BETS.name}

_NEEDED = frozenset({name for name, field in Envelope.model_fields.items() if field.is_required()} | {"data"})
_KNOWN = frozenset({*_BY_TYPE, HEARTBEAT})

_WHITESPACE = b" \t\r\n"


@dataclass(frozen=True, slots=True)
class Parcel:
    """One event, or what came in place of one, and where it goes."""

    topic: str
    partition: int
    raw: bytes
    alone: bool = False
    """It is no JSON object or array, and would spoil a record that it shares."""
    hopeless: bool = False
    """A glance tells that it will be rejected: by its size, or by what it lacks of an event."""


class Router:
    """Routes the events of one stream; remembers where each source writes."""

    def __init__(self, partitions: int) -> None:
        self._partitions = partitions
        self._last: dict[str, str] = {}

    def route(self, line: bytes) -> list[Parcel]:
        """The parcels of one line or record: an event, an array of them, or anything else; none if it is blank."""
        raw = line.strip(_WHITESPACE)
        if not raw:
            return []
        try:
            value = orjson.loads(raw)
        except orjson.JSONDecodeError:
            return [Parcel(FLOOR.name, 0, raw, alone=True, hopeless=True)]
        if isinstance(value, dict):
            return [self._event(raw, value)]
        if isinstance(value, list) and value:
            items = split_record(raw)
            if any(map(holds_an_object, items)):
                return [self._item(item, part) for item, part in zip(items, value, strict=True)]
        return [Parcel(FLOOR.name, 0, raw, alone=True, hopeless=True)]

    def _item(self, raw: bytes, value: object) -> Parcel:
        """An item of an array, which keeps its bytes."""
        if isinstance(value, dict):
            return self._event(raw, value)
        # An array inside the array is no event, and must not be taken for a batch: it stays inside of one.
        return Parcel(FLOOR.name, 0, raw, alone=not holds_an_object(raw), hopeless=True)

    def _event(self, raw: bytes, event: dict[str, Any]) -> Parcel:
        topic = self._topic(event.get("type"), event.get("source"))
        table = event.get("subject")
        partition = partition_of(table, self._partitions) if isinstance(table, str) and table else 0
        # Only what costs nothing is looked at: decoding is for the worker.
        kind = event.get("type")
        like_one = isinstance(kind, str) and kind in _KNOWN and event.keys() >= _NEEDED
        return Parcel(topic, partition, raw, hopeless=not like_one or len(raw) > MAX_EVENT_BYTES)

    def _topic(self, kind: object, source: object) -> str:
        topic = _BY_TYPE.get(kind) if isinstance(kind, str) else None
        if topic is None and isinstance(kind, str):
            topic = _BY_KIND.get(kind.partition(".")[0])
        if not isinstance(source, str):
            return topic or FLOOR.name
        if topic is not None:
            self._last[source] = topic
            return topic
        known = self._last.get(source)
        return known or _BY_DEVICE.get(source.rpartition("/")[2], FLOOR.name)
