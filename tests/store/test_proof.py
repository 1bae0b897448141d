"""Leaves, checkpoints, records in the order of the log, and the access log."""

import pytest

from store.connect import Store
from store.read.proof import (
    access_entries,
    chain_heads,
    leaves,
    leaves_of_rows,
    partitions,
    records,
    tree_size,
)
from store.rows.proof import AccessEntry, Leaf
from store.write.proof import write_access, write_leaves
from store.write.raw import write_records
from tests.store.floor import ARRIVAL, START, evening, everything, packed


def _leaf(position: int, table: str = "BT1", fill: int | None = None) -> Leaf:
    return Leaf(
        tree="main",
        position=position,
        leaf=bytes([(position if fill is None else fill) % 256]) * 32,
        kind="record",
        key=f"table.bets/1/{position}",
        at=ARRIVAL + position,
        table=table,
        chain=bytes([position % 256, 0xFF, 0x00] + [7] * 29),
    )


def test_leaves_come_back_in_order_with_their_bytes(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("store.read.proof._PAGE", 3)
    written = [_leaf(position, "BT1" if position % 2 else "BT2") for position in range(10)]
    write_leaves(store, written[4:])
    write_leaves(store, written[:6])
    assert list(leaves(store, "main")) == written
    assert list(leaves(store, "main", 2, 7)) == written[2:7]
    assert list(leaves(store, "other")) == []
    assert tree_size(store, "main") == 10
    assert tree_size(store, "other") == 0
    assert leaves_of_rows(store, "BT1", [("record", "table.bets/1/3")]) == [written[3]]
    assert chain_heads(store, "main") == {"BT1": written[9].chain, "BT2": written[8].chain}


def test_a_fork_of_a_tree_shows_as_two_leaves_at_one_position(store: Store) -> None:
    write_leaves(store, [_leaf(0), _leaf(1)])
    write_leaves(store, [_leaf(1, fill=99)])
    store.command("OPTIMIZE TABLE leaves FINAL")
    assert [leaf.position for leaf in leaves(store, "main")] == [0, 1, 1]


def test_records_come_in_the_order_of_the_log_each_once(store: Store) -> None:
    written = packed(everything(evening()))
    write_records(store, written[::-1])
    write_records(store, written[:3])
    found = [each for place in partitions(store) for each in records(store, place[1], place[2], log=place[0])]
    assert found == [(record.key, record.arrival, record.raw) for record in sorted(written, key=lambda r: r.key)]


def test_every_look_is_kept(store: Store) -> None:
    entries = [
        AccessEntry(id="e1", at=START, who="otto", role="auditor", action="replay", table="BT1", shoe="S1", round=1),
        AccessEntry(id="e2", at=START + 1, who="anna", role="operator", action="sign-in", address="10.0.0.1"),
        AccessEntry(id="e3", at=START + 2, who="otto", role="auditor", action="export", detail={"file": "case.zip"}),
    ]
    write_access(store, entries[1:])
    write_access(store, entries[:2])
    assert access_entries(store) == entries
    assert access_entries(store, who="otto", start=START + 1) == [entries[2]]
    assert access_entries(store, table="BT1", end=START + 1) == [entries[0]]
