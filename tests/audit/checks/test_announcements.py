"""Opening, closing and end of a round."""

from __future__ import annotations

import pytest

from tests.audit.case import (
    ALL,
    CLOSED,
    CLOSING,
    DTB,
    EB,
    FF4,
    PLAYER_WINS,
    SE,
    TABLE,
    Case,
    settled_round,
    unsettled_round,
)
from tests.oracle.script import say

ANNOUNCEMENTS = ["round.opened", "bets.closed", "round.closed"]


@pytest.mark.parametrize("game", ALL)
@pytest.mark.parametrize("kind", ANNOUNCEMENTS)
def test_3_1_and_3_2_each_announcement_is_made(game: str, kind: str) -> None:
    """DTB, FF4, SE, DT, EB 3.1, 3.2; DTB 1.1.8; FF4 1.1.9; SE 1.1.7; DT 1.1.2; EB 1.1.13"""
    case = settled_round(game).without(kind).round()  # a second round, so that the first one has ended in any case
    first = case.audit()["verdicts"][0]
    assert (first["status"], [found["code"] for found in first["findings"]]) == ("flagged", ["round-out-of-order"])


@pytest.mark.parametrize("game", ALL)
@pytest.mark.parametrize("kind", ANNOUNCEMENTS)
def test_3_1_and_3_2_each_announcement_is_made_once(game: str, kind: str) -> None:
    """DTB, FF4, SE, DT, EB 3.1, 3.2; DTB 1.1.8; FF4 1.1.9; SE 1.1.7; DT 1.1.2; EB 1.1.13"""
    case = settled_round(game)
    at = {"round.opened": 100, "bets.closed": CLOSING + 100, "round.closed": CLOSED + 100}[kind]
    case.tell(at, kind, **({"method": None} if kind == "round.opened" else {}))
    assert case.judged() == ("flagged", ["round-out-of-order"])


def test_dtb_3_2_announcements_in_the_wrong_order() -> None:
    case = Case().round().without("bets.closed").tell(CLOSED + 1_000, "bets.closed")
    assert case.codes() == ["card-before-close"] * 4 + ["round-out-of-order"]


@pytest.mark.parametrize(("apart", "wrong"), [(500, False), (501, True)])
def test_announcements_of_two_devices_are_compared_with_tolerance(apart: int, wrong: bool) -> None:
    case = Case().round().without("bets.closed").without("card.drawn", 0).without("round.closed")
    for _ in range(3):
        case.without("card.drawn")
    case.tell(CLOSED, "round.closed", "/pits/P-BT1/desk").tell(CLOSED + apart, "bets.closed")
    case.incident("foreign-card").rule(CLOSING, "void", "5.1.1")
    assert case.codes() == (["round-out-of-order"] if wrong else [])


def test_dtb_3_2_without_a_closing_all_bets_stand_and_no_card_is_early() -> None:
    case = settled_round().without("bets.closed").bet(25_000, "b2", "tie").settle("b2", 0, 100)
    assert case.codes() == ["round-out-of-order"]
    assert case.stake("b2") == 100


@pytest.mark.parametrize("game", [DTB, FF4])
@pytest.mark.parametrize(
    ("opened", "closed", "right"), [(0, 1, True), (1, 1, True), (1, 0, False), (2, 1, False), (0, 2, False)]
)
def test_dtb_5_9_a_reset_requires_a_second_closing_and_allows_a_second_opening(
    game: str, opened: int, closed: int, right: bool
) -> None:
    """FF4 5.9"""
    case = Case(game).round().rule(CLOSING + 1_000, "device-reset", "5.9")
    for place in range(opened):
        case.tell(CLOSING + 3_000 + 100 * place, "round.opened", method=None)
    for place in range(closed):
        case.tell(CLOSING + 6_000 + 100 * place, "bets.closed")
    assert case.codes() == ([] if right else ["round-out-of-order"])


