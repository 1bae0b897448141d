"""Rows of a store as they were exported, with the chain over them: checked without the store."""

from collections.abc import Sequence
from dataclasses import dataclass

from replay.chain.believed import believed_checkpoints
from replay.chain.compare import Circumstances, Compared, Tampering, compare, find_relabelled, judge_rows
from replay.chain.note import TREE, vouched_keys
from replay.chain.rows import CHAINED, RECORD, ChainedRow, record_place, rows_of
from replay.chain.seal import GRACE_MS
from replay.chain.walk import walk
from store.connect import Store
from store.read.checkpoints import checkpoints
from store.read.proof import leaves, signing_keys
from store.rows.proof import Checkpoint, Leaf, SigningKey


@dataclass(frozen=True, slots=True)
class Exported:
    """All chained rows of a store, their leaves, and what was signed."""

    rows: Sequence[ChainedRow]
    leaves: Sequence[Leaf]
    """In the order of their positions."""
    checkpoints: Sequence[Checkpoint]
    """The smallest first."""
    keys: Sequence[SigningKey]


def export_rows(store: Store) -> Exported:
    """Everything that the chain of a store is over, in memory."""
    rows = [row for chained in CHAINED for row in rows_of(store, chained)]
    return Exported(rows, list(leaves(store, TREE)), checkpoints(store, TREE), signing_keys(store))


def examine(exported: Exported, grace: int = GRACE_MS) -> list[Tampering]:
    """Whatever of exported rows is not as it was sealed; nothing of them has expired."""
    found: list[Tampering] = []
    signed = believed_checkpoints(exported.checkpoints, vouched_keys(exported.keys), found)
    size = signed.last.size if signed.last is not None else 0
    compared = Compared()
    compare(exported.leaves, exported.rows, compared)
    find_relabelled(compared)
    marks: dict[tuple[str, str, int], int] = {}
    for leaf in exported.leaves:
        if leaf.kind == RECORD.kind and leaf.position < size:
            try:
                place, offset = record_place(leaf.key)
            except ValueError:
                # A label that was changed: its leaf tells.
                continue
            marks[place] = max(marks.get(place, -1), offset)
    walked = walk(exported.leaves, signed, compared, _astray(exported.leaves, size))
    until = signed.last.at - grace if signed.last is not None else None
    judged = judge_rows(compared, Circumstances(lambda _leaf: False, until, marks), walked.cleared)
    return sorted([*found, *judged.tampering, *walked.tampering])


def _astray(leaves: Sequence[Leaf], size: int) -> list[Leaf]:
    """Leaves that share a position, or that no checkpoint covers."""
    at: dict[int, int] = {}
    for leaf in leaves:
        at[leaf.position] = at.get(leaf.position, 0) + 1
    return [leaf for leaf in leaves if leaf.position >= size or at[leaf.position] > 1]
