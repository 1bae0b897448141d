"""Minimum and maximum of each wager."""

from __future__ import annotations

import pytest

from tests.audit.case import ALL, DTB, FF4, MAIN, TABLE, TIE, Case
from tests.oracle.script import say

CAPPED = [DTB, FF4]


@pytest.mark.parametrize("game", ALL)
@pytest.mark.parametrize(
    ("amount", "code"), [(99, ["below-minimum"]), (100, []), (10_000, []), (10_001, ["above-maximum"])]
)
def test_3_5_1_each_wager_within_its_limits(game: str, amount: int, code: list[str]) -> None:
    """DTB, FF4 3.5.1; EB 2.2; elsewhere as shown (reading A-35)"""
    paid = min(amount, 10_000) if game in CAPPED else amount
    case = Case(game).round(bets={"b1": (MAIN[game], amount)}, settled={"b1": (paid, 0)})
    assert case.codes() == code
    assert case.stake() == amount  # not capped by the maximum


@pytest.mark.parametrize("game", CAPPED)
def test_dtb_5_15_over_the_maximum_is_paid_to_the_maximum(game: str) -> None:
    """FF4 5.15"""
    case = Case(game).round(bets={"b1": ("player", 12_000)}, settled={"b1": (12_000, 0)})
    assert case.codes() == ["above-maximum", "payout-wrong"]
    assert case.bets()["b1"]["expected"] == {"paid": 10_000, "collected": 0}


@pytest.mark.parametrize("game", CAPPED)
def test_dtb_5_15_over_the_maximum_is_collected_to_the_maximum(game: str) -> None:
    """FF4 5.15"""
    case = Case(game).round(bets={"b1": ("banker", 12_000)}, settled={"b1": (0, 10_000)})
    assert case.codes() == ["above-maximum"]
    assert case.bets()["b1"]["expected"] == {"paid": 0, "collected": 10_000}


@pytest.mark.parametrize("game", CAPPED)
def test_dtb_5_14_under_the_minimum_is_settled_once_and_then_returned(game: str) -> None:
    """FF4 5.14"""
    small = {"b1": ("player", 50)}
    case = Case(game).round(bets=small, settled={"b1": (50, 0)})
    assert case.codes() == ["below-minimum"]
    case.round(bets=small, settled={"b1": (50, 0)})
    assert case.codes() == ["below-minimum", "payout-wrong"]
    case.round(bets=small, settled={"b1": (0, 0)})
    assert case.codes() == ["below-minimum"]
    assert case.bets()["b1"] | {"actual": None} == {
        "bet": "b1", "position": 1, "player": "ann", "wager": "player", "stake": 50,
        "expected": {"paid": 0, "collected": 0}, "actual": None,
    }  # fmt: skip


def test_dtb_5_14_across_shoes_and_by_position_where_the_player_is_not_known() -> None:
    case = Case().round(bets={"b1": ("player", 50)}, settled={"b1": (50, 0)}).load("S2")
    assert case.round(bets={"b1": ("player", 50)}, settled={"b1": (0, 0)}).codes() == ["below-minimum"]
    for who in ({"player": "ben"}, {"player": None}, {"player": None, "position": 2}):
        case.round(None, {"b1": ("player", 50)}, {"b1": (50, 0)}, **who)
        assert case.codes() == ["below-minimum"]
        case.round(None, {"b1": ("player", 50)}, {"b1": (0, 0)}, **who)
        assert case.codes() == ["below-minimum"]


def test_dtb_5_14_all_of_one_round_are_the_one_time_and_a_push_does_not_use_it() -> None:
    """Reading A-17"""
    small = {"b1": ("player", 50), "b2": ("banker", 50)}
    case = Case().round(TIE, small, {"b1": (0, 0), "b2": (0, 0)})
    assert case.codes() == ["below-minimum"] * 2
    case.round(bets=small, settled={"b1": (50, 0), "b2": (0, 50)})
    assert case.codes() == ["below-minimum"] * 2
    case.round(bets=small, settled={"b1": (0, 0), "b2": (0, 0)})
    assert case.codes() == ["below-minimum"] * 2


def test_dtb_5_14_a_void_round_does_not_use_the_one_time() -> None:
    case = Case().round(bets={"b1": ("player", 50)}, settled={"b1": (50, 0)})
    case.incident("foreign-card").rule(31_000, "void", "5.1.1")
    assert case.judged() == ("void", ["below-minimum", "void-not-returned"])
    case.round(bets={"b1": ("player", 50)}, settled={"b1": (50, 0)})
    assert case.codes() == ["below-minimum"]


def test_dtb_5_16_what_was_settled_in_earlier_rounds_stays_settled() -> None:
    """FF4 5.16"""
    case = Case().round(bets={"b1": ("player", 50)}, settled={"b1": (50, 0)})
    case.round(bets={"b1": ("player", 50)}, settled={"b1": (0, 0)})
    assert [verdict["bets"][0]["expected"]["paid"] for verdict in case.audit()["verdicts"]] == [50, 0]
    case.number = 1
    assert case.correct("b1", 0, 0, at=90_000).codes() == ["below-minimum", "payout-wrong"]


def test_limits_of_a_wager_that_the_table_does_not_offer_are_not_known() -> None:
    case = Case(limits={"banker": {"min": 100, "max": 200}}).round(bets={"b1": ("player", 50)}, settled={"b1": (50, 0)})
    assert case.codes() == ["wager-not-offered"]


def test_limits_in_force_are_those_of_the_last_configuration_at_the_opening() -> None:
    case = Case().round(bets={"b1": ("player", 100)}, settled={"b1": (100, 0)})
    limits = {"player": {"min": 500, "max": 1_000}}
    case.said.append(say(TABLE, case.opened + 1, "table.configured", **{**case.config, "limits": limits}))
    assert case.codes() == []
    case.said[-1]["at"] = case.opened
    assert case.codes() == ["below-minimum"]
