"""What was paid and collected against what is due."""

from __future__ import annotations

from typing import Any

import pytest

from tests.audit.case import (
    ALL,
    BANKER_WINS,
    CLOSED,
    DT,
    DTB,
    EB,
    FF4,
    FIRST_BET,
    PLAYER_WINS,
    SE,
    SETTLED,
    TIE,
    Case,
    settled_round,
    unsettled_round,
)
from tests.oracle.rules import GAMES, WAGERS


@pytest.mark.parametrize("game", ALL)
def test_4_1_a_payout_that_is_not_due_is_wrong(game: str) -> None:
    """DTB, FF4, SE, DT, EB 4.1"""
    for paid, collected in ((101, 0), (99, 0), (0, 0), (0, 100), (100, 1)):
        case = unsettled_round(game).settle("b1", paid, collected)
        assert case.judged() == ("flagged", ["payout-wrong"])
        assert case.bets()["b1"]["expected"] == {"paid": 100, "collected": 0}
        assert case.bets()["b1"]["actual"] == {"paid": paid, "collected": collected}


@pytest.mark.parametrize("game", ALL)
def test_1_1_8_a_standing_bet_that_was_not_settled(game: str) -> None:
    """DTB, FF4, SE, DT, EB 4.1"""
    case = unsettled_round(game)
    assert case.judged() == ("flagged", ["payout-missing"])
    assert case.bets()["b1"]["actual"] is None


@pytest.mark.parametrize("why", ["unknown", "withdrawn", "refused", "late", "twice"])
def test_a_settlement_of_what_does_not_stand(why: str) -> None:
    case = settled_round()
    if why == "withdrawn":
        case.bet(2_000, "b2").withdraw(4_000, "b2")
    elif why == "refused":
        case.bet(2_000, "b2").rule(4_000, "bets-refused", "5.4", "dealer", bets=["b2"])
    elif why == "late":
        case.bet(15_000, "b2")
    bet = "b1" if why == "twice" else "b2"
    late = ["late-bet"] if why == "late" else []
    assert case.settle(bet, 0, 0, at=SETTLED + 1_000).codes() == late  # nothing moved
    assert case.settle(bet, 100, 0, at=SETTLED + 2_000).codes() == [*late, "payout-unexpected"]
    assert case.verdict()["findings"][-1]["bet"] == bet


@pytest.mark.parametrize(
    ("game", "clause"),
    [
        ("super_six_no_commission", "4.1"), ("fortune_six_no_commission", "4.2"), ("super_6_no_commission", "4.3"),
        (EB, "4.4"), ("tiger", "4.7"), ("tiger_no_commission", "4.8"), (DTB, "4.1"),
    ],
)  # fmt: skip
def test_eb_4_1_to_4_8_money_that_is_missing_or_moved_cites_the_clause_of_its_game(game: str, clause: str) -> None:
    """EB 4.1, 4.2, 4.3, 4.4, 4.7, 4.8"""
    unsettled = Case(game).round(PLAYER_WINS, {"b1": ("player", 100)})
    unknown, twice = (
        Case(game).round(PLAYER_WINS, **FIRST_BET).settle(bet, 9, 0, at=SETTLED + 1) for bet in ("b9", "b1")
    )
    for case, code in ((unsettled, "missing"), (unknown, "unexpected"), (twice, "unexpected")):
        (found,) = case.verdict()["findings"]
        assert (found["code"], found["rule"].split()[1]) == (f"payout-{code}", clause)


def test_dtb_4_3_a_side_wager_that_was_not_settled_cites_its_own_clause() -> None:
    case = unsettled_round(DTB).bet(2_000, "b2", wager="big_tiger").settle("b1", 100, 0)
    (found,) = case.verdict()["findings"]
    assert (found["code"], found["bet"], found["rule"].split()[1]) == ("payout-missing", "b2", "4.3")


