"""What the display showed, against the cards."""

from __future__ import annotations

from typing import Any

import pytest

from tests.audit.case import ALL, DT, DTB, EB, FF4, MAIN, SE, TIE, Case, settled_round, unsettled_round

RIGHT: dict[str, dict[str, Any]] = {
    DTB: {"player": 9, "banker": 2},
    FF4: {"player": 9, "banker": 2},
    SE: {"player": 9, "banker": 2},
    DT: {"dragon": "9", "tiger": "2"},
    EB: {"player": 9, "banker": 2},
}


@pytest.mark.parametrize("game", ALL)
def test_6_3_the_right_winner_and_totals_are_no_finding_and_neither_is_no_display(game: str) -> None:
    """DTB, FF4, SE, EB 3.3 to 3.4.2; DT 3.5, 3.6; DTB, FF4 3.15; SE 3.10, 1.1.6; EB 3.9; DTB, FF4, EB 6.3"""
    assert settled_round(game).judged() == ("verified", [])
    case = settled_round(game).show(MAIN[game]).show(MAIN[game], RIGHT[game])
    assert case.judged() == ("verified", [])
    assert case.verdict()["displayed"] == {"winner": MAIN[game], "totals": RIGHT[game]}


@pytest.mark.parametrize("game", ALL)
def test_6_3_a_wrong_winner_is_a_mismatch_also_when_put_right_and_changes_no_settlement(game: str) -> None:
    """DTB, FF4, EB 6.3; SE 3.10; DT 3.6"""
    case = settled_round(game).show("tie").show(MAIN[game], at=32_000)
    assert case.judged() == ("flagged", ["display-mismatch"])
    assert case.bets()["b1"]["expected"] == {"paid": 100, "collected": 0}
    assert case.show("void", at=32_500).codes() == ["display-mismatch"] * 2


@pytest.mark.parametrize("game", ALL)
@pytest.mark.parametrize("wrong", ["one total", "one hand", "other kind", "no hand"])
def test_3_4_totals_name_both_hands_with_their_totals(game: str, wrong: str) -> None:
    """DTB, FF4, SE, EB 3.4 to 3.4.2; DT 3.5"""
    totals = dict(RIGHT[game])
    first = next(iter(totals))
    if wrong == "one total":
        totals[first] = "8" if game == DT else 8
    elif wrong == "one hand":
        del totals[first]
    elif wrong == "other kind":
        totals = {hand: int(total) if game == DT else str(total) for hand, total in totals.items()}
    else:
        totals = {}
    assert settled_round(game).show(MAIN[game], totals).codes() == ["display-mismatch"]


@pytest.mark.parametrize(
    ("totals", "shown"),
    [
        ({"player": 9, "banker": 3}, "player (Player 9, Banker 3)"),
        ({"banker": 2}, "player (Banker 2, no total for Player)"),
        ({}, "player (no total for Player or Banker)"),
    ],
)
def test_dtb_3_4_what_the_display_showed_wrongly_is_said(totals: dict[str, int], shown: str) -> None:
    (finding,) = settled_round(DTB).show("player", totals).verdict()["findings"]
    assert finding["message"] == f"The display showed {shown}; the cards say player (Player 9, Banker 2)."


def test_dtb_1_1_13_a_tie_is_shown_as_a_tie() -> None:
    """DTB, FF4 3.15.1; SE 3.10.1, 1.1.8; EB 3.9.1, 1.1.16; FF4 1.1.12; DT 3.8, 1.1.4"""
    case = Case().round(TIE, {"b1": ("tie", 100)}, {"b1": (800, 0)}).show("tie", {"player": 9, "banker": 9})
    assert case.judged() == ("verified", [])
    for game, cards in ((FF4, ["4G", "4E", "5G", "5E"]), (SE, ["4G", "4E", "5G", "5E"]), (EB, TIE), (DT, ["9H", "9S"])):
        case = Case(game).round(cards).show("tie")
        assert case.judged() == ("verified", [])
        assert case.show(MAIN[game]).codes() == ["display-mismatch"]


def test_dt_3_7_suits_have_no_ranking_and_a_king_is_no_tie_with_a_ten() -> None:
    """DT 1.1.4, 3.5"""
    assert Case(DT).round(["KH", "KS"]).show("tie", {"dragon": "K", "tiger": "K"}).codes() == []
    assert Case(DT).round(["KH", "10S"]).show("tie").codes() == ["display-mismatch"]
    assert Case(DT).round(["AH", "2S"]).show("tiger", {"dragon": "A", "tiger": "2"}).codes() == []


def test_displays_before_a_void_ruling_go_by_the_cards_and_later_ones_must_say_void() -> None:
    case = unsettled_round().incident("foreign-card").rule(32_000, "void", "5.1.1")
    case.show("player", at=31_000).show("void", at=34_000)
    assert case.judged() == ("void", [])
    assert case.show("player", at=35_000).codes() == ["display-mismatch"]
    assert case.show("void", at=31_200).codes() == ["display-mismatch"] * 2


@pytest.mark.parametrize(("winner", "right"), [("player", True), ("void", True), ("banker", False)])
def test_within_the_tolerance_of_a_void_ruling_either_is_right(winner: str, right: bool) -> None:
    case = unsettled_round().incident("foreign-card").rule(32_000, "void", "5.1.1").show(winner, at=32_400)
    assert case.codes() == ([] if right else ["display-mismatch"])


def test_the_display_of_a_round_without_all_cards_is_not_judged() -> None:
    case = Case().round(["2H", "3S", "KH", "KS"]).show("void")
    assert case.judged() == ("flagged", ["card-missing"])


def test_each_wrong_display_is_a_finding_of_its_own() -> None:
    findings = settled_round().show("banker").show("banker", at=32_000).verdict()["findings"]
    assert [found["code"] for found in findings] == ["display-mismatch", "display-mismatch"]
    assert len({found["id"] for found in findings}) == 2
