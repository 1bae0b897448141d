"""The dealing method."""

from __future__ import annotations

import pytest

from tests.audit.case import CLOSING, DT, DTB, EB, FF4, SE, Case


@pytest.mark.parametrize("game", [DTB, FF4])
@pytest.mark.parametrize(
    ("area", "method", "wrong"),
    [("main", "A", 0), ("main", "B", 0), ("main", "C", 1), ("hlga", "A", 0), ("hlga", "C", 0), ("main", None, 0)],
)
def test_dtb_3_9_2_method_c_in_the_hlga_alone(game: str, area: str, method: str | None, wrong: int) -> None:
    """DTB 3.9; FF4 3.8, 3.8.2"""
    assert Case(game, area=area).round(method=method).codes() == ["method-not-allowed"] * wrong


@pytest.mark.parametrize("game", [SE, DT, EB])
@pytest.mark.parametrize("method", ["A", "B", "C", None])
def test_other_games_have_no_methods(game: str, method: str | None) -> None:
    assert Case(game, area="hlga").round(method=method).codes() == ["method-not-allowed"] * (method is not None)


@pytest.mark.parametrize(
    ("first", "second", "found"), [("A", "B", 1), ("A", "A", 0), (None, "A", 0), ("A", None, 0), ("C", "B", 2)]
)
def test_dtb_3_9_2_the_method_does_not_change_in_the_course_of_a_round(
    first: str | None, second: str | None, found: int
) -> None:
    """FF4 3.8.2: it is chosen before a round"""
    case = Case().round(method=first).rule(CLOSING + 1_000, "device-reset", "5.9")
    case.tell(CLOSING + 3_000, "round.opened", method=second).tell(CLOSING + 6_000, "bets.closed")
    assert case.codes() == ["method-not-allowed"] * found
    assert Case().round(method="A").round(method="B").codes() == []
