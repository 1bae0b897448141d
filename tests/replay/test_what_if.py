"""What if: the same rounds with something otherwise, in outcomes, findings and money."""

from fractions import Fraction
from typing import Any

import orjson
import pytest

from replay.changes import Changes, InvalidChange, Pay, check_pay, read_changes
from replay.what_if import Compared, compared_json, what_if
from store.connect import Store
from store.rows.verdicts import RoundKey
from tests.audit.case import BANKER_WINS, DTB, EB, TIE, Case
from tests.replay.stored import fill

FIRST = RoundKey("BT1", "S1", 1)


def _what_if(store: Store, case: Case, changes: Changes, *numbers: int) -> Compared:
    stored = fill(store, case.lines())
    keys = [each.key for each in stored if not numbers or each.key.round in numbers]
    return what_if(store, keys, changes, meant=keys[0] if len(keys) == 1 else None)


def test_a_04_small_tiger_as_the_layout_prints_it_pays_three_stakes_more(store: Store) -> None:
    """DTB 4.3"""
    cards = ["KS", "4H", "3D", "2C"]
    case = Case(DTB).round([*cards, "KD"], {"b1": ("small_tiger", 100)}, {"b1": (2_200, 0)}).round()
    result = _what_if(store, case, Changes(readings={"small_tiger": "layout"}))
    assert result.rounds == 2
    (change,) = result.changed
    assert [finding.code for finding in change.appeared] == ["payout-wrong"]
    assert result.difference == 300
    assert result.by_wager()["small_tiger"].difference == 300


def test_other_odds_change_what_is_due_on_that_wager_alone(store: Store) -> None:
    case = Case(DTB).round(TIE, {"b1": ("tie", 100), "b2": ("player", 100)}, {"b1": (800, 0), "b2": (0, 0)})
    result = _what_if(store, case, Changes(pays=(Pay("tie", None, Fraction(9)),)))
    (bet,) = result.changed[0].bets
    assert (bet.wager, bet.due, bet.due_then, bet.moved) == ("tie", 800, 900, 800)


def test_odds_of_one_line_among_several_are_named_by_its_label(store: Store) -> None:
    """EB 4.4: Banker that wins with six pays 1 to 2"""
    six = ["KS", "KH", "2S", "6H", "KD"]
    case = Case(EB).round(six, {"b1": ("banker", 100)}, {"b1": (50, 0)})
    result = _what_if(store, case, Changes(pays=(Pay("banker", "with six", Fraction(1)),)))
    assert result.difference == 50
    with pytest.raises(InvalidChange, match="Banker wins with six"):
        check_pay(Pay("banker", "nonsense", Fraction(1)))
    check_pay(Pay("banker", "with six", Fraction(1)))


def test_another_card_changes_the_outcome_and_what_is_due(store: Store) -> None:
    case = Case(DTB).round(None, {"b1": ("player", 100), "b2": ("banker", 100)}, {"b1": (100, 0), "b2": (0, 100)})
    result = _what_if(store, case, Changes(cards={2: "7S"}))
    (change,) = result.changed
    assert change.outcome == ("Player 9-2", "Player 9-7")
    assert change.bets == ()
    result = what_if(store, [FIRST], Changes(cards={1: "KH", 2: "8S", 3: "7C"}), meant=FIRST)
    (change,) = result.changed
    assert change.outcome == ("Player 9-2", "Banker 7-8")
    assert {bet.bet: (bet.due, bet.due_then) for bet in change.bets} == {"b1": (100, -100), "b2": (-100, 95)}
    assert [finding.code for finding in change.appeared] == ["payout-wrong", "payout-wrong"]


def test_a_card_changed_in_one_round_is_felt_by_later_rounds_of_the_shoe(store: Store) -> None:
    """DTB 5.1: one copy more than the shoe holds"""
    case = Case(DTB, decks=4)
    for _ in range(4):
        case.round(BANKER_WINS)
    result = _what_if(store, case, Changes(cards={2: "5H"}), 1)
    assert [change.key.round for change in result.changed] == [1, 4]
    assert [finding.code for finding in result.changed[1].appeared] == ["foreign-card"]


