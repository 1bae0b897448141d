"""Holes in what a device sends, and silence."""

from __future__ import annotations

import pytest

from tests.audit.case import DEALER, Case, judge_both, settled_round
from tests.oracle.script import to_lines

CAMERA = "/tables/BT1/camera"


def test_a_hole_between_two_events_is_one_gap_however_wide() -> None:
    case = Case().round()
    for at in (30_000, 31_000, 32_000, 33_000):
        case.beat(at, CAMERA)
    events = case.events()
    camera = [event for event in events if event["source"] == CAMERA]
    found = judge_both(to_lines([event for event in events if event not in camera[1:3]]))
    assert [each["code"] for each in found["findings"]] == ["device-gap"]
    assert found["verdicts"][0]["status"] == "verified"


def test_the_first_number_seen_is_the_start_and_what_comes_after_the_last_is_unknown() -> None:
    case = settled_round()
    assert case.all_codes(lost="table.configured", which=0) == ["round-incomplete"]  # no gap before the first
    assert case.all_codes(lost="round.closed") == ["round-incomplete"]  # no gap after the last


def test_a_rejected_event_fills_its_place() -> None:
    case = Case().round().beat(30_000, CAMERA).beat(31_000, CAMERA).beat(32_000, CAMERA)
    events = case.events()
    [_, spoilt, _] = [event for event in events if event["source"] == CAMERA]
    spoilt["data"] = {"device_time": "noon"}
    assert [each["code"] for each in judge_both(to_lines(events))["findings"]] == ["event-rejected"]


@pytest.mark.parametrize(
    ("beats", "silent"), [([0], 1), ([1], 0), ([0, 30_000], 0), ([], 0), ([0, 90_000], 1), ([0, 60_001], 0)]
)
def test_silent_when_another_source_speaks_more_than_a_minute_later(beats: list[int], silent: int) -> None:
    case = Case().round()
    for at in beats:
        case.beat(at, CAMERA)
    case.rule(59_001, "stands", "5.6")  # the round opened at 1 s: 60.001 s after the first heartbeat
    assert case.all_codes() == ["device-silent"] * silent


def test_a_source_that_never_sent_heartbeats_is_never_silent() -> None:
    case = settled_round()
    for _ in range(3):
        case.round()
    assert case.all_codes() == []


def test_any_event_of_the_source_ends_its_silence() -> None:
    case = Case().round().beat(500, DEALER)
    assert case.round().round().all_codes() == []  # the dealer's announcements are never a minute apart


def test_each_silence_is_a_finding() -> None:
    case = Case().beat(0, CAMERA)
    case.round().round().round()
    case.beat(100_000, CAMERA)
    assert case.all_codes() == ["device-silent", "device-silent"]
