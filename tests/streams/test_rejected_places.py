"""Rejected events at a table that is let go of, taken over and read again: nothing is hidden, or told, by mistake."""

from collections.abc import Callable

import pytest

from replay.verify import verify
from store.connect import Store
from store.read.rounds import RoundFilter
from tests.audit.troubled import troubled
from tests.streams.parts import killed, play_parts
from tests.streams.simulated_time import Scene


@pytest.mark.parametrize("between", [lambda _: None, killed], ids=["the-same-worker", "the-next-worker"])
@pytest.mark.parametrize("seed", range(6))
def test_what_rejected_events_may_hide_is_judged_as_an_audit_judges_it(
    store: Store, seed: int, between: Callable[[Scene], None]
) -> None:
    events = troubled(seed, shoes=3)
    third = len(events) // 3
    play_parts(store, [events[:third], events[third : 2 * third], events[2 * third :]], between)
    assert verify(store).deviating == []
    for shoe in ("S1", "S2", "S3"):
        assert verify(store, RoundFilter(shoe=shoe)).deviating == [], "by a shoe, and how its table stood before"
