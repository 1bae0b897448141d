"""Each finding code of the contract, in a case made by hand and reasoned from the text."""

from __future__ import annotations

from typing import Any

import pytest

from tests.oracle.case import BANKER_WINS, CLOSING, FIRST_CARD, PLAYER_WINS, SETTLED, TABLE, TIE, Case
from tests.oracle.judge import audit_lines
from tests.oracle.rules import DECK_52
from tests.oracle.script import say, to_lines

PLAYER_100: dict[str, Any] = {"bets": {"b1": ("player", 100)}, "settled": {"b1": (100, 0)}}


def test_a_round_by_the_rules_is_verified() -> None:
    case = Case().round(**PLAYER_100)
    case.tell(31_000, "result.displayed", winner="player", totals={"player": 9, "banker": 2})
    verdict = case.verdict()
    assert (verdict["status"], verdict["findings"]) == ("verified", [])
    assert verdict["outcome"] == {
        "winner": "player",
        "totals": {"player": 9, "banker": 2},
        "hands": {"player": ["4H", "5H"], "banker": ["2S", "KS"]},
        "naturals": ["player"],
        "pairs": [],
    }
    assert verdict["rules"] == {"document": "dragon-tiger-baccarat", "in_force": "2023-12-07"}
    assert verdict["bets"] == [
        {
            "bet": "b1",
            "position": 1,
            "player": "ann",
            "wager": "player",
            "stake": 100,
            "expected": {"paid": 100, "collected": 0},
            "actual": {"paid": 100, "collected": 0},
        }
    ]


@pytest.mark.parametrize(
    ("winner", "totals"),
    [
        ("banker", None),
        ("player", {"player": 9, "banker": 3}),
        ("player", {"player": 9}),
        ("player", {"player": "9", "banker": "2"}),
        ("dragon", None),
        ("void", None),
    ],
)
def test_display_mismatch(winner: str, totals: dict[str, object] | None) -> None:
    case = Case().round(**PLAYER_100).tell(31_000, "result.displayed", winner=winner, totals=totals)
    case.tell(32_000, "result.displayed", winner="player", totals=None)  # put right, and still a finding
    assert case.judged() == ("flagged", ["display-mismatch"])


def test_card_missing_leaves_display_and_payouts_unjudged() -> None:
    case = Case().round(["2H", "3S", "KH", "KS"], {"b1": ("player", 100)}, {"b1": (7, 7)})
    case.tell(31_000, "result.displayed", winner="void", totals=None)
    verdict = case.verdict()
    assert case.judged() == ("flagged", ["card-missing"])
    assert verdict["outcome"] is None
    assert verdict["bets"][0]["expected"] is None


def test_card_extra_gives_the_outcome_of_the_cards_that_belong() -> None:
    case = Case().round([*PLAYER_WINS, "9D"], {"b1": ("player", 100)}, {"b1": (100, 0)})
    assert case.judged() == ("flagged", ["card-extra"])
    assert case.verdict()["outcome"]["totals"] == {"player": 9, "banker": 2}


def test_foreign_card_of_the_other_deck_requires_a_void() -> None:
    case = Case().round(["LG", *PLAYER_WINS[1:]], {"b1": ("player", 100)}, {"b1": (100, 0)})
    assert case.judged() == ("flagged", ["foreign-card", "void-required"])


def test_foreign_card_one_copy_more_than_the_decks_hold() -> None:
    case = Case(decks=4)
    for _ in range(4):
        case.round()
        assert case.judged() == ("verified", [])
    case.round(settled={"b1": (0, 0)}, bets={"b1": ("tie", 100)})
    assert case.codes() == ["foreign-card"] * 4 + ["void-required"]


def test_a_foreign_card_stands_beside_a_rightly_void_round() -> None:
    case = Case().round(["LG", *PLAYER_WINS[1:]], {"b1": ("player", 100)}).rule(30_000, "void", "5.1.1")
    assert case.judged() == ("void", ["foreign-card"])


