"""Event rows against their records: a row of ``events`` says where an event stands and must say what stands there."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from replay.chain.compare import Tampering
from replay.chain.rows import key_of
from schemas.decoding import decode_record
from store.connect import Store
from store.rows.raw import Record, RecordKey
from store.write.raw import event_columns

_COLUMNS = {
    "log": "log", "topic": "topic", "partition": "partition", "offset": "offset", "place": "place",
    "table": "table", "shoe": "shoe", "round": "round", "type": "type", "source": "source", "sequence": "sequence",
    "id_mark": "id_mark", "time": "toUnixTimestamp64Micro(time)", "arrival": "toUnixTimestamp64Milli(arrival)",
    "draw": "draw", "card": "card",
}  # fmt: skip

EventRow = tuple[Any, ...]
"""The columns of a row after its place."""


@dataclass(frozen=True, slots=True)
class SealedRecord:
    """A record and what else the store says of it."""

    key: RecordKey
    arrival: int
    """Milliseconds since 1970."""
    accepted: int
    """How many of its events were accepted when it was stored."""
    raw: bytes
    refused: frozenset[int]
    """The places of what was refused, then or later."""


def check_events(
    record: SealedRecord, rows: Mapping[int, list[EventRow]], *, may_be_gone: bool = False
) -> Iterator[Tampering]:
    """What is wrong with the event rows of a record that is itself as it was sealed; ``rows`` are by place. A record is
    kept for the sake of one event, and the rows of its others go when their time is over (``may_be_gone``)."""
    right = expected_rows(record)

    def told(what: Any, place: int, detail: str) -> Tampering:
        table = right[place][0] if place in right else ""
        return Tampering(what, "event", f"{_name(record.key)}/{place}", table, detail)

    for place, found in sorted(rows.items()):
        wanted = right.get(place)
        if wanted is None:
            yield told("inserted", place, "the record has no such event")
        elif wanted not in found:
            yield told("changed", place, "it is not the event that stands there in the record")
        elif len(found) > 1:
            yield told("inserted", place, "a second row tells of the same event otherwise")
    if may_be_gone:
        return
    gone = [place for place in right if place not in rows and place not in record.refused]
    for place in gone:
        yield told("removed", place, "the record has the event, and it was not refused")
    accepted = len(rows.keys() & right.keys()) + len(gone)
    doubtful = sorted(record.refused & right.keys())
    if accepted < record.accepted:
        # What was refused after it had been accepted keeps its row.
        for place in [place for place in doubtful if place not in rows][: record.accepted - accepted]:
            yield told("removed", place, "it was accepted before it was refused")
    elif accepted > record.accepted:
        for place in [place for place in doubtful if place in rows][: accepted - record.accepted]:
            yield told("inserted", place, "it was refused and never accepted")


def expected_rows(record: SealedRecord) -> dict[int, EventRow]:
    """By place, the row of every event of the record that can be read."""
    key = record.key
    decoded = decode_record(record.raw)
    columns = event_columns(
        [Record(key.topic, key.partition, key.offset, record.arrival, record.raw, decoded, key.log)]
    )
    rows = zip(*(columns[name] for name in list(_COLUMNS)[5:]), strict=True)
    return dict(zip(columns["place"], rows, strict=True))


def event_rows(store: Store, log: str, topic: str, partition: int) -> Iterator[tuple[int, dict[int, list[EventRow]]]]:
    """The event rows of one partition: by offset, and there by place."""
    columns = ", ".join(f"{sql} AS `said_{name}`" for name, sql in list(_COLUMNS.items())[3:])
    blocks = store.blocks(
        f"SELECT DISTINCT {columns} FROM events WHERE log = %(log)s AND topic = %(topic)s AND partition = %(partition)s"
        " ORDER BY offset, place",
        {"log": log, "topic": topic, "partition": partition},
    )
    held: dict[int, list[EventRow]] = {}
    at: int | None = None
    for block in blocks:
        for offset, place, *rest in zip(*block, strict=True):
            if at is not None and offset != at:
                yield at, held
                held = {}
            at = offset
            held.setdefault(place, []).append(tuple(rest))
    if at is not None:
        yield at, held


def rows_of_round(store: Store, table: str, shoe: str, round: int) -> dict[RecordKey, dict[int, list[EventRow]]]:
    """The event rows of one round: by record, and there by place."""
    columns = ", ".join(f"{sql} AS `said_{name}`" for name, sql in _COLUMNS.items())
    found: dict[RecordKey, dict[int, list[EventRow]]] = {}
    for log, topic, partition, offset, place, *rest in store.query(
        f"SELECT DISTINCT {columns} FROM events PREWHERE table = %(table)s AND shoe = %(shoe)s AND round = %(round)s",
        {"table": table, "shoe": shoe, "round": round},
    ):
        of_record = found.setdefault(RecordKey(log, topic, partition, offset), {})
        of_record.setdefault(place, []).append(tuple(rest))
    return found


def sealed_records(store: Store, log: str, topic: str, partition: int) -> Iterator[SealedRecord]:
    """The records of one partition in the order of the log, with the places of what was refused of each."""
    refused: dict[int, set[int]] = {}
    place = {"log": log, "topic": topic, "partition": partition}
    condition = "log = %(log)s AND topic = %(topic)s AND partition = %(partition)s"
    for offset, number in store.query(f"SELECT DISTINCT offset, place FROM rejected WHERE {condition}", place):
        refused.setdefault(offset, set()).add(number)
    blocks = store.blocks(
        f"SELECT offset, toUnixTimestamp64Milli(arrival), events, raw FROM records FINAL WHERE {condition}"
        " ORDER BY offset",
        place,
        as_bytes=True,
        rows=256,
    )
    for block in blocks:
        for offset, arrival, accepted, raw in zip(*block, strict=True):
            key = RecordKey(log, topic, partition, offset)
            yield SealedRecord(key, arrival, accepted, raw, frozenset(refused.get(offset, ())))


def check_partition(
    records: Iterable[SealedRecord],
    rows: Iterable[tuple[int, dict[int, list[EventRow]]]],
    place: tuple[str, str, int],
    blamed: frozenset[str],
    sealed_to: int,
    expired_before: int = 0,
) -> Iterator[Tampering]:
    """Hold the event rows of a partition against its records. Nothing is said of those of a record that was itself
    tampered with (``blamed``), nor of one that is still to come."""
    records, rows = iter(records), iter(rows)
    record, row = next(records, None), next(rows, None)
    while record is not None or row is not None:
        if row is not None and (record is None or row[0] <= record.key.offset):
            offset, of_record = row
        else:
            assert record is not None
            offset, of_record = record.key.offset, {}
        name = key_of(*place, offset)
        if record is not None and record.key.offset == offset:
            if name not in blamed:
                yield from check_events(record, of_record, may_be_gone=record.arrival < expired_before)
            record = next(records, None)
        elif name not in blamed and offset <= sealed_to:
            for number, found in sorted(of_record.items()):
                yield Tampering("inserted", "event", f"{name}/{number}", str(found[0][0]), "there is no such record")
        if row is not None and row[0] == offset:
            row = next(rows, None)


def _name(key: RecordKey) -> str:
    return key_of(key.log, key.topic, key.partition, key.offset)
