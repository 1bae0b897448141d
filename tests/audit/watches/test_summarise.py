"""The summary of a shoe: which cards and bets of its rounds the watches are told."""

from audit.settings import JudgeSettings
from audit.table import judge_table
from audit.watches.summarise import bets_of, summaries
from audit.watches.summary import SettledBet, ShoeSummary
from tests.audit.both_judges import table_facts
from tests.audit.case import BANKER_WINS, CLOSED, DTB, EB, PLAYER_WINS, TIE, Case

SETTINGS = JudgeSettings()


def summed_up(case: Case) -> list[ShoeSummary]:
    (facts,) = table_facts(case.lines())
    bets = {(each.shoe, each.round): bets_of(facts, each) for each in judge_table(facts, SETTINGS)}
    return [shoe for _, shoe in summaries(facts, bets, SETTINGS)]


def bets_in(case: Case) -> list[tuple[SettledBet, ...]]:
    (shoe,) = summed_up(case.end_shoe(None))
    return [each.bets for each in shoe.rounds]


def test_a_shoe_is_summed_up_with_its_cards_and_bets_in_the_order_of_its_rounds() -> None:
    case = Case(EB).round(PLAYER_WINS, {"b1": ("player", 200)}, {"b1": (200, 0)}, player="ann")
    case.round(BANKER_WINS, {"b1": ("player", 300)}, {"b1": (0, 300)}, player=None).end_shoe(["AS"])
    (shoe,) = summed_up(case)
    assert (shoe.table, shoe.shoe, shoe.game, shoe.decks, shoe.remaining) == ("BT1", "S1", EB, 8, ("AS",))
    assert [(each.round, list(each.cards)) for each in shoe.rounds] == [(1, PLAYER_WINS), (2, BANKER_WINS)]
    assert [each.bets for each in shoe.rounds] == [
        (SettledBet("ann", "player", 200, 200),), (SettledBet(None, "player", 300, -300),),
    ]  # fmt: skip


def test_shoes_come_in_the_order_in_which_they_ended_and_only_those_that_ended() -> None:
    case = Case(EB).round().end_shoe(None).load("A2").round().end_shoe(None).load("A1").round().end_shoe(None)
    assert [shoe.shoe for shoe in summed_up(case.load("A3").round())] == ["S1", "A2", "A1"]


def test_a_shoe_of_a_table_without_configuration_is_not_summed_up() -> None:
    case = Case(EB).round().end_shoe(None)
    case.said = [each for each in case.said if each["type"] != "table.configured.v1"]
    assert summed_up(case) == []


def test_the_cards_of_a_void_round_count_and_its_bets_do_not() -> None:
    case = Case(EB).round([*PLAYER_WINS[:3], "AF"], {"b1": ("player", 200)}, {"b1": (0, 0)})
    case.tell(CLOSED - 1_000, "ruling.made", ruling="void", clause="5.8", by="gaming_shift_manager")
    (shoe,) = summed_up(case.end_shoe(None))
    assert list(shoe.cards) == [*PLAYER_WINS[:3], "AF"]
    assert shoe.rounds[0].bets == ()


def test_a_draw_that_was_read_as_two_cards_counts_as_neither() -> None:
    case = Case(EB).round(PLAYER_WINS, {"b1": ("player", 200)}, {"b1": (200, 0)}).draw(2, "9C")
    (shoe,) = summed_up(case.end_shoe(None))
    assert list(shoe.cards) == [PLAYER_WINS[0], *PLAYER_WINS[2:]]
    assert shoe.rounds[0].bets == ()


def test_a_bet_that_was_not_settled_or_does_not_stand_is_left_out() -> None:
    case = Case(EB).round(PLAYER_WINS, {"b1": ("player", 200), "b2": ("banker", 200)}, {"b1": (200, 0)})
    case.bet(CLOSED - 8_000, "late", "player", 500).settle("late", 500, 0)
    assert bets_in(case) == [(SettledBet("ann", "player", 200, 200),)]


def test_a_bet_that_was_settled_wrongly_counts_with_what_its_cards_brought() -> None:
    case = Case(EB).round(BANKER_WINS, {"b1": ("player", 200)}, {"b1": (9_000, 0)})
    assert bets_in(case) == [(SettledBet("ann", "player", 200, -200),)]


def test_a_push_is_a_bet_that_brought_nothing() -> None:
    assert bets_in(Case(EB).round(TIE, {"b1": ("player", 200)}, {"b1": (0, 0)})) == [
        (SettledBet("ann", "player", 200, 0),)
    ]


def test_dtb_5_15_no_more_than_the_maximum_is_at_risk() -> None:
    over = {"b1": ("player", 12_000)}
    assert bets_in(Case(DTB).round(PLAYER_WINS, over, {"b1": (10_000, 0)})) == [
        (SettledBet("ann", "player", 10_000, 10_000),)
    ]
    assert bets_in(Case(EB).round(PLAYER_WINS, over, {"b1": (12_000, 0)})) == [
        (SettledBet("ann", "player", 12_000, 12_000),)
    ]


def test_dtb_5_14_a_bet_under_the_minimum_is_left_out_as_it_may_have_been_returned() -> None:
    under, paid = {"b1": ("player", 50)}, {"b1": (50, 0)}
    assert bets_in(Case(DTB).round(PLAYER_WINS, under, paid)) == [()]
    assert bets_in(Case(EB).round(PLAYER_WINS, under, paid)) == [(SettledBet("ann", "player", 50, 50),)]


def test_half_a_minor_unit_is_rounded_down() -> None:
    # Banker wins with a six at no commission: half of 101 is paid.
    case = Case(EB).round(["2S", "KH", "3S", "6H", "KC"], {"b1": ("banker", 101)}, {"b1": (50, 0)})
    assert bets_in(case) == [(SettledBet("ann", "banker", 101, 50),)]
