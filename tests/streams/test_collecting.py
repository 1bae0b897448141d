"""Cycles are looked for seldom, and seldomer still over a backlog."""

import gc
from collections.abc import Iterator

import pytest

from streams.collecting import OVER_A_BACKLOG, THRESHOLDS, collect_for, collect_seldom


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)
    gc.unfreeze()


def test_a_backlog_is_not_looked_through_when_it_is_over() -> None:
    collect_seldom()
    collect_for(catching_up=True)
    assert gc.get_threshold() == OVER_A_BACKLOG
    looks: list[str] = []

    def note(phase: str, _: dict[str, int]) -> None:
        looks.append(phase)

    gc.callbacks.append(note)
    try:
        held = [[number] for number in range(3 * THRESHOLDS[0])]
        collect_for(catching_up=False)
        after = [[number] for number in range(THRESHOLDS[0] // 2)]
    finally:
        gc.callbacks.remove(note)
    assert gc.get_threshold() == THRESHOLDS
    assert gc.get_freeze_count() >= len(held) > len(after)
    assert looks == []


def test_nothing_is_frozen_where_nothing_changes() -> None:
    collect_seldom()
    frozen = gc.get_freeze_count()
    held = [[number] for number in range(1_000)]
    collect_for(catching_up=False)
    # What was frozen before may go meanwhile.
    assert gc.get_freeze_count() <= frozen
    assert held
