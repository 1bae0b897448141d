"""Announcements missing, doubled or in the wrong order, cards before the closing, and dealing methods not allowed."""

from simulator.acts import BETS_CLOSED, OPENED, ROUND_CLOSED, Act
from simulator.betting import begin, close_bets, extra_bet
from simulator.dealing import draw
from simulator.faults.variant import Variant, begin_with_bet, deal_and_show, open_and_bet, settle_and_conclude
from simulator.round import Round
from simulator.rulings.course import has_methods
from simulator.rulings.options import device_reset
from simulator.settling import conclude, due, finish, pay, settle
from simulator.state import TableState


def card_before_close(round: Round) -> None:
    """The first card is drawn before "No more bets"."""
    open_and_bet(round)
    round.wait(1000, 1500)
    draw(round)
    round.wait(900, 2500)
    close_bets(round)
    round.blame("card-before-close", "first card", draw=1)
    finish(round)


def _without(round: Round, kind: str) -> None:
    """A round by the rules in which one announcement was never made."""
    begin(round)
    finish(round)
    round.acts = [act for act in round.acts if act[2] != kind]


def no_opening(round: Round) -> None:
    """Nobody announced the opening."""
    _without(round, OPENED)
    round.blame("round-out-of-order", "no opening")


def no_closing_of_bets(round: Round) -> None:
    """Nobody announced "No more bets": all bets stand."""
    _without(round, BETS_CLOSED)
    round.blame("round-out-of-order", "no closing of bets")


def not_concluded(round: Round) -> None:
    """The round is never closed, and the next one opens."""
    _without(round, ROUND_CLOSED)
    round.blame("round-out-of-order", "not closed")


def goes_on(state: TableState) -> bool:
    """Whether another round of this shoe is certain to follow."""
    return state.rounds_left > 1 and not state.change_cards


def _twice(round: Round, kind: str, after: int) -> None:
    """A round by the rules in which one announcement is repeated a little later, as an event of its own."""
    begin(round)
    finish(round)
    again: list[Act] = [
        (at + after, source, name, dict(content))
        for at, source, name, content in round.acts
        if name == kind and isinstance(content, dict)
    ]
    round.acts += again


def opened_twice(round: Round) -> None:
    """The opening is announced twice."""
    _twice(round, OPENED, 600)
    round.blame("round-out-of-order", "opened twice")


def closed_twice(round: Round) -> None:
    """ "No more bets" is announced twice, before the first card."""
    _twice(round, BETS_CLOSED, 600)
    round.blame("round-out-of-order", "bets closed twice")


def concluded_twice(round: Round) -> None:
    """The round is closed twice."""
    _twice(round, ROUND_CLOSED, 1500)
    round.blame("round-out-of-order", "closed twice")


def opened_after_closing(round: Round) -> None:
    """Bets are taken and closed before the round is opened."""
    begin(round)
    opening = round.closed_at + 550
    finish(round)
    round.acts = [(opening, *act[1:]) if act[2] == OPENED else act for act in round.acts]
    round.blame("round-out-of-order", "opened after the closing")


def settled_after_end(round: Round) -> None:
    """One bet is settled after the round was closed, or even after the next one was opened."""
    bet = begin_with_bet(round, 1, -1, 0)
    deal_and_show(round)
    round.unsettled.add(bet.id)
    settle_and_conclude(round)
    now = round.now
    round.now += round.chance.pick((1500, 2500, 15_000))
    pay(round, bet, *due(round, bet))
    round.now = now
    round.blame("round-out-of-order", "settled after its end")


def closed_before_settlement(round: Round) -> None:
    """The round is closed before anything is settled."""
    begin_with_bet(round, 1, -1, 0)
    deal_and_show(round)
    conclude(round)
    round.wait(1500, 3000)
    settle(round)
    round.blame("round-out-of-order", "closed before the settlement")


def bet_after_end(round: Round) -> None:
    """A bet is placed after the round was closed, and nobody refuses it."""
    begin(round)
    finish(round)
    round.now += 1800
    bet = extra_bet(round)
    bet.stands = False
    round.blame("round-out-of-order", "a bet after its end", "late-bet")


def reset_and_not_closed_again(round: Round) -> None:
    """5.9 of DTB and FF4: after a device reset "No more bets" has to be announced again."""
    device_reset(round, closed_again=False)
    round.blame("round-out-of-order", "not closed again after a reset")


def player_draws_outside_hlga(round: Round) -> None:
    """DTB 3.9.2, FF4 3.8.2: Method C is for the HLGA alone."""
    begin(round, "C")
    finish(round)
    round.blame("method-not-allowed", "C outside the HLGA")


def method_of_another_game(round: Round) -> None:
    """SE, DT and EB have no dealing methods."""
    begin(round, round.chance.pick(("A", "B", "C")))
    finish(round)
    round.blame("method-not-allowed", "the game has none")


def method_changed(round: Round) -> None:
    """The method may change between rounds, not in the course of one."""
    methods = round.chance.pick((("A", "B"), ("B", "A")))
    device_reset(round, methods=methods)
    round.blame("method-not-allowed", "changed in the round")


VARIANTS = (
    Variant("card-before-close", card_before_close),
    Variant("round-out-of-order", no_opening),
    Variant("round-out-of-order", no_closing_of_bets),
    Variant("round-out-of-order", not_concluded, goes_on),
    Variant("round-out-of-order", opened_twice),
    Variant("round-out-of-order", closed_twice),
    Variant("round-out-of-order", concluded_twice),
    Variant("round-out-of-order", opened_after_closing),
    Variant("round-out-of-order", settled_after_end),
    Variant("round-out-of-order", closed_before_settlement),
    Variant("round-out-of-order", bet_after_end),
    Variant("round-out-of-order", reset_and_not_closed_again, has_methods),
    Variant("method-not-allowed", player_draws_outside_hlga, lambda s: has_methods(s) and s.setup.area == "main"),
    Variant("method-not-allowed", method_of_another_game, lambda state: not has_methods(state)),
    Variant("method-not-allowed", method_changed, has_methods),
)
