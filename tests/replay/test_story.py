"""A round as a story: every moment in its place, with cards, reasons, money and findings."""

import orjson
import pytest

from games.rulebook import GAMES
from replay.story import Moment, Story, Surroundings, facts_of, story_json, tell
from schemas.decoding import decode_lines
from simulator.floor import simulate
from tests.audit.case import DT, DTB, FF4, SE, TIE, Case
from tests.replay.telling import stories_of


def _story(case: Case, number: int = 1) -> Story:
    return stories_of(case.lines())[number - 1]


def _cards(story: Story) -> list[Moment]:
    return [moment for moment in story.moments if moment.kind == "card"]


def test_dtb_3_13_each_card_goes_to_its_hand_with_the_running_totals() -> None:
    """DTB 3.13, 3.4"""
    cards = _cards(_story(Case().round(["2S", "3H", "2D", "2C", "5S", "9H"])))
    assert [card.hand for card in cards] == ["player", "banker", "player", "banker", "player", "banker"]
    assert [dict(card.totals) for card in cards] == [
        {"player": 2, "banker": None},
        {"player": 2, "banker": 3},
        {"player": 4, "banker": 3},
        {"player": 4, "banker": 5},
        {"player": 9, "banker": 5},
        {"player": 9, "banker": 4},
    ]
    assert cards[-1].hands == {"player": ("2S", "2D", "5S"), "banker": ("3H", "2C", "9H")}


def test_dtb_3_14_every_draw_has_the_reason_of_the_table_of_play_and_its_clause() -> None:
    """DTB 3.14"""
    cards = _cards(_story(Case().round(["2S", "3H", "2D", "2C", "5S", "9H"])))
    reasons = [(card.reason.words, card.reason.clause) for card in cards if card.reason]
    assert reasons[0] == ("Initial deal: Player's first card", "3.13")
    assert reasons[3] == ("Initial deal: Banker's second card", "3.13")
    assert reasons[4] == ("Player has 4 and draws on 0 to 5", "3.14")
    assert reasons[5] == ("Player's third card counts 5; Banker has 5 and draws on 4 to 7", "3.14")
    assert cards[-1].next == "Both hands have their third card. Player wins, 9 to 4"


@pytest.mark.parametrize(
    ("cards", "words"),
    [
        (["4H", "2S", "5H", "KS"], "Player has a natural 9: no further card. Player wins, 9 to 2"),
        (TIE, "Player has a natural 9 and Banker has a natural 9: no further card. Tie, 9 to 9"),
        (["KH", "KS", "7H", "6S"], "Player stands on 7 and Banker on 6: no further card. Player wins, 7 to 6"),
        (["KH", "KS", "7H", "5S", "AH"], "Player stands on 7 and Banker has its third card. Player wins, 7 to 6"),
        (
            ["KH", "KS", "5H", "3S", "8H"],
            "Player's third card counts 8; Banker has 3 and draws only on 0 to 7 and 9: no further card. Tie, 3 to 3",
        ),
        (
            ["KH", "KS", "5H", "7S", "2H"],
            "Player's third card counts 2; Banker has 7 and always stands on that: no further card. Tie, 7 to 7",
        ),
    ],
)
def test_dtb_3_14_the_last_card_says_why_no_further_one_is_drawn(cards: list[str], words: str) -> None:
    """DTB 3.14"""
    assert _cards(_story(Case().round(cards)))[-1].next == words


def test_dt_3_4_one_card_to_each_hand_and_ranks_in_place_of_totals() -> None:
    """DT 3.4, 3.5"""
    cards = _cards(_story(Case(DT).round(["QH", "3S"])))
    assert [(card.hand, dict(card.totals)) for card in cards] == [
        ("dragon", {"dragon": "Q", "tiger": None}),
        ("tiger", {"dragon": "Q", "tiger": "3"}),
    ]
    assert cards[-1].reason is not None and cards[-1].reason.clause == "3.4"
    assert cards[-1].next == "Each hand has its card. Dragon wins, Q to 3"


def test_a_card_too_many_belongs_to_no_hand_and_carries_its_finding() -> None:
    story = _story(Case().round(["4H", "2S", "5H", "KS", "3D"]))
    extra = _cards(story)[-1]
    assert extra.hand is None and extra.beside == ("3D",)
    assert extra.reason is not None
    assert extra.reason.words == "Belongs to no hand: Player has a natural 9: no further card"
    assert [finding.code for finding in extra.findings] == ["card-extra"]


