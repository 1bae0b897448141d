"""A shoe's account at its end."""

from __future__ import annotations

import pytest

from tests.audit.case import ALL, CARDS, DT, FIRST_CARD, Case
from tests.oracle.rules import deck


def dealt(game: str, decks: int = 4) -> tuple[Case, list[str]]:
    """A shoe of which one round was dealt, and the cards that are left."""
    case = Case(game, decks).round()
    left = deck(game) * decks
    for card in CARDS[game]:
        left.remove(card)
    return case, left


@pytest.mark.parametrize("game", ALL)
def test_5_1_cards_read_and_cards_left_are_the_decks(game: str) -> None:
    """DTB, FF4, SE, DT, EB 2.1, 5.1"""
    case, left = dealt(game)
    assert case.end_shoe(left).all_codes() == []


@pytest.mark.parametrize("game", ALL)
@pytest.mark.parametrize("how", ["missing", "left over", "exchanged", "foreign"])
def test_5_1_a_shoe_that_does_not_balance(game: str, how: str) -> None:
    """DTB, FF4, SE, DT, EB 2.1, 5.1"""
    case, left = dealt(game)
    strange = "KH" if len(deck(game)) == 65 else "LG"
    counted = {
        "missing": left[1:],
        "left over": [*left, left[0]],
        "exchanged": [*left[1:], left[-1]],
        "foreign": [*left[1:], strange],
    }[how]
    case.end_shoe(counted)
    assert case.all_codes() == ["shoe-short"]
    found = case.audit()["findings"][0]
    assert (found["shoe"], found["round"]) == ("S1", None)
    assert case.verdict()["status"] == "verified"  # about the shoe: it does not touch the round


def test_a_shoe_that_was_not_counted_is_not_judged() -> None:
    case, _ = dealt(DT)
    assert case.end_shoe(None).all_codes() == []


def test_a_draw_that_was_read_as_two_cards_is_taken_as_the_one_that_fits() -> None:
    for other in ("AH", "9H"):
        case, left = dealt(DT)
        case.draw(1, other, at=FIRST_CARD + 100)
        case.end_shoe(left)
        assert case.all_codes() == (["card-conflict"] if other != "9H" else [])


def test_dtb_5_11_the_account_counts_cards_as_read() -> None:
    case, left = dealt("dragon_tiger_baccarat")
    case.rule(30_000, "replacement-card", "5.11.3", "gaming_shift_manager", draw=1, card="4D").end_shoe(left)
    assert case.all_codes() == []


def test_missing_cards_prove_nothing_where_a_draw_was_lost_and_cards_left_over_still_do() -> None:
    case, left = dealt(DT)
    case.round(["3H", "5S"])
    left.remove("3H")
    left.remove("5S")
    case.end_shoe(left)
    assert case.all_codes() == []
    assert case.all_codes(lost="card.drawn", which=1) == ["device-gap", "round-incomplete"]
    case.said[-1]["data"]["remaining"] = [*left, "AH"]
    assert case.all_codes(lost="card.drawn", which=1) == ["device-gap", "round-incomplete", "shoe-short"]


def test_a_draw_lost_by_nobody_leaves_the_shoe_short() -> None:
    case, left = dealt(DT)
    case.round(["3H", "5S"]).without("card.drawn").end_shoe([card for card in left if card != "5S"])
    assert "shoe-short" in case.all_codes()
