"""Bytes on disk per stored event, payload included: ``python -m bench.store_size [--rounds 60] [--pack 100]``.

Events of the simulator, each with an id of 122 random bits (the worst that a UUID can be), packed as a gateway packs
them, written through the store's own writer into the embedded server, merged. The figure counts all that one event
costs: its share of the record, its row, and its share of what views derive from it.
"""

import argparse
import random
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

from bench.page.figures import RATIO, tell
from schemas.decoding import decode_record
from schemas.topics import partition_of, topic_of
from simulator.floor import deliveries
from store.connect import Store, connect
from store.embedded.process import EmbeddedClickHouse
from store.migrate import migrate
from store.render import SchemaSettings
from store.rows.raw import Record
from store.write.raw import write_records

BAR = 60
"""Bytes per stored event."""
PARTITIONS = 8
_OF_EVENTS = ("records", "events", "round_spans", "source_hours")
_ID = re.compile(rb'"id":"[^"]+"')
_TYPE = re.compile(rb'"type":"([^"]+)"')
_SUBJECT = re.compile(rb'"subject":"([^"]+)"')
_DESK = re.compile(rb'"source":"[^"]*/([^"/]+)"')
_HEARTBEATS = {b"reader": "table.cards", b"rfid": "table.bets"}


def records(tables: int, rounds: int, pack: int) -> Iterator[Record]:
    """The simulated floor as records of the log."""
    chance = random.Random(7)
    waiting: dict[tuple[str, int], list[bytes]] = {}
    offsets: dict[tuple[str, int], int] = {}
    arrival = 0

    def flush(place: tuple[str, int]) -> Record:
        lines = waiting.pop(place)
        raw = lines[0] if len(lines) == 1 else b"[" + b",".join(lines) + b"]"
        offset = offsets.get(place, 0)
        offsets[place] = offset + 1
        return Record(*place, offset, arrival, raw, decode_record(raw))

    for time, line in deliveries(tables, rounds, seed=7):
        arrival = time
        kind, table = _TYPE.search(line), _SUBJECT.search(line)
        if kind is None or table is None:
            raise SystemExit(f"no event: {line!r}")
        random_id = UUID(int=chance.getrandbits(128), version=4)
        event = _ID.sub(b'"id":"%s"' % str(random_id).encode(), line, count=1)
        topic = topic_of(kind[1].decode())
        if topic is None:
            desk = _DESK.search(line)
            topic = _HEARTBEATS.get(desk[1] if desk else b"", "table.floor")
        place = (topic, partition_of(table[1].decode(), PARTITIONS))
        waiting.setdefault(place, []).append(event)
        if len(waiting[place]) == pack:
            yield flush(place)
    for place in list(waiting):
        yield flush(place)


def measure(store: Store, tables: int, rounds: int, pack: int) -> bool:
    """Writes the floor and weighs it; whether an event is as small as it should be."""
    migrate(store, SchemaSettings(years=50))
    events = raw = 0
    batch: list[Record] = []
    for record in records(tables, rounds, pack):
        batch.append(record)
        events += len(record.decoded.events)
        raw += len(record.raw)
        if len(batch) * pack >= 50_000:
            write_records(store, batch)
            batch = []
    write_records(store, batch)
    stored = store.query("SELECT sum(events) FROM records FINAL")[0][0]
    if stored != events or store.query("SELECT count() FROM events FINAL") != [(events,)]:
        raise SystemExit(f"{events} events were written and {stored} are stored")
    for table in _OF_EVENTS:
        store.command(f"OPTIMIZE TABLE {table} FINAL")
    weighed: dict[str, int] = dict(
        store.query(
            "SELECT table, sum(bytes_on_disk) FROM system.parts WHERE active AND database = currentDatabase()"
            " AND table IN %(tables)s GROUP BY table",
            {"tables": _OF_EVENTS},
        )
    )
    tell("events weighed", events)
    tell("events in a record", pack)
    tell("bytes of an event as sent", raw / events, "bytes")
    size = tell("bytes of an event on disk", sum(weighed.values()) / events, "bytes", at_most=BAR)
    for table in _OF_EVENTS:
        tell("bytes of an event on disk, by table", weighed[table] / events, "bytes", of=table)
    tell("an event as sent by an event on disk", raw / sum(weighed.values()), RATIO)
    return bool(size.holds) and size.value > 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=60, help="per table")
    parser.add_argument("--pack", type=int, default=100, help="events per record")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, EmbeddedClickHouse(Path(folder) / "data") as server:
        small = measure(connect(server.url), given.tables, given.rounds, given.pack)
    if not small:
        raise SystemExit(f"above the bar of {BAR} bytes per event")


if __name__ == "__main__":
    main()
