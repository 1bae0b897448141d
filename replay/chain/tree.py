"""The whole subtrees of a tree in the store: from what was kept, else from the leaves."""

from functools import lru_cache

from audit.merkle import node_hash
from store.connect import Store
from store.read.proof import leaf_hashes, tree_nodes

KEPT_LEVEL = 8
"""Roots of subtrees of 2^8 leaves and more are kept."""
_HIGHEST = 48
"""No tree has as many leaves as 2 to this."""


class TreeIncomplete(Exception):
    """Leaves are missing or doubled: look with `replay verify --chain`."""


class StoredTree:
    """Gives the root of a whole subtree by level and place; a proof reads some hundred leaves of millions."""

    def __init__(self, store: Store, tree: str) -> None:
        self._store = store
        self._tree = tree
        self._kept = lru_cache(maxsize=4096)(self._read_kept)
        self._expected: dict[tuple[int, int], bytes] = {}
        self._leaves = lru_cache(maxsize=64)(self._read_leaves)

    def expect(self, *positions: int) -> None:
        """Read at once what proofs between these leaves and the root ask for: each question by itself takes as long."""
        places = {
            (level, (position >> level) ^ beside)
            for position in positions
            for level in range(KEPT_LEVEL, _HIGHEST)
            for beside in (0, 1)
        }
        self._expected |= tree_nodes(self._store, self._tree, places)

    def __call__(self, level: int, place: int) -> bytes:
        if level >= KEPT_LEVEL:
            kept = self._expected.get((level, place)) or self._kept(level, place)
            if kept is not None:
                return kept
        elif level == 0:
            found = self._leaves(place >> KEPT_LEVEL).get(place, [])
            if len(found) != 1:
                raise TreeIncomplete(
                    f"leaf {place} is {'in the store twice' if found else 'not in the store'}, whosever it is;"
                    " `tablewatch replay verify --chain` tells"
                )
            return found[0]
        return node_hash(self(level - 1, 2 * place), self(level - 1, 2 * place + 1))

    def _read_kept(self, level: int, place: int) -> bytes | None:
        return tree_nodes(self._store, self._tree, [(level, place)]).get((level, place))

    def _read_leaves(self, block: int) -> dict[int, list[bytes]]:
        start = block << KEPT_LEVEL
        return leaf_hashes(self._store, self._tree, start, start + (1 << KEPT_LEVEL))
