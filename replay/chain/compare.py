"""Rows against leaves: which rows are as they were sealed, which are not, and what became of those."""

import re
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from audit.merkle import leaf_hash
from replay.chain.lateness import keys_named, named_by, next_in_log
from replay.chain.rows import BY_KIND, RECORD, ChainedRow, Identity, content_of, record_place
from store.rows.alerts import CLAIMS
from store.rows.proof import Leaf

What = Literal["changed", "removed", "inserted", "moved"]


_DIGITS = re.compile(r"([0-9]+)")


@dataclass(frozen=True, slots=True)
class Tampering:
    """Something that is not as it was sealed."""

    what: What
    kind: str
    """Of row: record, verdict, …, event; or leaf, checkpoint, part of the store."""
    key: str
    """Which one; of a row that was moved, where it was."""
    table: str = ""
    """The gaming table, where one is meant."""
    detail: str = ""
    """In one plain sentence."""

    def __lt__(self, other: "Tampering") -> bool:
        return self._place < other._place

    @property
    def _place(self) -> tuple[str, str, list[Any], str, str]:
        """In lists the numbers in keys stand by their size: 2747 comes before 10874."""
        key = [int(part) if number % 2 else part for number, part in enumerate(_DIGITS.split(self.key))]
        return self.what, self.kind, key, self.table, self.detail

    def __str__(self) -> str:
        of_table = f" of table {self.table}" if self.table else ""
        return f"{self.kind} {self.key}{of_table} was {self.what}: {self.detail}"


@dataclass(slots=True)
class Compared:
    """What does not agree, before it is said what became of it."""

    differing: list[tuple[Leaf, ChainedRow]] = field(default_factory=list)
    """A leaf and the row of the same identity, which is another one now."""
    missing: list[Leaf] = field(default_factory=list)
    """Leaves whose row is not there."""
    extra: list[ChainedRow] = field(default_factory=list)
    """Rows without a leaf."""
    stray: list[Leaf] = field(default_factory=list)
    """Leaves that stand for no state of a row whose right leaf is there too."""
    relabelled: list[tuple[Leaf, ChainedRow]] = field(default_factory=list)
    """Leaves that name another row than the one that they were made of."""
    versions: dict[tuple[str, str], int] = field(default_factory=dict)
    """By kind and subject: the highest version that is there, or was sealed; of rounds only of those that were judged
    again, since all others are as many as there are rounds."""
    notes: list[ChainedRow] = field(default_factory=list)
    """Entries of the access log that name rows as stored late."""
    rows: int = 0

    def know(self, kind: str, subject: str, version: int) -> None:
        """That there is, or was, such a version."""
        if kind != "round" or version > 1:
            self.versions[kind, subject] = max(self.versions.get((kind, subject), 0), version)


def compare(leaves: Iterable[Leaf], rows: Iterable[ChainedRow], into: Compared) -> None:
    """Hold the rows of one part of the store against their leaves."""
    sealed: dict[Identity, list[Leaf]] = defaultdict(list)
    for leaf in leaves:
        sealed[leaf.kind, leaf.key, leaf.table].append(leaf)
        about, version = subject_of(leaf)
        if version is not None:
            into.know(leaf.kind, about, version)
    for row in rows:
        into.rows += 1
        if named_by(row):
            into.notes.append(row)
        if row.subject:
            into.know(row.kind, row.subject, row.version)
        found = sealed.pop(row.identity, None)
        if found is None:
            into.extra.append(row)
        elif any(leaf.leaf == row.leaf for leaf in found):
            into.stray += [leaf for leaf in found if leaf.leaf != row.leaf]
        else:
            into.differing.append((found[0], row))
            into.stray += found[1:]
    for found in sealed.values():
        into.missing += found


