"""Merkle trees as RFC 6962 (section 2.1) has them: hashing, roots, inclusion and consistency proofs.

A tree of n leaves is split at the largest power of two below n, so that whole subtrees of 2^level leaves never change
as the tree grows. All that is computed here asks for such subtrees by level and place and keeps nothing itself.
"""

from collections.abc import Callable, Sequence
from hashlib import sha256

HASH_SIZE = 32
EMPTY_ROOT = sha256().digest()
"""RFC 6962 2.1: the hash of an empty list is the hash of an empty string."""

Subtree = Callable[[int, int], bytes]
"""The root of the whole subtree of 2^level leaves at a place: leaves place·2^level to (place + 1)·2^level - 1."""


class ProofInvalid(ValueError):
    """A proof does not show what it should: do not believe it."""


def leaf_hash(content: bytes) -> bytes:
    """RFC 6962 2.1: the hash of one entry; the 0x00 keeps a leaf from being taken for a node."""
    return sha256(b"\x00" + content).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """RFC 6962 2.1: the hash of two subtrees."""
    return sha256(b"\x01" + left + right).digest()


def link_hash(before: bytes, leaf: bytes) -> bytes:
    """The head of a hash chain after one more link; it starts from 32 zero bytes."""
    return sha256(b"\x02" + before + leaf).digest()


def _split(size: int) -> int:
    """The largest power of two smaller than ``size``."""
    return 1 << ((size - 1).bit_length() - 1)


def _root_of(start: int, end: int, subtree: Subtree) -> bytes:
    """The root over leaves ``start`` until before ``end``; ``start`` is a multiple of the span's power of two."""
    size = end - start
    if size & (size - 1) == 0:
        level = size.bit_length() - 1
        return subtree(level, start >> level)
    middle = start + _split(size)
    return node_hash(_root_of(start, middle, subtree), _root_of(middle, end, subtree))


def root_of(size: int, subtree: Subtree) -> bytes:
    """The root of a tree of so many leaves."""
    return _root_of(0, size, subtree) if size else EMPTY_ROOT


def inclusion_proof(index: int, size: int, subtree: Subtree) -> list[bytes]:
    """RFC 6962 2.1.1: the hashes that lead from leaf ``index`` to the root of a tree of ``size`` leaves."""
    if not 0 <= index < size:
        raise ProofInvalid(f"a tree of {size} leaves has no leaf {index}")
    path: list[bytes] = []
    start, end = 0, size
    while end - start > 1:
        middle = start + _split(end - start)
        if index < middle:
            path.append(_root_of(middle, end, subtree))
            end = middle
        else:
            path.append(_root_of(start, middle, subtree))
            start = middle
    return path[::-1]


def consistency_proof(old: int, new: int, subtree: Subtree) -> list[bytes]:
    """RFC 6962 2.1.2: the hashes that show the tree of ``old`` leaves to be the beginning of that of ``new``."""
    if not 0 < old <= new:
        raise ProofInvalid(f"a tree of {old} leaves is no beginning of one of {new}")
    path: list[bytes] = []
    start, end, known = 0, new, True
    while old != end:
        middle = start + _split(end - start)
        if old <= middle:
            path.append(_root_of(middle, end, subtree))
            end = middle
        else:
            path.append(_root_of(start, middle, subtree))
            start, known = middle, False
    if not known:
        path.append(_root_of(start, end, subtree))
    return path[::-1]


def check_inclusion(leaf: bytes, index: int, size: int, proof: Sequence[bytes], root: bytes) -> None:
    """Passes when the proof leads from the leaf at ``index`` to the root, else ``ProofInvalid`` (RFC 9162 2.1.3.2)."""
    if not 0 <= index < size:
        raise ProofInvalid(f"a tree of {size} leaves has no leaf {index}")
    place, last, found = index, size - 1, leaf
    for each in proof:
        if last == 0:
            raise ProofInvalid("the inclusion proof is too long")
        if place & 1 or place == last:
            found = node_hash(each, found)
            while not place & 1 and place:
                place, last = place >> 1, last >> 1
        else:
            found = node_hash(found, each)
        place, last = place >> 1, last >> 1
    if last:
        raise ProofInvalid("the inclusion proof is too short")
    if found != root:
        raise ProofInvalid(f"leaf {index} is not in the tree of {size} leaves with this root")


def check_consistency(old: int, old_root: bytes, new: int, new_root: bytes, proof: Sequence[bytes]) -> None:
    """Passes when the old tree is the beginning of the new one, else ``ProofInvalid`` (RFC 9162 2.1.4.2)."""
    if not 0 < old <= new:
        raise ProofInvalid(f"a tree of {old} leaves is no beginning of one of {new}")
    if old == new:
        if proof or old_root != new_root:
            raise ProofInvalid("two trees of one size have different roots, or a proof that they need not")
        return
    path = [old_root, *proof] if old & (old - 1) == 0 else list(proof)
    if not path:
        raise ProofInvalid("the consistency proof is empty")
    place, last = old - 1, new - 1
    while place & 1:
        place, last = place >> 1, last >> 1
    old_found = new_found = path[0]
    for each in path[1:]:
        if last == 0:
            raise ProofInvalid("the consistency proof is too long")
        if place & 1 or place == last:
            old_found, new_found = node_hash(each, old_found), node_hash(each, new_found)
            while not place & 1 and place:
                place, last = place >> 1, last >> 1
        else:
            new_found = node_hash(new_found, each)
        place, last = place >> 1, last >> 1
    if last or old_found != old_root or new_found != new_root:
        raise ProofInvalid(f"the tree of {old} leaves is not the beginning of that of {new}")


class Frontier:
    """The right edge of a growing tree: enough to add leaves and to tell the root, whatever its size."""

    __slots__ = ("_peaks", "size")

    def __init__(self, size: int = 0, peaks: Sequence[bytes] = ()) -> None:
        if size.bit_count() != len(peaks):
            raise ValueError(f"a tree of {size} leaves has {size.bit_count()} whole subtrees, not {len(peaks)}")
        self.size = size
        self._peaks = list(peaks)

    @classmethod
    def at(cls, size: int, subtree: Subtree) -> "Frontier":
        """The right edge of a tree of which the whole subtrees are known."""
        peaks, start = [], 0
        for level in range(size.bit_length() - 1, -1, -1):
            if size >> level & 1:
                peaks.append(subtree(level, start >> level))
                start += 1 << level
        return cls(size, peaks)

    def copy(self) -> "Frontier":
        """The same right edge, to go on from it twice."""
        return Frontier(self.size, self._peaks)

    def add(self, leaf: bytes) -> list[tuple[int, int, bytes]]:
        """Add a leaf; gives back the subtrees that it completed, as level, place and root, the leaf itself first."""
        completed = [(0, self.size, leaf)]
        found, level, rest = leaf, 0, self.size
        while rest & 1:
            found = node_hash(self._peaks.pop(), found)
            level, rest = level + 1, rest >> 1
            completed.append((level, rest, found))
        self._peaks.append(found)
        self.size += 1
        return completed

    def root(self) -> bytes:
        """The root of the tree so far."""
        if not self._peaks:
            return EMPTY_ROOT
        found = self._peaks[-1]
        for peak in self._peaks[-2::-1]:
            found = node_hash(peak, found)
        return found
