"""Events of a round that records hold and no event row tells of: their rows are gone."""

from collections.abc import Sequence
from typing import Final

import orjson

from schemas.decoding import decode_record, split_record
from store.connect import Store
from store.read.rejections import refused_among
from store.rows.raw import RecordKey, StoredEvent

_AROUND_MS: Final = 300_000
"""So long before and after the events that are known, records are looked at."""


def unlisted_events(
    store: Store, table: str, shoe: str, round: int, listed: Sequence[StoredEvent]
) -> list[StoredEvent]:
    """What the records that came around the listed events of a round hold of it besides these, and was not refused."""
    if not listed:
        return []
    arrivals = [each.arrival for each in listed]
    columns = store.columns(
        "SELECT log, topic, partition, offset, toUnixTimestamp64Milli(arrival), raw FROM records"
        " PREWHERE (log, partition) IN %(homes)s AND arrival BETWEEN fromUnixTimestamp64Milli(%(start)s, 'UTC')"
        " AND fromUnixTimestamp64Milli(%(end)s, 'UTC')"
        # What is written plainly is found by its bytes; with backslashes it may be written otherwise.
        " WHERE (position(raw, %(table)s) > 0 AND position(raw, %(shoe)s) > 0 AND match(raw, %(round)s))"
        " OR position(raw, char(92)) > 0",
        {
            "homes": tuple({(each.key.log, each.key.partition) for each in listed}),
            "start": min(arrivals) - _AROUND_MS,
            "end": max(arrivals) + _AROUND_MS,
            "table": orjson.dumps(table).decode(),
            "shoe": orjson.dumps(shoe).decode(),
            "round": rf'"round"\s*:\s*{round}[^0-9]',
        },
        as_bytes=True,
    )
    known = {(each.key, each.place) for each in listed}
    found: dict[tuple[RecordKey, int], StoredEvent] = {}
    for log, topic, partition, offset, arrival, raw in zip(*columns, strict=True):
        key = RecordKey(log.decode(), topic.decode(), partition, offset)
        decoded = decode_record(raw)
        for event, place in zip(decoded.events, decoded.places, strict=True):
            data = event.data
            about = event.subject, getattr(data, "shoe", ""), getattr(data, "round", 0)
            if about == (table, shoe, round) and (key, place) not in known:
                found[key, place] = StoredEvent(key, place, arrival, split_record(raw)[place], event)
    refused = refused_among(store, table, found.keys())
    return [event for place, event in found.items() if place not in refused]
