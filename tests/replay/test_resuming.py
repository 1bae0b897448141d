"""A sealer goes on with what the one before it held, as one does that has read everything, and with nothing else."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from replay.chain import seal
from replay.chain.keys import KeyRing
from replay.chain.resuming import InHand, keep, kept
from replay.chain.seal import ChainBroken, Sealer
from replay.chain.tree import TreeIncomplete
from replay.chain.verify import verify_chain
from store.connect import Store
from store.read.proof import leaves
from store.rows.proof import AccessEntry
from store.write.proof import write_access
from tests.replay.commands import typed
from tests.replay.evidence import LATER, NOW, fill_evening, ring_in
from tests.replay.stored import mutate


def _look(store: Store, number: int) -> None:
    entry = AccessEntry(id=f"look{number}", at=(NOW + number) * 1000, who="otto", role="", action="replay")
    write_access(store, [entry])


@pytest.fixture
def held(store: Store, ring: KeyRing) -> InHand:
    """What a sealer held after its first checkpoint; another one has made two more since."""
    fill_evening(store)
    first = Sealer(store, ring, lambda: NOW)
    assert first.seal() is not None and first.in_hand is not None
    held = replace(first.in_hand, heads=dict(first.in_hand.heads), marks=dict(first.in_hand.marks))
    for number in (1, 2):
        _look(store, number)
        assert Sealer(store, ring, lambda number=number: NOW + 1_000 * number).seal() is not None  # type: ignore[misc]
    return held


def _noted(asked: list[str], name: str, read: Callable[..., Any]) -> Callable[..., Any]:
    def reading(*given: Any) -> Any:
        asked.append(name)
        return read(*given)

    return reading


@pytest.fixture
def whole_reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What a sealer reads over all that was ever sealed."""
    asked: list[str] = []
    for name in ("chain_heads", "record_marks"):
        monkeypatch.setattr(seal, name, _noted(asked, name, getattr(seal, name)))
    return asked


def test_it_goes_on_as_one_that_has_read_everything(
    store: Store, ring: KeyRing, held: InHand, whole_reads: list[str]
) -> None:
    by_reading = Sealer(store, ring, lambda: LATER)
    assert whole_reads == ["chain_heads", "record_marks"]
    resumed = Sealer(store, ring, lambda: LATER, before=held)
    assert len(whole_reads) == 2
    assert resumed.in_hand == by_reading.in_hand
    assert resumed.in_hand is not None and resumed.in_hand.marks and resumed.in_hand.heads
    _look(store, 3)
    assert resumed.seal() is not None
    assert verify_chain(store).whole


def test_what_is_kept_comes_back_and_what_cannot_be_read_is_nothing(held: InHand, tmp_path: Path) -> None:
    file = tmp_path / "sealer.json"
    assert kept(file) is None
    keep(file, held)
    keep(file, held)
    assert kept(file) == held
    assert [each.name for each in tmp_path.iterdir() if each.is_file()] == ["sealer.json"]
    whole = file.read_bytes()
    for spoiled in (b"", b"{}", b"[1]", b"null", whole[:-9], whole.replace(b'"size":', b'"size":"x",'), b"\xff"):
        file.write_bytes(spoiled)
        assert kept(file) is None


@pytest.mark.parametrize(
    "changed",
    [
        {"root": bytes(32)},
        {"size": 3},
        {"size": 10_000},
        {"tree": "other"},
        {"heads": {}},
        {"heads": {"BT1": bytes(32)}},
    ],
)
def test_what_is_not_of_a_checkpoint_of_the_store_is_not_gone_by(
    store: Store, ring: KeyRing, held: InHand, whole_reads: list[str], changed: dict[str, Any]
) -> None:
    resumed = Sealer(store, ring, lambda: LATER, before=replace(held, **changed))
    assert whole_reads == ["chain_heads", "record_marks"]
    _look(store, 3)
    assert resumed.seal() is not None
    assert verify_chain(store).whole


def test_of_another_store_it_is_not_gone_by(
    store: Store, own_store: Store, held: InHand, whole_reads: list[str], tmp_path: Path
) -> None:
    strange = ring_in(tmp_path / "strange")
    fill_evening(own_store)
    _look(own_store, 9)
    assert Sealer(own_store, strange, lambda: NOW).seal() is not None
    whole_reads.clear()
    Sealer(own_store, strange, lambda: LATER, before=held)
    assert whole_reads == ["chain_heads", "record_marks"]


def test_leaves_that_were_changed_since_are_still_noticed(store: Store, ring: KeyRing, held: InHand) -> None:
    last = list(leaves(store, "main"))[-1].position
    mutate(store, f"ALTER TABLE leaves UPDATE table = 'BT1', chain = unhex(repeat('0', 64)) WHERE position = {last}")
    with pytest.raises(ChainBroken, match="heads of the tables' chains"):
        Sealer(store, ring, lambda: LATER, before=held)
    mutate(store, f"ALTER TABLE leaves DELETE WHERE position = {last}")
    with pytest.raises(TreeIncomplete):
        Sealer(store, ring, lambda: LATER, before=held)


def test_the_commands_keep_it_and_go_by_it(floor: str, tmp_path: Path, whole_reads: list[str]) -> None:
    typed("keys", "make")
    assert typed("chain", "checkpoint").exit_code == 0
    first = kept(tmp_path / "data" / "sealer.json")
    assert first is not None and len(whole_reads) == 2
    typed("replay", "show", floor)
    assert typed("chain", "checkpoint").exit_code == 0
    second = kept(tmp_path / "data" / "sealer.json")
    assert second is not None and second.size > first.size and len(whole_reads) == 2
    assert typed("replay", "verify", "--chain").exit_code == 0


def test_where_it_cannot_be_kept_the_checkpoint_counts_all_the_same(floor: str, tmp_path: Path) -> None:
    typed("keys", "make")
    (tmp_path / "data" / "sealer.json").mkdir()
    assert typed("chain", "checkpoint").exit_code == 0
    assert typed("replay", "verify", "--chain").exit_code == 0
