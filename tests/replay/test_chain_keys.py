"""The keys that sign the chain over a real store: made, rotated and lost; whose signature is believed."""

import stat
from pathlib import Path

import pytest

from replay.chain.keys import KeyMissing, KeyOfAnother, KeyRing, KeyThere, KeyUnreadable
from replay.chain.seal import Sealer
from replay.chain.verify import verify_chain
from store.connect import Store
from store.read.proof import signing_keys
from store.write.verdicts import write_verdicts
from tests.replay.evidence import LATER, ring_in, sealed_evening
from tests.store.floor import judged


def test_keys_are_made_rotated_and_lost_and_the_past_stays_provable(store: Store, tmp_path: Path) -> None:
    ring = KeyRing(tmp_path / "keys")
    with pytest.raises(KeyMissing):
        ring.current()
    first = ring.make("otto")
    with pytest.raises(KeyThere):
        ring.make("otto")
    private = tmp_path / "keys" / f"{first.key_id}.key"
    assert stat.S_IMODE(private.stat().st_mode) == 0o600
    sealed_evening(store, ring)
    second = ring.rotate("otto")
    assert second.previous == first.key_id
    write_verdicts(store, [judged("BT1", revision=2, at=LATER - 5)])
    assert Sealer(store, ring, lambda: LATER).seal() is not None
    assert [key.key_id for key in signing_keys(store)] == [first.key_id, second.key_id]
    assert verify_chain(store).tampering == []

    # The key in use is lost: a new one signs on, which nobody vouches for but its own folder.
    (tmp_path / "keys" / f"{second.key_id}.key").unlink()
    with pytest.raises(KeyMissing):
        ring.current()
    third = ring.make("otto")
    write_verdicts(store, [judged("BT1", revision=3, at=LATER + 5)])
    assert Sealer(store, ring, lambda: LATER + 10).seal() is not None
    told = verify_chain(store).tampering
    assert [(each.what, each.kind) for each in told] == [("inserted", "checkpoint")]
    assert verify_chain(store, own=ring.known()).tampering == []
    assert verify_chain(store, named=[first.key_id, third.key_id]).tampering == []


def test_a_store_that_was_sealed_with_a_key_that_is_not_here_is_not_sealed_on(
    store: Store, ring: KeyRing, tmp_path: Path
) -> None:
    """The data folder may be mistyped, or the store that of another casino."""
    sealed_evening(store, ring)
    write_verdicts(store, [judged("BT1", revision=2, at=LATER - 5)])
    other = ring_in(tmp_path / "other")
    (ours,) = ring.known()
    with pytest.raises(KeyOfAnother, match=f"tablewatch keys lost {ours.key_id}"):
        Sealer(store, other, lambda: LATER)
    assert signing_keys(store) == [ours], "nothing of the stranger is left in the store"
    with pytest.raises(KeyOfAnother, match="Is TABLEWATCH_DATA right"):
        Sealer(store, KeyRing(tmp_path / "mistyped"), lambda: LATER)

    other.keep_public(ours)
    assert Sealer(store, other, lambda: LATER).seal() is not None
    assert verify_chain(store, own=other.known()).whole


def test_the_oldest_key_of_a_store_is_not_believed_where_others_are_named_or_here(
    store: Store, ring: KeyRing, tmp_path: Path
) -> None:
    """Whoever can write to the store can make its chain anew, with a key of his own."""
    sealed_evening(store, ring)
    (forger,) = ring.known()
    assert verify_chain(store).keys == (forger.key_id,)
    own = ring_in(tmp_path / "own").known()
    for report in (verify_chain(store, own=own), verify_chain(store, named=[own[0].key_id])):
        assert [(each.what, each.kind) for each in report.tampering][:1] == [("inserted", "checkpoint")]
        assert not report.sealed
    assert verify_chain(store, own=own, named=[forger.key_id]).whole, "who names a key has compared it"


def test_a_key_that_others_can_read_is_not_used(tmp_path: Path) -> None:
    ring = ring_in(tmp_path)
    (path,) = (tmp_path / "keys").glob("*.key")
    path.chmod(0o644)
    with pytest.raises(KeyUnreadable, match="chmod 600"):
        ring.current()
