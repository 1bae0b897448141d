"""The clocks of a round's devices: what each said of the time, and how far the collector and the log agreed with it."""

from collections.abc import Sequence
from typing import Any

from schemas.time import micros
from schemas.topics import HEARTBEAT
from store.connect import Store
from store.read.events import table_events
from store.rows.raw import StoredEvent

AROUND = 600_000_000
"""Heartbeats so long before and after the round (microseconds) are shown."""


def heartbeats_around(store: Store, table: str, began: int, ended: int) -> list[StoredEvent]:
    """The heartbeats of a table's devices around a round."""
    found = table_events(store, table, began - AROUND, ended + AROUND)
    return [each for each in found if each.event.type == HEARTBEAT]


def clocks_said(events: Sequence[StoredEvent], beats: Sequence[StoredEvent], cameras: Sequence[str]) -> dict[str, Any]:
    """Per device: its events in the round, their delay to the log, and its heartbeats; and the cameras of the table."""
    devices: dict[str, dict[str, Any]] = {}
    for each in sorted(events, key=lambda each: (each.event.source, each.event.sequence)):
        said = devices.setdefault(each.event.source, {"events": 0, "sequences": [], "delays_ms": [], "heartbeats": []})
        said["events"] += 1
        said["sequences"].append(each.event.sequence)
        said["delays_ms"].append(each.arrival - micros(each.event.time) // 1000)
    for each in beats:
        if each.event.source in devices:
            data: Any = each.event.data
            off = (micros(data.device_time) - micros(each.event.time)) // 1000
            devices[each.event.source]["heartbeats"].append(
                {"time": each.event.time, "device_time": data.device_time, "off_ms": off}
            )
    return {
        "devices": {
            source: {
                "events": said["events"],
                "first_sequence": said["sequences"][0],
                "last_sequence": said["sequences"][-1],
                "least_delay_ms": min(said["delays_ms"]),
                "most_delay_ms": max(said["delays_ms"]),
                "heartbeats": said["heartbeats"],
            }
            for source, said in sorted(devices.items())
        },
        "cameras": list(cameras),
    }
