"""The second judge's rules, its reading of lines, `settle`, and what must hold for any scenario."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import combinations_with_replacement, product
from random import Random
from typing import Any

import pytest

from tablewatch.commands.settle_line import BadLineError
from tablewatch.commands.settle_line import answer as settled_by_the_command
from tests.audit.both_judges import differences
from tests.oracle.judge import audit_lines
from tests.oracle.plan import TablePlan
from tests.oracle.rules import PIPS, deal, net, total
from tests.oracle.scenarios import play, scenario, scenario_lines
from tests.oracle.script import number, to_lines
from tests.oracle.settle import settle_line


def test_the_table_of_play_gives_the_published_counts_of_eight_decks() -> None:
    left = [128] + [32] * 9
    cards = {0: "10S", **{value: PIPS[value - 1] + "S" for value in range(1, 10)}}
    wins = {"player": 0, "banker": 0, "tie": 0}

    def follow(dealt: list[int], ways: int) -> None:
        result = deal("no_commission", [cards[value] for value in dealt])
        if result:
            for burnt in range(6 - len(dealt)):
                ways *= 416 - len(dealt) - burnt
            player, banker = (total(result[0][hand]) for hand in ("player", "banker"))
            wins["player" if player > banker else "banker" if banker > player else "tie"] += ways
            return
        for value in range(10):
            follow([*dealt, value], ways * (left[value] - dealt.count(value)))

    pairs = list(combinations_with_replacement(range(10), 2))
    for (p1, p2), (b1, b2) in product(pairs, pairs):  # the two cards of a hand may come in either order
        first, ways = [p1, b1, p2, b2], (1 + (p1 != p2)) * (1 + (b1 != b2))
        for place, value in enumerate(first):
            ways *= left[value] - first[:place].count(value)
        follow(first, ways)
    assert wins == {"player": 2230518282592256, "banker": 2292252566437888, "tie": 475627426473216}


@pytest.mark.parametrize(
    ("game", "cards", "odds"),
    [
        (
            "dragon_tiger_baccarat",
            "2H 3H 5H 3S",
            {"dragon_tiger": 30, "small_dragon": 15, "big_dragon": -1, "player": 1},
        ),
        ("dragon_tiger_baccarat", "2H 2S 3D KS 2C 4D", {"dragon_tiger": 100, "big_dragon": 30, "big_tiger": -1}),
        ("dragon_tiger_baccarat", "2H 6S 3D KS KC", {"small_tiger": 22, "banker": Fraction(95, 100), "tie": -1}),
        (
            "fa_fa_fabulous_4",
            "4G 4F 4G 4W",
            {"tie": 800, "player_precious_pair": 30, "banker_precious_pair": 15, "player": 0},
        ),
        (
            "fa_fa_fabulous_4",
            "LG 10F LG SF 4F 3F",
            {"player": Fraction(1, 2), "player_precious_pair": 12, "player_fabulous_4": 50},
        ),
        ("fa_fa_fabulous_4", "LG 4F SG 10F 10W", {"banker": 0, "banker_fabulous_4": 25, "player": -1}),
        (
            "sands_elements_no_commission",
            "LG 6F SG 10F 10W",
            {"banker": Fraction(1, 2), "fortune_six": 12, "player_pair": -1},
        ),
        ("dragon_tiger", "7H 7S", {"dragon": Fraction(-1, 2), "tie": 11, "dragon_big": -1, "tiger_small": -1}),
        ("dragon_tiger", "8H KS", {"dragon": -1, "tiger": 1, "dragon_big": 1, "tiger_big": 1, "tie": -1}),
        (
            "super_6_no_commission",
            "4H 4S 5H 4D",
            {"player_dragon_bonus": 1, "banker_dragon_bonus": -1, "banker_pair": 11},
        ),
        ("super_6_no_commission", "4H 5S 5H 4D", {"player_dragon_bonus": 0, "banker_dragon_bonus": 0}),
        (
            "fortune_six_no_commission",
            "KH KS KD QS 9H JS",
            {"player_dragon_bonus": 30, "player_pair": 11, "banker_pair": -1},
        ),
        ("tiger", "KH KS KD KC 6H 6S", {"tiger_tie": 35, "tiger_pair": 100, "tiger": -1, "banker": 0}),
        (
            "tiger_no_commission",
            "KH QS KD QC 2H 6S",
            {"tiger_pair": 20, "big_tiger": 50, "tiger": 20, "banker": Fraction(1, 2)},
        ),
        ("tiger", "10H 6S KD QC 2H", {"tiger_pair": -1, "small_tiger": 22, "banker": Fraction(95, 100)}),
    ],
)
def test_odds_read_from_the_documents(game: str, cards: str, odds: dict[str, Any]) -> None:
    dealt = deal(game, cards.split())
    assert dealt is not None
    assert dealt[1] == len(cards.split())
    assert {wager: net(game, wager, dealt[0]) for wager in odds} == odds


FIVE_CARDS = ["2H", "6S", "3D", "KS", "KC"]
BASE: dict[str, Any] = {"id": "x", "game": "dragon_tiger_baccarat", "decks": 8, "cards": FIVE_CARDS, "stake": "5"}


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({}, "ok"),
        ({"decks": 3, "cards": ["LG"]}, "decks-not-allowed"),
        ({"cards": ["LG"]}, "foreign-card"),
        ({"cards": ["2H"] * 9}, "foreign-card"),
        ({"cards": ["2H", "6S", "3D", "KS"]}, "card-missing"),
        ({"cards": [*FIVE_CARDS, "2D"]}, "card-extra"),
        ({"cards": ["1H"]}, "invalid"),
        ({"game": "faro"}, "invalid"),
        ({"stake": 5}, "invalid"),
        ({"stake": "-5"}, "invalid"),
        ({"decks": 8.0}, "invalid"),
        ({"table": "BT1"}, "ok"),
        ({"stake": "0"}, "ok"),
    ],
)
def test_settle(change: dict[str, object], status: str) -> None:
    line = json.dumps(BASE | change).encode()
    answer = settle_line(line)
    assert (answer["id"], answer["status"]) == ("x", status)
    if status == "invalid":
        with pytest.raises(BadLineError):
            settled_by_the_command(line)
    else:
        assert json.loads(settled_by_the_command(line)) == answer
    if status in ("ok", "card-extra") and "stake" not in change:
        assert answer["net"]["banker"] == "4.75"
        assert answer["net"]["player"] == "-5"
        assert answer["net"]["small_tiger"] == "110"
        assert answer["outcome"]["totals"] == {"player": 5, "banker": 6}


@pytest.mark.parametrize("identity", ["", "x", 7, 2**70, None, True, 1.5, ["x"]])
def test_settle_answers_under_a_string_or_a_whole_number(identity: object) -> None:
    line = json.dumps(BASE | {"id": identity}).encode()
    if isinstance(identity, str) or type(identity) is int:
        assert json.loads(settled_by_the_command(line)) == settle_line(line)
        assert settle_line(line)["id"] == identity
    else:
        assert settle_line(line)["status"] == "invalid"
        with pytest.raises(BadLineError):
            settled_by_the_command(line)


def test_a_line_may_hold_an_array_of_events() -> None:
    lines = scenario_lines(Random(3))
    packed = [b"[" + b",".join(lines[:5]) + b', {"specversion": "1.0"}]', *lines[5:]]
    assert differences(packed) == []
    alone = audit_lines([*lines, b'{"specversion": "1.0"}'])
    assert audit_lines(packed)["verdicts"] == alone["verdicts"]
    assert len(audit_lines(packed)["findings"]) == len(alone["findings"])
    for nothing in (b"[]", b"[1, 2]", b'["{"]', b"[[{}], 3]"):
        assert differences([*lines, nothing]) == []


def test_a_total_of_what_is_no_hand_is_shown_wrongly_and_not_rejected() -> None:
    lines = [json.loads(line) for line in scenario_lines(Random(3)) if line[:1] == b"{"]
    shown = next(line for line in lines if line["type"] == "result.displayed.v1")
    shown["data"]["totals"] = {"left": 3, "right": 4}
    said = [json.dumps(line).encode() for line in lines]
    assert differences(said) == []
    assert "display-mismatch" in {found["code"] for found in audit_lines(said)["findings"]}


@pytest.mark.parametrize("seed", range(25))
def test_any_order_of_lines_gives_the_same_result(seed: int) -> None:
    lines = scenario_lines(Random(seed))
    first = json.dumps(audit_lines(lines))
    Random(seed + 1).shuffle(lines)
    assert json.dumps(audit_lines([*lines, *lines[:5]])) == first


@pytest.mark.parametrize("seed", range(10))
def test_a_table_without_peculiarities_has_no_findings(seed: int) -> None:
    dice = Random(seed)
    games = ["dragon_tiger_baccarat", "fa_fa_fabulous_4", "sands_elements_no_commission", "dragon_tiger", "tiger"]
    table = TablePlan(dice, "BT1", games[seed % len(games)], 0)
    table.configure(differential_limit=None, max_wagers_per_area=None)
    table.load("S1", 8)
    for _ in range(6):
        play(table, odd=False)
    table.end_shoe("right")
    found = audit_lines(to_lines(number(table.said)))
    assert found["findings"] == []
    assert [verdict["status"] for verdict in found["verdicts"]] == ["verified"] * 6


def test_one_seed_gives_one_scenario() -> None:
    assert scenario(Random(5)) == scenario(Random(5))
    assert scenario(Random(5)) != scenario(Random(6))
