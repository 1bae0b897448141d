"""Wagers and positions that the game or the table has not."""

from __future__ import annotations

import pytest

from tests.audit.case import ALL, BANKER_WINS, DTB, FF4, MAIN, Case, settled_round
from tests.oracle.rules import ALL_WAGERS, GAMES, WAGERS

TWO_CARDS = ["9H", "2S"]


@pytest.mark.parametrize("game", GAMES)
def test_3_5_every_wager_of_the_game_is_offered_and_no_other(game: str) -> None:
    """DTB 2.2 to 2.2.8; FF4 2.2 to 2.2.5; SE 2.2 to 2.2.5; DT 2.2 to 2.2.4; EB 2.2, 4.5, 4.6, 4.9, 4.10
    DTB, FF4, SE 3.5; DT 3.3
    """
    bets = {wager: (wager, 100) for wager in sorted(ALL_WAGERS)}
    cards = {"dragon_tiger": TWO_CARDS}.get(game)
    if game in (FF4, "sands_elements_no_commission"):
        cards = ["4G", "2E", "5G", "LE"]
    found = Case(game).round(cards, bets).verdict()["findings"]
    named = {each["bet"] for each in found if each["code"] == "wager-not-offered"}
    assert named == ALL_WAGERS - set(WAGERS[game])


def test_dtb_3_5_a_wager_that_the_table_keeps_back_settles_by_the_paytable() -> None:
    case = Case(limits={"player": {"min": 1, "max": 1_000}})
    case.round(BANKER_WINS, {"b1": ("banker", 200)}, {"b1": (190, 0)})
    assert case.judged() == ("flagged", ["wager-not-offered"])
    assert case.bets()["b1"]["expected"] == {"paid": 190, "collected": 0}


def test_dtb_3_5_a_wager_of_the_table_that_the_game_has_not_is_not_offered() -> None:
    limits = {"tiger_tie": {"min": 1, "max": 1_000}}
    case = Case(limits=limits).round(bets={"b1": ("tiger_tie", 200)}, settled={"b1": (0, 0)})
    assert case.judged() == ("flagged", ["wager-not-offered"])


@pytest.mark.parametrize("game", ALL)
@pytest.mark.parametrize(("position", "wrong"), [(7, 0), (8, 1)])
def test_a_position_that_the_layout_has_not(game: str, position: int, wrong: int) -> None:
    """DTB, FF4 Appendix"""
    case = Case(game).round(bets={"b1": (MAIN[game], 100)}, settled={"b1": (100, 0)}, position=position)
    assert case.codes() == ["position-not-on-layout"] * wrong
    assert case.stake() == 100  # it stands and is settled


def test_a_bet_that_was_withdrawn_or_refused_is_named_too() -> None:
    case = settled_round(DTB).bet(2_000, "b2", "tiger_tie", position=9).withdraw(4_000, "b2")
    assert case.codes() == ["position-not-on-layout", "wager-not-offered"]
