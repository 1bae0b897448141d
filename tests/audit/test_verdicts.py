"""Section 4: the fields of a verdict, and its status."""

from __future__ import annotations

import pytest

from tests.audit.both_judges import judge_lines
from tests.audit.case import ALL, CLOSING, DT, DTB, EB, FF4, SE, Case, settled_round, unsettled_round

RULES = {
    DTB: {"document": "dragon-tiger-baccarat", "in_force": "2023-12-07"},
    FF4: {"document": "fa-fa-fabulous-4", "in_force": "2020-01-23"},
    SE: {"document": "sands-elements-no-commission", "in_force": "2017-05-05"},
    DT: {"document": "dragon-tiger", "in_force": "2013-07-17"},
    EB: {"document": "electronic-baccarat", "in_force": "2021-10-28"},
}


def test_a_round_by_the_rules_is_verified_and_all_is_told() -> None:
    verdict = settled_round().show("player", {"player": 9, "banker": 2}).verdict()
    assert verdict | {"settings": {}, "digest": ""} == {
        "table": "BT1",
        "shoe": "S1",
        "round": 1,
        "revision": 1,
        "game": DTB,
        "rules": RULES[DTB],
        "status": "verified",
        "outcome": {
            "winner": "player",
            "totals": {"player": 9, "banker": 2},
            "hands": {"player": ["4H", "5H"], "banker": ["2S", "KS"]},
            "naturals": ["player"],
            "pairs": [],
        },
        "displayed": {"winner": "player", "totals": {"player": 9, "banker": 2}},
        "bets": [
            {
                "bet": "b1",
                "position": 1,
                "player": "ann",
                "wager": "player",
                "stake": 100,
                "expected": {"paid": 100, "collected": 0},
                "actual": {"paid": 100, "collected": 0},
            }
        ],
        "differential": {"closing": 100, "first_card": 100, "limit": None},
        "findings": [],
        "settings": {},
        "digest": "",
    }
    assert len(verdict["digest"]) == 64
    assert verdict["settings"]["tolerance_ms"] == 500


@pytest.mark.parametrize("game", ALL)
def test_the_document_and_its_date_are_named(game: str) -> None:
    assert Case(game).round().verdict()["rules"] == RULES[game]


def test_every_bet_ever_placed_is_listed_in_the_order_of_its_name() -> None:
    case = settled_round().bet(2_000, "b10", "tie").withdraw(3_000, "b10").bet(2_500, "a", "banker").settle("a", 0, 100)
    assert [bet["bet"] for bet in case.verdict()["bets"]] == ["a", "b1", "b10"]
    assert case.bets()["b10"] | {"actual": None} == {
        "bet": "b10", "position": 1, "player": "ann", "wager": "tie", "stake": 0,
        "expected": {"paid": 0, "collected": 0}, "actual": None,
    }  # fmt: skip


def test_findings_come_by_severity_and_name_their_rule() -> None:
    case = unsettled_round().bet(2_000, "b2", "tie", 99, position=8).settle("b1", 100, 0).settle("b2", 5, 5)
    findings = case.verdict()["findings"]
    assert [(found["code"], found["severity"], found["rule"]) for found in findings] == [
        ("payout-wrong", "critical", "dragon-tiger-baccarat 4.1"),
        ("below-minimum", "high", "dragon-tiger-baccarat 5.14"),
        ("position-not-on-layout", "low", "dragon-tiger-baccarat Appendix"),
    ]
    assert all(found["basis"] == "rule" and found["message"].endswith(".") for found in findings)


def test_a_findings_id_depends_on_what_it_is_about_and_not_on_amounts() -> None:
    [small] = unsettled_round().settle("b1", 101, 0).verdict()["findings"]
    [large] = unsettled_round().settle("b1", 999, 5).verdict()["findings"]
    assert small["id"] == large["id"]
    assert small["actual"] != large["actual"]


@pytest.mark.parametrize("status", ["verified", "flagged", "void", "unverifiable"])
def test_findings_beside_rounds_do_not_change_the_status(status: str) -> None:
    case = settled_round(decks=11) if status != "void" else unsettled_round(decks=11)
    if status == "flagged":
        case.show("tie")
    elif status == "void":
        case.incident("foreign-card").rule(31_000, "void", "5.1.1")
    elif status == "unverifiable":
        case.draw(1, "9C", at=20_100)
    case.beat(500, "/tables/BT1/camera", offset=9_000)
    found = case.audit()
    assert found["verdicts"][0]["status"] == status
    assert {"decks-not-allowed", "device-clock"} <= {each["code"] for each in found["findings"]}


def test_a_verdict_depends_on_its_settings_which_it_carries() -> None:
    from audit.settings import JudgeSettings
    from tests.audit.both_judges import judge_batches

    lines = settled_round().change(CLOSING + 700, "b1", 150).lines()
    [usual] = judge_lines(lines).verdicts
    [patient] = judge_batches([lines], JudgeSettings(tolerance_ms=1_000)).verdicts
    assert [found.code for found in usual.findings] == ["late-bet"]
    assert [found.code for found in patient.findings] == ["payout-wrong"]
    assert usual.digest != patient.digest
    assert patient.settings["tolerance_ms"] == 1_000