def test_a_push_needs_a_settlement_and_bets_that_do_not_stand_need_none() -> None:
    case = Case().round(TIE, {"b1": ("player", 100)}, {"b1": (0, 0)}).bet(2_000, "b2").withdraw(3_000, "b2")
    assert case.judged() == ("verified", [])
    assert case.without("bet.settled").codes() == ["payout-missing"]


@pytest.mark.parametrize(("paid", "wrong"), [(98, True), (99, False), (100, False), (101, True)])
def test_a_15_where_the_amount_is_not_whole_both_neighbours_are_right(paid: int, wrong: bool) -> None:
    case = Case().round(BANKER_WINS, {"b1": ("banker", 105)}, {"b1": (paid, 0)})
    assert case.codes() == ["payout-wrong"] * wrong
    assert case.bets()["b1"]["expected"] == {"paid": "99.75", "collected": 0}


def test_dt_3_8_half_of_an_odd_stake_is_collected_either_way() -> None:
    for collected, wrong in ((49, True), (50, False), (51, False), (52, True)):
        case = Case(DT, limits={"dragon": {"min": 1, "max": 1_000}})
        case.round(["9H", "9S"], {"b1": ("dragon", 101)}, {"b1": (0, collected)})
        assert case.codes() == ["payout-wrong"] * wrong
        assert case.bets()["b1"]["expected"] == {"paid": 0, "collected": "50.5"}


@pytest.mark.parametrize(
    ("corrections", "codes", "corrected"),
    [
        ([(100, "pit_supervisor")], ["payout-wrong"], [True]),
        ([(100, "dealer")], ["payout-wrong", "ruling-not-authorised"], [True]),
        ([(90, "pit_manager")], ["payout-wrong", "payout-wrong"], [False, False]),
        ([(90, "pit_manager"), (100, "pit_manager")], ["payout-wrong", "payout-wrong"], [True, True]),
        ([(100, "pit_manager"), (90, "pit_manager")], ["payout-wrong", "payout-wrong"], [False, False]),
    ],
)
def test_corrections_replace_what_was_settled_and_the_last_one_counts(
    corrections: list[tuple[int, str]], codes: list[str], corrected: list[bool]
) -> None:
    case = unsettled_round().settle("b1", 120, 0)
    for place, (paid, by) in enumerate(corrections):
        case.correct("b1", paid, 0, at=CLOSED + 5_000 + place, by=by)
    assert case.codes() == codes
    wrong = [found for found in case.verdict()["findings"] if found["code"] == "payout-wrong"]
    assert [found.get("corrected", False) for found in wrong] == corrected
    assert case.bets()["b1"]["actual"] == {"paid": corrections[-1][0], "collected": 0}


def test_a_correction_of_what_was_right_is_a_finding_of_its_own() -> None:
    case = settled_round().correct("b1", 90, 0)
    assert case.codes() == ["payout-wrong"]
    assert case.verdict()["findings"][0].get("corrected", False) is False


def test_a_correction_without_a_settlement_before_it_is_the_settlement() -> None:
    case = unsettled_round().correct("b1", 100, 0, at=SETTLED)
    assert case.judged() == ("verified", [])
    assert case.settle("b1", 100, 0, at=SETTLED + 2_000).codes() == ["payout-unexpected"]


def test_a_correction_puts_a_double_payment_right() -> None:
    case = settled_round().settle("b1", 100, 0, at=SETTLED + 1_000).correct("b1", 100, 0)
    assert [(found["code"], found["corrected"]) for found in case.verdict()["findings"]] == [
        ("payout-unexpected", True)
    ]


def test_a_correction_to_nothing_puts_an_unexpected_payment_right() -> None:
    case = settled_round().settle("b9", 100, 0).correct("b9", 0, 0)
    assert [(found["code"], found["corrected"]) for found in case.verdict()["findings"]] == [
        ("payout-unexpected", True)
    ]


