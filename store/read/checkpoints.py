"""Signed checkpoints out of the store: a few of them at a time, since in a year there are millions."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from store.connect import Columns, Store
from store.rows.proof import Checkpoint

_SELECT = "SELECT tree, size, root, toUnixTimestamp64Milli(at), key_id, signature, note FROM checkpoints FINAL"
_IN_ORDER = "ORDER BY size, at, root"


def checkpoints(store: Store, tree: str, at_least: int = 0, at_most: int = 2**64 - 1) -> list[Checkpoint]:
    """The checkpoints of a tree that cover so many leaves, the smallest first."""
    columns = store.columns(
        f"{_SELECT} WHERE tree = %(tree)s AND size BETWEEN %(at_least)s AND %(at_most)s {_IN_ORDER}",
        {"tree": tree, "at_least": at_least, "at_most": at_most},
        as_bytes=True,
    )
    return list(_made(columns))


def each_checkpoint(store: Store, tree: str, at_least: int = 0) -> Iterator[Checkpoint]:
    """The checkpoints of a tree that cover at least so many leaves, the smallest first, as they are read."""
    blocks = store.blocks(
        f"{_SELECT} WHERE tree = %(tree)s AND size >= %(at_least)s {_IN_ORDER}",
        {"tree": tree, "at_least": at_least},
        as_bytes=True,
    )
    for columns in blocks:
        yield from _made(columns)


def first_checkpoint(store: Store, tree: str, at_least: int) -> Checkpoint | None:
    """The smallest checkpoint that covers at least so many leaves."""
    sizes = _sizes(store, "tree = %(tree)s AND size >= %(size)s", "size", {"tree": tree, "size": at_least}, 1)
    return checkpoints(store, tree, sizes[0], sizes[0])[0] if sizes else None


def last_checkpoints(store: Store, tree: str, most: int = 1, before: int | None = None) -> list[Checkpoint]:
    """The last checkpoints of a tree, so many at most, the smallest first; those made before a time (milliseconds)."""
    condition = "tree = %(tree)s"
    if before is not None:
        condition += " AND at < fromUnixTimestamp64Milli(%(before)s, 'UTC')"
    sizes = _sizes(store, condition, "size DESC", {"tree": tree, "before": before}, most)
    if not sizes:
        return []
    found = checkpoints(store, tree, sizes[-1], sizes[0])
    return [each for each in found if before is None or each.at < before][-most:]


def last_times(store: Store, tree: str, within: int) -> list[int]:
    """When the last checkpoints were made (milliseconds), those of so long before the last one and one more."""
    last = last_checkpoints(store, tree)
    if not last:
        return []
    one_more = last_checkpoints(store, tree, before=last[0].at - within)
    rows = store.query(
        "SELECT toUnixTimestamp64Milli(at) FROM checkpoints WHERE tree = %(tree)s AND size >= %(size)s"
        " ORDER BY size, at",
        {"tree": tree, "size": one_more[0].size if one_more else 0},
    )
    return [at for (at,) in rows]


def signed_size(store: Store, tree: str) -> int:
    """How many leaves the last checkpoint of a tree covers; 0 where there is none."""
    sizes = _sizes(store, "tree = %(tree)s", "size DESC", {"tree": tree}, 1)
    return sizes[0] if sizes else 0


def last_checkpoint_ms(store: Store, tree: str) -> int | None:
    """When the last checkpoint of a tree was signed, in milliseconds since 1970; None where there is none."""
    rows = store.query(
        "SELECT toUnixTimestamp64Milli(max(at)), count() FROM checkpoints WHERE tree = %(tree)s", {"tree": tree}
    )
    ((at, count),) = rows
    return int(at) if count else None


def signers(store: Store, tree: str) -> Counter[str]:
    """By the name of a key: how many checkpoints are signed with it."""
    rows = store.query(
        "SELECT key_id, uniqExact(size, root) FROM checkpoints WHERE tree = %(tree)s"
        " GROUP BY key_id ORDER BY min(size)",
        {"tree": tree},
    )
    return Counter(dict(rows))


def first_of_each_key(store: Store, tree: str) -> list[Checkpoint]:
    """The first checkpoints that name a key, by what they say of it: who put another in under its name hides none."""
    rows = store.query(
        "SELECT DISTINCT min(size) AS first FROM checkpoints WHERE tree = %(tree)s"
        r" GROUP BY key_id, extract(note, '\nkey ([^\n]*)') ORDER BY first",
        {"tree": tree},
    )
    return [each for (size,) in rows for each in checkpoints(store, tree, size, size)]


def _sizes(store: Store, condition: str, order: str, parameters: dict[str, Any], most: int) -> list[int]:
    """Sizes alone are read: what was signed is a hundred times as long."""
    rows = store.query(
        f"SELECT DISTINCT size FROM checkpoints WHERE {condition} ORDER BY {order} LIMIT {most}", parameters
    )
    return [size for (size,) in rows]


def _made(columns: Columns) -> Iterator[Checkpoint]:
    for tree, size, root, at, key_id, signature, note in zip(*columns, strict=True):
        yield Checkpoint(
            tree=tree.decode(),
            size=size,
            root=root,
            at=at,
            key_id=key_id.decode(),
            signature=signature,
            note=note.decode(),
        )
