"""Bets placed, increased, withdrawn or decreased after "No more bets", and what stands of them."""

from __future__ import annotations

import pytest

from tests.audit.case import (
    ALL,
    CARDS,
    CLOSING,
    DEALER,
    DT,
    DTB,
    EB,
    FF4,
    FIRST_CARD,
    MAIN,
    SE,
    SETTLED,
    Case,
    settled_round,
    unsettled_round,
)


@pytest.mark.parametrize("game", ALL)
@pytest.mark.parametrize(("late_by", "late"), [(-100, False), (500, False), (501, True)])
def test_5_4_nothing_is_placed_after_the_closing(game: str, late_by: int, late: bool) -> None:
    """DTB, FF4, SE, DT, EB 3.2; DTB, FF4 5.4; SE, DT 5.6; EB 5.5"""
    case = Case(game).round().bet(CLOSING + late_by, "b1", MAIN[game]).settle("b1", 100, 0)
    assert case.codes() == (["late-bet", "payout-unexpected"] if late else [])
    assert case.stake() == (0 if late else 100)


@pytest.mark.parametrize("game", ALL)
def test_5_4_of_a_late_increase_only_the_increase_is_refused(game: str) -> None:
    """DTB, FF4 5.4; SE, DT 5.6; EB 5.5"""
    case = settled_round(game).change(CLOSING + 2_000, "b1", 150)
    assert (case.codes(), case.stake()) == (["late-bet"], 100)
    case = unsettled_round(game).change(CLOSING + 2_000, "b1", 150).settle("b1", 150, 0)
    assert case.codes() == ["late-bet", "payout-wrong"]  # money moved on what does not stand


@pytest.mark.parametrize("game", ALL)
@pytest.mark.parametrize(("late_by", "late"), [(500, False), (501, True)])
def test_5_5_what_is_withdrawn_after_the_closing_still_stands(game: str, late_by: int, late: bool) -> None:
    """DTB, FF4 5.5; SE, DT 5.7; EB 5.4"""
    case = settled_round(game).withdraw(CLOSING + late_by, "b1")
    assert case.codes() == (["late-withdrawal"] if late else ["payout-unexpected"])
    assert case.stake() == (100 if late else 0)
    case = settled_round(game).change(CLOSING + late_by, "b1", 50)
    assert case.codes() == (["late-withdrawal"] if late else ["below-minimum", "payout-wrong"])


def test_one_source_is_compared_without_tolerance() -> None:
    assert settled_round(EB).change(CLOSING + 1, "b1", 150, DEALER).codes() == ["late-bet"]


@pytest.mark.parametrize("game", [DTB, EB])
@pytest.mark.parametrize(
    ("back_at", "codes"), [(CLOSING + 4_000, []), (FIRST_CARD + 4_000, ["late-bet", "late-withdrawal"])]
)
def test_a_late_increase_taken_back_before_the_first_card_counts_as_refused(
    game: str, back_at: int, codes: list[str]
) -> None:
    case = settled_round(game).change(CLOSING + 2_000, "b1", 150).change(back_at, "b1", 100)
    assert (case.codes(), case.stake()) == (codes, 100)


def test_taking_back_more_than_the_late_increase_is_a_late_withdrawal() -> None:
    case = settled_round(EB).change(CLOSING + 2_000, "b1", 150).change(CLOSING + 4_000, "b1", 60)
    assert (case.codes(), case.stake()) == (["late-withdrawal"], 100)


@pytest.mark.parametrize("game", ALL)
def test_refused_after_the_closing_takes_out_what_came_after_it(game: str) -> None:
    """DTB, FF4 5.4; SE, DT 5.6; EB 5.5"""
    case = settled_round(game).change(CLOSING + 2_000, "b1", 150)
    case.rule(CLOSING + 4_000, "bets-refused", "5.4", "dealer", bets=["b1"])
    assert (case.judged(), case.stake()) == (("verified", []), 100)


