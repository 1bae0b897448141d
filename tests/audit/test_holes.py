"""Section 6, Holes and Ends: facts that are not there, and what could have taken them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.audit.case import DEALER, DT, DTB, EB, RFID, Case, judge_both, settled_round, unsettled_round
from tests.oracle.script import to_lines


def three_rounds() -> Case:
    """Three rounds by the rules, so that the second one has neighbours."""
    case = settled_round().round(bets={"b1": ("player", 100)}, settled={"b1": (100, 0)})
    return case.round(bets={"b2": ("tie", 100)}, settled={"b2": (0, 100)})


@pytest.mark.parametrize("kind", ["card.drawn", "bet.settled", "bet.placed", "bets.closed", "round.closed"])
def test_a_missed_fact_makes_the_round_unverifiable(kind: str) -> None:
    place = 4 if kind == "card.drawn" else 1  # of the second round
    found = three_rounds().audit(lost=kind, which=place)
    assert [verdict["status"] for verdict in found["verdicts"]] == ["verified", "unverifiable", "verified"]
    assert [each["code"] for each in found["verdicts"][1]["findings"]] == ["round-incomplete"]
    assert [each["code"] for each in found["findings"]] == ["device-gap", "round-incomplete"]


@pytest.mark.parametrize("kind", ["card.drawn", "bet.settled", "bet.placed", "bets.closed", "round.closed"])
def test_a_rejected_event_could_be_the_missing_fact(kind: str) -> None:
    place = 4 if kind == "card.drawn" else 1
    events = three_rounds().events()
    [event for event in events if event["type"] == kind + ".v1"][place]["data"]["colour"] = "red"
    found = judge_both(to_lines(events))
    assert [verdict["status"] for verdict in found["verdicts"]] == ["verified", "unverifiable", "verified"]
    assert sorted(each["code"] for each in found["findings"]) == ["event-rejected", "round-incomplete"]


def test_a_rejected_event_at_a_number_that_is_taken_could_be_the_missing_fact() -> None:
    case = three_rounds()
    events = case.events()
    lost = [event for event in events if event["type"] == "bet.settled.v1"][1]
    taken = lost["sequence"] - 1
    for event in events:
        if event["source"] == RFID and event["sequence"] > lost["sequence"]:
            event["sequence"] -= 1
    lost |= {"sequence": taken, "id": "other"}
    lost["data"]["colour"] = "red"
    found = judge_both(to_lines(events))
    assert sorted(each["code"] for each in found["findings"]) == ["event-rejected", "round-incomplete"]


def _after_a_lost_closing(**settled: tuple[int, int]) -> Case:
    """A bet of 100, and then whatever comes after a "No more bets" that is lost."""
    case = settled_round(area="main", differential_limit=1_000).round(bets={"b1": ("player", 100)})
    for bet, (paid, collected) in settled.items():
        case.settle(bet, paid, collected)
    return case


@pytest.mark.parametrize("paid", [100, 200])
def test_an_increase_after_a_lost_closing_is_settled_with_it_or_without(paid: int) -> None:
    case = _after_a_lost_closing(b1=(paid, 0)).change(14_000, "b1", 200)
    assert case.judged(lost="bets.closed") == ("unverifiable", ["round-incomplete"])


@pytest.mark.parametrize("paid", [0, 100])
def test_a_bet_withdrawn_after_a_lost_closing_is_settled_or_not(paid: int) -> None:
    case = _after_a_lost_closing(b1=(paid, 0)).withdraw(14_000, "b1")
    assert case.judged(lost="bets.closed") == ("unverifiable", ["round-incomplete"])


def test_what_was_placed_after_a_lost_closing_may_have_been_refused() -> None:
    case = _after_a_lost_closing(b1=(100, 0)).bet(14_000, "b2", "banker", 500)
    assert case.judged(lost="bets.closed") == ("unverifiable", ["round-incomplete"])


def test_limits_and_differential_are_judged_beside_a_lost_closing() -> None:
    """They are not among what the contract leaves open (6, Holes)."""
    case = _after_a_lost_closing(b1=(100, 0)).bet(14_000, "b2", "banker", 20_000).bet(14_000, "b3", "tie", 50)
    found = ["above-maximum", "below-minimum", "differential-exceeded", "round-incomplete"]
    assert case.judged(lost="bets.closed") == ("unverifiable", found)


def test_what_was_placed_before_the_hole_of_a_lost_closing_is_judged() -> None:
    case = _after_a_lost_closing(b1=(5_000, 0))
    assert case.judged(lost="bets.closed") == ("unverifiable", ["round-incomplete"])
    case.beat(case.opened + 5_000, DEALER)
    assert case.judged(lost="bets.closed") == ("unverifiable", ["payout-wrong", "round-incomplete"])


def test_where_no_hole_explains_it_a_missing_closing_leaves_all_bets_standing() -> None:
    case = _after_a_lost_closing(b1=(100, 0)).change(14_000, "b1", 200).without("bets.closed")
    assert case.judged() == ("flagged", ["payout-wrong", "round-out-of-order"])


def test_a_bet_that_was_settled_twice_is_so_whenever_bets_were_closed() -> None:
    case = _after_a_lost_closing(b1=(100, 0)).change(14_000, "b1", 200).settle("b1", 100, 0, at=34_000)
    assert case.judged(lost="bets.closed") == ("unverifiable", ["payout-unexpected", "round-incomplete"])


def test_dtb_5_9_a_bet_placed_after_a_reset_may_have_come_after_the_second_closing_that_is_lost() -> None:
    """FF4 5.9"""
    case = _after_a_lost_closing(b1=(100, 0)).rule(11_000, "device-reset", "5.9").tell(13_000, "bets.closed")
    case.bet(14_000, "b2", "tie", 100)
    assert case.judged() == ("flagged", ["late-bet"])
    assert case.judged(lost="bets.closed") == ("unverifiable", ["round-incomplete"])


def test_a_hole_through_which_nothing_is_missed_touches_no_round() -> None:
    case = settled_round().show("player").show("player", at=32_000).show("player", at=32_500)
    found = case.audit(lost="result.displayed", which=1)
    assert [each["code"] for each in found["findings"]] == ["device-gap"]
    assert found["verdicts"][0]["status"] == "verified"


def test_a_hole_of_another_source_excuses_nothing() -> None:
    case = settled_round().round().without("bet.settled", 0)
    verdicts = case.audit(lost="card.drawn", which=5)["verdicts"]  # the reader does not settle bets
    assert [each["code"] for each in verdicts[0]["findings"]] == ["payout-missing"]
    assert [each["code"] for each in verdicts[1]["findings"]] == ["round-incomplete"]


def test_a_hole_of_another_time_excuses_nothing() -> None:
    case = settled_round().without("bet.settled").round(bets={"b1": ("player", 100)}, settled={"b1": (100, 0)})
    case.round(bets={"b1": ("player", 100)}, settled={"b1": (100, 0)})
    found = case.audit(lost="bet.settled", which=0)
    assert [[each["code"] for each in verdict["findings"]] for verdict in found["verdicts"]] == [
        ["payout-missing"],
        ["round-incomplete"],
        [],
    ]


def test_a_source_that_only_spoke_of_the_shoe_may_have_lost_the_cards() -> None:
    case = Case(DT).round().end_shoe(None)
    events = [event for event in case.events() if event["type"] != "card.drawn.v1"]
    found = judge_both(to_lines(events))
    assert [each["code"] for each in found["findings"]] == ["device-gap", "round-incomplete"]


def test_two_holes_name_all_that_is_missing() -> None:
    events = three_rounds().events()
    gone = [
        [event for event in events if event["type"] == kind + ".v1"][place]
        for kind, place in (("card.drawn", 4), ("bets.closed", 1), ("bet.settled", 1))
    ]
    [found] = judge_both(to_lines([event for event in events if event not in gone]))["verdicts"][1]["findings"]
    assert found["expected"] == ["draw 1", 'the round\'s "No more bets"', "the settlement of bet b1"]


@pytest.mark.parametrize("kind", ["table.configured", "shoe.loaded"])
def test_without_configuration_or_shoe_the_round_is_incomplete(kind: str) -> None:
    case = settled_round().without(kind)
    verdict = case.verdict()
    assert case.judged() == ("unverifiable", ["round-incomplete"])
    assert verdict["outcome"] is None
    assert verdict["bets"][0] | {"position": 1} == {
        "bet": "b1", "position": 1, "player": "ann", "wager": "player", "stake": 100, "expected": None,
        "actual": {"paid": 100, "collected": 0},
    }  # fmt: skip
    assert (verdict["game"] is None) is (kind == "table.configured")


def test_without_its_shoe_display_payouts_and_void_are_not_judged_and_the_rest_is() -> None:
    case = unsettled_round().without("shoe.loaded").show("tie").settle("b1", 7, 0).bet(15_000, "b2")
    assert case.judged() == ("unverifiable", ["late-bet", "round-incomplete"])
    assert case.bets()["b2"]["expected"] == {"paid": 0, "collected": 0}
    case.incident("foreign-card").rule(31_000, "void", "5.1.1")
    assert case.judged() == ("unverifiable", ["late-bet", "round-incomplete"])


def test_without_a_configuration_stakes_go_by_what_holds_in_every_game() -> None:
    case = unsettled_round(EB).bet(15_000, "b2").bet(2_000, "b3").withdraw(15_000, "b3").without("table.configured")
    assert [case.stake(bet) for bet in ("b1", "b2", "b3")] == [100, 0, 100]


def test_a_configuration_that_comes_after_the_opening_is_not_in_force() -> None:
    case = settled_round()
    case.said[0]["at"] = case.opened + 1
    assert case.judged() == ("unverifiable", ["round-incomplete"])
    case.said[0]["at"] = case.opened
    assert case.judged() == ("verified", [])


def test_what_a_file_leaves_open_is_incomplete_alone() -> None:
    case = Case().round(bets={"b1": ("player", 1)}, method="C").without("round.closed")
    assert case.judged() == ("unverifiable", ["round-incomplete"])


def test_the_next_opening_or_the_end_of_the_shoe_ends_a_round() -> None:
    case = settled_round().without("round.closed")
    assert case.judged() == ("unverifiable", ["round-incomplete"])
    assert case.end_shoe(None).judged() == ("flagged", ["round-out-of-order"])
    first = settled_round().without("round.closed").round().audit()["verdicts"][0]
    assert [each["code"] for each in first["findings"]] == ["round-out-of-order"]


def test_a_round_of_another_shoe_does_not_end_it() -> None:
    case = settled_round().without("round.closed").load("S2").round()
    first = case.audit()["verdicts"][0]
    assert (first["status"], [each["code"] for each in first["findings"]]) == ("unverifiable", ["round-incomplete"])


def test_facts_of_a_round_that_wait_for_their_table_are_kept() -> None:
    """An event of a table that is not known yet is not rejected: it waits"""
    events = settled_round().events()
    found = judge_both(to_lines([*events[1:], events[0]]))
    assert found["findings"] == []


def test_verdicts_come_in_the_order_of_table_shoe_and_round() -> None:
    case = Case().load("S10")
    for _ in range(11):
        case.round()
    case.load("S1b").round()
    order: list[Any] = [(verdict["shoe"], verdict["round"]) for verdict in case.audit()["verdicts"]]
    assert order == [*[("S10", number) for number in range(1, 12)], ("S1b", 1)]


def test_a_missed_draw_leaves_a_declared_void_as_it_is() -> None:
    case = settled_round(DTB).round(bets={"b1": ("player", 100)}).rule(31_000, "void", "5.2").round()
    second = case.audit(lost="card.drawn", which=5)["verdicts"][1]
    assert (second["status"], [each["code"] for each in second["findings"]]) == ("flagged", ["void-unfounded"])
