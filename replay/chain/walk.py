"""The leaves against the signed checkpoints: which leaves are genuine, and which were changed themselves."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from audit.merkle import Frontier, link_hash
from replay.chain.believed import SignedRoot
from replay.chain.compare import Compared, Tampering
from replay.chain.note import heads_digest
from replay.chain.rows import ChainedRow, Identity
from store.rows.proof import Leaf

_NO_LINK = bytes(32)
_MOST_TRIALS = 200


@dataclass(slots=True)
class Walked:
    """What a walk along the leaves shows."""

    size: int = 0
    """How many leaves are under a checkpoint."""
    loose: list[int] = field(default_factory=list)
    """Positions of the leaves that are not, yet."""
    tampering: list[Tampering] = field(default_factory=list)
    cleared: set[Identity] = field(default_factory=set)
    """Rows that are as they were sealed: it is their leaf that was changed."""


def walk(
    leaves: Iterable[Leaf], signed: Iterable[SignedRoot], compared: Compared, astray: Sequence[Leaf] = ()
) -> Walked:
    """Go along the leaves in order. ``signed`` are the checkpoints to believe, the smallest first; ``astray`` are the
    leaves that share a position, or that no checkpoint covers."""
    walker = _Walker(compared, astray)
    stream = _by_position(walker.labelled(leaf) for leaf in leaves)
    ahead: list[Leaf] | None = next(stream, None)
    start = 0
    for checkpoint in signed:
        of_span: list[Leaf] = []
        while ahead is not None and ahead[0].position < checkpoint.size:
            of_span += ahead
            ahead = next(stream, None)
        walker.span(start, checkpoint, of_span)
        start = checkpoint.size
    walker.walked.size = start
    rest: list[Leaf] = []
    while ahead is not None:
        rest += ahead
        ahead = next(stream, None)
    walker.rest(start, rest)
    return walker.walked


def _by_position(leaves: Iterable[Leaf]) -> Iterator[list[Leaf]]:
    held: list[Leaf] = []
    for leaf in leaves:
        if held and held[0].position != leaf.position:
            yield held
            held = []
        held.append(leaf)
    if held:
        yield held


class _Walker:
    def __init__(self, compared: Compared, astray: Sequence[Leaf]) -> None:
        self.walked = Walked()
        self._edge = Frontier()
        self._sure = True
        """Whether all leaves so far are those that were signed."""
        self._heads: dict[str, bytes] = {}
        self._rows: Mapping[Identity, ChainedRow] = {
            (leaf.kind, leaf.key, leaf.table): row for leaf, row in compared.differing
        }
        self._extra = compared.extra
        self._gone = {(leaf.kind, leaf.key, leaf.table) for leaf in compared.missing}
        self._stray = {(leaf.position, leaf.leaf) for leaf in compared.stray}
        self._astray = astray
        self._labels = {(leaf.position, leaf.leaf): row for leaf, row in compared.relabelled}

    def labelled(self, leaf: Leaf) -> Leaf:
        """A leaf with the labels of the row that it was made of."""
        row = self._labels.get((leaf.position, leaf.leaf))
        if row is None:
            return leaf
        self._leaf("changed", leaf, f"it was made of {row.kind} {row.key}")
        return replace(leaf, kind=row.kind, key=row.key, table=row.table, at=row.at)

    def span(self, start: int, checkpoint: SignedRoot, leaves: list[Leaf]) -> None:
        """The leaves of one checkpoint."""
        found: dict[int, list[Leaf]] = {}
        for leaf in leaves:
            found.setdefault(leaf.position, []).append(leaf)
        positions = range(start, checkpoint.size)
        plain = [found[position][0] for position in positions if len(found.get(position, ())) == 1]
        if len(plain) == len(positions) and self._gives(plain, checkpoint):
            self._follow(plain, checkpoint)
            return
        if self._sure:
            for genuine in self._trials(positions, found):
                if genuine is not None and self._gives(genuine, checkpoint):
                    self._blame_leaves(positions, found, genuine)
                    self._advance(genuine)
                    return
        self._give_up(positions, found, checkpoint)

    def _gives(self, leaves: Sequence[Leaf], checkpoint: SignedRoot) -> bool:
        edge = self._edge.copy()
        for leaf in leaves:
            edge.add(leaf.leaf)
        return self._sure and edge.root() == checkpoint.root

    def _advance(self, leaves: Sequence[Leaf]) -> None:
        """Take leaves as those that were signed."""
        for leaf in leaves:
            self._edge.add(leaf.leaf)
            if leaf.table:
                self._heads[leaf.table] = link_hash(self._heads.get(leaf.table, _NO_LINK), leaf.leaf)

    def _follow(self, leaves: Sequence[Leaf], checkpoint: SignedRoot) -> None:
        """The leaves are genuine; their links may have been changed all the same."""
        for leaf in leaves:
            self._edge.add(leaf.leaf)
            expected = _NO_LINK
            if leaf.table:
                expected = link_hash(self._heads.get(leaf.table, _NO_LINK), leaf.leaf)
                self._heads[leaf.table] = expected
            if leaf.chain != expected:
                self._leaf("changed", leaf, "its link does not follow from the one before it")
        if heads_digest(self._heads) != checkpoint.heads:
            self.walked.tampering.append(
                Tampering(
                    "changed", "leaf", f"before {checkpoint.size}", "", "a leaf was given to another table's chain"
                )
            )

    def _trials(self, positions: range, found: Mapping[int, list[Leaf]]) -> Iterator[list[Leaf] | None]:
        """What the leaves may have been: each as its row says, doubled ones told apart, gaps filled, put in order."""
        yield self._assembled(positions, found, {})
        suspects = [p for p in positions for leaf in found.get(p, ()) if self._row_of(leaf) is not None]
        for position in suspects[:_MOST_TRIALS]:
            yield self._assembled(positions, found, {position: self._of_row(found[position][0])})
        if len(suspects) > 1:
            yield self._assembled(positions, found, {p: self._of_row(found[p][0]) for p in suspects})
        gaps = [position for position in positions if position not in found]
        if len(gaps) == 1:
            unclaimed = [self._from_row(row, gaps[0]) for row in self._extra[:_MOST_TRIALS]]
            for leaf in (*self._astray[:_MOST_TRIALS], *unclaimed):
                yield self._assembled(positions, found, {gaps[0]: leaf})
        doubled_at = [position for position in positions if len(found.get(position, ())) > 1]
        for position in doubled_at[:_MOST_TRIALS]:
            for leaf in found[position]:
                yield self._assembled(positions, found, {position: leaf})
        if not gaps and not doubled_at:
            yield sorted((found[p][0] for p in positions), key=lambda leaf: (leaf.at, leaf.kind, leaf.key, leaf.table))

    def _assembled(
        self, positions: range, found: Mapping[int, list[Leaf]], instead: Mapping[int, Leaf]
    ) -> list[Leaf] | None:
        chosen = []
        taken = [leaf for position, leaf in instead.items() if leaf.position != position]
        for position in positions:
            leaf = instead.get(position)
            if leaf is None:
                there = [
                    each
                    for each in found.get(position, ())
                    if (position, each.leaf) not in self._stray and all(each is not other for other in taken)
                ]
                if not there:
                    return None
                leaf = there[0]
            chosen.append(leaf)
        return chosen

    def _row_of(self, leaf: Leaf) -> ChainedRow | None:
        return self._rows.get((leaf.kind, leaf.key, leaf.table))

    def _of_row(self, leaf: Leaf) -> Leaf:
        row = self._row_of(leaf)
        assert row is not None
        return self._from_row(row, leaf.position)

    def _from_row(self, row: ChainedRow, position: int) -> Leaf:
        return Leaf(
            tree="", position=position, leaf=row.leaf, kind=row.kind, key=row.key, at=row.at, table=row.table
        )  # fmt: skip

    def _blame_leaves(self, positions: range, found: Mapping[int, list[Leaf]], genuine: Sequence[Leaf]) -> None:
        """The genuine leaves are known: whatever stands otherwise in the store was changed."""
        signed = {leaf.leaf for leaf in genuine}
        for position, right in zip(positions, genuine, strict=True):
            there = found.get(position, [])
            if all(each.leaf != right.leaf for each in there):
                self.walked.cleared.add((right.kind, right.key, right.table))
                if right.position != position or any(each.leaf in signed for each in there):
                    self._leaf("moved", right, f"it stands at position {right.position} now", position)
                elif there:
                    self._leaf("changed", there[0], "its row is as it was sealed")
                else:
                    self._leaf("removed", right, "it is not there, and its row is")
            elif len(there) > 1:
                for each in there:
                    if each.leaf != right.leaf and not any(each is other for other in genuine):
                        self._leaf("inserted", each, "another leaf is the one that was signed")

    def _give_up(self, positions: range, found: Mapping[int, list[Leaf]], checkpoint: SignedRoot) -> None:
        """The leaves that were signed cannot be found again: the links of the tables' chains tell where they end."""
        named = 0
        for position in positions:
            if position not in found:
                named += 1
                self._leaf_at("removed", position, "it is not there, and nothing in the store can have been it")
                continue
            leaf = found[position][0]
            if leaf.table:
                before = self._heads.get(leaf.table, _NO_LINK)
                self._heads[leaf.table] = leaf.chain
                if leaf.chain != link_hash(before, leaf.leaf) and all(p in found for p in positions):
                    named += 1
                    self._ends_here(leaf)
            self._edge.add(leaf.leaf)
        if self._sure and not named:
            self.walked.tampering.append(
                Tampering(
                    "changed", "leaf", f"{positions.start} to {positions.stop - 1}", "",
                    f"they do not give the root that was signed for {checkpoint.size} leaves",
                )
            )  # fmt: skip
        self._sure = False

    def _ends_here(self, leaf: Leaf) -> None:
        """The chain of a table ends at this leaf: it was changed, together with its row where that is there."""
        if (leaf.kind, leaf.key, leaf.table) in self._gone:
            self._leaf("changed", leaf, "the chain of its table ends here")
            return
        detail = f"it and its leaf {leaf.position} were changed together: the chain of its table ends here"
        self.walked.tampering.append(Tampering("changed", leaf.kind, leaf.key, leaf.table, detail))

    def rest(self, start: int, leaves: Sequence[Leaf]) -> None:
        """Leaves beyond the last checkpoint: a sealer that is at work, or was stopped."""
        self.walked.loose = [leaf.position for leaf in leaves]
        expected = start
        for leaf in leaves:
            if leaf.position != expected and (leaf.kind, leaf.key, leaf.table) not in self.walked.cleared:
                self._leaf("inserted", leaf, "no checkpoint covers it, and it does not follow the leaf before it")
            expected = max(expected, leaf.position + 1)

    def _leaf(self, what: str, leaf: Leaf, detail: str, position: int | None = None) -> None:
        self._leaf_at(
            what, leaf.position if position is None else position, f"{leaf.kind} {leaf.key}: {detail}", leaf.table
        )

    def _leaf_at(self, what: str, position: int, detail: str, table: str = "") -> None:
        self.walked.tampering.append(Tampering(what, "leaf", str(position), table, detail))  # type: ignore[arg-type]  # one of the words of What