def find_relabelled(compared: Compared) -> None:
    """Leaves whose hash is that of a row without a leaf: it is not the row that was changed, but what the leaf says."""
    without = {row.leaf: row for row in compared.extra}
    found = [(leaf, without[leaf.leaf]) for leaf in compared.missing if leaf.leaf in without]
    if found:
        leaves, rows = {id(leaf) for leaf, _ in found}, {id(row) for _, row in found}
        compared.relabelled += found
        compared.missing[:] = [leaf for leaf in compared.missing if id(leaf) not in leaves]
        compared.extra[:] = [row for row in compared.extra if id(row) not in rows]


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What tells tampering from the course of things."""

    expired: Callable[[Leaf], bool]
    """Whether the row of a leaf was past its retention, and a sealed tombstone says so."""
    sealed_until: int | None
    """Rows of this time (milliseconds) and later may not be sealed yet; None: nothing was ever sealed."""
    marks: Mapping[tuple[str, str, int], int]
    """By log, topic and partition: the last offset that was sealed."""


@dataclass(slots=True)
class Judged:
    """What became of the rows."""

    tampering: list[Tampering] = field(default_factory=list)
    late: list[ChainedRow] = field(default_factory=list)
    """The rows that were inserted: a person may accept them into the chain."""
    waiting: int = 0
    """Rows that will be sealed next."""
    expired: int = 0
    """Rows past their retention, as tombstones say."""
    superseded: int = 0
    """Rows that a later version has replaced."""


def judge_rows(compared: Compared, circumstances: Circumstances, cleared: Container[Identity] = ()) -> Judged:
    """Say of each row that does not agree what was done to it; ``cleared`` are those whose leaf is to blame."""
    judged = Judged()
    differing = [(leaf, row) for leaf, row in compared.differing if row.identity not in cleared]
    extra = [row for row in compared.extra if row.identity not in cleared]
    there = {(row.kind, row.key) for row in (*extra, *(row for _, row in differing))}
    sealed = {(leaf.kind, leaf.key) for leaf in (*compared.missing, *(leaf for leaf, _ in differing))}
    moved_from, moved_to = _moves(compared)
    named: set[tuple[str, str]] = set()

    def tell(what: What, kind: str, key: str, table: str, detail: str) -> None:
        # A record is a link of every table that it names, and one row all the same.
        if (kind, key) not in named:
            named.add((kind, key))
            judged.tampering.append(Tampering(what, kind, key, table, detail))

    for (kind, key), (table, to) in moved_from.items():
        tell("moved", kind, key, table, f"it stands as {to} now")
    for leaf, _ in differing:
        if (leaf.kind, leaf.key) not in moved_to:
            tell("changed", leaf.kind, leaf.key, leaf.table, f"it is not what leaf {leaf.position} was made of")
    for leaf in compared.missing:
        if (leaf.kind, leaf.key) in moved_from:
            continue
        if (leaf.kind, leaf.key) in there:
            tell("changed", leaf.kind, leaf.key, leaf.table, f"it is not what leaf {leaf.position} was made of")
        elif superseded(leaf, compared.versions):
            judged.superseded += 1
        elif circumstances.expired(leaf):
            judged.expired += 1
        else:
            tell("removed", leaf.kind, leaf.key, leaf.table, f"leaf {leaf.position} stands for it, and it is not there")
    expected = _Expected(compared, extra, circumstances)
    for row in extra:
        if (row.kind, row.key) in moved_to or (row.kind, row.key) in sealed or _is_claim(row):
            continue
        if expected.may_be(row):
            judged.waiting += 1
        else:
            tell("inserted", row.kind, row.key, row.table, "it is older than the last checkpoint and not in the chain")
            judged.late.append(row)
    return judged


def _is_claim(row: ChainedRow) -> bool:
    """A claim of a place in an alert's history is evidence of nothing, and has the time of the step before it: of an
    act on an alert that was left alone for long, it comes after the checkpoints of that time."""
    return row.kind == "alert-step" and row.key.startswith(CLAIMS)


def _moves(compared: Compared) -> tuple[dict[tuple[str, str], tuple[str, str]], set[tuple[str, str]]]:
    """Rows that say under another key what a leaf was made of: by kind and old key the table and the new key; and all
    new keys that are explained so."""
    rows = compared.extra + [row for _, row in compared.differing]
    leaves = compared.missing + [leaf for leaf, _ in compared.differing]
    moved_from: dict[tuple[str, str], tuple[str, str]] = {}
    moved_to: set[tuple[str, str]] = set()
    by_kind: dict[str, list[ChainedRow]] = defaultdict(list)
    for row in rows:
        by_kind[row.kind].append(row)
    for leaf in leaves[:_MOST_MOVES]:
        for row in by_kind[leaf.kind][:_MOST_MOVES]:
            if row.key != leaf.key and leaf_hash(content_of(leaf.kind, leaf.key, leaf.table, row.body)) == leaf.leaf:
                moved_from[leaf.kind, leaf.key] = (leaf.table, row.key)
                moved_to.add((row.kind, row.key))
    return moved_from, moved_to


_MOST_MOVES = 1_000
"""Among so many rows it is looked which one was moved where; beyond, a move is told as a removal and an insertion."""


def superseded(leaf: Leaf, versions: Mapping[tuple[str, str], int]) -> bool:
    """Whether a later version is there, which the engine keeps in place of the earlier."""
    subject, version = subject_of(leaf)
    return version is not None and versions.get((leaf.kind, subject), -1) > version


def subject_of(leaf: Leaf) -> tuple[str, int | None]:
    """The key of a leaf without its version, which stands last; None for a kind without versions."""
    chained = BY_KIND.get(leaf.kind)
    subject, _, version = leaf.key.rpartition("/")
    if chained is None or chained.version is None or not version.isdigit():
        return leaf.key, None
    return subject, int(version)


class _Expected:
    """What may have come after the last checkpoint."""

    def __init__(self, compared: Compared, extra: Iterable[ChainedRow], circumstances: Circumstances) -> None:
        self._since = circumstances.sealed_until
        self._marks = circumstances.marks
        self._reach = next_in_log(extra, circumstances.marks)
        changed = {row.identity for _, row in compared.differing}
        self._named = keys_named(row for row in compared.notes if row.identity not in changed and self._is_young(row))

    def may_be(self, row: ChainedRow) -> bool:
        """Whether a row without a leaf is one that will be sealed next."""
        if self._since is None or (row.kind, row.key) in self._named:
            return True
        if row.kind not in ("record", "rejected"):
            return self._is_young(row)
        place, offset = record_place(row.key if row.kind == RECORD.kind else row.key.rpartition("/")[0])
        is_new = offset > self._marks.get(place, -1)
        if row.kind == RECORD.kind:
            return is_new and (self._is_young(row) or offset <= self._reach.get(place, -1))
        # A refusal is written before its record.
        return self._is_young(row) or (is_new and place in self._reach)

    def _is_young(self, row: ChainedRow) -> bool:
        return self._since is None or row.at >= self._since