def test_card_conflict_of_two_cards_for_one_draw() -> None:
    case = Case().round(**PLAYER_100).tell(FIRST_CARD + 100, "card.drawn", draw=1, card="9D")
    case.tell(31_000, "result.displayed", winner="banker", totals=None)
    assert case.judged() == ("unverifiable", ["card-conflict"])


def test_card_conflict_of_a_skipped_draw() -> None:
    case = Case().round(**PLAYER_100).without("card.drawn", 1)
    assert case.judged() == ("unverifiable", ["card-conflict"])


def test_one_card_read_twice_is_no_conflict() -> None:
    case = Case().round(**PLAYER_100)
    case.tell(FIRST_CARD + 100, "card.drawn", "/tables/BT1/reader-2", draw=1, card="4H")
    assert case.judged() == ("verified", [])


@pytest.mark.parametrize(
    ("game", "decks", "wrong"), [("dragon_tiger", 9, True), ("tiger", 9, False), ("tiger", 3, True)]
)
def test_decks_not_allowed_does_not_touch_the_round(game: str, decks: int, wrong: bool) -> None:
    case = Case(game, decks).round(PLAYER_WINS[:2] if game == "dragon_tiger" else PLAYER_WINS)
    assert case.all_codes() == (["decks-not-allowed"] if wrong else [])
    assert case.verdict()["status"] == "verified"


def test_shoe_short() -> None:
    case = Case("dragon_tiger", 4).round(["4H", "2S"])
    deck = DECK_52 * 4
    deck.remove("4H")
    deck.remove("2S")
    case.said.append(say(TABLE, 100_000, "shoe.ended", shoe="S1", remaining=deck))
    assert case.all_codes() == []
    case.said[-1]["data"]["remaining"] = deck[1:]
    assert case.all_codes() == ["shoe-short"]
    case.said[-1]["data"]["remaining"] = [*deck, "AH"]
    assert case.all_codes() == ["shoe-short"]
    case.said[-1]["data"]["remaining"] = None
    assert case.all_codes() == []


def test_insufficient_cards() -> None:
    case = Case("dragon_tiger", 1)
    for first in range(0, 50, 2):
        case.round(DECK_52[first : first + 2])
    case.round(DECK_52[50:51])  # 51 cards dealt, one was burnt: nobody can tell that the shoe is empty
    assert case.judged() == ("flagged", ["card-missing"])
    case.round(DECK_52[51:])
    assert case.judged() == ("void", ["insufficient-cards"])
    case.tell(SETTLED, "bet.settled", bet="b1", paid=1, collected=0)
    assert case.judged() == ("flagged", ["insufficient-cards", "void-required"])


def test_wager_not_offered_by_the_table_settles_by_the_paytable() -> None:
    case = Case(limits={"player": {"min": 1, "max": 1000}})
    case.round(BANKER_WINS, {"b1": ("banker", 200)}, {"b1": (190, 0)})
    assert case.judged() == ("flagged", ["wager-not-offered"])


def test_wager_not_of_the_game_is_returned() -> None:
    case = Case().round(bets={"b1": ("tiger_tie", 200)}, settled={"b1": (0, 0)})
    assert case.judged() == ("flagged", ["wager-not-offered"])
    case = Case().round(bets={"b1": ("tiger_tie", 200)}, settled={"b1": (0, 200)})
    assert case.codes() == ["payout-wrong", "wager-not-offered"]


def test_position_not_on_layout() -> None:
    case = Case().round(**PLAYER_100, position=8)
    assert case.judged() == ("flagged", ["position-not-on-layout"])


@pytest.mark.parametrize("game", ["dragon_tiger_baccarat", "sands_elements_no_commission", "tiger"])
def test_below_minimum_and_above_maximum(game: str) -> None:
    cards = ["4G", "2E", "5G", "LE"] if game.startswith("sands") else PLAYER_WINS
    capped = game == "dragon_tiger_baccarat"
    settled = {"b1": (99, 0), "b2": (10_000 if capped else 10_001, 0)}
    case = Case(game).round(cards, {"b1": ("player", 99), "b2": ("player", 10_001)}, settled)
    assert case.judged() == ("flagged", ["above-maximum", "below-minimum"])
    assert [bet["stake"] for bet in case.verdict()["bets"]] == [99, 10_001]