def test_dtb_5_8_a_reconstruction_lays_the_cards_anew() -> None:
    """DTB 5.8.1"""
    case = Case().round(["2S", "4H", "KS", "5H"], {"b1": ("player", 100)}, {"b1": (100, 0)})
    case.rule(28_000, "reconstructed", "5.8.1", order=[2, 1, 4, 3])
    story = _story(case)
    before = next(moment for moment in story.moments if moment.draw == 4)
    after = next(moment for moment in story.moments if moment.kind == "ruling")
    assert dict(before.totals) == {"player": 2, "banker": 9}
    assert dict(after.totals) == {"player": 9, "banker": 2}
    assert after.words == "The pit supervisor rules by clause 5.8.1: the right order of the draws is 2, 1, 4, 3."


def test_dtb_5_11_a_replacement_card_counts_from_its_ruling_on() -> None:
    """DTB 5.11"""
    case = Case().round(["4H", "2S", "5H", "KS"])
    case.rule(30_000, "replacement-card", "5.11", "gaming_shift_manager", draw=3, card="2D")
    ruling = next(moment for moment in _story(case).moments if moment.kind == "ruling")
    assert ruling.hands["player"] == ("4H", "2D") and ruling.totals["player"] == 6


def test_a_skipped_draw_leaves_later_cards_beside_and_is_pinned_to_the_first_of_them() -> None:
    case = Case().round(["2S", "3H", "2D"])
    case.draw(5, "9H")
    story = _story(case)
    last = _cards(story)[-1]
    assert last.beside == ("9H",) and last.hand is None and last.reason is None
    assert [finding.code for finding in last.findings] == ["card-conflict"]


def test_bets_are_told_with_their_amounts_and_the_closing_sums_them() -> None:
    case = Case(currency="SGD").round(bets={"b1": ("player", 100_050), "b2": ("tie", 500)})
    case.change(4_000, "b1", 200_000)
    case.change(4_500, "b1", 200_000)
    case.withdraw(5_000, "b2")
    words = [moment.words for moment in _story(case).moments]
    assert "Bet b1 on Player stays at 2,000.00." in words
    assert "ann at position 1 puts 1,000.50 on Player (bet b1)." in words
    assert "Bet b1 on Player is raised from 1,000.50 to 2,000.00." in words
    assert "Bet b2 on Tie of 5.00 is taken back." in words
    assert '"No more bets": 1 bet, 2,000.00 on the layout.' in words


def test_dtb_4_1_a_bet_says_what_is_due_and_why() -> None:
    """DTB 4.1, 4.3"""
    case = Case().round(
        ["2S", "4H", "KS", "5H"],
        {"b1": ("banker", 1_001), "b2": ("small_tiger", 100)},
        {"b1": (951, 0), "b2": (0, 100)},
    )
    lines = {line.bet.bet: line for line in _story(case).bets}
    assert lines["b1"].reason is not None and lines["b1"].reason.clause == "4.1"
    assert "0.95 to 1" in lines["b1"].reason.words and lines["b1"].right is True
    assert lines["b2"].reason is not None and lines["b2"].reason.words == "Small Tiger loses"


def test_dtb_5_15_over_the_maximum_says_that_it_is_settled_as_the_maximum() -> None:
    """DTB 5.15"""
    case = Case().round(bets={"b1": ("player", 20_000)}, settled={"b1": (10_000, 0)})
    line = _story(case).bets[0]
    assert line.right is True and line.reason is not None
    assert line.reason.words.endswith("settled as the maximum of 100.00")
    assert line.reason.clause == "4.1, 5.15"


def test_dtb_5_14_returned_under_the_minimum_says_so() -> None:
    """DTB 5.14"""
    case = Case().round(bets={"b1": ("player", 50)}, settled={"b1": (50, 0)})
    case.round(bets={"b1": ("player", 50)}, settled={"b1": (0, 0)})
    first, second = (_story(case, number).bets[0] for number in (1, 2))
    assert first.reason is not None and first.reason.clause == "4.1"
    assert second.reason is not None and second.reason.clause == "5.14"
    assert second.right is True


