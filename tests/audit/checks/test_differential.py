"""The table differential."""

from __future__ import annotations

import pytest

from tests.audit.case import CARDS, CLOSING, DT, DTB, EB, FF4, FIRST_CARD, SE, Case

CLOSED_OVER = {"b1": ("player", 3_000), "b2": ("banker", 1_000)}


def over(game: str = DTB, limit: int | None = 1_000) -> Case:
    """2,000 more on Player than on Banker, at a table that allows 1,000; the round ends in a tie."""
    tie = ["4G", "4E", "5G", "5E"] if game in (FF4, SE) else ["4H", "4S", "5H", "5S"]
    return Case(game, differential_limit=limit).round(tie, CLOSED_OVER, {"b1": (0, 0), "b2": (0, 0)})


@pytest.mark.parametrize("game", [DTB, FF4])
@pytest.mark.parametrize(("limit", "found"), [(2_000, 0), (1_999, 1), (None, 0)])
def test_dtb_5_18_the_differential_may_reach_its_limit(game: str, limit: int | None, found: int) -> None:
    """DTB 1.1.12; FF4 1.1.11, 5.18"""
    case = over(game, limit)
    assert case.codes() == ["differential-exceeded"] * found
    assert case.verdict()["differential"] == {"closing": 2_000, "first_card": 2_000, "limit": limit}


def test_dtb_1_1_12_side_wagers_do_not_count_and_either_hand_may_be_heavier() -> None:
    case = over().bet(3_000, "b3", "tie", 9_000).settle("b3", 72_000, 0)
    assert case.verdict()["differential"]["closing"] == 2_000
    case.bet(3_000, "b4", "banker", 5_000).settle("b4", 0, 0)
    assert case.verdict()["differential"]["closing"] == 3_000
    assert case.codes() == ["differential-exceeded"]


@pytest.mark.parametrize("game", [SE, DT, EB])
def test_elsewhere_the_limit_is_ignored(game: str) -> None:
    hand = "dragon" if game == DT else "player"
    case = Case(game, differential_limit=0).round(CARDS[game], {"b1": (hand, 5_000)}, {"b1": (5_000, 0)})
    assert (case.judged(), case.verdict()["differential"]) == (("verified", []), None)


def test_dtb_5_18_1_decreases_bring_it_back() -> None:
    """FF4 5.18.1"""
    case = over().rule(CLOSING + 1_000, "withdrawal-offered", "5.18.1", "dealer")
    case.change(CLOSING + 4_000, "b1", 2_000)
    assert case.codes() == []
    assert case.verdict()["differential"] == {"closing": 2_000, "first_card": 1_000, "limit": 1_000}


@pytest.mark.parametrize("new", [False, True])
def test_dtb_5_18_2_increases_on_the_lighter_hand_bring_it_back(new: bool) -> None:
    """FF4 5.18.2"""
    case = over()
    if new:
        case.bet(CLOSING + 4_000, "b3", "banker", 1_000).settle("b3", 0, 0)
    else:
        case.change(CLOSING + 4_000, "b2", 2_000)
    assert case.codes() == []
    assert case.verdict()["differential"]["first_card"] == 1_000


def test_dtb_5_18_3_removed_wagers_bring_it_back() -> None:
    """FF4 5.18.3"""
    case = over().rule(CLOSING + 4_000, "bets-removed", "5.18.3", "pit_manager", bets=["b1"])
    assert case.codes() == []
    assert (case.stake("b1"), case.verdict()["differential"]["first_card"]) == (0, 1_000)


@pytest.mark.parametrize(("at", "bet", "amount"), [(CLOSING + 4_000, "b1", 3_100), (FIRST_CARD + 2_000, "b2", 2_000)])
def test_dtb_5_18_2_not_on_the_heavier_hand_nor_after_the_first_card(at: int, bet: str, amount: int) -> None:
    case = over().change(at, bet, amount)
    assert case.codes() == ["differential-exceeded", "late-bet"]
    assert case.verdict()["differential"] == {"closing": 2_000, "first_card": 2_000, "limit": 1_000}


def test_dtb_5_18_2_what_was_added_may_be_taken_back_before_the_first_card() -> None:
    case = over().change(CLOSING + 3_000, "b2", 2_000).change(CLOSING + 5_000, "b2", 1_000)
    assert case.codes() == ["differential-exceeded"]
    assert case.stake("b2") == 1_000


def test_dtb_5_18_within_the_limit_nothing_may_be_added() -> None:
    case = over(limit=2_000).change(CLOSING + 4_000, "b2", 2_000)
    assert case.codes() == ["late-bet"]


def test_it_is_judged_at_the_first_card_and_told_at_the_closing() -> None:
    case = over()
    for _ in range(4):
        case.without("card.drawn")
    case.incident("foreign-card").rule(31_000, "void", "5.1.1")
    assert case.judged() == ("void", [])
    assert case.verdict()["differential"] == {"closing": 2_000, "first_card": None, "limit": 1_000}
