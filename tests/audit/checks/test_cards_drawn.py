"""Draws that are doubtful: two cards for one draw, or a draw skipped."""

from __future__ import annotations

import pytest

from tests.audit.case import ALL, CARDS, DT, DTB, FIRST_CARD, Case, settled_round, unsettled_round


@pytest.mark.parametrize("game", ALL)
def test_3_13_two_cards_for_one_draw_leave_the_round_unverifiable(game: str) -> None:
    """DTB 3.13 to 3.13.2; FF4 3.12 to 3.12.2; SE 3.7 to 3.7.2; DT 3.4; EB 3.6 to 3.6.2"""
    other = "9E" if game in ("fa_fa_fabulous_4", "sands_elements_no_commission") else "8D"
    case = settled_round(game).draw(1, other, at=FIRST_CARD + 100)
    case.show("tie")
    verdict = case.verdict()
    assert case.judged() == ("unverifiable", ["card-conflict"])  # neither display nor payout is called wrong
    assert verdict["outcome"] is None
    assert verdict["bets"][0]["expected"] is None
    assert verdict["findings"][0]["draw"] == 1


@pytest.mark.parametrize("game", ALL)
def test_3_13_a_skipped_draw_leaves_the_round_unverifiable(game: str) -> None:
    """DTB 3.13 to 3.13.2; FF4 3.12 to 3.12.2; SE 3.7 to 3.7.2; DT 3.4; EB 3.6 to 3.6.2"""
    case = settled_round(game).without("card.drawn", 0)
    assert case.judged() == ("unverifiable", ["card-conflict"])
    assert case.verdict()["findings"][0]["draw"] == 1


def test_one_card_read_twice_is_no_conflict() -> None:
    case = settled_round().draw(1, CARDS[DTB][0], at=FIRST_CARD + 100, source="/tables/BT1/reader-2")
    assert case.judged() == ("verified", [])


def test_dtb_5_11_3_a_replacement_settles_which_card_counts() -> None:
    case = settled_round().draw(1, "8D", at=FIRST_CARD + 100)
    case.rule(30_000, "replacement-card", "5.11.3", "gaming_shift_manager", draw=1, card="4H")
    assert case.judged() == ("verified", [])


def test_what_does_not_rest_on_the_cards_is_judged_beside_doubtful_ones() -> None:
    case = unsettled_round().bet(2_000, "b2").withdraw(3_000, "b2").settle("b2", 100, 0)
    case.draw(1, "8D", at=FIRST_CARD + 100)
    assert case.judged() == ("unverifiable", ["card-conflict", "payout-missing", "payout-unexpected"])


def test_a_skipped_draw_that_a_hole_may_have_taken_is_no_conflict() -> None:
    case = settled_round().round()
    found = case.audit(lost="card.drawn", which=1)
    assert [each["code"] for each in found["findings"]] == ["device-gap", "round-incomplete"]


def test_a_doubtful_draw_leaves_an_unfounded_void_unverifiable() -> None:
    case = unsettled_round().draw(1, "8D", at=FIRST_CARD + 100).rule(31_000, "void", "5.2")
    assert case.judged() == ("unverifiable", ["card-conflict", "void-unfounded"])


def test_a_draw_read_as_two_cards_counts_as_neither_in_the_shoe() -> None:
    case = Case(DT, decks=4)
    for _ in range(4):
        case.round(["9H", "2S"])
    case.round(["3H", "5S"]).draw(1, "9H", at=FIRST_CARD + 100)
    assert case.codes() == ["card-conflict"]  # the fifth 9H may not have been one
