"""Alterations of chained data: one thing done to exported rows, and what has to be said of it."""

import random
from dataclasses import replace
from typing import Any

from replay.chain.exported import Exported
from replay.chain.rows import ChainedRow
from store.rows.proof import Leaf

Said = set[tuple[str, str, str]]
"""What, kind and key."""


def altered(exported: Exported, chance: random.Random) -> tuple[str, Exported, Said]:
    """One alteration at random: its name, the altered rows, and what has to be found."""
    name = chance.choices(list(_KINDS), weights=[weight for _, weight in _KINDS.values()])[0]
    changed, said = _KINDS[name][0](exported, chance)
    return name, changed, said


def _row_key(exported: Exported, chance: random.Random) -> tuple[str, str]:
    """A row that no later version has replaced."""
    newest: dict[tuple[str, str], int] = {}
    for row in exported.rows:
        if row.subject:
            newest[row.kind, row.subject] = max(newest.get((row.kind, row.subject), 0), row.version)
    while True:
        row = chance.choice(exported.rows)
        if not row.subject or newest[row.kind, row.subject] == row.version:
            return row.kind, row.key


def _changed_row(exported: Exported, chance: random.Random) -> tuple[Exported, Said]:
    kind, key = _row_key(exported, chance)
    number = chance.randrange(1 << 30)

    def change(row: ChainedRow) -> ChainedRow:
        place = (number % (len(row.body) - 2)) + 1
        other = bytes([row.body[place] ^ 1 << number % 7])
        return _fresh(row, body=row.body[:place] + other + row.body[place + 1 :])

    rows = [change(row) if (row.kind, row.key) == (kind, key) else row for row in exported.rows]
    return replace(exported, rows=rows), {("changed", kind, key)}


def _removed_row(exported: Exported, chance: random.Random) -> tuple[Exported, Said]:
    kind, key = _row_key(exported, chance)
    rows = [row for row in exported.rows if (row.kind, row.key) != (kind, key)]
    return replace(exported, rows=rows), {("removed", kind, key)}


def _inserted_row(exported: Exported, chance: random.Random) -> tuple[Exported, Said]:
    kind, key = _row_key(exported, chance)
    base, _, last = key.rpartition("/")
    new = f"{base}/{int(last) + 100_000}" if last.isdigit() else f"{key}-again"
    subject = base if last.isdigit() else ""
    # Whoever puts a row in for the past dates it so.
    past = exported.checkpoints[0].at - 3_600_000
    more = [
        _fresh(
            row,
            key=new,
            at=past,
            subject=subject and row.subject and f"{row.subject}x",
            body=row.body[:-1] + b',"zz":1}',
        )
        for row in exported.rows
        if (row.kind, row.key) == (kind, key)
    ]
    return replace(exported, rows=[*exported.rows, *more]), {("inserted", kind, new)}


def _moved_row(exported: Exported, chance: random.Random) -> tuple[Exported, Said]:
    """Two rows of one kind change places."""
    while True:
        kind, one = _row_key(exported, chance)
        others = {row.key for row in exported.rows if row.kind == kind} - {one}
        if not others:
            continue
        other = chance.choice(sorted(others))
        mine = [row for row in exported.rows if (row.kind, row.key) == (kind, one)]
        theirs = [row for row in exported.rows if (row.kind, row.key) == (kind, other)]
        if [row.body for row in mine] != [row.body for row in theirs] and not any(row.subject for row in mine + theirs):
            break
    swapped = {one: other, other: one}
    rows = [
        _fresh(row, key=swapped[row.key]) if row.kind == kind and row.key in swapped else row for row in exported.rows
    ]
    return replace(exported, rows=rows), {("moved", kind, one), ("moved", kind, other)}


def _fresh(row: ChainedRow, **fields: Any) -> ChainedRow:
    """A row without the hash that it keeps."""
    said = {name: getattr(row, name) for name in ("kind", "key", "table", "at", "body", "scope", "subject", "version")}
    return ChainedRow(**(said | fields))