def test_refused_after_the_closing_goes_by_plain_time() -> None:
    """Within the tolerance it counted as in time; that somebody refused it tells that it was not."""
    case = settled_round(SE).change(CLOSING + 300, "b1", 150)
    assert case.stake() == 150
    case.rule(CLOSING + 4_000, "bets-refused", "5.6", "dealer", bets=["b1"])
    assert (case.judged(), case.stake()) == (("verified", []), 100)


@pytest.mark.parametrize("game", ALL)
def test_refused_before_the_closing_takes_out_the_bet(game: str) -> None:
    case = unsettled_round(game).rule(CLOSING - 1_000, "bets-refused", "5.4", "dealer", bets=["b1"])
    assert (case.judged(), case.stake()) == (("verified", []), 0)
    assert case.settle("b1", 100, 0).codes() == ["payout-unexpected"]


@pytest.mark.parametrize("added_at", [CLOSING + 300, CLOSING + 2_000])
def test_what_was_refused_may_be_taken_back_at_any_time(added_at: int) -> None:
    case = settled_round(EB).change(added_at, "b1", 150)
    case.rule(CLOSING + 4_000, "bets-refused", "5.5", "dealer", bets=["b1"]).change(FIRST_CARD + 6_000, "b1", 100)
    assert (case.judged(), case.stake()) == (("verified", []), 100)


def test_chips_of_a_bet_that_a_ruling_took_out_go_back_without_a_finding() -> None:
    case = unsettled_round(EB).rule(CLOSING - 1_000, "bets-refused", "5.5", "dealer", bets=["b1"])
    assert case.withdraw(CLOSING + 3_000, "b1").judged() == ("verified", [])
    case = unsettled_round().rule(CLOSING + 1_000, "bets-removed", "5.18.3", "pit_manager", bets=["b1"])
    assert case.withdraw(CLOSING + 3_000, "b1").judged() == ("verified", [])


def test_dtb_5_18_3_removed_takes_the_bet_out_and_a_late_bet_stays_a_finding() -> None:
    """FF4 5.18.3"""
    case = settled_round().rule(CLOSING + 2_000, "bets-removed", "5.18.3", "pit_manager", bets=["b1"])
    assert case.codes() == ["payout-unexpected"]
    case = Case().round().bet(CLOSING + 2_000, "b1")
    case.rule(CLOSING + 3_000, "bets-removed", "5.18.3", "pit_manager", bets=["b1"])
    assert case.codes() == ["late-bet"]


@pytest.mark.parametrize(
    ("game", "clause", "area", "cut", "allowed"),
    [
        (DTB, "5.8.1", "main", 0, True),
        (DTB, "5.8.2.2", "main", 0, True),
        (DTB, "5.9", "main", 0, True),
        (DTB, "5.17.1", "main", 0, True),
        (DTB, "5.18.1", "main", 0, True),
        (FF4, "5.8.1", "main", 0, True),
        (FF4, "5.8.2.2", "main", 0, True),
        (FF4, "5.9", "main", 0, True),
        (FF4, "5.17.1", "main", 0, True),
        (FF4, "5.18.1", "main", 0, True),
        (DTB, "5.8", "main", 0, False),
        (DTB, "5.18", "main", 0, False),
        (DTB, "6.1", "main", 0, False),
        (DTB, "3.17.1", "hlga", 1, True),
        (FF4, "3.17.1", "hlga", 1, True),
        (DTB, "3.17.1", "main", 1, False),
        (DTB, "3.17.1", "hlga", 2, False),
        (FF4, "3.17.1", "hlga", 0, False),
        (EB, "5.9", "main", 0, False),
        (SE, "5.8.1", "main", 0, False),
    ],
)
def test_a_withdrawal_needs_an_offer_under_its_clause(
    game: str, clause: str, area: str, cut: int, allowed: bool
) -> None:
    """DTB, FF4 3.17.1, 5.8.1, 5.8.2.2, 5.9, 5.17.1, 5.18.1; EB 5.4; SE 5.7"""
    case = unsettled_round(game, area=area)
    if cut:
        case.tell(CLOSING + 1_000, "shoe.cutting_card", before_draw=cut)
    case.rule(CLOSING + 2_000, "withdrawal-offered", clause, "gaming_shift_manager").withdraw(CLOSING + 4_000, "b1")
    assert case.codes() == ([] if allowed else ["late-withdrawal", "payout-missing"])
    assert case.stake() == (0 if allowed else 100)


