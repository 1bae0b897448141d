"""Device clocks, by their heartbeats."""

from __future__ import annotations

import pytest

from tests.audit.case import Case

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
