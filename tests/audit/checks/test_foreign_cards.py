"""Cards that cannot be of the shoe."""

from __future__ import annotations

import pytest

from tests.audit.case import ALL, CARDS, DT, DTB, EB, FF4, SE, Case, settled_round, unsettled_round

OTHER_DECK = {DTB: "LG", FF4: "KH", SE: "KH", DT: "LG", EB: "LG"}


@pytest.mark.parametrize("game", ALL)
def test_5_1_a_card_of_another_deck_makes_the_round_void(game: str) -> None:
    """DTB, FF4, SE, DT, EB 2.1, 5.1, 5.1.1; FF4 1.1.2"""
    cards = [OTHER_DECK[game], *CARDS[game][1:]]
    case = Case(game).round(cards, {"b1": ("tie", 100)}, {"b1": (0, 100)})
    assert case.judged() == ("flagged", ["foreign-card", "void-required"])
    assert case.bets()["b1"]["expected"] == {"paid": 0, "collected": 0}
    assert case.verdict()["outcome"] is None
    case = Case(game).round(cards, {"b1": ("tie", 100)}).rule(31_000, "void", "5.1.1")
    assert case.judged() == ("void", ["foreign-card"])


@pytest.mark.parametrize("game", ALL)
def test_5_1_one_copy_more_than_the_decks_hold(game: str) -> None:
    """DTB, FF4, SE, DT, EB 5.1; reading A-22"""
    case = Case(game, decks=4)
    for _ in range(4):
        case.round()
        assert case.judged() == ("verified", [])
    case.round(settled={"b1": (0, 0)}, bets={"b1": ("tie", 100)})
    assert case.codes() == ["foreign-card"] * len(CARDS[game]) + ["void-required"]


def test_dtb_5_1_the_copy_too_many_is_named_and_the_outcome_given() -> None:
    case = Case(decks=4)
    for _ in range(4):
        case.round()
    case.round(["4H", "2D", "5D", "KD"], {"b1": ("player", 100)}, {"b1": (100, 0)})
    verdict = case.verdict()
    named = [(found["code"], found["draw"]) for found in verdict["findings"]]
    assert named == [("foreign-card", 1), ("void-required", None)]
    assert verdict["outcome"]["winner"] == "player"


def test_dtb_5_1_2_earlier_rounds_stand() -> None:
    case = Case(decks=4)
    for _ in range(5):
        case.round()
    statuses = [verdict["status"] for verdict in case.audit()["verdicts"]]
    assert statuses == ["verified"] * 4 + ["void"]


def test_copies_are_counted_within_a_round_too() -> None:
    case = Case(DT, decks=4).round(["9H", "9H"]).round(["9H", "9H"]).round(["9H", "2S"])
    assert case.judged() == ("void", ["foreign-card"])


def test_dtb_5_11_3_cards_count_as_they_were_read_not_as_replaced() -> None:
    """FF4 5.11.3"""
    case = Case(decks=4)
    for _ in range(4):
        case.round().rule(30_000, "replacement-card", "5.11.3", "gaming_shift_manager", draw=1, card="4D")
        assert case.judged() == ("verified", [])
    case.round(["4H", "2D", "5D", "KD"])
    assert case.codes() == ["foreign-card"]


def test_dtb_5_11_3_a_replacement_of_another_deck_is_foreign() -> None:
    """FF4 5.11.3"""
    case = settled_round().rule(30_000, "replacement-card", "5.11.3", "gaming_shift_manager", draw=1, card="LG")
    assert case.codes() == ["foreign-card", "void-required"]
    foreign = case.verdict()["findings"][0]
    assert (foreign["actual"], foreign["expected"]) == (["LG"], None)
    assert foreign["message"].startswith("The replacement card LG at draw 1 is not of the game's deck")


def test_missing_or_superfluous_cards_are_not_raised_beside_a_foreign_one() -> None:
    assert Case().round(["LG", "2S"]).rule(30_000, "void", "5.1.1").judged() == ("void", ["foreign-card"])
    assert Case().round(["LG", "2S", "5H", "KS", "2H", "3H", "4H"]).judged() == ("void", ["foreign-card"])


def test_a_reported_foreign_card_needs_no_strange_reading() -> None:
    case = unsettled_round().incident("foreign-card")
    assert case.judged() == ("void", [])  # void by the rules, and nothing was settled