def _with_leaf(exported: Exported, position: int, leaf: Leaf | None) -> Exported:
    leaves = [each for each in exported.leaves if each.position != position] + ([] if leaf is None else [leaf])
    return replace(exported, leaves=sorted(leaves, key=lambda each: (each.position, each.leaf)))


def _changed_leaf(exported: Exported, chance: random.Random) -> tuple[Exported, Said]:
    leaf = chance.choice(exported.leaves)
    # What a leaf is called can be held against its row alone, while that is there.
    there = any((leaf.kind, leaf.key, leaf.table) == row.identity for row in exported.rows)
    part = chance.choice(["leaf", *(["chain"] if leaf.table else []), *(["key"] if there else [])])
    new: dict[str, Any] = {part: f"{leaf.key}x" if part == "key" else chance.randbytes(32)}
    return _with_leaf(exported, leaf.position, replace(leaf, **new)), {("changed", "leaf", str(leaf.position))}


def _removed_leaf(exported: Exported, chance: random.Random) -> tuple[Exported, Said]:
    leaf = chance.choice(exported.leaves)
    return _with_leaf(exported, leaf.position, None), {("removed", "leaf", str(leaf.position))}


def _inserted_leaf(exported: Exported, chance: random.Random) -> tuple[Exported, Said]:
    leaf = replace(chance.choice(exported.leaves), leaf=chance.randbytes(32))
    leaves = sorted([*exported.leaves, leaf], key=lambda each: (each.position, each.leaf))
    return replace(exported, leaves=leaves), {("inserted", "leaf", str(leaf.position))}


def _moved_leaf(exported: Exported, chance: random.Random) -> tuple[Exported, Said]:
    """Two leaves of one checkpoint change places."""
    start = 0
    spans = []
    for checkpoint in exported.checkpoints:
        spans.append([leaf for leaf in exported.leaves if start <= leaf.position < checkpoint.size])
        start = checkpoint.size
    one, other = chance.sample(chance.choice([span for span in spans if len(span) > 1]), 2)
    swapped = _with_leaf(exported, one.position, replace(other, position=one.position))
    swapped = _with_leaf(swapped, other.position, replace(one, position=other.position))
    return swapped, {("moved", "leaf", str(one.position)), ("moved", "leaf", str(other.position))}


def _forged_checkpoint(exported: Exported, chance: random.Random) -> tuple[Exported, Said]:
    """The last checkpoint says another root, or is signed with another key."""
    last = exported.checkpoints[-1]
    wrong = replace(last, signature=bytes([last.signature[0] ^ 1, *last.signature[1:]]))
    if chance.random() < 0.5:
        wrong = replace(last, note=last.note.replace(f"\n{last.size}\n", f"\n{last.size + 1}\n", 1))
    return replace(exported, checkpoints=[*exported.checkpoints[:-1], wrong]), {
        ("inserted", "checkpoint", str(last.size))
    }


def _removed_checkpoint(exported: Exported, chance: random.Random) -> tuple[Exported, Said]:
    place = chance.randrange(len(exported.checkpoints) - 1)
    kept = [*exported.checkpoints[:place], *exported.checkpoints[place + 1 :]]
    return replace(exported, checkpoints=kept), {("removed", "checkpoint", f"before {kept[place].size}")}


_KINDS = {
    "row changed": (_changed_row, 25),
    "row removed": (_removed_row, 20),
    "row inserted": (_inserted_row, 15),
    "rows moved": (_moved_row, 15),
    "leaf changed": (_changed_leaf, 8),
    "leaf removed": (_removed_leaf, 5),
    "leaf inserted": (_inserted_leaf, 4),
    "leaves moved": (_moved_leaf, 4),
    "checkpoint forged": (_forged_checkpoint, 2),
    "checkpoint removed": (_removed_checkpoint, 2),
}