def test_a_void_round_returns_every_stake() -> None:
    case = Case().round(["4H", "2S", "5H", "KS"], {"b1": ("player", 100)})
    case.incident("foreign-card")
    case.rule(32_000, "void", "5.1")
    story = _story(case)
    assert story.status == "void"
    assert [line.reason.words for line in story.bets if line.reason] == ["void: the stake is returned"]


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("display-mismatch", "display"),
        ("card-missing", "settlement"),
        ("card-extra", "card"),
        ("foreign-card", "card"),
        ("card-conflict", "card"),
        ("wager-not-offered", "bet"),
        ("position-not-on-layout", "bet"),
        ("below-minimum", "closed"),
        ("above-maximum", "closed"),
        ("too-many-wagers", "closed"),
        ("differential-exceeded", "card"),
        ("late-bet", "bet"),
        ("late-withdrawal", "bet"),
        ("card-before-close", "card"),
        ("method-not-allowed", "opened"),
        ("ruling-not-authorised", "ruling"),
        ("void-required", "settlement"),
        ("void-unfounded", "ruling"),
        ("void-not-returned", "settlement"),
        ("payout-wrong", "settlement"),
        ("payout-missing", "ended"),
        ("payout-unexpected", "settlement"),
    ],
)
def test_each_finding_is_pinned_to_the_moment_that_decided_it(code: str, kind: str) -> None:
    stories = stories_of(list(simulate(8, 6, 11, faults=0.6, codes=[code])))
    kinds = {moment.kind for story in stories for moment in story.moments for f in moment.findings if f.code == code}
    assert kind in kinds, f"{code} was never pinned to a {kind}"
    assert kinds <= {kind, *_ALSO.get(code, ())}
    for story in stories:
        pinned = [finding.id for moment in story.moments for finding in moment.findings]
        assert sorted(pinned) == sorted(finding.id for finding in story.findings)


_ALSO = {
    "payout-wrong": {"correction"},
    "payout-unexpected": {"correction"},
    "void-not-returned": {"correction"},
    "ruling-not-authorised": {"correction"},
    "card-missing": {"ended"},
    "below-minimum": {"bet"},
    "above-maximum": {"bet"},
    "foreign-card": {"ruling"},
}
"""Where else the same may be decided."""


@pytest.mark.parametrize("game", GAMES)
def test_a_right_round_of_every_game_has_a_reason_for_every_card_and_every_bet(game: str) -> None:
    stories = stories_of(list(simulate(1, 12, 5, games=[game])))
    assert len(stories) == 12
    for story in stories:
        assert story.status == "verified" and story.outcome is not None
        cards = _cards(story)
        assert all(card.reason and card.hand for card in cards)
        assert cards[-1].next is not None and cards[-1].next.endswith(story.outcome)
        assert story.bets and all(line.reason and line.right for line in story.bets)
        assert [moment.after for moment in story.moments] == sorted(moment.after for moment in story.moments)


def test_a_story_is_plain_json_and_says_the_same() -> None:
    for story in stories_of(list(simulate(3, 8, 9, faults=0.5))):
        said = orjson.loads(orjson.dumps(story_json(story)))
        assert [moment["words"] for moment in said["moments"]] == [moment.words for moment in story.moments]
        assert {finding["id"] for finding in said["findings"]} == {f for m in said["moments"] for f in m["findings"]}
        assert said["table"] == story.table and said["bets"][0]["right"] == story.bets[0].right


def test_an_event_that_came_twice_is_told_once() -> None:
    lines = Case().round().lines()
    events = [
        event for event in decode_lines(lines + lines).events if event.type in ("card.drawn.v1", "round.opened.v1")
    ]
    assert len(facts_of(events).cards) == 4


@pytest.mark.parametrize("game", [FF4, SE])
def test_ff4_2_1_cards_of_the_five_elements_are_written_out(game: str) -> None:
    """FF4, SE 2.1"""
    cards = _cards(_story(Case(game).round()))
    assert cards[0].words == "Draw 1 is 4 Gold, to Player."


def test_a_round_that_is_not_judged_yet_is_told_as_far_as_it_goes() -> None:
    case = Case(DTB).round(["4H", "2S"])
    judged = _story(case)
    events = [event for event in decode_lines(case.lines()).events if hasattr(event.data, "round")]
    facts = facts_of(events)
    story = tell(facts, None, Surroundings(None, None, "", None), ("BT1", "S1", 1))
    assert story.status is None and story.bets == ()
    assert len(story.moments) == len(judged.moments)
