"""Reading in bulk what an audit of the store needs: whole partitions, the verdicts of whole tables."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from store.connect import Store
from store.read.rounds import RoundFilter
from store.rows.verdicts import RoundKey, StoredVerdict


@dataclass(frozen=True, slots=True)
class PartitionShare:
    """How much a table has in one partition of the log."""

    table: str
    log: str
    partition: int
    events: int


def partition_shares(store: Store, tables: Sequence[str] = ()) -> list[PartitionShare]:
    """In which partitions the events of tables are; of all tables where none is named."""
    condition = "table IN %(tables)s" if tables else "1"
    rows = store.query(
        f"SELECT table, log, partition, count() FROM events WHERE {condition}"
        " GROUP BY table, log, partition ORDER BY table, log, partition",
        {"tables": tuple(tables)} if tables else None,
    )
    return [PartitionShare(*row) for row in rows]


class RawRecord(NamedTuple):
    """A record of one partition as received."""

    topic: str
    offset: int
    accepted: int
    """How many events of it were accepted."""
    refused: int
    raw: bytes


def partition_records(store: Store, log: str, partition: int) -> Iterator[RawRecord]:
    """The records of one partition of all topics, each once."""
    seen: set[tuple[bytes, int]] = set()
    columns = store.columns(
        "SELECT topic, offset, events, rejected, raw FROM records WHERE log = %(log)s AND partition = %(partition)s",
        {"log": log, "partition": partition},
        as_bytes=True,
    )
    for topic, offset, accepted, refused, raw in zip(*columns, strict=True):
        if (topic, offset) not in seen:
            seen.add((topic, offset))
            yield RawRecord(topic.decode(), offset, accepted, refused, raw)


def refused_places(store: Store, log: str, partition: int) -> set[tuple[str, int, int]]:
    """What was refused of a partition: topic, offset and place in the record."""
    rows = store.query(
        "SELECT DISTINCT topic, offset, place FROM rejected WHERE log = %(log)s AND partition = %(partition)s",
        {"log": log, "partition": partition},
    )
    return {(topic, offset, place) for topic, offset, place in rows}


def refused_sequences(store: Store, tables: Sequence[str]) -> dict[str, list[tuple[str, int, str | None]]]:
    """By table: the places in the sequences of its sources that refused events fill, as source, sequence and type."""
    rows = store.query(
        "SELECT DISTINCT table, source, assumeNotNull(sequence), type FROM rejected WHERE table IN %(tables)s"
        " AND source != '' AND isNotNull(sequence)",
        {"tables": tuple(tables)},
    )
    found: dict[str, list[tuple[str, int, str | None]]] = {}
    for table, source, sequence, kind in rows:
        found.setdefault(table, []).append((source, sequence, kind or None))
    return found


Verdicts = dict[tuple[str, int], StoredVerdict]
"""By shoe and round."""


def table_verdicts(store: Store, table: str, shoes: Sequence[str] = ()) -> Verdicts:
    """The last verdict of each round of a table, or of some of its shoes."""
    found = shoes_verdicts(store, {table: shoes}) if shoes else tables_verdicts(store, [table])
    return found.get(table, {})


def tables_verdicts(store: Store, tables: Sequence[str]) -> dict[str, Verdicts]:
    """By table: the last verdict of each of its rounds."""
    return _last_verdicts(store, "table IN %(tables)s", {"tables": tuple(tables)})


def shoes_verdicts(store: Store, shoes: Mapping[str, Collection[str]]) -> dict[str, Verdicts]:
    """By table: the last verdict of each round of some of its shoes."""
    pairs = tuple((table, shoe) for table, listed in shoes.items() for shoe in listed)
    return _last_verdicts(store, "(table, shoe) IN %(pairs)s", {"pairs": pairs}) if pairs else {}


def judged_shoes(store: Store, tables: Sequence[str]) -> dict[str, set[str]]:
    """By table: the shoes on which there are verdicts."""
    rows = store.query(
        "SELECT table, groupUniqArray(shoe) FROM verdicts WHERE table IN %(tables)s GROUP BY table",
        {"tables": tuple(tables)},
    )
    return {table: set(shoes) for table, shoes in rows}


def _last_verdicts(store: Store, condition: str, parameters: Mapping[str, Any]) -> dict[str, Verdicts]:
    columns = store.columns(
        "SELECT table, shoe, round, precedence, revision, digest, judge, toUnixTimestamp64Milli(judged), verdict"
        f" FROM verdicts WHERE {condition}",
        parameters,
        as_bytes=True,
    )
    last: dict[tuple[bytes, bytes, int], tuple[Any, ...]] = {}
    for row in zip(*columns, strict=True):
        key = row[:3]
        known = last.get(key)
        if known is None or row[3] > known[3]:
            last[key] = row
    found: dict[str, Verdicts] = {}
    for table, shoe, number, _, revision, digest, judge, judged, published in last.values():
        where = RoundKey(table.decode(), shoe.decode(), number)
        stored = StoredVerdict(where, revision, digest.hex(), judge.decode(), judged, published)
        found.setdefault(where.table, {})[where.shoe, number] = stored
    return found


def round_keys(store: Store, wanted: RoundFilter) -> list[RoundKey]:
    """The judged rounds that meet a filter, in the order of table, shoe and round."""
    condition, parameters = wanted.conditions()
    rows = store.query(
        f"SELECT table, shoe, round FROM rounds FINAL WHERE {condition} ORDER BY table, shoe, round", parameters
    )
    return [RoundKey(*row) for row in rows]


def tables_of(keys: Iterable[RoundKey]) -> dict[str, dict[str, set[int]]]:
    """Rounds by table and shoe."""
    found: dict[str, dict[str, set[int]]] = {}
    for key in keys:
        found.setdefault(key.table, {}).setdefault(key.shoe, set()).add(key.round)
    return found