def test_dtb_5_8_1_an_offer_after_the_withdrawal_does_not_help() -> None:
    case = settled_round().withdraw(CLOSING + 2_000, "b1").rule(CLOSING + 4_000, "withdrawal-offered", "5.8.1")
    assert case.codes() == ["late-withdrawal"]


def test_dtb_5_8_1_an_offer_lets_standing_chips_go_and_not_late_ones() -> None:
    case = unsettled_round().change(CLOSING + 2_000, "b1", 150)
    case.rule(FIRST_CARD + 2_000, "withdrawal-offered", "5.8.1").change(FIRST_CARD + 4_000, "b1", 70)
    case.settle("b1", 70, 0)
    assert case.codes() == ["below-minimum", "late-bet"]
    assert case.stake() == 70


@pytest.mark.parametrize(("game", "allowed"), [(DTB, True), (FF4, True), (SE, False), (DT, False), (EB, False)])
def test_dtb_5_9_bets_after_a_reset_until_the_next_closing(game: str, allowed: bool) -> None:
    """FF4 5.9"""
    wager = MAIN[game]
    case = unsettled_round(game).rule(CLOSING + 1_000, "device-reset", "5.9").bet(CLOSING + 3_000, "b2", wager)
    case.tell(CLOSING + 5_000, "bets.closed").bet(CLOSING + 7_000, "b3", wager)
    for bet in ("b1", "b2") if allowed else ("b1",):
        case.settle(bet, 100, 0)
    assert [case.stake(bet) for bet in ("b1", "b2", "b3")] == [100, 100 if allowed else 0, 0]
    assert case.codes() == ["late-bet"] * (1 if allowed else 2)


def test_dtb_5_9_what_was_added_after_a_reset_may_be_taken_back_until_the_next_closing() -> None:
    """FF4 5.9"""
    case = settled_round().rule(CLOSING + 1_000, "device-reset", "5.9").change(CLOSING + 2_000, "b1", 150)
    case.change(CLOSING + 3_000, "b1", 100).tell(CLOSING + 5_000, "bets.closed")
    assert (case.judged(), case.stake()) == (("verified", []), 100)
    assert case.withdraw(CLOSING + 4_000, "b1").codes() == ["late-withdrawal"]  # what stood before needs an offer


def test_dtb_5_9_a_refusal_after_the_second_closing_takes_out_what_came_after_it() -> None:
    case = unsettled_round().rule(CLOSING + 1_000, "device-reset", "5.9").change(CLOSING + 2_000, "b1", 150)
    case.tell(CLOSING + 4_000, "bets.closed").change(CLOSING + 6_000, "b1", 200).settle("b1", 150, 0)
    assert case.codes() == ["late-bet"]
    case.rule(CLOSING + 8_000, "bets-refused", "5.4", "dealer", bets=["b1"])
    assert (case.judged(), case.stake()) == (("verified", []), 150)


def test_each_bet_is_named_once() -> None:
    case = settled_round().change(CLOSING + 2_000, "b1", 150).change(CLOSING + 3_000, "b1", 200)
    findings = case.bet(CLOSING + 2_500, "b2").verdict()["findings"]
    assert [(found["code"], found["bet"]) for found in findings] == [("late-bet", "b1"), ("late-bet", "b2")]


def test_changes_before_the_closing_are_free() -> None:
    case = Case().round(CARDS[DTB]).bet(1_000, "b1").change(2_000, "b1", 500).change(3_000, "b1", 200)
    case.bet(1_500, "b2", "tie").withdraw(CLOSING, "b2").settle("b1", 200, 0, at=SETTLED)
    assert case.judged() == ("verified", [])
    assert [case.stake(bet) for bet in ("b1", "b2")] == [200, 0]