@pytest.mark.parametrize("game", ALL)
def test_a_wager_that_the_game_has_not_is_returned(game: str) -> None:
    wager = "tiger_tie" if game != EB else "dragon"
    case = Case(game).round(bets={"b1": (wager, 200)}, settled={"b1": (0, 0)})
    assert (case.codes(), case.stake()) == (["wager-not-offered"], 200)
    case = Case(game).round(bets={"b1": (wager, 200)}, settled={"b1": (0, 200)})
    assert case.codes() == ["payout-wrong", "wager-not-offered"]


def test_dtb_3_6_side_wagers_need_no_main_wager() -> None:
    """SE 3.5; DT 3.3; reading A-42"""
    for game, wager in ((DTB, "big_tiger"), (FF4, "player_fabulous_4"), (SE, "fortune_six"), (DT, "tie"), (EB, "tie")):
        case = Case(game).round(bets={"b1": (wager, 100)}, settled={"b1": (0, 100)})
        assert case.judged() == ("verified", [])


def test_dtb_5_7_after_a_reconstruction_its_order_counts_and_later_draws_follow() -> None:
    """DTB, FF4, EB 5.7, 5.8"""
    # Read KS 2S 2H KH 5H 9D; in the right order 2S KS 2H KH: Player 4, Banker 0, then Player draws 5H, Banker 9D.
    case = Case().round(["KS", "2S", "2H", "KH", "5H", "9D"], {"b1": ("tie", 100)}, {"b1": (800, 0)})
    case.rule(30_000, "reconstructed", "5.7", order=[2, 1, 3, 4])
    verdict = case.verdict()
    assert verdict["outcome"]["hands"] == {"player": ["2S", "2H", "5H"], "banker": ["KS", "KH", "9D"]}
    assert case.judged() == ("verified", [])


@pytest.mark.parametrize("read", [True, False])
def test_dtb_5_11_4_the_round_is_completed_with_the_replacement_read_or_not(read: bool) -> None:
    """FF4 5.11.4"""
    case = settled_round().rule(30_000, "replacement-card", "5.11.3", "gaming_shift_manager", draw=2, card="3D")
    if not read:
        case.without("card.drawn", 1)
    assert case.judged() == ("verified", [])
    assert case.verdict()["outcome"]["totals"] == {"player": 9, "banker": 3}


def test_dtb_5_4_money_on_the_late_part_is_wrong() -> None:
    """DTB, FF4 5.4, 5.5; SE, DT 5.6, 5.7; EB 5.4, 5.5"""
    for game in ALL:
        case = unsettled_round(game).change(12_000, "b1", 200).settle("b1", 200, 0)
        assert case.codes() == ["late-bet", "payout-wrong"]
        case = unsettled_round(game).withdraw(12_000, "b1").settle("b1", 0, 0)
        assert case.codes() == ["late-withdrawal", "payout-wrong"]


def test_eb_5_10_1_a_wager_accepted_before_the_closing_is_settled_though_terminals_fail() -> None:
    """EB 5.10, 5.10.2"""
    case = settled_round(EB).rule(12_000, "power-failure", "5.10", scope=[1, 2])
    assert case.judged() == ("verified", [])
    assert unsettled_round(EB).rule(12_000, "power-failure", "5.10", scope=[1]).codes() == ["payout-missing"]


def test_dtb_6_3_a_wrong_display_never_changes_the_settlement() -> None:
    """FF4, EB 6.3"""
    case = unsettled_round().show("banker").settle("b1", 0, 100)
    assert case.codes() == ["display-mismatch", "payout-wrong"]


def test_a_settlement_or_placing_that_a_hole_may_have_taken() -> None:
    """Two rounds follow, so that the hole has a neighbour on either side"""
    case = (
        settled_round()
        .round(bets={"b1": ("player", 100)}, settled={"b1": (100, 0)})
        .round(bets={"b2": ("tie", 100)}, settled={"b2": (0, 100)})
    )
    for kind in ("bet.settled", "bet.placed"):
        second = case.audit(lost=kind, which=1)["verdicts"][1]
        assert (second["status"], [found["code"] for found in second["findings"]]) == (
            "unverifiable",
            ["round-incomplete"],
        )


