"""Section 6, Cards to Ends: cards, incidents, displays, order, voids, roles, status, in cases made by hand."""

from __future__ import annotations

import pytest

from tests.oracle.case import CLOSED, CLOSING, FIRST_CARD, PLAYER_WINS, SETTLED, TABLE, Case
from tests.oracle.script import say
from tests.oracle.test_fine_points import CARDS, DT, DTB, EB, FF4, SE, settled_round, unsettled_round
from tests.oracle.validate import ROLES

ALL = [DTB, FF4, SE, DT, EB]


# Cards


def test_cards_after_a_reconstruction_its_order_counts_and_later_draws_follow() -> None:
    # Read KS 2S 2H KH 5H 9D; in the right order 2S KS 2H KH: Player 4, Banker 0, then Player draws 5H, Banker 9D.
    case = Case().round(["KS", "2S", "2H", "KH", "5H", "9D"])
    case.rule(30_000, "reconstructed", "5.7", order=[2, 1, 3, 4])
    assert case.verdict()["outcome"]["hands"] == {"player": ["2S", "2H", "5H"], "banker": ["KS", "KH", "9D"]}


def test_cards_a_replacement_card_is_the_card_of_its_draw_read_or_not() -> None:
    case = Case().round().rule(30_000, "replacement-card", "5.11.3", "gaming_shift_manager", draw=2, card="3D")
    assert case.verdict()["outcome"]["totals"] == {"player": 9, "banker": 3}
    assert case.without("card.drawn", 1).judged() == ("verified", [])
    assert case.verdict()["outcome"]["totals"] == {"player": 9, "banker": 3}


def test_cards_the_account_of_the_shoe_counts_cards_as_read() -> None:
    case = Case(decks=4)
    for _ in range(4):  # 4H was read four times, though each was replaced: a fifth one is foreign
        case.round().rule(30_000, "replacement-card", "5.11.3", "gaming_shift_manager", draw=1, card="4D")
    case.round(["4H", "2D", "5D", "KD"])
    assert case.codes() == ["foreign-card"]


def test_cards_missing_or_extra_are_not_raised_beside_a_foreign_card() -> None:
    case = Case().round(["LG", "2S"]).rule(30_000, "void", "5.1.1")
    assert case.judged() == ("void", ["foreign-card"])


def test_cards_missing_is_not_raised_in_a_void_round() -> None:
    case = Case().round(["4H", "2S"]).incident("cards-drawn-together", 1, 2).rule(31_000, "void", "5.8.2.1")
    assert case.judged() == ("void", [])


# Incidents and Void


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
        ("face-up-card", (1,), []),
    ],
)
def test_incidents_follow_each_documents_own_clause(
    game: str, incident: str, draws: tuple[int, ...], void_in: list[str]
) -> None:
    case = settled_round(game).incident(incident, *draws)
    assert case.judged() == (("flagged", ["void-required"]) if game in void_in else ("verified", []))
    case = unsettled_round(game).incident(incident, *draws).rule(31_000, "void", "5.1")
    assert case.judged() == (("void", []) if game in void_in else ("flagged", ["void-unfounded"]))


@pytest.mark.parametrize("incident", ["order-altered", "cards-drawn-together"])
@pytest.mark.parametrize("game", ALL)
def test_incidents_a_reconstruction_means_that_the_order_is_known(game: str, incident: str) -> None:
    order = [1, 2] if game == DT else [1, 2, 3, 4]
    case = settled_round(game).incident(incident, 1, 2).rule(30_000, "reconstructed", "5.8", order=order)
    assert case.judged() == ("verified", [])


@pytest.mark.parametrize(("game", "founded"), [(SE, True), (DT, True), (DTB, False), (EB, False)])
def test_void_a_wrong_number_of_cards_founds_one_in_se_and_dt_and_requires_none(game: str, founded: bool) -> None:
    extra = "9G" if game == SE else "9C"
    case = Case(game).round([*CARDS[game], extra]).rule(31_000, "void", "5.2")
    expected = ("void", ["card-extra"]) if founded else ("flagged", ["card-extra", "void-unfounded"])
    assert case.judged() == expected
    case = settled_round(game).tell(FIRST_CARD + 8_000, "card.drawn", draw=len(CARDS[game]) + 1, card=extra)
    assert case.judged() == ("flagged", ["card-extra"])


