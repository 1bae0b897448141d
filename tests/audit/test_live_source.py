"""One source of a live table: in whatever order and pieces its events come, it stands as if all had come in order."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audit.devices import follow
from audit.facts import Fact
from audit.filled import RejectedPlace
from audit.live.source import LiveSource, Pause
from audit.settings import JudgeSettings
from schemas.decoding import decode_lines
from schemas.records import AnyEvent
from schemas.time import micros
from simulator.floor import simulate

SETTINGS = JudgeSettings()


def _events_of(name: str) -> list[AnyEvent]:
    """What one device of a table says over some rounds."""
    decoded = decode_lines(list(simulate(1, 12, 3)))
    events = [event for event in decoded.events if event.source.endswith(f"/{name}")]
    return sorted(events, key=lambda event: event.sequence)


RFID = _events_of("rfid")
"""It speaks on two topics: of bets, and of what is paid."""


def _settle(source: LiveSource) -> list[Fact]:
    """What a table does with its sources before it looks at them."""
    came = source.go_on() if source.tangled else []
    return came + (source.untangle().came if source.tangled else [])


def _state(source: LiveSource) -> tuple[list[Fact], list[object], list[Pause], object, int]:
    device = source.device
    return device.facts, [device.lacking, device.obscured, device.types], source.pauses, source.clock(), source.latest


@settings(max_examples=60, deadline=None)
@given(dice=st.integers(0, 2**32).map(Random))
def test_a_source_stands_the_same_in_whatever_order_its_events_come(dice: Random) -> None:
    events = RFID[: dice.randrange(2, 160)]
    lost = set(dice.sample(range(len(events)), dice.choice([0, 0, 1, 3]) % len(events)))
    rejected = {place for place in lost if dice.random() < 0.5}
    kept = [event for place, event in enumerate(events) if place not in lost]
    reach = dice.choice([1, 4, 40, 400])
    order = sorted(range(len(kept)), key=lambda place: place + dice.random() * reach)
    source = LiveSource("BT1", RFID[0].source, SETTINGS)
    for place in sorted(rejected):
        source.reject(RejectedPlace(RFID[0].source, events[place].sequence, events[place].type))
    taken: list[Fact] = []
    for place in order:
        fact = source.take(kept[place], micros(kept[place].time))
        taken += [] if fact is None else [fact]
        if dice.random() < 0.1:
            taken += _settle(source)
    taken += _settle(source)
    device = follow(RFID[0].source, kept, source.rejected)
    assert (source.device.facts, source.device.lacking, source.device.obscured) == (
        device.facts,
        device.lacking,
        device.obscured,
    )
    assert {fact.id for fact in taken} == {event.id for event in kept}
    source.tangle()
    before = _state(source)
    source.untangle()
    assert _state(source) == before, "following it anew finds nothing else"


@pytest.mark.parametrize("together", [1, 7, 50])
def test_what_one_topic_brings_early_is_taken_in_its_turn_without_following_all_anew(together: int) -> None:
    source = LiveSource("BT1", RFID[0].source, SETTINGS)
    paid = [event for event in RFID if event.type == "bet.settled.v1"]
    first = paid[0].sequence - RFID[0].sequence
    for event in RFID[:first]:
        assert source.take(event, micros(event.time)) is not None
    early = RFID[first + together : first + 2 * together]
    for event in early:
        assert source.take(event, micros(event.time)) is None
    assert source.go_on() == [], "something is missing before them"
    assert source.tangled
    missing = RFID[first : first + together]
    for event in missing:
        assert source.take(event, micros(event.time)) is None
    assert [fact.event for fact in source.go_on()] == [*missing, *early]
    assert not source.tangled
    following = RFID[first + 2 * together]
    assert source.take(following, micros(following.time)) is not None
