"""Merkle trees against a naive reading of RFC 6962, and against its own published examples."""

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.merkle import (
    EMPTY_ROOT,
    Frontier,
    ProofInvalid,
    check_consistency,
    check_inclusion,
    consistency_proof,
    inclusion_proof,
    leaf_hash,
    node_hash,
    root_of,
)

# The leaves and roots that the Certificate Transparency project publishes as its test vectors.
_ENTRIES = [bytes.fromhex(each) for each in ("", "00", "10", "2021", "3031", "40414243", "5051525354555657")] + [
    bytes.fromhex("606162636465666768696a6b6c6d6e6f")
]
_ROOTS = {
    1: "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    2: "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    3: "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    8: "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
}


def _naive_root(entries: list[bytes]) -> bytes:
    """MTH of RFC 6962 2.1, word for word."""
    if not entries:
        return sha256(b"").digest()
    if len(entries) == 1:
        return sha256(b"\x00" + entries[0]).digest()
    split = 1
    while split * 2 < len(entries):
        split *= 2
    return sha256(b"\x01" + _naive_root(entries[:split]) + _naive_root(entries[split:])).digest()


def _naive_path(index: int, entries: list[bytes]) -> list[bytes]:
    """PATH of RFC 6962 2.1.1, word for word."""
    if len(entries) <= 1:
        return []
    split = 1
    while split * 2 < len(entries):
        split *= 2
    if index < split:
        return [*_naive_path(index, entries[:split]), _naive_root(entries[split:])]
    return [*_naive_path(index - split, entries[split:]), _naive_root(entries[:split])]


def _naive_subproof(old: int, entries: list[bytes], known: bool) -> list[bytes]:
    """SUBPROOF of RFC 6962 2.1.2, word for word."""
    if old == len(entries):
        return [] if known else [_naive_root(entries)]
    split = 1
    while split * 2 < len(entries):
        split *= 2
    if old <= split:
        return [*_naive_subproof(old, entries[:split], known), _naive_root(entries[split:])]
    return [*_naive_subproof(old - split, entries[split:], False), _naive_root(entries[:split])]


class _Leaves:
    """Whole subtrees over entries in memory."""

    def __init__(self, entries: list[bytes]) -> None:
        self.entries = entries

    def __call__(self, level: int, place: int) -> bytes:
        if level == 0:
            return leaf_hash(self.entries[place])
        return node_hash(self(level - 1, 2 * place), self(level - 1, 2 * place + 1))


def _numbered(size: int) -> list[bytes]:
    return [str(number).encode() for number in range(size)]


@pytest.mark.parametrize("size", _ROOTS)
def test_rfc_6962_roots_are_those_published(size: int) -> None:
    assert root_of(size, _Leaves(_ENTRIES)).hex() == _ROOTS[size]


def test_rfc_6962_the_empty_tree() -> None:
    assert root_of(0, _Leaves([])) == EMPTY_ROOT == Frontier().root() == _naive_root([])


@pytest.mark.parametrize("size", range(1, 34))
def test_rfc_6962_roots_and_proofs_are_those_of_the_definition(size: int) -> None:
    entries = _numbered(size)
    subtree = _Leaves(entries)
    root = root_of(size, subtree)
    assert root == _naive_root(entries)
    for index in range(size):
        proof = inclusion_proof(index, size, subtree)
        assert proof == _naive_path(index, entries)
        check_inclusion(leaf_hash(entries[index]), index, size, proof, root)
    for old in range(1, size + 1):
        proof = consistency_proof(old, size, subtree)
        assert proof == _naive_subproof(old, entries, True)
        check_consistency(old, root_of(old, subtree), size, root, proof)


@given(st.integers(1, 300), st.data())
def test_a_proof_with_one_bit_changed_shows_nothing(size: int, data: st.DataObject) -> None:
    entries = _numbered(size)
    subtree = _Leaves(entries)
    index = data.draw(st.integers(0, size - 1))
    old = data.draw(st.integers(1, size))
    root, old_root = root_of(size, subtree), root_of(old, subtree)
    leaf = leaf_hash(entries[index])

    def flipped(hashes: list[bytes]) -> list[bytes]:
        place = data.draw(st.integers(0, len(hashes) - 1))
        bit = data.draw(st.integers(0, 255))
        changed = (int.from_bytes(hashes[place]) ^ 1 << bit).to_bytes(32)
        return [*hashes[:place], changed, *hashes[place + 1 :]]

    changed_leaf, changed_root, *path = flipped([leaf, root, *inclusion_proof(index, size, subtree)])
    with pytest.raises(ProofInvalid):
        check_inclusion(changed_leaf, index, size, path, changed_root)
    changed_old, changed_new, *path = flipped([old_root, root, *consistency_proof(old, size, subtree)])
    with pytest.raises(ProofInvalid):
        check_consistency(old, changed_old, size, changed_new, path)


@given(st.integers(1, 200), st.data())
def test_a_proof_that_is_cut_or_lengthened_or_for_another_place_shows_nothing(size: int, data: st.DataObject) -> None:
    entries = _numbered(size)
    subtree = _Leaves(entries)
    index, other = data.draw(st.integers(0, size - 1)), data.draw(st.integers(0, size - 1))
    root, leaf = root_of(size, subtree), leaf_hash(entries[index])
    proof = inclusion_proof(index, size, subtree)
    for wrong in ([*proof, root], proof[:-1]):
        if wrong != proof:
            with pytest.raises(ProofInvalid):
                check_inclusion(leaf, index, size, wrong, root)
    if other != index:
        with pytest.raises(ProofInvalid):
            check_inclusion(leaf, other, size, proof, root)
    with pytest.raises(ProofInvalid):
        check_inclusion(leaf, size, size, proof, root)
    with pytest.raises(ProofInvalid):
        inclusion_proof(size, size, subtree)
    for old in (0, size + 1):
        with pytest.raises(ProofInvalid):
            consistency_proof(old, size, subtree)
        with pytest.raises(ProofInvalid):
            check_consistency(old, root, size, root, [])


def test_a_frontier_grows_as_the_tree_does_from_wherever_it_is_taken_up() -> None:
    entries = _numbered(70)
    subtree = _Leaves(entries)
    for start in (0, 1, 31, 32, 33, 64):
        frontier = Frontier.at(start, subtree)
        for size, entry in enumerate(entries[start:], start=start + 1):
            for level, place, found in frontier.add(leaf_hash(entry)):
                assert found == subtree(level, place)
            assert frontier.size == size
            assert frontier.root() == root_of(size, subtree)
    with pytest.raises(ValueError, match="2 whole subtrees"):
        Frontier(3, [])
