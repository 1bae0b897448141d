"""The number of decks in a shoe."""

from __future__ import annotations

import pytest

from tests.audit.case import ALL, DT, DTB, EB, FF4, SE, TABLE, Case
from tests.oracle.script import say


@pytest.mark.parametrize("game", ALL)
@pytest.mark.parametrize("decks", [3, 4, 8, 9, 10, 11])
def test_2_1_four_to_ten_decks_in_dragon_tiger_four_to_eight(game: str, decks: int) -> None:
    """DTB, FF4, SE, DT, EB 2.1"""
    case = Case(game, decks).round()
    allowed = 4 <= decks <= (8 if game == DT else 10)
    assert case.all_codes() == ([] if allowed else ["decks-not-allowed"])
    assert case.verdict()["status"] == "verified"  # about the shoe: it does not touch the round


@pytest.mark.parametrize("game", [DTB, FF4, SE, EB])
def test_2_1_a_shoe_loaded_before_the_table_is_known_goes_by_its_first_round(game: str) -> None:
    """DTB, FF4, SE, EB 2.1"""
    case = Case(game, 11).round()
    case.said[0]["at"] = 500  # configured after the loading, before the round
    assert case.all_codes() == ["decks-not-allowed"]


def test_2_1_a_shoe_without_a_game_is_not_judged() -> None:
    case = Case(DTB, 11).without("table.configured")
    assert case.all_codes() == []
    case.said.append(say(TABLE, 50, "table.configured", **case.config))
    assert case.all_codes() == ["decks-not-allowed"]
