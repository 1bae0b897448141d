"""How many wagers one playing area may hold."""

from __future__ import annotations

import pytest

from tests.audit.case import CARDS, CLOSING, DT, DTB, EB, FF4, MAIN, SE, Case


def crowd(case: Case, count: int, position: int = 1) -> Case:
    """A round with so many bets on one area, all of which win."""
    names = [f"b{place}" for place in range(count)]
    wager = MAIN[case.game]
    return case.round(
        CARDS[case.game], dict.fromkeys(names, (wager, 100)), dict.fromkeys(names, (100, 0)), position=position
    )


@pytest.mark.parametrize("game", [DTB, FF4])
@pytest.mark.parametrize(("setting", "count", "found"), [(None, 3, 0), (None, 4, 1), (5, 4, 1), (2, 2, 0), (2, 3, 1)])
def test_dtb_3_7_at_most_three_wagers_on_one_area(game: str, setting: int | None, count: int, found: int) -> None:
    """FF4 3.6: three, and a larger number of the table changes nothing"""
    case = crowd(Case(game, max_wagers_per_area=setting), count)
    assert case.codes() == ["too-many-wagers"] * found
    assert all(bet["stake"] == 100 for bet in case.verdict()["bets"])  # they all stand


@pytest.mark.parametrize("game", [SE, DT, EB])
def test_elsewhere_only_the_table_sets_a_number(game: str) -> None:
    assert crowd(Case(game), 9).codes() == []
    assert crowd(Case(game, max_wagers_per_area=5), 5).codes() == []
    assert crowd(Case(game, max_wagers_per_area=5), 6).codes() == ["too-many-wagers"]


@pytest.mark.parametrize(("game", "clause"), [(DTB, "3.7.1"), (FF4, "3.6.1")])
def test_dtb_3_7_1_a_restriction_holds_for_its_round_and_the_later_ones_of_the_shoe(game: str, clause: str) -> None:
    """FF4 3.6.1"""
    case = crowd(Case(game), 2)
    case.rule(500, "wagers-restricted", clause, "pit_manager", max_wagers_per_area=1)
    assert case.codes() == ["too-many-wagers"]
    assert crowd(case, 2).codes() == ["too-many-wagers"]
    assert crowd(case, 1).codes() == []
    case.load("S2")
    assert crowd(case, 2).codes() == []


def test_dtb_3_7_an_area_is_a_position_and_a_wager() -> None:
    """Reading A-19"""
    bets = {f"b{place}": (wager, 100) for place, wager in enumerate(["player", "player", "player", "banker"])}
    case = Case().round(bets=bets, settled={"b0": (100, 0), "b1": (100, 0), "b2": (100, 0), "b3": (0, 100)})
    assert case.codes() == []
    assert case.bet(3_000, "b9", position=2).settle("b9", 100, 0).codes() == []
    assert case.bet(3_000, "b8", position=1).settle("b8", 100, 0).codes() == ["too-many-wagers"]


def test_dtb_3_7_wagers_that_do_not_stand_do_not_count() -> None:
    case = crowd(Case(), 3).bet(3_000, "b9").withdraw(4_000, "b9")
    assert case.codes() == []
    assert case.bet(CLOSING + 2_000, "b8").codes() == ["late-bet"]


def test_dtb_3_7_each_area_is_a_finding_of_its_own() -> None:
    case = crowd(Case(), 4)
    for place in range(4):
        case.bet(3_000, f"c{place}", position=2).settle(f"c{place}", 100, 0)
    assert case.codes() == ["too-many-wagers", "too-many-wagers"]
