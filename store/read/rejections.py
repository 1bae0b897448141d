"""What was refused, with its bytes and the reason."""

from collections.abc import Collection
from typing import Any

from store.connect import Store
from store.rows.raw import RecordKey, StoredRejection


def refused_among(
    store: Store, table: str, places: Collection[tuple[RecordKey, int]]
) -> set[tuple[RecordKey, int]]:  # fmt: skip
    """Which of these events of a table, by record and place, are stored as refused."""
    if not places:
        return set()
    rows = store.query(
        "SELECT DISTINCT log, topic, partition, offset, place FROM rejected WHERE table = %(table)s"
        " AND (log, topic, partition, offset) IN %(keys)s",
        {"table": table, "keys": tuple({(key.log, key.topic, key.partition, key.offset) for key, _ in places})},
    )
    refused = {(RecordKey(log, topic, partition, offset), place) for log, topic, partition, offset, place in rows}
    return refused & set(places)


def rejections(
    store: Store, *, table: str | None = None, start: int | None = None, end: int | None = None, limit: int = 10_000
) -> list[StoredRejection]:
    """What was refused, by arrival: of one table, or all, and from ``start`` until before ``end`` (milliseconds)."""
    conditions, parameters = ["1"], dict[str, Any](limit=limit)
    if table is not None:
        conditions.append("table = %(table)s")
        parameters["table"] = table
    if start is not None:
        conditions.append("arrival >= fromUnixTimestamp64Milli(%(start)s, 'UTC')")
        parameters["start"] = start
    if end is not None:
        conditions.append("arrival < fromUnixTimestamp64Milli(%(end)s, 'UTC')")
        parameters["end"] = end
    columns = store.columns(
        "SELECT log, topic, partition, offset, place, toUnixTimestamp64Milli(arrival), raw, reason, table, source,"
        " sequence, id, type, if(isNull(time), NULL, toUnixTimestamp64Micro(assumeNotNull(time))) FROM rejected FINAL"
        f" WHERE {' AND '.join(conditions)} ORDER BY arrival, log, topic, partition, offset, place LIMIT %(limit)s",
        parameters,
        as_bytes=True,
    )
    return [
        StoredRejection(
            key=RecordKey(log.decode(), topic.decode(), partition, offset),
            place=place,
            arrival=arrival,
            raw=raw,
            reason=reason.decode(),
            table=table_.decode() or None,
            source=source.decode() or None,
            sequence=sequence,
            id=id_.decode() or None,
            type=type_.decode() or None,
            time=time,
        )
        for (
            log,
            topic,
            partition,
            offset,
            place,
            arrival,
            raw,
            reason,
            table_,
            source,
            sequence,
            id_,
            type_,
            time,
        ) in zip(*columns, strict=True)
    ]
