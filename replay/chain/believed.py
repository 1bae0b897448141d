"""Which checkpoints are believed, and of those only what leaves are held against: in years there are millions."""

from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from replay.chain.compare import Tampering
from replay.chain.note import PUT_BACK, CheckpointInvalid, PreviousMissing, by_name, check_note, heads_of
from store.rows.proof import Checkpoint, SigningKey

_HASH: Final = 32


class SignedRoot(NamedTuple):
    """What a checkpoint states of the leaves that it covers."""

    size: int
    root: bytes
    heads: bytes
    """One hash over the heads of all tables' chains."""


@dataclass(slots=True)
class Believed:
    """Believed checkpoints, each of more leaves and later than the one before; a twelfth of the room of their texts."""

    last: Checkpoint | None = None
    sizes: "array[int]" = field(default_factory=lambda: array("Q"))
    times: "array[int]" = field(default_factory=lambda: array("q"))
    """When they were made, in milliseconds since 1970."""
    _hashes: bytearray = field(default_factory=bytearray)
    """Of each the root, and the hash over the heads."""

    def __len__(self) -> int:
        return len(self.sizes)

    def __iter__(self) -> Iterator[SignedRoot]:
        return (self._at(place) for place in range(len(self.sizes)))

    def add(self, checkpoint: Checkpoint) -> None:
        """Believe one that follows the last."""
        self.last = checkpoint
        self.sizes.append(checkpoint.size)
        self.times.append(checkpoint.at)
        self._hashes += checkpoint.root + heads_of(checkpoint)

    def root_of(self, size: int) -> bytes | None:
        """The root over so many leaves; None where no checkpoint covers just these."""
        place = bisect_left(self.sizes, size)
        return self._at(place).root if place < len(self.sizes) and self.sizes[place] == size else None

    def _at(self, place: int) -> SignedRoot:
        start = 2 * _HASH * place
        middle = start + _HASH
        return SignedRoot(
            self.sizes[place], bytes(self._hashes[start:middle]), bytes(self._hashes[middle : middle + _HASH])
        )


def believed_checkpoints(
    signed: Iterable[Checkpoint],
    keys: Mapping[str, SigningKey],
    tampering: list[Tampering],
    previous: Checkpoint | None = None,
) -> Believed:
    """The checkpoints that are what a believed key signed, the smallest first; what is wrong with the others is written
    down. ``previous`` is believed already."""
    believed = Believed(previous)
    for checkpoint in signed:
        previous = believed.last
        try:
            check_note(checkpoint, keys, previous)
        except PreviousMissing as error:
            tampering.append(Tampering("removed", "checkpoint", f"before {checkpoint.size}", "", str(error)))
        except CheckpointInvalid as error:
            what = "changed" if "row says" in str(error) else "inserted"
            tampering.append(Tampering(what, "checkpoint", str(checkpoint.size), "", f"not to be believed, {error}"))  # type: ignore[arg-type]  # one of the words of What
            continue
        if previous is not None and (checkpoint.size < previous.size or checkpoint.at <= previous.at):
            detail = "it covers less, or is not later, than the one before it"
            tampering.append(Tampering("changed", "checkpoint", str(checkpoint.size), "", detail))
            continue
        believed.add(checkpoint)
    return believed


def keys_gone(stored: Sequence[SigningKey], signers: Counter[str]) -> list[Tampering]:
    """The keys that checkpoints are signed with, by how many, and that the store does not have."""
    found, there = [], by_name(stored)
    for name, count in signers.items():
        if name in there:
            continue
        are = "1 checkpoint is" if count == 1 else f"{count} checkpoints are"
        detail = f"the store does not have it, and {are} signed with it; {PUT_BACK}"
        found.append(Tampering("removed", "key", name, "", detail))
    return found


def missing_here(
    elsewhere: Iterable[Checkpoint], here: Believed, keys: Mapping[str, SigningKey]
) -> Iterator[Tampering]:
    """What a file kept elsewhere has and the store has not, or otherwise."""
    for checkpoint in elsewhere:
        try:
            check_note(checkpoint, keys, None)
        except PreviousMissing:
            pass
        except CheckpointInvalid as error:
            detail = f"in the file kept elsewhere, {error}"
            yield Tampering("changed", "checkpoint", str(checkpoint.size), "", detail)
            continue
        root = here.root_of(checkpoint.size)
        if root is None:
            yield Tampering("removed", "checkpoint", str(checkpoint.size), "", "the file kept elsewhere has it")
        elif root != checkpoint.root:
            detail = "the file kept elsewhere has another root: the chain was made anew"
            yield Tampering("changed", "checkpoint", str(checkpoint.size), "", detail)
