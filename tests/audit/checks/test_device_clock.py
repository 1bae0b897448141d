"""Device clocks, by their heartbeats."""

from __future__ import annotations

from typing import Any

import pytest

from tests.audit.case import CLOSED, RFID, ROUND_LENGTH, Case, judge_both, settled_round
from tests.oracle.script import clock, to_lines

CAMERA = "/tables/BT1/camera"


@pytest.mark.parametrize(("offset", "wrong"), [(0, 0), (2_000, 0), (-2_000, 0), (2_001, 1), (-2_001, 1)])
def test_a_heartbeat_may_differ_by_two_seconds(offset: int, wrong: int) -> None:
    case = Case().round().beat(5_000, CAMERA, offset).beat(40_000, CAMERA)
    assert case.all_codes() == ["device-clock"] * wrong
    assert case.verdict()["status"] == "verified"


def test_an_episode_is_one_finding_and_lasts_until_a_heartbeat_is_right() -> None:
    case = Case().round()
    for place, offset in enumerate([0, 2_000, 2_001, -2_001, 5_000, 0, 3_000]):
        case.beat(1_000 + 5_000 * place, CAMERA, offset)
    assert case.all_codes() == ["device-clock", "device-clock"]


def test_each_source_has_its_own_episode() -> None:
    case = Case().round().beat(5_000, CAMERA, 9_000).beat(6_000, "/tables/BT1/display", 9_000)
    assert case.all_codes() == ["device-clock", "device-clock"]


def _one_heartbeat_ahead(goes_on_as: str) -> dict[str, Any]:
    """What is found where the RFID says between the third of eight rounds by the rules and the fourth that it is three
    rounds later, and goes on by the right time, under this name."""
    case = settled_round()
    for name in range(2, 9):
        case.round(bets={f"b{name}": ("player", 100)}, settled={f"b{name}": (100, 0)})
        if name == 3:
            case.beat(case.opened + CLOSED, RFID)
    events = case.events()
    beat = next(event for event in events if event["type"] == "device.heartbeat.v1")
    for event in events:
        if event["source"] == RFID and event["sequence"] > beat["sequence"] and goes_on_as != RFID:
            event["source"] = goes_on_as
            event["sequence"] -= beat["sequence"]
    beat["time"] = beat["data"]["device_time"] = clock(case.opened - ROUND_LENGTH)
    return judge_both(to_lines(events))


def test_what_a_source_says_after_a_time_ahead_counts_as_said_at_that_time() -> None:
    found = _one_heartbeat_ahead(RFID)
    assert {"late-bet", "payout-unexpected"} <= {each["code"] for each in found["findings"]}


def test_a_device_whose_clock_was_ahead_is_judged_right_under_a_new_source() -> None:
    found = _one_heartbeat_ahead(RFID + "-2")
    assert [verdict["status"] for verdict in found["verdicts"]] == ["verified"] * 8
    # The old name, which sends no more: once before the time ahead, once when the table has passed that time.
    assert {(each["code"], each["message"].split()[0]) for each in found["findings"]} == {("device-silent", RFID)}
