"""What proves the rest: leaves and nodes of the trees, keys, records in their order, the access log."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import orjson

from store.connect import Store
from store.rows.proof import AccessEntry, Leaf, SigningKey
from store.rows.raw import RecordKey

_PAGE = 10_000
_RECORDS_AT_ONCE = 256
_BETWEEN = "at BETWEEN fromUnixTimestamp64Milli(%(start)s, 'UTC') AND fromUnixTimestamp64Milli(%(end)s, 'UTC')"


def leaves(store: Store, tree: str, start: int = 0, end: int | None = None) -> Iterator[Leaf]:
    """The leaves of a tree from position ``start`` until before ``end``, in order; a fork shows as a position twice."""
    while True:
        upto = start + _PAGE if end is None else min(start + _PAGE, end)
        page = _leaves(
            store,
            "tree = %(tree)s AND position >= %(start)s AND position < %(upto)s",
            tree=tree,
            start=start,
            upto=upto,
        )
        yield from page
        start = upto
        if (end is not None and start >= end) or (not page and start >= tree_size(store, tree)):
            return


def leaves_of_rows(
    store: Store, table: str, rows: Sequence[tuple[str, str]], between: tuple[int, int] | None = None
) -> list[Leaf]:
    """The leaves that stand for these rows (kind and key) as links of one table; of rows from one time to another
    (milliseconds, both included) where they are known to be, which spares a look at all others."""
    if not rows:
        return []
    condition = "table = %(table)s AND (toString(kind), key) IN %(rows)s"
    start, end = between or (0, 0)
    if between is not None:
        condition += f" AND {_BETWEEN}"
    return _leaves(store, condition, table=table, rows=tuple(rows), start=start, end=end)


_ABOUT = (
    "[if(kind = 'finding', substringIndex(key, '/', 1), ''), if(kind = 'finding', toString(table), ''),"
    " if(kind = 'record', '', substringIndex(key, '/', 3))]"
)
"""What a leaf is about, as the index of migration 0011 has it, to the letter: the engine uses it for nothing else."""


def leaves_about(store: Store, table: str, since: int, kinds: Sequence[str], about: Sequence[str]) -> list[Leaf]:
    """The leaves of these kinds, as links of one table, of rows since a time (milliseconds), that are about rounds
    (table, shoe and round as in their keys), about findings (by their ids), or about any finding of a table."""
    condition = (
        "table = %(table)s AND at >= fromUnixTimestamp64Milli(%(since)s, 'UTC') AND kind IN %(kinds)s"
        f" AND hasAny({_ABOUT}, %(about)s)"
    )
    return _leaves(store, condition, table=table, since=since, kinds=tuple(kinds), about=list(about))


def leaves_between(store: Store, table: str, kind: str, start: int, end: int) -> list[Leaf]:
    """The leaves of a kind, as links of one table, of rows from one time to another (milliseconds, both included)."""
    condition = f"table = %(table)s AND kind = %(kind)s AND {_BETWEEN}"
    return _leaves(store, condition, table=table, kind=kind, start=start, end=end)


def leaves_by_hour(store: Store, tree: str, kind: str) -> Counter[int]:
    """By the hour since 1970: how many leaves there are of rows of a kind and of this hour."""
    rows = store.query(
        "SELECT intDiv(toUnixTimestamp64Milli(at), 3600000) AS hour, count() FROM leaves"
        " WHERE tree = %(tree)s AND kind = %(kind)s GROUP BY hour",
        {"tree": tree, "kind": kind},
    )
    return Counter(dict(rows))


def leaves_of_time(store: Store, tree: str, kind: str, start: int, end: int) -> list[Leaf]:
    """The leaves of the rows of one kind from one time until before another (milliseconds)."""
    condition = f"tree = %(tree)s AND kind = %(kind)s AND {_BETWEEN}"
    return _leaves(store, condition, tree=tree, kind=kind, start=start, end=end - 1)


def leaves_astray(store: Store, tree: str, size: int) -> list[Leaf]:
    """The leaves that share a position with another, and those from position ``size`` on."""
    condition = (
        "tree = %(tree)s AND (position >= %(size)s OR position IN (SELECT position FROM leaves"
        " WHERE tree = %(tree)s GROUP BY position HAVING uniqExact(leaf) > 1))"
    )
    return _leaves(store, condition, tree=tree, size=size)


def tree_size(store: Store, tree: str) -> int:
    """One more than the highest position of a tree; 0 when it is empty."""
    rows = store.query(
        "SELECT position + 1 FROM leaves WHERE tree = %(tree)s ORDER BY tree DESC, position DESC LIMIT 1",
        {"tree": tree},
    )
    return int(rows[0][0]) if rows else 0


_BLOCK = 1 << 16


def first_missing_leaf(store: Store, tree: str, start: int, size: int) -> int | None:
    """The first position from ``start`` on among the first ``size`` of a tree that no leaf has; None where each has
    one."""
    blocks: dict[int, int] = dict(
        store.query(
            f"SELECT intDiv(position, {_BLOCK}) AS block, groupBitmap(position) FROM leaves"
            " WHERE tree = %(tree)s AND position >= %(start)s AND position < %(size)s GROUP BY block",
            {"tree": tree, "start": start, "size": size},
        )
    )
    for block in range(start // _BLOCK, -(-size // _BLOCK)):
        first, end = max(start, block * _BLOCK), min((block + 1) * _BLOCK, size)
        if blocks.get(block, 0) < end - first:
            there = leaf_hashes(store, tree, first, end)
            return next(position for position in range(first, end) if position not in there)
    return None


def leaves_count(store: Store, tree: str, size: int) -> int:
    """How many leaves are stored of the first ``size`` of a tree. The engine knows without reading any; where one was
    written twice, it may count twice."""
    ((count,),) = store.query(
        "SELECT count() FROM leaves WHERE tree = %(tree)s AND position < %(size)s", {"tree": tree, "size": size}
    )
    return int(count)


def chain_heads(store: Store, tree: str, size: int | None = None) -> dict[str, bytes]:
    """The last link of each table's hash chain among the first ``size`` leaves of a tree."""
    columns = store.columns(
        "SELECT table, argMax(chain, position) FROM leaves WHERE tree = %(tree)s AND table != ''"
        + ("" if size is None else f" AND position < {size}")
        + " GROUP BY table",
        {"tree": tree},
        as_bytes=True,
    )
    return {table.decode(): chain for table, chain in zip(*columns, strict=True)}


