"""Sealing: what came into the store since the last checkpoint becomes leaves and links, under a new signed checkpoint.

One process seals a tree; any number of workers write meanwhile. A row that is older than the last checkpoint and not
in the chain is never sealed silently (`replay.chain.lateness` tells which may be): `replay verify --chain` names it,
and a person accepts it or not.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from itertools import groupby
from typing import Any

from audit.merkle import Frontier, link_hash
from replay.chain.keys import KeyOfAnother, KeyRing
from replay.chain.late_rows import NOTES, refused_of, rows_named
from replay.chain.lateness import open_since
from replay.chain.note import TREE, by_name, check_note, heads_digest, heads_of, sign
from replay.chain.resuming import InHand, Place
from replay.chain.rows import BY_KIND, CHAINED, RECORD, Chained, ChainedRow, Identity, record_place, rows_of
from replay.chain.spans import spans_of
from replay.chain.tree import KEPT_LEVEL, StoredTree
from store.connect import Store
from store.read.checkpoints import last_checkpoints, last_times
from store.read.proof import (
    chain_heads,
    leaves,
    record_marks,
    sealed_among,
    sealed_since,
    signing_keys,
    tree_size,
)
from store.rows.proof import Checkpoint, Leaf, TreeNode
from store.write.proof import write_checkpoints, write_keys, write_leaves, write_nodes

GRACE_MS = 600_000
"""A row may reach the store so long after its own time; what is older than the last checkpoint by more is late."""

_LEAVES_AT_ONCE = 50_000
_NO_LINK = bytes(32)


class ChainBroken(Exception):
    """The chain in the store does not continue what was signed: stop, and look."""

    def __init__(self, why: str, look: str = "tablewatch replay verify --chain") -> None:
        super().__init__(why)
        self.look = look
        """The command to look with."""


class Sealer:
    """Seals one tree. It holds the right edge of the tree, the heads of all chains and what was sealed lately."""

    def __init__(
        self,
        store: Store,
        ring: KeyRing,
        clock: Callable[[], int],
        grace: int = GRACE_MS,
        before: InHand | None = None,
    ) -> None:
        """``before``: what an earlier one held, which spares reading all that was sealed until then."""
        self._store = store
        self._clock = clock
        self._grace = grace
        # Before a key is asked for: where the folder is mistyped, none is to be made in it.
        self._last = _last_signed(store, ring)
        self._times = last_times(store, TREE, grace)
        self._key, self._private = ring.current()
        write_keys(store, _unknown(store, ring))
        size = self._last.size if self._last is not None else 0
        self._edge = Frontier.at(size, StoredTree(store, TREE))
        self._heads: dict[str, bytes] = {}
        self._marks: dict[Place, int] = {}
        """By place in the log: the last offset that is sealed."""
        if before is not None and before.tree == TREE and before.size <= size and before.is_of(store):
            self._resume(before, size)
        else:
            self._heads = chain_heads(store, TREE, size)
            marks = record_marks(store, TREE, size)
            self._marks = {record_place(f"{scope}/0")[0]: offset for scope, offset in marks.items()}
        if self._last is not None:
            if self._edge.root() != self._last.root:
                raise ChainBroken(f"the {size} leaves in the store do not give the root of the last checkpoint")
            if heads_digest(self._heads) != heads_of(self._last):
                raise ChainBroken("the heads of the tables' chains are not those of the last checkpoint")
        self._recent: set[Identity] = set()
        self._late: set[Identity] = set()
        """Rows that came after their time and are sealed."""
        self._forget()

    @property
    def last(self) -> Checkpoint | None:
        """The last checkpoint."""
        return self._last

    @property
    def in_hand(self) -> InHand | None:
        """What the next one may begin with; None before the first checkpoint."""
        if self._last is None:
            return None
        return InHand(TREE, self._last.size, self._last.root, self._heads, self._marks)

    def _resume(self, before: InHand, size: int) -> None:
        self._heads |= before.heads
        self._marks |= before.marks
        for leaf in leaves(self._store, TREE, before.size, size):
            # What is no key of a record was not written by us: the check of the whole chain tells.
            with suppress(ValueError):
                self._count(leaf)

    def seal(self, accepted: Iterable[ChainedRow] = ()) -> Checkpoint | None:
        """Seal what is new; None when nothing is. ``accepted`` are late rows that a person has accepted."""
        sealed = self._take_up_loose()
        new: set[Identity] = set()
        for rows in self._new_rows():
            sealed += self._append(rows)
            new.update(row.identity for row in rows)
        # A record behind all others is new by its place, however late it is.
        late = [row for row in accepted if row.identity not in new]
        sealed += self._append(sorted(late, key=lambda row: row.order))
        if not sealed:
            return None
        now = max([self._clock(), *([self._last.at + 1] if self._last is not None else [])])
        checkpoint = sign(
            self._private, TREE, self._edge.size, self._edge.root(), now, heads_digest(self._heads), self._last
        )
        write_checkpoints(self._store, [checkpoint])
        self._last = checkpoint
        self._times.append(checkpoint.at)
        self._forget()
        return checkpoint

    def _append(self, rows: Iterable[ChainedRow]) -> int:
        """Write rows as leaves. Each insert is of one month, so that a crash leaves a beginning of them and no hole."""
        written = 0
        batch: list[Leaf] = []
        nodes: list[TreeNode] = []
        for _, of_month in groupby(rows, key=lambda row: _month(row.at)):
            for row in of_month:
                batch.append(self._link(row, nodes))
                if len(batch) == _LEAVES_AT_ONCE:
                    written += self._write(batch, nodes)
            written += self._write(batch, nodes)
        return written

    def _link(self, row: ChainedRow, nodes: list[TreeNode]) -> Leaf:
        head = link_hash(self._heads.get(row.table, _NO_LINK), row.leaf) if row.table else _NO_LINK
        leaf = Leaf(
            tree=TREE, position=self._edge.size, leaf=row.leaf, kind=row.kind, key=row.key, at=row.at, table=row.table,
            chain=head,
        )  # fmt: skip
        self._take(leaf, nodes)
        return leaf

    def _take(self, leaf: Leaf, nodes: list[TreeNode]) -> None:
        """Take a leaf for sealed."""
        self._count(leaf)
        nodes += [TreeNode(*each) for each in self._edge.add(leaf.leaf) if each[0] >= KEPT_LEVEL]
        if leaf.kind != RECORD.kind:
            self._recent.add((leaf.kind, leaf.key, leaf.table))

    def _count(self, leaf: Leaf) -> None:
        """It is the last of its table's chain, and of its place in the log."""
        if leaf.table:
            self._heads[leaf.table] = leaf.chain
        if leaf.kind == RECORD.kind:
            place, offset = record_place(leaf.key)
            self._marks[place] = max(self._marks.get(place, -1), offset)

    def _write(self, batch: list[Leaf], nodes: list[TreeNode]) -> int:
        count = len(batch)
        if count:
            # Nodes only help to find: without them they are reckoned from the leaves, which therefore come first.
            write_leaves(self._store, batch)
            write_nodes(self._store, TREE, nodes)
        batch.clear()
        nodes.clear()
        return count

    def _take_up_loose(self) -> int:
        """Leaves that a sealer wrote before it was stopped, without a checkpoint: they are taken up as they stand if
        they are those of rows that are to be sealed, and nothing else is."""
        size = self._edge.size
        if tree_size(self._store, TREE) == size:
            return 0
        waiting = {row.identity: row.leaf for rows in self._new_rows() for row in rows}
        nodes: list[TreeNode] = []
        for leaf in leaves(self._store, TREE, size):
            before = self._heads.get(leaf.table, _NO_LINK)
            linked = link_hash(before, leaf.leaf) if leaf.table else _NO_LINK
            expected = waiting.get((leaf.kind, leaf.key, leaf.table))
            if leaf.position != self._edge.size or leaf.leaf != expected or leaf.chain != linked:
                raise ChainBroken(f"leaf {leaf.position} has no checkpoint and does not stand for a new row")
            self._take(leaf, nodes)
        write_nodes(self._store, TREE, nodes)
        return self._edge.size - size

    def _new_rows(self) -> Iterator[list[ChainedRow]]:
        """What is not sealed yet and not late, in the order of the chain; before the first checkpoint span by span."""
        if self._last is not None:
            since = open_since(self._times, self._clock(), self._grace)
            found = self._unsealed(lambda chained: f"{chained.time} >= fromUnixTimestamp64Milli({since}, 'UTC')")
            found += self._late_rows(self._last.size, since, found)
            yield sorted(found, key=lambda row: row.order)
            return
        for span in spans_of(self._store, TREE, CHAINED):
            yield self._unsealed(lambda chained, span=span: span.of(chained.time))  # type: ignore[misc]  # bound now: the loop goes on

    def _unsealed(self, condition_of: Callable[[Chained], str]) -> list[ChainedRow]:
        found: list[ChainedRow] = []
        for chained in CHAINED:
            condition, parameters = condition_of(chained), None
            if chained is RECORD:
                beyond, parameters = self._beyond_marks()
                # A record is new by its place in the log, however old it is: a worker may be hours behind.
                condition = f"{beyond} AND {condition}" if self._last is None else beyond
            rows = rows_of(self._store, chained, condition, parameters)
            found += [row for row in rows if row.identity not in self._recent]
        found.sort(key=lambda row: row.order)
        return found

    def _late_rows(self, size: int, since: int, new: Iterable[ChainedRow]) -> list[ChainedRow]:
        """Rows older than that and not sealed: what was refused of new records that are as old, and what young entries
        of the access log name."""
        entries = rows_of(self._store, BY_KIND["access"], f"at >= fromUnixTimestamp64Milli({since}, 'UTC') AND {NOTES}")
        late = [row for row in rows_named(self._store, entries) if row.at < since]
        late += refused_of(self._store, [row for row in new if row.kind == RECORD.kind and row.at < since])
        unknown = [row for row in late if row.identity not in self._late]
        self._late |= sealed_among(self._store, TREE, size, [row.identity for row in unknown])
        return [row for row in unknown if row.identity not in self._late]

    def _beyond_marks(self) -> tuple[str, dict[str, Any]]:
        """Records of places in the log that are new, or behind what is sealed of theirs."""
        if not self._marks:
            return "1", {}
        parts = ["(log, topic, partition) NOT IN %(places)s"]
        parameters: dict[str, Any] = {"places": tuple(self._marks)}
        for number, ((log, topic, partition), offset) in enumerate(sorted(self._marks.items())):
            place = f"log = %(log{number})s AND topic = %(topic{number})s AND partition = {partition}"
            parts.append(f"({place} AND offset > {offset})")
            parameters |= {f"log{number}": log, f"topic{number}": topic}
        return f"({' OR '.join(parts)})", parameters

    def _forget(self) -> None:
        """Only what may come up again is remembered."""
        if self._last is None:
            return
        del self._times[: max(0, bisect_left(self._times, self._last.at - self._grace) - 1)]
        since = open_since(self._times, self._last.at, self._grace)
        self._recent = sealed_since(self._store, TREE, self._last.size, since)


