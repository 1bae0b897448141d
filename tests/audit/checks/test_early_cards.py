"""Cards drawn before "No more bets"."""

from __future__ import annotations

import pytest

from tests.audit.case import ALL, CARDS, CLOSING, DTB, FF4, READER, Case


@pytest.mark.parametrize("game", ALL)
@pytest.mark.parametrize(("early_by", "early"), [(500, False), (501, True)])
def test_3_2_no_card_before_the_closing(game: str, early_by: int, early: bool) -> None:
    """DTB, FF4, SE, DT, EB 3.2; DT 3.4; reading A-41"""
    case = Case(game).round().without("card.drawn", 0).draw(1, CARDS[game][0], at=CLOSING - early_by)
    assert case.judged() == (("flagged", ["card-before-close"]) if early else ("verified", []))


def test_3_2_every_early_draw_is_named() -> None:
    findings = Case().round().without("bets.closed").tell(22_200, "bets.closed").verdict()["findings"]
    assert [(found["code"], found["draw"]) for found in findings] == [
        ("card-before-close", 1),
        ("card-before-close", 2),
    ]


def test_one_source_is_compared_without_tolerance() -> None:
    case = Case().round().without("bets.closed").tell(20_001, "bets.closed", READER)
    assert case.codes() == ["card-before-close"]


@pytest.mark.parametrize("game", [DTB, FF4])
def test_dtb_5_9_after_a_reset_cards_wait_for_the_second_closing(game: str) -> None:
    """FF4 5.9"""
    case = Case(game).round().rule(CLOSING + 2_000, "device-reset", "5.9").tell(22_200, "bets.closed")
    findings = case.verdict()["findings"]
    assert [(found["code"], found["draw"]) for found in findings] == [
        ("card-before-close", 1),
        ("card-before-close", 2),
    ]