def record_marks(store: Store, tree: str, size: int) -> dict[str, int]:
    """By place in the log (a record's key without its offset): the highest offset among the first ``size`` leaves."""
    rows = store.query(
        "SELECT arrayStringConcat(arrayPopBack(splitByChar('/', key)), '/') AS place,"
        " max(toUInt64(arrayElement(splitByChar('/', key), -1))) FROM leaves"
        " WHERE tree = %(tree)s AND position < %(size)s AND kind = 'record' AND match(key, %(form)s) GROUP BY place",
        {"tree": tree, "size": size, "form": "^([^/]*/)?[^/]+/[0-9]{1,9}/[0-9]{1,19}$"},
    )
    return dict(rows)


def sealed_since(store: Store, tree: str, size: int, since: int) -> set[tuple[str, str, str]]:
    """Kind, key and table of the leaves among the first ``size``, records left out, whose rows are not older than this
    (milliseconds)."""
    rows = store.query(
        "SELECT kind, key, table FROM leaves WHERE tree = %(tree)s AND position < %(size)s AND kind != 'record'"
        " AND at >= fromUnixTimestamp64Milli(%(since)s, 'UTC')",
        {"tree": tree, "size": size, "since": since},
    )
    return {(kind, key, table) for kind, key, table in rows}


def sealed_among(store: Store, tree: str, size: int, rows: Sequence[tuple[str, str, str]]) -> set[tuple[str, str, str]]:
    """Those of these rows (kind, key and table) that the first ``size`` leaves stand for."""
    if not rows:
        return set()
    found = store.query(
        "SELECT DISTINCT kind, key, table FROM leaves WHERE tree = %(tree)s AND position < %(size)s"
        " AND key IN %(keys)s AND (toString(kind), key, toString(table)) IN %(rows)s",
        {"tree": tree, "size": size, "keys": tuple({key for _, key, _ in rows}), "rows": tuple(rows)},
    )
    return {(kind, key, table) for kind, key, table in found}


def signing_keys(store: Store) -> list[SigningKey]:
    """Every public key, the oldest first."""
    columns = store.columns(
        "SELECT key_id, public_key, toUnixTimestamp64Milli(made), by, previous, voucher FROM signing_keys FINAL"
        " ORDER BY made, key_id, public_key",
        as_bytes=True,
    )
    return [
        SigningKey(
            key_id=key_id.decode(),
            public_key=public_key,
            made=made,
            by=by.decode(),
            previous=previous.decode(),
            voucher=voucher,
        )
        for key_id, public_key, made, by, previous, voucher in zip(*columns, strict=True)
    ]


