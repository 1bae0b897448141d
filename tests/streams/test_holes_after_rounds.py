"""A hole that shows, or an opening that comes, long after a round: what was found of the round is judged again."""

from collections.abc import Callable

import pytest

from store.connect import Store
from tests.audit.case import RFID, Case, unsettled_round
from tests.streams.parts import Events, killed, play_parts, split
from tests.streams.simulated_time import Scene

A_BREAK = 600_000
"""Milliseconds; a round is let go of long before."""


def _not_settled_then_a_break() -> Case:
    case = unsettled_round()
    case.opened += A_BREAK
    return case


def _lost_in_the_break() -> tuple[Events, str]:
    """What the bet sensor said in the break is lost; the events that came, and when the next round was opened."""
    case = _not_settled_then_a_break().beat(300_000, RFID).round(bets={"b2": ("player", 100)}, settled={"b2": (100, 0)})
    events = case.events()
    events.remove(next(event for event in events if event["type"] == "device.heartbeat.v1"))
    return events, [event["time"] for event in events if event["type"] == "round.opened.v1"][-1]


@pytest.mark.parametrize("between", [lambda _: None, killed], ids=["the-same-worker", "the-next-worker"])
def test_a_hole_that_shows_after_a_break_excuses_what_was_missing(
    store: Store, between: Callable[[Scene], None]
) -> None:
    events, opened = _lost_in_the_break()
    parts = split(events, lambda event: bool(event["time"] < opened))
    assert play_parts(store, parts, between) == [["payout-missing"], ["round-incomplete"]]


@pytest.mark.parametrize("between", [lambda _: None, killed], ids=["the-same-worker", "the-next-worker"])
def test_a_hole_behind_the_next_opening_excuses_nothing_though_it_shows_before(
    store: Store, between: Callable[[Scene], None]
) -> None:
    """The bet sensor is heard first: until the next opening comes, the hole could be in the round's time."""
    case = _not_settled_then_a_break().round(bets={"b2": ("player", 100)}, settled={"b2": (100, 0)})
    case.round(bets={"b3": ("player", 100)}, settled={"b3": (100, 0)})
    events = case.events()
    placed = [event for event in events if event["type"] == "bet.placed.v1"]
    events.remove(placed[-1])
    opened = [event["time"] for event in events if event["type"] == "round.opened.v1"][1]
    # The sensor has spoken between the next opening and the hole.
    assert opened < placed[1]["time"] < placed[2]["time"]
    parts = split(events, lambda event: bool(event["time"] < opened) or event["source"] == RFID)
    assert play_parts(store, parts, between) == [["round-incomplete"], ["payout-missing"]]


def test_an_opening_that_comes_late_moves_the_end_of_the_round_before(store: Store) -> None:
    """Of a round without an end: what came after the next opening is out of order, also where that was read last."""
    case = Case().round(bets={"b1": ("player", 100)}, settled={"b1": (100, 0)}).without("round.closed")
    case.settle("b1", 100, 0, at=75_000)
    case.round(bets={"b2": ("player", 100)}, settled={"b2": (100, 0)})
    case.round(bets={"b3": ("player", 100)}, settled={"b3": (100, 0)})
    events = case.events()
    second = [event for event in events if event["type"] == "round.opened.v1"][1]
    parts = split(events, lambda event: event is not second)
    revised = play_parts(store, parts)
    assert "round-out-of-order" in revised[-1] and revised[0] != revised[-1]
