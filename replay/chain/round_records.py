"""The sealed records of a round's time, against the round's event rows: whoever takes derived rows away hides nothing.

Which records hold events of a round the event rows say, and these follow from records and are not sealed. So all sealed
records of the table around the round are read: what they hold of it must have its rows.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import orjson

from replay.chain.event_rows import EventRow, SealedRecord, expected_rows, rows_of_round
from replay.chain.rows import RECORD, ChainedRow, chained_rows, record_place
from replay.chain.verify import expired_by, sealed_tombstones
from store.connect import Store
from store.read.proof import leaves_between, leaves_of_rows
from store.rows.proof import Tombstone
from store.rows.raw import RecordKey
from store.rows.verdicts import RoundKey
from store.tombstones import event_rows_over

_BEFORE_MS = 3_600_000
"""Records of a round come so long before what is known of it at most."""
_AFTER_MS = 600_000
"""The clocks of the log and of a worker differ by less; what came after a verdict was judged made another."""
_DAY_MS = 86_400_000
_AT_ONCE = 2_000

Rows = Mapping[RecordKey, Mapping[int, Sequence[EventRow]]]
"""Event rows, by record and place."""


@dataclass(frozen=True, slots=True)
class Lost:
    """A row that is gone, or not what was sealed."""

    words: str
    of_round: bool
    """Whether it is certainly of this round; else it is of its table and time."""


def lost_of_round(store: Store, key: RoundKey, rows: Sequence[ChainedRow]) -> Iterator[Lost]:
    """What is not as it was sealed of the records of a round's time, and of the round's event rows; ``rows`` are those
    that are known of the round."""
    found = rows_of_round(store, key.table, key.shoe, key.round)
    span = _span(rows, found)
    if span is None:
        return
    sealed = {leaf.key: leaf for leaf in leaves_between(store, key.table, RECORD.kind, *span)}
    stones = sealed_tombstones(store)
    expired = expired_by(stones)
    there = set()
    shoe = orjson.dumps(key.shoe)
    for name, of_table, record in _records(store, key.table, sealed):
        there.add(name)
        mine = found.get(record.key, {})
        # A name is written otherwise only with backslashes.
        holds = shoe in record.raw or b"\\" in record.raw
        wanted = {
            place: row
            for place, row in (expected_rows(record) if holds else {}).items()
            if row[:3] == (key.table, key.shoe, key.round)
        }
        if of_table is None or of_table.leaf != sealed[name].leaf:
            yield Lost(f"record {name} is not what was sealed", bool(mine or wanted))
        elif mine or wanted:
            yield from _events(store, name, record, wanted, mine, stones)
    for name, leaf in sealed.items():
        if name not in there and not expired(leaf):
            yield Lost(f"record {name} was sealed and is gone", RecordKey(*_place(name)) in found)


def _span(rows: Sequence[ChainedRow], found: Rows) -> tuple[int, int] | None:
    """From when to when records of the round came, by all that is known of it; milliseconds."""
    times = [row[_ARRIVAL] for of_record in found.values() for each in of_record.values() for row in each]
    # Later revisions are of later facts, and are told of even where the rows of these are gone.
    times += [row.at for row in rows if row.kind == "verdict"]
    if not times:
        return None
    opened = [orjson.loads(row.body)["opened"] // 1000 for row in rows if row.kind == "round"]
    # A worker may have been far behind; a device's clock may be anywhere.
    times += [at for at in opened if min(times) - _DAY_MS < at < min(times)]
    return min(times) - _BEFORE_MS, max(times) + _AFTER_MS


_ARRIVAL = 9
"""The place of the arrival in an event row."""


def _records(store: Store, table: str, names: Collection[str]) -> Iterator[tuple[str, ChainedRow | None, SealedRecord]]:
    """Those of these records that are there: their names, each as a link of the table, and as it is stored."""
    columns = (*RECORD.key, *RECORD.columns)
    keys = sorted(_place(name) for name in names)
    for start in range(0, len(keys), _AT_ONCE):
        places = {"places": tuple(keys[start : start + _AT_ONCE])}
        statement = RECORD.select("(log, topic, partition, offset) IN %(places)s")
        for block in store.blocks(statement, places, as_bytes=True, rows=RECORD.rows_at_once):
            for at, *values in zip(*block, strict=True):
                said = dict(zip(columns, values, strict=True))
                links = chained_rows(RECORD, at, said)
                of_table = next((link for link in links if link.table == table), None)
                place = RecordKey(said["log"].decode(), said["topic"].decode(), said["partition"], said["offset"])
                record = SealedRecord(place, said["arrival"], said["events"], said["raw"], frozenset())
                yield links[0].key, of_table, record


def _place(name: str) -> tuple[str, str, int, int]:
    (log, topic, partition), offset = record_place(name)
    return log, topic, partition, offset


def _events(
    store: Store,
    name: str,
    record: SealedRecord,
    wanted: Mapping[int, EventRow],
    mine: Mapping[int, Sequence[EventRow]],
    stones: Sequence[Tombstone],
) -> Iterator[Lost]:
    """What is wrong with the round's event rows of a record that is as it was sealed."""
    for place in sorted(mine.keys() - wanted.keys()):
        yield Lost(f"event {name}/{place} was put in: its record has no such event of this round", True)
    for place in sorted(wanted.keys() & mine.keys()):
        if wanted[place] not in mine[place]:
            yield Lost(f"event {name}/{place} is not the event that stands there in its record", True)
    gone = sorted(wanted.keys() - mine.keys())
    key = record.key
    if not gone or record.arrival < event_rows_over(stones, (key.log, key.topic, key.partition)):
        return
    table = str(next(iter(wanted.values()))[0])
    refused = leaves_of_rows(
        store, table, [("rejected", f"{name}/{place}") for place in gone], (record.arrival, record.arrival)
    )
    excused = {leaf.key for leaf in refused}
    for place in gone:
        if f"{name}/{place}" not in excused:
            yield Lost(f"event {name}/{place} is gone (its sealed record has it, and it was not refused)", True)