def _month(at: int) -> str:
    """The month that a leaf is kept by."""
    return datetime.fromtimestamp(at / 1000, UTC).strftime("%Y%m")


def _unknown(store: Store, ring: KeyRing) -> list[Any]:
    there = by_name(signing_keys(store))
    return [key for key in ring.known() if key.key_id not in there]


def _last_signed(store: Store, ring: KeyRing) -> Checkpoint | None:
    """The last checkpoint, which can be continued; None where nothing was ever sealed."""
    signed = last_checkpoints(store, TREE, 2)
    if not signed:
        return None
    keys = {key.key_id: key for key in ring.known()}
    signer = signed[-1].key_id
    if signer not in keys:
        # One mistyped folder would put a stranger's signature under the chain, for good.
        raise KeyOfAnother(
            f"the store was last sealed with key {signer}, which is not in {ring.folder}. Is TABLEWATCH_DATA right?"
            f" If that key was yours and its folder is lost, make another (tablewatch keys make) and say so: tablewatch"
            f" keys lost {signer}"
        )
    try:
        check_note(signed[-1], keys, signed[-2] if len(signed) > 1 else None)
    except ValueError as error:
        raise ChainBroken(f"the last checkpoint, of {signed[-1].size} leaves, cannot be continued: {error}") from error
    return signed[-1]
