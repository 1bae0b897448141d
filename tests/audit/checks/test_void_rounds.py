"""Rounds that had to be void, and voids without a ground."""

from __future__ import annotations

import pytest

from tests.audit.case import (
    ALL,
    CARDS,
    CLOSING,
    DT,
    DTB,
    EB,
    FF4,
    FIRST_CARD,
    SE,
    SETTLED,
    Case,
    settled_round,
    unsettled_round,
)


@pytest.mark.parametrize("game", ALL)
@pytest.mark.parametrize(
    ("incident", "draws", "void_in"),
    [
        ("foreign-card", (), ALL),
        ("missing-card", (), [DTB, FF4, EB]),
        ("unshuffled-cards", (), [DTB, FF4, EB]),
        ("order-altered", (5,), ALL),
        ("cards-drawn-together", (), ALL),
        ("cards-drawn-together", (1, 2), ALL),
        ("cards-drawn-together", (3, 4), ALL),  # in DT past the initial deal, and void all the same
        ("cards-drawn-together", (4, 5), ALL),
        ("cards-drawn-together", (5, 6), [DT, EB]),
        ("wrong-order", (1,), []),
        ("wrong-delivery", (1,), []),
        ("face-up-card", (1,), []),
        ("exposed-card", (1,), []),
        ("player-left-with-cards", (1,), []),
        ("other", (), []),
    ],
)
def test_5_1_incidents_follow_each_documents_own_clause(
    game: str, incident: str, draws: tuple[int, ...], void_in: list[str]
) -> None:
    """DTB, FF4 5.1, 5.1.1, 5.2, 5.6, 5.7, 5.7.1, 5.8.2.1, 5.8.2.2, 5.12, 5.12.1, 5.12.2
    SE, DT 5.1, 5.1.1, 5.3, 5.4; EB 5.1, 5.1.1, 5.2, 5.6, 5.7, 5.8.1; readings A-21 to A-23
    """
    case = settled_round(game).incident(incident, *draws)
    assert case.judged() == (("flagged", ["void-required"]) if game in void_in else ("verified", []))
    assert case.bets()["b1"]["expected"] == {"paid": 0 if game in void_in else 100, "collected": 0}
    case = unsettled_round(game).incident(incident, *draws).rule(31_000, "void", "5.1")
    assert case.judged() == (("void", []) if game in void_in else ("flagged", ["void-unfounded"]))
    void = {"paid": 0, "collected": 0}
    assert case.bets()["b1"]["expected"] == (void if game in void_in else None)


@pytest.mark.parametrize("incident", ["order-altered", "cards-drawn-together"])
@pytest.mark.parametrize("game", ALL)
def test_5_8_with_a_reconstruction_the_order_is_known(game: str, incident: str) -> None:
    """DTB, FF4, EB 5.2, 5.8; SE, DT 5.3, 5.4"""
    order = [1, 2] if game == DT else [1, 2, 3, 4]
    case = settled_round(game).incident(incident, 1, 2).rule(30_000, "reconstructed", "5.8", order=order)
    assert case.judged() == ("verified", [])
    case = unsettled_round(game).incident(incident, 1, 2).rule(30_000, "reconstructed", "5.8", order=order)
    assert case.rule(31_000, "void", "5.8").codes() == ["void-unfounded"]


@pytest.mark.parametrize(("game", "founded"), [(SE, True), (DT, True), (DTB, False), (FF4, False), (EB, False)])
@pytest.mark.parametrize("wrong", ["more", "fewer"])
def test_se_5_2_and_dt_5_2_a_wrong_number_of_cards_founds_a_void_and_requires_none(
    game: str, founded: bool, wrong: str
) -> None:
    cards = [*CARDS[game], CARDS[game][0]] if wrong == "more" else CARDS[game][:-1]
    beside = ["card-extra"] if wrong == "more" else []
    case = Case(game).round(cards).rule(31_000, "void", "5.2")
    assert case.judged() == (("void", beside) if founded else ("flagged", [*beside, "void-unfounded"]))
    case = Case(game).round(cards, {"b1": ("tie", 100)}, {"b1": (0, 100)})
    assert case.judged() == ("flagged", ["card-extra" if wrong == "more" else "card-missing"])


@pytest.mark.parametrize(
    ("game", "by", "judged"),
    [
        (DTB, "gaming_shift_manager", ("void", [])),
        (FF4, "gaming_shift_manager", ("void", [])),
        (EB, "gaming_shift_manager", ("void", [])),
        (FF4, "assistant_casino_manager", ("flagged", ["ruling-not-authorised", "void-unfounded"])),
        (SE, "gaming_shift_manager", ("flagged", ["void-unfounded"])),
        (DT, "gaming_shift_manager", ("flagged", ["void-unfounded"])),
    ],
)
def test_dtb_6_1_a_void_by_the_shift_manager_needs_the_role_and_a_document_that_has_it(
    game: str, by: str, judged: tuple[str, list[str]]
) -> None:
    """FF4, EB 6.1"""
    assert unsettled_round(game).rule(31_000, "void", "6.1", by).judged() == judged
    assert unsettled_round(game).rule(31_000, "void", "6.1.2", by).judged() == judged


def test_what_is_on_record_founds_a_void_whatever_clause_is_cited() -> None:
    case = unsettled_round().incident("foreign-card").rule(31_000, "void", "6.1", "dealer")
    assert case.judged() == ("void", ["ruling-not-authorised"])