@pytest.mark.parametrize(("closed", "right"), [(1, False), (2, True), (3, False)])
def test_dtb_5_9_every_reset_requires_a_closing(closed: int, right: bool) -> None:
    case = Case().round()
    for place in range(2):
        case.rule(CLOSING + 1_000 + 2_000 * place, "device-reset", "5.9")
    for place in range(closed):
        case.tell(CLOSING + 2_000 + 2_000 * place, "bets.closed")
    assert case.codes() == ([] if right else ["round-out-of-order"])


def test_dtb_5_9_the_second_opening_comes_after_the_reset() -> None:
    case = Case().round().rule(CLOSING + 2_000, "device-reset", "5.9").tell(CLOSING + 6_000, "bets.closed")
    assert case.tell(500, "round.opened", method=None).codes() == ["round-out-of-order"]


@pytest.mark.parametrize("kind", ["bets.closed", "round.opened"])
def test_dtb_5_9_what_a_reset_opens_again_is_closed_before_the_end(kind: str) -> None:
    case = Case().round().rule(CLOSING + 1_000, "device-reset", "5.9")
    if kind == "bets.closed":
        case.tell(CLOSED + 2_000, "bets.closed")
        assert case.codes() == ["card-before-close"] * 4 + ["round-out-of-order"]
    else:
        case.tell(CLOSING + 3_000, "bets.closed").tell(CLOSING + 6_000, "round.opened", method=None)
        assert case.codes() == ["round-out-of-order"]


@pytest.mark.parametrize("game", ALL)
@pytest.mark.parametrize(("by", "reopened"), [(500, False), (501, True)])
def test_5_1_2_a_settlement_after_the_end_reopens_the_round_and_counts(game: str, by: int, reopened: bool) -> None:
    """DTB, FF4, SE, DT, EB 5.1.2"""
    case = unsettled_round(game).settle("b1", 100, 0, at=CLOSED + by)
    assert case.codes() == (["round-out-of-order"] if reopened else [])
    assert case.bets()["b1"]["actual"] == {"paid": 100, "collected": 0}


@pytest.mark.parametrize("what", ["bet", "card"])
def test_dtb_5_1_2_a_bet_or_a_card_after_the_end_reopens_the_round(what: str) -> None:
    case = settled_round()
    if what == "bet":
        case.bet(CLOSED + 2_000, "b2")
        assert case.codes() == ["late-bet", "round-out-of-order"]
    else:
        case.draw(5, "9D", at=CLOSED + 2_000)
        assert case.codes() == ["card-extra", "round-out-of-order"]


def test_dtb_5_1_2_a_card_after_the_next_opening_is_a_reopening_beside_the_missing_end() -> None:
    case = settled_round().without("card.drawn").without("round.closed").round()
    at = case.opened + 2_000
    case.said.append(say(TABLE, at, "card.drawn", shoe="S1", round=1, draw=4, card=PLAYER_WINS[3]))
    first = case.audit()["verdicts"][0]
    assert [found["code"] for found in first["findings"]] == ["round-out-of-order", "round-out-of-order"]
    assert len({found["id"] for found in first["findings"]}) == 2  # one finding per kind


def test_dtb_5_16_a_correction_or_a_display_reopens_nothing() -> None:
    """FF4 5.16"""
    case = settled_round().show("player", at=CLOSED + 9_000).correct("b1", 100, 0, at=CLOSED + 9_000)
    assert case.judged() == ("verified", [])


def test_an_announcement_that_a_hole_may_have_taken_is_not_called_missing() -> None:
    case = settled_round(SE).round(bets={"b1": ("player", 100)}, settled={"b1": (100, 0)}).round()
    verdicts = case.audit(lost="bets.closed", which=1)["verdicts"]
    assert [verdict["status"] for verdict in verdicts] == ["verified", "unverifiable", "verified"]
    assert [found["code"] for found in verdicts[1]["findings"]] == ["round-incomplete"]


def test_eb_3_1_a_second_closing_is_required_after_a_reset_in_every_game() -> None:
    case = settled_round(EB).rule(CLOSING + 1_000, "device-reset", "5.9")
    assert case.codes() == ["round-out-of-order"]
    assert case.tell(CLOSING + 3_000, "bets.closed").codes() == []
