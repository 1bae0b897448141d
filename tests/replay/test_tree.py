"""The whole subtrees of a tree in the store: what a proof asks for is read at once, and gives what the leaves give."""

import random
from typing import Any

import pytest

from audit.merkle import Frontier, check_consistency, check_inclusion, consistency_proof, inclusion_proof, root_of
from replay.chain import tree
from replay.chain.tree import KEPT_LEVEL, StoredTree
from store.connect import Store
from store.read.proof import tree_nodes
from store.rows.proof import Leaf, TreeNode
from store.write.proof import write_leaves, write_nodes


def test_what_proofs_ask_of_the_tree_is_read_at_once(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a tree of a million leaves some twenty subtrees lie on the way."""
    chance = random.Random(3)
    size, older = 40_000, 17_321
    hashes = [chance.randbytes(32) for _ in range(size)]
    edge, nodes = Frontier(), []
    for leaf in hashes:
        nodes += [TreeNode(*each) for each in edge.add(leaf) if each[0] >= KEPT_LEVEL]
    write_nodes(store, "main", nodes)
    write_leaves(
        store,
        [
            Leaf(tree="main", position=place, leaf=leaf, kind="record", key=f"t/0/{place}", at=1, table="", chain=leaf)
            for place, leaf in enumerate(hashes)
        ],
    )
    asked: list[int] = []

    def counting(*given: Any) -> Any:
        asked.append(1)
        return tree_nodes(*given)

    monkeypatch.setattr(tree, "tree_nodes", counting)
    for position in (0, 255, 256, 16_383, 16_384, 39_999):
        asked.clear()
        stored = StoredTree(store, "main")
        stored.expect(position, size - 1)
        path = inclusion_proof(position, size, stored)
        check_inclusion(hashes[position], position, size, path, edge.root())
        assert len(asked) == 1
    asked.clear()
    stored = StoredTree(store, "main")
    stored.expect(older - 1, older, size - 1)
    before = root_of(older, StoredTree(store, "main"))
    asked.clear()
    check_consistency(older, before, size, edge.root(), consistency_proof(older, size, stored))
    assert asked == []