def test_other_limits_raise_and_clear_findings(store: Store) -> None:
    """DTB 5.15"""
    case = Case(DTB).round(bets={"b1": ("player", 20_000)}, settled={"b1": (10_000, 0)})
    result = _what_if(store, case, Changes(limits={"player": (100, 50_000)}))
    assert result.by_code() == {"above-maximum": (0, 1), "payout-wrong": (1, 0)}
    assert result.difference == 10_000


def test_a_wider_tolerance_forgives_a_late_bet(store: Store) -> None:
    """DTB 5.4"""
    case = Case(DTB).round(bets={"b1": ("player", 100)}, settled={"b1": (100, 0)})
    case.bet(11_500, "b2").settle("b2", 100, 0)
    result = _what_if(store, case, Changes(tolerances={"tolerance_ms": 2_000}))
    assert "late-bet" in [finding.code for finding in result.changed[0].gone]
    assert result.changed[0].status == ("flagged", "verified")


def test_another_rule_document_brings_its_own_procedures(store: Store) -> None:
    """DTB 5.15 caps at the maximum; EB settles in full"""
    case = Case(DTB).round(bets={"b1": ("player", 20_000)}, settled={"b1": (20_000, 0)})
    result = _what_if(store, case, Changes(document="electronic-baccarat"))
    assert [finding.code for finding in result.changed[0].gone] == ["payout-wrong"]


def test_as_another_game_a_round_pays_by_that_game(store: Store) -> None:
    """EB 4.7 against 4.8"""
    six = ["KS", "KH", "2S", "6H", "KD"]
    case = Case("tiger").round(six, {"b1": ("banker", 100)}, {"b1": (95, 0)})
    result = _what_if(store, case, Changes(setup={"game": "tiger_no_commission"}))
    assert result.difference == -45


def test_events_may_be_replaced_added_and_removed(store: Store) -> None:
    case = Case(DTB).round(bets={"b1": ("player", 100)}, settled={"b1": (90, 0)}).round()
    events = case.events()
    wrong = next(event for event in events if event["type"] == "bet.settled.v1")
    put, removed = read_changes([orjson.dumps({**wrong, "data": {**wrong["data"], "paid": 100}})])
    result = _what_if(store, case, Changes(put=put, removed=removed))
    assert [finding.code for finding in result.changed[0].gone] == ["payout-wrong"]
    _, removed = read_changes([b"", orjson.dumps({"remove": {"source": wrong["source"], "id": wrong["id"]}})])
    result = what_if(store, [FIRST], Changes(removed=removed))
    assert result.by_code() == {"payout-missing": (1, 0), "payout-wrong": (0, 1)}


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b"no json", "line 1 is not JSON"),
        (b'{"remove": "all"}', "line 1: write"),
        (b'{"specversion": "1.0"}', "line 1 is no event"),
    ],
)
def test_a_file_of_changes_that_cannot_be_read_says_where(line: bytes, why: str) -> None:
    with pytest.raises(InvalidChange, match=why):
        read_changes([line])


@pytest.mark.parametrize("changes", [Changes(cards={9: "8H"}), Changes(removed=frozenset({("/tables/BT1/rfid", "x")}))])
def test_a_change_that_touches_nothing_on_record_is_refused(store: Store, changes: Changes) -> None:
    with pytest.raises(InvalidChange, match="nothing on record"):
        _what_if(store, Case(DTB).round(), changes)


def test_nothing_otherwise_changes_nothing(store: Store) -> None:
    case = Case(DTB).round(bets={"b1": ("player", 100)}, settled={"b1": (100, 0)})
    result = _what_if(store, case, Changes(readings={"small_tiger": "layout"}))
    assert (result.rounds, result.changed, result.difference) == (1, [], 0)


def test_the_result_as_json_sums_up_by_wager_and_code(store: Store) -> None:
    case = Case(DTB).round(TIE, {"b1": ("tie", 101)}, {"b1": (808, 0)})
    said: dict[str, Any] = compared_json(_what_if(store, case, Changes(pays=(Pay("tie", None, Fraction(17, 2)),))))
    assert orjson.loads(orjson.dumps(said)) == said
    assert said["wagers"] == {"tie": {"bets": 1, "stake": 101, "difference": "50.5"}}
    assert said["findings"] == {"payout-wrong": {"appear": 1, "go": 0}}
    assert said["changed"][0]["bets"][0]["due_then"] == "858.5"