@pytest.mark.parametrize(
    ("game", "setting", "restricted", "count", "found"),
    [
        ("dragon_tiger_baccarat", None, None, 3, False),
        ("dragon_tiger_baccarat", None, None, 4, True),
        ("dragon_tiger_baccarat", 5, None, 4, True),
        ("dragon_tiger_baccarat", 2, None, 3, True),
        ("dragon_tiger_baccarat", None, 1, 2, True),
        ("tiger", None, None, 9, False),
        ("tiger", 5, None, 6, True),
    ],
)
def test_too_many_wagers(game: str, setting: int | None, restricted: int | None, count: int, found: bool) -> None:
    case = Case(game, max_wagers_per_area=setting).round()
    if restricted:
        case.rule(500, "wagers-restricted", "3.7.1", "pit_manager", max_wagers_per_area=restricted)
    names = [f"b{place}" for place in range(count)]
    case.round(TIE, dict.fromkeys(names, ("player", 100)), dict.fromkeys(names, (0, 0)))
    assert case.codes() == (["too-many-wagers"] if found else [])


def test_differential_exceeded() -> None:
    bets = {"b1": ("player", 5_000), "b2": ("banker", 1_000), "b3": ("tie", 9_000)}
    settled = {"b1": (5_000, 0), "b2": (0, 1_000), "b3": (0, 9_000)}
    case = Case(differential_limit=3_999).round(bets=bets, settled=settled)
    assert case.judged() == ("flagged", ["differential-exceeded"])
    assert case.verdict()["differential"] == {"closing": 4_000, "first_card": 4_000, "limit": 3_999}
    assert Case(differential_limit=4_000).round(bets=bets, settled=settled).judged() == ("verified", [])
    other = Case("tiger", differential_limit=0).round(bets=bets, settled=settled)
    assert (other.judged(), other.verdict()["differential"]) == (("verified", []), None)


@pytest.mark.parametrize(("late_by", "late"), [(-100, False), (500, False), (501, True)])
def test_late_bet(late_by: int, late: bool) -> None:
    case = Case().round(settled={"b1": (100, 0)})
    case.tell(CLOSING + late_by, "bet.placed", bet="b1", position=1, player=None, wager="player", amount=100)
    assert case.codes() == (["late-bet", "payout-unexpected"] if late else [])
    assert case.verdict()["bets"][0]["stake"] == (0 if late else 100)


@pytest.mark.parametrize(("late_by", "late"), [(500, False), (501, True)])
def test_late_withdrawal_still_stands(late_by: int, late: bool) -> None:
    case = Case().round(**PLAYER_100).tell(CLOSING + late_by, "bet.withdrawn", bet="b1")
    assert case.codes() == (["late-withdrawal"] if late else ["payout-unexpected"])


@pytest.mark.parametrize(("early_by", "early"), [(500, False), (501, True)])
def test_card_before_close(early_by: int, early: bool) -> None:
    case = Case().round()
    case.said[-5]["at"] = case.opened + CLOSING - early_by
    assert case.codes() == (["card-before-close"] if early else [])


@pytest.mark.parametrize("kind", ["round.opened", "bets.closed", "round.closed"])
def test_round_out_of_order_when_an_announcement_is_missing_or_doubled(kind: str) -> None:
    case = Case().round(**PLAYER_100).without(kind)
    number = case.number
    case.round()  # so that the first one has ended in any case
    first = case.audit()["verdicts"][number - 1]
    assert [found["code"] for found in first["findings"]] == ["round-out-of-order"]
    case = Case().round(**PLAYER_100)
    said = next(s for s in case.said if s["type"] == kind + ".v1")
    case.tell(said["at"] - case.opened + 100, kind, **({"method": None} if kind == "round.opened" else {}))
    assert case.judged() == ("flagged", ["round-out-of-order"])


