"""Writes leaves, checkpoints, keys and access entries; none is ever changed, and each may be written again."""

from collections.abc import Sequence
from typing import Any

import orjson

from store.connect import Store
from store.rows.proof import AccessEntry, Checkpoint, Leaf, SigningKey, TreeNode
from store.ticks import arrival_ticks, device_ticks
from store.write.token import batch_token


def write_leaves(store: Store, leaves: Sequence[Leaf]) -> None:
    """Stores leaves; two different ones at one position both stay, so that a fork is seen."""
    if not leaves:
        return
    columns: dict[str, list[Any]] = {
        "tree": [leaf.tree for leaf in leaves],
        "position": [leaf.position for leaf in leaves],
        "leaf": [leaf.leaf for leaf in leaves],
        "kind": [leaf.kind for leaf in leaves],
        "table": [leaf.table for leaf in leaves],
        "key": [leaf.key for leaf in leaves],
        "chain": [leaf.chain for leaf in leaves],
        "at": [arrival_ticks(leaf.at) for leaf in leaves],
    }
    store.insert("leaves", columns, batch_token("leaves", (repr(leaf).encode() for leaf in leaves)))


def write_checkpoints(store: Store, checkpoints: Sequence[Checkpoint]) -> None:
    """Stores checkpoints."""
    if not checkpoints:
        return
    columns: dict[str, list[Any]] = {
        "tree": [each.tree for each in checkpoints],
        "size": [each.size for each in checkpoints],
        "root": [each.root for each in checkpoints],
        "at": [arrival_ticks(each.at) for each in checkpoints],
        "key_id": [each.key_id for each in checkpoints],
        "signature": [each.signature for each in checkpoints],
        "note": [each.note for each in checkpoints],
    }
    store.insert("checkpoints", columns, batch_token("checkpoints", (repr(each).encode() for each in checkpoints)))


def write_nodes(store: Store, tree: str, nodes: Sequence[TreeNode]) -> None:
    """Stores the roots of whole subtrees."""
    store.insert(
        "tree_nodes",
        {
            "tree": [tree] * len(nodes),
            "level": [node.level for node in nodes],
            "place": [node.place for node in nodes],
            "hash": [node.hash for node in nodes],
        },
    )


def write_keys(store: Store, keys: Sequence[SigningKey]) -> None:
    """Stores public keys."""
    store.insert(
        "signing_keys",
        {
            "key_id": [key.key_id for key in keys],
            "public_key": [key.public_key for key in keys],
            "made": [arrival_ticks(key.made) for key in keys],
            "by": [key.by for key in keys],
            "previous": [key.previous for key in keys],
            "voucher": [key.voucher for key in keys],
        },
    )


def write_access(store: Store, entries: Sequence[AccessEntry]) -> None:
    """Stores who looked at what."""
    if not entries:
        return
    columns: dict[str, list[Any]] = {
        "at": [device_ticks(entry.at) for entry in entries],
        "entry": [entry.id for entry in entries],
        "who": [entry.who for entry in entries],
        "role": [entry.role for entry in entries],
        "action": [entry.action for entry in entries],
        "table": [entry.table for entry in entries],
        "shoe": [entry.shoe for entry in entries],
        "round": [entry.round for entry in entries],
        "address": [entry.address for entry in entries],
        "detail": [orjson.dumps(dict(entry.detail)) for entry in entries],
    }
    store.insert("access_log", columns, batch_token("access_log", (repr(entry).encode() for entry in entries)))