def leaf_hashes(store: Store, tree: str, start: int, end: int) -> dict[int, list[bytes]]:
    """By position from ``start`` until before ``end``: the hash of the leaf; several where there is a fork."""
    columns = store.columns(
        "SELECT DISTINCT position, leaf FROM leaves WHERE tree = %(tree)s AND position >= %(start)s"
        " AND position < %(end)s ORDER BY position, leaf",
        {"tree": tree, "start": start, "end": end},
        as_bytes=True,
    )
    found: dict[int, list[bytes]] = {}
    for position, leaf in zip(*columns, strict=True):
        found.setdefault(position, []).append(leaf)
    return found


def tree_nodes(store: Store, tree: str, places: Iterable[tuple[int, int]]) -> dict[tuple[int, int], bytes]:
    """The roots of whole subtrees (level and place) as they were kept; without those that were not."""
    wanted = tuple(places)
    if not wanted:
        return {}
    columns = store.columns(
        "SELECT level, place, any(hash) FROM tree_nodes WHERE tree = %(tree)s AND (level, place) IN %(wanted)s"
        " GROUP BY level, place",
        {"tree": tree, "wanted": wanted},
        as_bytes=True,
    )
    return {(level, place): bytes(found) for level, place, found in zip(*columns, strict=True)}


def records(store: Store, topic: str, partition: int, log: str = "") -> Iterator[tuple[RecordKey, int, bytes]]:
    """Every stored record of a partition in the order of the log: key, arrival (milliseconds), bytes."""
    blocks = store.blocks(
        "SELECT offset, toUnixTimestamp64Milli(arrival), raw FROM records FINAL WHERE log = %(log)s"
        " AND topic = %(topic)s AND partition = %(partition)s ORDER BY offset",
        {"log": log, "topic": topic, "partition": partition},
        as_bytes=True,
        rows=_RECORDS_AT_ONCE,
    )
    for block in blocks:
        for offset, arrival, raw in zip(*block, strict=True):
            yield RecordKey(log, topic, partition, offset), arrival, raw


def partitions(store: Store) -> list[tuple[str, str, int]]:
    """Log, topic and partition of everything that is stored."""
    rows = store.query("SELECT DISTINCT log, topic, partition FROM records ORDER BY log, topic, partition")
    return [(log, topic, partition) for log, topic, partition in rows]


def access_entries(
    store: Store, *, start: int | None = None, end: int | None = None, table: str | None = None, who: str | None = None
) -> list[AccessEntry]:
    """The access log, by time (microseconds since 1970)."""
    given: list[tuple[str, str, Any]] = [
        ("at >= fromUnixTimestamp64Micro(%(start)s, 'UTC')", "start", start),
        ("at < fromUnixTimestamp64Micro(%(end)s, 'UTC')", "end", end),
        ("table = %(table)s", "table", table),
        ("who = %(who)s", "who", who),
    ]
    condition = " AND ".join(["1"] + [part for part, _, value in given if value is not None])
    rows = store.query(
        "SELECT entry, toUnixTimestamp64Micro(at), who, role, action, table, shoe, round, address, detail"
        f" FROM access_log FINAL WHERE {condition} ORDER BY at, entry",
        {name: value for _, name, value in given if value is not None},
    )
    return [
        AccessEntry(
            id=entry,
            at=at,
            who=name,
            role=role,
            action=action,
            table=of_table,
            shoe=shoe,
            round=round,
            address=address,
            detail=orjson.loads(detail),
        )
        for entry, at, name, role, action, of_table, shoe, round, address, detail in rows
    ]


def _leaves(store: Store, condition: str, **parameters: Any) -> list[Leaf]:
    columns = store.columns(
        "SELECT tree, position, leaf, kind, table, key, chain, toUnixTimestamp64Milli(at) FROM leaves FINAL"
        f" WHERE {condition} ORDER BY tree, position, leaf",
        parameters,
        as_bytes=True,
    )
    return [
        Leaf(
            tree=tree.decode(),
            position=position,
            leaf=leaf,
            kind=kind.decode(),
            table=table.decode(),
            key=key.decode(),
            chain=chain,
            at=at,
        )
        for tree, position, leaf, kind, table, key, chain, at in zip(*columns, strict=True)
    ]