@pytest.mark.parametrize(
    ("cards_known", "limits", "void"),
    [
        (0, ["player", "player_pair"], True),
        (2, ["player", "player_pair"], True),
        (3, ["player", "player_pair"], False),  # the Player's first two cards decide the Player Pair
        (3, ["player", "banker", "tie"], True),
        (3, ["player", "banker_pair"], True),
        (4, ["banker_pair"], False),
    ],
)
def test_eb_5_9_1_a_power_failure_before_an_outcome_makes_the_round_void(
    cards_known: int, limits: list[str], void: bool
) -> None:
    """EB 5.9.2: with an outcome the round is concluded"""
    offered = {wager: {"min": 1, "max": 1_000} for wager in limits}
    at = FIRST_CARD + 1_500 * cards_known - 700
    case = settled_round(EB, limits=offered).rule(at, "power-failure", "5.9", scope="table")
    found = [] if "player" in limits else ["wager-not-offered"]
    assert case.codes() == sorted(found + ["void-required"] * void)
    case.without("bet.settled").rule(at + 8_000, "void", "5.9.1")
    assert case.codes() == sorted(found + ["void-unfounded"] * (not void))


def test_eb_5_9_2_a_round_with_an_outcome_is_dealt_to_its_end() -> None:
    case = Case(EB).round(CARDS[EB][:3]).rule(26_000, "power-failure", "5.9", scope="table")
    assert case.codes() == ["card-missing"]


def test_eb_5_10_a_failure_of_some_terminals_founds_a_void_and_requires_none() -> None:
    assert settled_round(EB).rule(CLOSING + 2_000, "power-failure", "5.10", scope=[1, 2]).codes() == []
    case = unsettled_round(EB).rule(CLOSING + 2_000, "power-failure", "5.10", scope=[1, 2])
    assert case.rule(31_000, "void", "5.9.1").judged() == ("void", [])


@pytest.mark.parametrize("game", [DTB, FF4, SE, DT])
def test_dtb_5_17_2_elsewhere_a_power_failure_voids_nothing(game: str) -> None:
    """DTB, FF4 5.17.1, 5.17.2"""
    case = settled_round(game).rule(CLOSING + 2_000, "power-failure", "5.17.1", scope="table")
    assert case.judged() == ("verified", [])
    case = unsettled_round(game).rule(CLOSING + 2_000, "power-failure", "5.17.1", scope="table")
    assert case.rule(31_000, "void", "5.17").codes() == ["void-unfounded"]


@pytest.mark.parametrize(("game", "void"), [(DTB, False), (FF4, False), (EB, True)])
def test_dtb_5_11_a_player_who_left_with_cards_makes_no_missing_card(game: str, void: bool) -> None:
    """FF4 5.11, reading A-34"""
    case = settled_round(game).incident("player-left-with-cards", 1).incident("missing-card")
    assert case.codes() == ["void-required"] * void


def test_a_void_round_by_the_rules_that_nobody_declared_or_settled_is_void() -> None:
    case = unsettled_round().incident("foreign-card")
    assert case.judged() == ("void", [])
    assert case.bets()["b1"]["expected"] == {"paid": 0, "collected": 0}


def test_void_required_is_raised_once_and_display_and_payouts_are_not_judged() -> None:
    case = settled_round().incident("foreign-card").incident("unshuffled-cards").show("banker").settle("b9", 5, 0)
    assert case.judged() == ("flagged", ["void-required"])


def test_void_unfounded_is_alone_as_to_display_and_payouts_and_others_stand_beside_it() -> None:
    case = settled_round().show("banker").settle("b9", 5, 0).rule(31_000, "void", "5.2")
    assert case.judged() == ("flagged", ["void-unfounded"])
    assert case.change(CLOSING + 3_000, "b1", 500).codes() == ["late-bet", "void-unfounded"]


@pytest.mark.parametrize("game", ALL)
def test_a_20_a_void_round_returns_every_wager(game: str) -> None:
    """DTB, FF4, SE, DT, EB 5.1.1"""
    case = settled_round(game).incident("foreign-card").rule(31_000, "void", "5.1.1")
    assert case.judged() == ("void", ["void-not-returned"])  # in place of payout findings
    assert case.verdict()["findings"][0]["bet"] == "b1"
    case.settle("b1", 100, 0, at=SETTLED + 1_000)
    assert case.codes() == ["void-not-returned"]  # one for each bet that money moved on
    case.correct("b1", 0, 0)
    assert [(found["code"], found["corrected"]) for found in case.verdict()["findings"]] == [
        ("void-not-returned", True)
    ]


def test_a_void_round_needs_no_settlement_and_nothing_paid_is_no_finding() -> None:
    case = unsettled_round().incident("foreign-card").rule(31_000, "void", "5.1.1")
    assert case.judged() == ("void", [])
    assert case.settle("b1", 0, 0).judged() == ("void", [])


def test_a_second_settlement_in_a_void_round_is_not_put_right_by_the_first() -> None:
    case = unsettled_round().incident("foreign-card").rule(31_000, "void", "5.1.1")
    case.settle("b1", 0, 0).settle("b1", 100, 0, at=SETTLED + 1_000)
    assert [(found["code"], found.get("corrected", False)) for found in case.verdict()["findings"]] == [
        ("void-not-returned", False)
    ]


def test_findings_of_the_round_stand_beside_a_void() -> None:
    case = unsettled_round().change(CLOSING + 3_000, "b1", 500).incident("foreign-card").rule(31_000, "void", "5.1.1")
    assert case.judged() == ("void", ["late-bet"])