@pytest.mark.parametrize(
    ("game", "by", "judged"),
    [
        (DTB, "gaming_shift_manager", ("void", [])),
        (EB, "gaming_shift_manager", ("void", [])),
        (FF4, "assistant_casino_manager", ("flagged", ["ruling-not-authorised", "void-unfounded"])),
        (SE, "gaming_shift_manager", ("flagged", ["void-unfounded"])),
        (DT, "gaming_shift_manager", ("flagged", ["void-unfounded"])),
    ],
)
def test_void_by_6_1_needs_its_role_and_a_document_that_has_it(
    game: str, by: str, judged: tuple[str, list[str]]
) -> None:
    assert unsettled_round(game).rule(31_000, "void", "6.1", by).judged() == judged


def test_void_what_is_on_record_founds_it_whatever_clause_is_cited() -> None:
    case = unsettled_round(DTB).incident("foreign-card").rule(31_000, "void", "6.1", "dealer")
    assert case.judged() == ("void", ["ruling-not-authorised"])


@pytest.mark.parametrize(
    ("cards_known", "limits", "void"),
    [
        (2, ["player", "player_pair"], True),
        (3, ["player", "player_pair"], False),  # the Player's first two cards decide the Player Pair
        (3, ["player", "banker", "tie"], True),
        (3, ["player", "banker_pair"], True),
        (4, ["banker_pair"], False),
    ],
)
def test_void_eb_power_failure_before_an_outcome(cards_known: int, limits: list[str], void: bool) -> None:
    offered = {wager: {"min": 1, "max": 1_000} for wager in limits}
    at = FIRST_CARD + 1_500 * cards_known - 700
    case = settled_round(EB, limits=offered).rule(at, "power-failure", "5.9", scope="table")
    found = [] if "player" in limits else ["wager-not-offered"]
    assert case.codes() == sorted(found + ["void-required"] * void)
    case.without("bet.settled").rule(at + 8_000, "void", "5.9.1")
    assert case.codes() == sorted(found + ["void-unfounded"] * (not void))


def test_void_power_failure_of_some_positions_or_in_dtb_requires_none() -> None:
    assert settled_round(EB).rule(CLOSING + 2_000, "power-failure", "5.10", scope=[1, 2]).codes() == []
    assert settled_round(DTB).rule(CLOSING + 2_000, "power-failure", "5.17.1", scope="table").codes() == []


def test_void_of_money_that_was_put_right() -> None:
    case = settled_round(DTB).incident("foreign-card").rule(31_000, "void", "5.1.1")
    case.tell(SETTLED + 4_000, "bet.corrected", bet="b1", paid=0, collected=0, by="pit_supervisor")
    findings = case.verdict()["findings"]
    assert [(f["code"], f["bet"], f.get("corrected")) for f in findings] == [("void-not-returned", "b1", True)]


def test_void_findings_of_the_round_stand_beside_it() -> None:
    case = unsettled_round(DTB).tell(CLOSING + 3_000, "bet.changed", bet="b1", amount=500)
    case.incident("foreign-card").rule(31_000, "void", "5.1.1")
    assert case.judged() == ("void", ["late-bet"])


# Display


def test_display_before_a_void_ruling_goes_by_the_cards_and_after_it_must_be_void() -> None:
    case = unsettled_round(DTB).incident("foreign-card").rule(32_000, "void", "5.1.1")
    case.tell(31_000, "result.displayed", winner="player", totals=None)
    case.tell(34_000, "result.displayed", winner="void", totals=None)
    assert case.codes() == []
    case.tell(35_000, "result.displayed", winner="player", totals=None)
    assert case.codes() == ["display-mismatch"]
    case.tell(31_200, "result.displayed", winner="void", totals=None)
    assert case.codes() == ["display-mismatch"] * 2


def test_display_in_dragon_tiger_shows_ranks() -> None:
    case = settled_round(DT).tell(31_000, "result.displayed", winner="dragon", totals={"dragon": "9", "tiger": "2"})
    assert case.judged() == ("verified", [])
    case.tell(31_200, "result.displayed", winner="dragon", totals={"dragon": 9, "tiger": 2})
    assert case.codes() == ["display-mismatch"]


# Order


def test_order_without_a_closing_all_bets_stand_and_no_card_is_early() -> None:
    case = settled_round(DTB).tell(FIRST_CARD + 3_000, "bet.changed", bet="b1", amount=100).without("bets.closed")
    assert case.codes() == ["round-out-of-order"]


