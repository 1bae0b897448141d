"""Checkpoints are read a few at a time; what is asked of the last ones is answered as all of them would answer it."""

import random
from collections import Counter
from dataclasses import replace

import pytest

from replay.chain.lateness import open_since
from store.connect import Store
from store.read.checkpoints import (
    checkpoints,
    each_checkpoint,
    first_checkpoint,
    first_of_each_key,
    last_checkpoint_ms,
    last_checkpoints,
    last_times,
    signed_size,
    signers,
)
from store.rows.proof import Checkpoint
from store.write.proof import write_checkpoints
from tests.store.floor import ARRIVAL


def made(size: int, at: int | None = None, key: str = "k1", said: str = "one") -> Checkpoint:
    """A checkpoint; nobody looks at its signature here."""
    return Checkpoint(
        tree="main", size=size, root=bytes([size % 256]) * 32, at=ARRIVAL + (size if at is None else at), key_id=key,
        signature=b"\x00\xff" * 32, note=f"main\n{size}\né\nkey {said}\nprevious 0\n",
    )  # fmt: skip


@pytest.fixture
def written(store: Store) -> list[Checkpoint]:
    """Four, of which two were written twice, and one of another tree."""
    four = [made(size) for size in (5, 9, 14, 20)]
    write_checkpoints(store, four)
    write_checkpoints(store, four[2:])
    write_checkpoints(store, [replace(made(99), tree="other")])
    return four


def test_checkpoints_come_in_order_each_once(store: Store, written: list[Checkpoint]) -> None:
    assert checkpoints(store, "main") == list(each_checkpoint(store, "main")) == written
    assert checkpoints(store, "main", 6, 14) == written[1:3]
    assert list(each_checkpoint(store, "main", 10)) == written[2:]


def test_the_first_checkpoint_that_covers_a_leaf_is_found(store: Store, written: list[Checkpoint]) -> None:
    assert first_checkpoint(store, "main", 6) == first_checkpoint(store, "main", 9) == written[1]
    assert first_checkpoint(store, "main", 21) is None


def test_the_last_checkpoints_are_found_though_some_were_written_twice(store: Store, written: list[Checkpoint]) -> None:
    assert last_checkpoints(store, "main") == written[3:]
    assert last_checkpoints(store, "main", 3) == written[1:]
    assert last_checkpoints(store, "main", 9) == written
    assert last_checkpoints(store, "main", before=written[2].at) == [written[1]]
    assert last_checkpoints(store, "main", before=written[0].at) == []
    assert signed_size(store, "main") == 20
    assert last_checkpoint_ms(store, "main") == written[3].at


def test_of_two_checkpoints_of_as_many_leaves_the_later_one_is_the_last(store: Store) -> None:
    both = [made(7), replace(made(7, at=9), root=b"\xee" * 32)]
    write_checkpoints(store, both)
    assert last_checkpoints(store, "main") == both[1:]
    assert last_checkpoints(store, "main", 2) == both
    assert last_checkpoints(store, "main", before=both[1].at) == both[:1]
    assert first_checkpoint(store, "main", 1) == both[0]


def test_where_nothing_is_sealed_there_is_none(store: Store) -> None:
    assert last_checkpoints(store, "main") == last_times(store, "main", 10) == first_of_each_key(store, "main") == []
    assert first_checkpoint(store, "main", 0) is last_checkpoint_ms(store, "main") is None
    assert signed_size(store, "main") == 0
    assert signers(store, "main") == Counter()


def test_what_may_still_be_sealed_is_the_same_by_the_last_times_as_by_all(store: Store) -> None:
    rng = random.Random(4)
    grace, sealed, at = 100, list[int](), 0
    for number in range(1, 60):
        # Some pauses are longer than the grace, some are as long.
        at += rng.choice((1, 20, 60, grace, grace + 1, 3 * grace))
        write_checkpoints(store, [made(number, at=at)])
        sealed.append(ARRIVAL + at)
        last = last_times(store, "main", grace)
        assert last == sealed[-len(last) :]
        for now in (sealed[-1], sealed[-1] + grace, sealed[-1] + grace + 1):
            assert open_since(last, now, grace) == open_since(sealed, now, grace)
    assert len(last_times(store, "main", grace)) < 20


def test_a_key_is_found_behind_a_checkpoint_that_was_put_in_under_its_name(store: Store) -> None:
    forged, ours, later, another = made(3, said="forged"), made(5), made(9), made(14, key="k2", said="two")
    write_checkpoints(store, [forged, ours, later, another])
    assert first_of_each_key(store, "main") == [forged, ours, another]
    assert list(signers(store, "main").items()) == [("k1", 3), ("k2", 1)]
