"""A shoe that runs out."""

from __future__ import annotations

import pytest

from tests.audit.case import ALL, DT, FF4, SE, SETTLED, Case
from tests.oracle.rules import deck


@pytest.mark.parametrize("game", ALL)
def test_5_3_a_shoe_that_runs_out_makes_the_round_void(game: str) -> None:
    """DTB, FF4, EB 5.3; SE, DT 5.5"""
    size = len(deck(game))
    left = {52: 2, 65: 1}[size] if game != DT else 1
    case = Case(game, 1)
    cards = deck(game)
    step = 2 if game == DT else 3 if size == 65 else 5
    for first in range(0, size - left, step):
        case.round(cards[first : min(first + step, size - left)])
    case.round(cards[size - left :], {"b1": ("tie", 100)})
    assert case.judged() == ("void", ["insufficient-cards"])
    case.tell(SETTLED, "bet.settled", bet="b1", paid=0, collected=100)
    assert case.judged() == ("flagged", ["insufficient-cards", "void-required"])
    assert case.bets()["b1"]["expected"] == {"paid": 0, "collected": 0}


@pytest.mark.parametrize("game", [DT, FF4, SE])
def test_a_shoe_is_not_known_to_be_empty_while_a_card_was_not_read(game: str) -> None:
    cards = deck(game)
    case = Case(game, 1)
    for first in range(0, len(cards) - 3, 2):
        case.round(cards[first : first + 2])
    case.round(cards[-1:])
    assert case.codes() == ["card-missing"]


def test_dtb_5_3_declared_void_it_is_rightly_void() -> None:
    case = Case(DT, 1)
    cards = deck(DT)
    case.round(cards[:1]).incident("order-altered").rule(31_000, "void", "5.4")
    for first in range(1, 51, 2):
        case.round(cards[first : first + 2])
    case.round(cards[51:]).rule(31_000, "void", "5.5")
    assert case.judged() == ("void", ["insufficient-cards"])