def line(game: str, cards: str, **nets: Any) -> Any:
    """One row: a game, the cards of a round, and what a bet of 100 on each wager wins."""
    return pytest.param(game, cards.split(), nets, id=f"{game} {cards}")


PAYTABLE_LINES = [
    line(
        DTB, "2H 3H 5H 3S", player=100, banker=-100, tie=-100, dragon_tiger=3_000, small_dragon=1_500, big_dragon=-100
    ),
    line(DTB, "2H 2S 3D KS 2C 4D", dragon_tiger=10_000, big_dragon=3_000, small_dragon=-100, big_tiger=-100),
    line(DTB, "2H 6S 3D KS KC", banker=95, small_tiger=2_200, big_tiger=-100, player=-100, tie=-100),
    line(DTB, "2H 2S 3D KS KC 4D", banker=95, big_tiger=5_000, small_tiger=-100),
    line(DTB, "4H 4S 5H 5S", player=0, banker=0, tie=800),
    line(FF4, "4G 4F 4G 4W", tie=80_000, player_precious_pair=3_000, banker_precious_pair=1_500, player=0, banker=0),
    line(FF4, "LG 10F LG SF 4F 3F", player=50, player_precious_pair=1_200, player_fabulous_4=5_000, banker=-100),
    line(FF4, "LG 4F SG 10F 10W", banker=0, banker_fabulous_4=2_500, player=-100, player_precious_pair=-100),
    line(FF4, "8G 2F 10E 2W", player=100, banker_precious_pair=900, banker_fabulous_4=-100, tie=-100),
    line(FF4, "LG AF SG 10F 10W LE", banker=200, player=-100, tie=-100),
    line(SE, "LG 6F SG 10F 10W", banker=50, fortune_six=1_200, player_pair=-100, tie=-100),
    line(SE, "LG 2F SG LF 10W 4E", banker=50, fortune_six=2_000, player=-100),
    line(SE, "9G 2F 9W 2W", player=100, player_pair=1_100, banker_pair=1_100, fortune_six=-100),
    line(SE, "4G 4F 5G 5F", tie=800, player=0, banker=0),
    line(DT, "7H 7S", dragon=-50, tiger=-50, tie=1_100, dragon_big=-100, dragon_small=-100, tiger_big=-100),
    line(DT, "8H KS", dragon=-100, tiger=100, dragon_big=100, tiger_big=100, dragon_small=-100, tie=-100),
    line(DT, "6H AS", dragon=100, tiger=-100, dragon_small=100, tiger_small=100, dragon_big=-100, tiger_big=-100),
    line("super_six_no_commission", "KH 6S QD 10C JD", banker=50, super_six=1_500, player=-100, player_pair=-100),
    line("super_six_no_commission", "KH 4S KD 4C", banker=100, super_six=-100, player_pair=1_100, banker_pair=1_100),
    line("super_six_no_commission", "4H 4S 5H 5S", tie=800, player=0, banker=0),
    line("super_six_no_commission", "4H 2S 5H KS", player=100, banker=-100, tie=-100),
    line("fortune_six_no_commission", "KH 6S QD 10C JD", banker=50, fortune_six=1_200, banker_dragon_bonus=400),
    line("fortune_six_no_commission", "KH 2S QD KC JD 4D", banker=50, fortune_six=2_000, banker_dragon_bonus=400),
    line("fortune_six_no_commission", "KH KS KD QS 9H JS", player=100, player_dragon_bonus=3_000, player_pair=1_100),
    line(
        "fortune_six_no_commission", "9H 4S 9D 4C", tie=800, player_dragon_bonus=0, banker_pair=1_100, fortune_six=-100
    ),
    line("super_6_no_commission", "KH 6S QD 10C JD", banker=50, super_6=1_500, banker_dragon_bonus=400),
    line("super_6_no_commission", "4H 4S 5H 4D", player=100, player_dragon_bonus=100, banker_pair=1_100, super_6=-100),
    line("super_6_no_commission", "4H 5S 5H 4D", player_dragon_bonus=0, banker_dragon_bonus=0, tie=800, super_6=-100),
    line("super_6_no_commission", "9H 2S 9D 3S", player_pair=1_100, banker_pair=-100, player_dragon_bonus=100),
    line("no_commission", "KH 6S QD 10C JD", banker=50, player=-100, tie=-100),
    line("no_commission", "KH 8S QD 10C", banker=100, player=-100, banker_pair=-100),
    line("no_commission", "9H 4S 9D 4C", tie=800, player=0, banker=0, player_pair=1_100, banker_pair=1_100),
    line("no_commission", "4H 2S 5H KS", player=100, banker=-100, tie=-100),
    line("tiger", "KH KS KD KC 6H 6S", tiger_tie=3_500, tiger_pair=10_000, tiger=-100, banker=0, tie=800),
    line("tiger", "10H 6S KD QC 2H", banker=95, tiger=1_200, small_tiger=2_200, big_tiger=-100, tiger_pair=-100),
    line("tiger", "KH QS KD QC 2H 6S", banker=95, tiger=2_000, big_tiger=5_000, small_tiger=-100, tiger_pair=2_000),
    line("tiger", "4H 2S 5H KS", player=100, banker=-100, tie=-100, tiger_tie=-100),
    line("tiger_no_commission", "KH QS KD QC 2H 6S", banker=50, tiger=2_000, big_tiger=5_000, tiger_pair=2_000),
    line("tiger_no_commission", "KH QS KD JC 2H 5S", banker=100, tiger=-100, tiger_pair=400, tiger_tie=-100),
    line("tiger_no_commission", "10H 6S KD QC 2H", banker=50, tiger=1_200, small_tiger=2_200, player=-100),
    line("tiger_no_commission", "KH KS QD KC 6H 6S", tiger_tie=3_500, tie=800, tiger_pair=400, tiger=-100),
    line("tiger_no_commission", "4H 2S 5H KS", player=100, banker=-100, tie=-100),
]


