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


def partition_shares(store: Store) -> list[PartitionShare]:
    """In which partitions the events of all tables are."""
    rows = store.query("SELECT table, log, partition, count() FROM events GROUP BY table, log, partition")
    return [PartitionShare(*row) for row in sorted(rows)]


Partition = tuple[str, int]
"""A log, and one of its partitions, of all topics."""


class RawRecord(NamedTuple):
    """A record as received."""

    log: str
    topic: str
    partition: int
    offset: int
    accepted: int
    """How many events of it were accepted."""
    refused: int
    raw: bytes

    @property
    def key(self) -> tuple[str, str, int, int]:
        """Where it stands."""
        return self[:4]


def partition_records(store: Store, partitions: Collection[Partition]) -> Iterator[RawRecord]:
    """The records of some partitions, each once."""
    return _records(store, "(log, partition) IN %(partitions)s", {"partitions": tuple(partitions)})


def records_about(
    store: Store, table: str, partitions: Collection[Partition], start: int, end: int
) -> Iterator[RawRecord]:
    """The records of some partitions that may speak of a table, each once, that came from one time to another
    (milliseconds, both included); whether there are rows of their events does not matter."""
    condition = (
        "(log, partition) IN %(partitions)s AND arrival BETWEEN fromUnixTimestamp64Milli(%(start)s, 'UTC')"
        " AND fromUnixTimestamp64Milli(%(end)s, 'UTC')"
        # A name is written otherwise only with backslashes.
        " AND (position(raw, %(table)s) > 0 OR position(raw, char(92)) > 0)"
    )
    given = {"partitions": tuple(partitions), "start": start, "end": end, "table": table}
    return _records(store, condition, given)


def _records(store: Store, condition: str, parameters: Mapping[str, Any]) -> Iterator[RawRecord]:
    seen: set[tuple[bytes, bytes, int, int]] = set()
    columns = store.columns(
        f"SELECT log, topic, partition, offset, events, rejected, raw FROM records WHERE {condition}",
        parameters,
        as_bytes=True,
    )
    for row in zip(*columns, strict=True):
        if row[:4] not in seen:
            seen.add(row[:4])
            log, topic, *rest = row
            yield RawRecord(log.decode(), topic.decode(), *rest)


RefusedPlace = tuple[str, str, int, int, int]
"""Log, topic, partition and offset of a record, and the place in it of what was refused."""


def refused_places(store: Store, partitions: Collection[Partition]) -> set[RefusedPlace]:
    """What was refused of some partitions."""
    rows = store.query(
        "SELECT log, topic, partition, offset, place FROM rejected WHERE (log, partition) IN %(partitions)s",
        {"partitions": tuple(partitions)},
    )
    return {(log, topic, partition, offset, place) for log, topic, partition, offset, place in rows}


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
        # In one block of all of them the engine would take fresh memory for every question.
        f" FROM verdicts WHERE {condition} SETTINGS max_block_size = 512",
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


def unlisted_keys(store: Store, wanted: RoundFilter) -> list[RoundKey]:
    """The rounds of the tables, shoe and number of a filter that have a verdict and no compact row, which says the rest
    of what a filter asks for: any of them may be meant."""
    named = RoundFilter(tables=wanted.tables, besides=wanted.besides, shoe=wanted.shoe, round=wanted.round)
    condition, parameters = named.conditions()
    rows = store.query(
        f"SELECT DISTINCT table, shoe, round FROM verdicts WHERE {condition} AND (table, shoe, round) GLOBAL NOT IN"
        f" (SELECT table, shoe, round FROM rounds WHERE {condition}) ORDER BY table, shoe, round",
        parameters,
    )
    return [RoundKey(*row) for row in rows]


def tables_of(keys: Iterable[RoundKey]) -> dict[str, dict[str, set[int]]]:
    """Rounds by table and shoe."""
    found: dict[str, dict[str, set[int]]] = {}
    for key in keys:
        found.setdefault(key.table, {}).setdefault(key.shoe, set()).add(key.round)
    return found
