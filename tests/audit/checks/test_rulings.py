"""Who may rule what."""

from __future__ import annotations

import pytest

from tests.audit.case import ALL, CLOSING, DT, DTB, EB, FF4, SE, settled_round, unsettled_round
from tests.oracle.validate import ROLES


@pytest.mark.parametrize(
    ("game", "clause", "least"),
    [
        (DTB, "5.6", "pit_supervisor"),
        (DTB, "3.17.1", "dealer"),
        (FF4, "3.17.1", "dealer"),
        (EB, "3.17.1", "pit_supervisor"),
        (DTB, "5.18.1", "dealer"),
        (FF4, "5.18.1", "dealer"),
        (SE, "5.18.1", "pit_supervisor"),
        (DTB, "3.7.1", "pit_manager"),
        (FF4, "3.6.1", "pit_manager"),
        (FF4, "3.7.1", "pit_supervisor"),
        (DTB, "5.8.2.2", "pit_manager"),
        (FF4, "5.8.2.2", "pit_manager"),
        (EB, "5.8.2.2", "pit_supervisor"),
        (DTB, "5.18.3", "pit_manager"),
        (FF4, "5.18.3", "pit_manager"),
        (DTB, "5.11", "gaming_shift_manager"),
        (FF4, "5.11", "gaming_shift_manager"),
        (DTB, "5.11.2.1", "gaming_shift_manager"),
        (DTB, "5.1.1", "pit_supervisor"),
        (DTB, "5.110", "pit_supervisor"),
        (DTB, "6.1", "gaming_shift_manager"),
        (FF4, "6.1", "gaming_shift_manager"),
        (EB, "6.1", "gaming_shift_manager"),
        (SE, "6.1", "gaming_shift_manager"),
        (DT, "5.11", "gaming_shift_manager"),
    ],
)
def test_6_2_the_role_goes_with_the_clause_and_a_higher_one_may_act(game: str, clause: str, least: str) -> None:
    """DTB, FF4 3.17.1, 5.8.2.2, 5.11, 5.18.1, 5.18.3, 6.1, 6.2; DTB 3.7.1; FF4 3.6.1; EB 6.1, 6.2"""
    for by in ROLES:
        case = settled_round(game).rule(31_000, "stands", clause, by)
        assert case.codes() == ([] if ROLES.index(by) >= ROLES.index(least) else ["ruling-not-authorised"])


@pytest.mark.parametrize("game", ALL)
def test_a_dealer_may_refuse_bets_whatever_the_clause(game: str) -> None:
    case = settled_round(game).rule(CLOSING + 2_000, "bets-refused", "6.1", "dealer", bets=["b1"])
    assert case.codes() == []


def test_a_ruling_by_too_low_a_role_takes_effect() -> None:
    case = unsettled_round().rule(CLOSING + 2_000, "bets-removed", "5.18.3", "pit_supervisor", bets=["b1"])
    assert (case.codes(), case.stake()) == (["ruling-not-authorised"], 0)


def test_a_correction_takes_a_pit_supervisor() -> None:
    case = settled_round().correct("b1", 100, 0, by="dealer")
    assert case.judged() == ("flagged", ["ruling-not-authorised"])
    assert case.verdict()["findings"][0]["bet"] == "b1"
    assert settled_round().correct("b1", 100, 0, by="pit_supervisor").codes() == []


def test_each_ruling_is_a_finding_of_its_own() -> None:
    case = settled_round().rule(31_000, "stands", "5.6", "dealer").rule(32_000, "stands", "5.6", "dealer")
    findings = case.verdict()["findings"]
    assert [found["code"] for found in findings] == ["ruling-not-authorised"] * 2
    assert len({found["id"] for found in findings}) == 2