def test_order_wrong_order_of_announcements() -> None:
    case = Case().round().without("bets.closed").tell(CLOSED + 1_000, "bets.closed")
    assert case.codes() == ["card-before-close"] * 4 + ["round-out-of-order"]


@pytest.mark.parametrize(
    ("game", "opened", "closed"), [(DTB, 0, 1), (DTB, 1, 1), (DTB, 1, 0), (DTB, 2, 1), (DTB, 0, 2)]
)
def test_order_a_reset_requires_a_second_closing_and_allows_a_second_opening(
    game: str, opened: int, closed: int
) -> None:
    case = Case(game).round().rule(CLOSING + 1_000, "device-reset", "5.9")
    for place in range(opened):
        case.tell(CLOSING + 3_000 + 100 * place, "round.opened", method=None)
    for place in range(closed):
        case.tell(CLOSING + 6_000 + 100 * place, "bets.closed")
    assert case.codes() == ([] if opened <= 1 and closed == 1 else ["round-out-of-order"])


def test_order_a_method_changed_in_the_course_of_a_round() -> None:
    case = Case().round(method="A").rule(CLOSING + 1_000, "device-reset", "5.9")
    case.tell(CLOSING + 3_000, "round.opened", method="B").tell(CLOSING + 6_000, "bets.closed")
    assert case.codes() == ["method-not-allowed"]


@pytest.mark.parametrize(("by", "reopened"), [(500, False), (501, True)])
def test_order_a_settlement_after_the_end_reopens_the_round_and_counts(by: int, reopened: bool) -> None:
    case = unsettled_round(DTB).tell(CLOSED + by, "bet.settled", bet="b1", paid=100, collected=0)
    assert case.codes() == (["round-out-of-order"] if reopened else [])


def test_order_a_correction_or_display_reopens_nothing() -> None:
    case = settled_round(DTB).tell(CLOSED + 9_000, "result.displayed", winner="player", totals=None)
    case.tell(CLOSED + 9_000, "bet.corrected", bet="b1", paid=100, collected=0, by="pit_manager")
    assert case.judged() == ("verified", [])


def test_order_a_card_after_the_next_opening_is_a_reopening() -> None:
    case = settled_round(DTB).without("card.drawn").without("round.closed")
    case.round()
    case.said.append(say(TABLE, case.opened + 2_000, "card.drawn", shoe="S1", round=1, draw=4, card=PLAYER_WINS[3]))
    findings = case.audit()["verdicts"][0]["findings"]
    assert [f["kind"] for f in findings] == ["missing", "reopened"]


# Roles


@pytest.mark.parametrize(
    ("game", "ruling", "clause", "least"),
    [
        (DTB, "stands", "5.6", "pit_supervisor"),
        (DTB, "stands", "3.17.1", "dealer"),
        (EB, "stands", "3.17.1", "pit_supervisor"),
        (FF4, "stands", "5.18.1", "dealer"),
        (DTB, "stands", "3.7.1", "pit_manager"),
        (FF4, "stands", "3.6.1", "pit_manager"),
        (FF4, "stands", "3.7.1", "pit_supervisor"),
        (DTB, "stands", "5.8.2.2", "pit_manager"),
        (EB, "stands", "5.8.2.2", "pit_supervisor"),
        (DTB, "stands", "5.11.2.1", "gaming_shift_manager"),
        (DTB, "stands", "5.1.1", "pit_supervisor"),
        (SE, "stands", "6.1", "gaming_shift_manager"),
    ],
)
def test_roles_go_with_the_clause(game: str, ruling: str, clause: str, least: str) -> None:
    for by in ROLES:
        case = settled_round(game).rule(31_000, ruling, clause, by)
        assert case.codes() == ([] if ROLES.index(by) >= ROLES.index(least) else ["ruling-not-authorised"])


# Ends


def test_ends_the_next_opening_or_the_end_of_the_shoe_ends_a_round() -> None:
    case = settled_round(DTB).without("round.closed")
    assert case.judged() == ("unverifiable", ["round-incomplete"])
    case.said.append(say(TABLE, 100_000, "shoe.ended", shoe="S1", remaining=None))
    assert case.judged() == ("flagged", ["round-out-of-order"])


def test_ends_verdicts_come_by_table_shoe_and_round() -> None:
    case = Case()
    case.load("S10")
    for _ in range(11):
        case.round()
    case.load("S1b")
    case.round()
    order = [(v["shoe"], v["round"]) for v in case.audit()["verdicts"]]
    assert order == [*[("S10", number) for number in range(1, 12)], ("S1b", 1)]