@pytest.mark.parametrize(("game", "cards", "nets"), PAYTABLE_LINES)
def test_every_line_of_every_paytable_through_the_judge(game: str, cards: list[str], nets: dict[str, int]) -> None:
    """DTB 1.1.1, 1.1.2, 1.1.3, 1.1.9, 1.1.10, 1.1.14, 3.3 to 3.4.2, 3.15, 3.15.1, 4.1 to 4.3
    FF4 1.1.1, 1.1.7 to 1.1.8.1.4, 1.1.13, 1.1.14, 3.3 to 3.4.2, 3.13, 3.15, 3.15.1, 4.1, 4.2
    SE 1.1.1, 1.1.5, 3.3 to 3.4.2, 3.8 to 3.8.2, 3.10 to 3.11, 4.1
    DT 1.1.1, 1.1.3, 3.6, 3.8 to 3.12, 4.1
    EB 1.1.1 to 1.1.4, 1.1.8 to 1.1.11, 1.1.14, 1.1.15, 1.1.17 to 1.1.20, 3.3 to 3.4.2, 3.7 to 3.7.2, 3.9, 3.9.1
    EB 4.1 to 4.10
    """
    bets = {wager: (wager, 100) for wager in nets}
    right = {wager: (max(net, 0), max(-net, 0)) for wager, net in nets.items()}
    case = Case(game).round(cards, bets, right)
    assert case.judged() == ("verified", [])
    for wager, (paid, collected) in right.items():
        assert case.bets()[wager]["expected"] == {"paid": paid, "collected": collected}
    wrong = {wager: (paid + 1, collected) for wager, (paid, collected) in right.items()}
    assert Case(game).round(cards, bets, wrong).codes() == ["payout-wrong"] * len(nets)


def test_every_wager_of_every_game_wins_in_a_line_above() -> None:
    won: dict[str, set[str]] = {game: set() for game in GAMES}
    for game, _, nets in (row.values for row in PAYTABLE_LINES):
        won[game] |= {wager for wager, net in nets.items() if net > 0}
    assert won == {game: set(WAGERS[game]) for game in GAMES}