@pytest.mark.parametrize(
    ("game", "area", "method", "wrong"),
    [
        ("dragon_tiger_baccarat", "main", "C", True),
        ("dragon_tiger_baccarat", "hlga", "C", False),
        ("dragon_tiger_baccarat", "main", "B", False),
        ("tiger", "hlga", "A", True),
        ("tiger", "main", None, False),
    ],
)
def test_method_not_allowed(game: str, area: str, method: str | None, wrong: bool) -> None:
    case = Case(game, area=area).round(method=method)
    assert case.codes() == (["method-not-allowed"] if wrong else [])


def test_void_unfounded() -> None:
    case = Case().round(bets={"b1": ("player", 100)}).rule(30_000, "void", "5.2")
    assert case.judged() == ("flagged", ["void-unfounded"])


def test_void_not_returned_in_place_of_payout_findings() -> None:
    case = Case().round(**PLAYER_100).incident("foreign-card").rule(30_000, "void", "5.1.1")
    assert case.judged() == ("void", ["void-not-returned"])


def test_payout_wrong_missing_and_unexpected() -> None:
    bets = {"b1": ("player", 100), "b2": ("banker", 100), "b3": ("tie", 100)}
    case = Case().round(bets=bets, settled={"b1": (101, 0), "b2": (0, 99), "b9": (1, 0)})
    assert case.codes() == ["payout-missing", "payout-unexpected", "payout-wrong", "payout-wrong"]


def test_payout_unexpected_when_settled_twice_but_never_for_nothing() -> None:
    case = Case().round(**PLAYER_100).tell(SETTLED + 1_000, "bet.settled", bet="b1", paid=0, collected=0)
    assert case.codes() == []
    case.tell(SETTLED + 2_000, "bet.settled", bet="b1", paid=100, collected=0)
    assert case.codes() == ["payout-unexpected"]


def test_device_gap_and_event_rejected() -> None:
    events = Case().round(**PLAYER_100).events()
    lines = to_lines(events)
    display = next(place for place, event in enumerate(events) if event["type"] == "bet.placed.v1")
    assert lines[display].count(b'"wager":"player"') == 1
    spoilt = lines[display].replace(b'"wager":"player"', b'"wager":"roulette"')
    found = audit_lines([*lines[:display], spoilt, spoilt, *lines[display + 1 :], b"?", b"?"])
    assert [f["code"] for f in found["findings"]] == ["event-rejected", "event-rejected", "round-incomplete"]
    reader = [place for place, event in enumerate(events) if event["type"] == "card.drawn.v1"]
    found = audit_lines([line for place, line in enumerate(lines) if place not in reader[1:3]])
    assert [f["code"] for f in found["findings"]] == ["device-gap", "round-incomplete"]


def test_device_clock_once_per_episode() -> None:
    case = Case().round()
    for place, offset in enumerate([0, 2_000, 2_001, -2_001, 5_000, 0, 3_000]):
        case.beat(1_000 + 5_000 * place, "/tables/BT1/camera", offset)
    assert case.all_codes() == ["device-clock", "device-clock"]


@pytest.mark.parametrize(
    ("beats", "silent"), [([0], True), ([1], False), ([0, 30_000], False), ([], False), ([0, 90_000], True)]
)
def test_device_silent_when_another_source_speaks_more_than_a_minute_later(beats: list[int], silent: bool) -> None:
    case = Case().round()
    for at in beats:
        case.beat(at, "/tables/BT1/camera")
    case.rule(59_001, "stands", "5.6")  # the round opened at 1 s: 60.001 s after the first heartbeat
    assert case.all_codes() == (["device-silent"] if silent else [])


def test_round_incomplete_for_what_a_file_leaves_open() -> None:
    case = Case().round(bets={"b1": ("player", 1)}).without("round.closed")
    assert case.judged() == ("unverifiable", ["round-incomplete"])


def test_round_incomplete_without_configuration_or_shoe() -> None:
    for kind in ("table.configured", "shoe.loaded"):
        assert Case().round(**PLAYER_100).without(kind).judged() == ("unverifiable", ["round-incomplete"])
