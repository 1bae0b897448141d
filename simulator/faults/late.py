"""Bets placed, increased, withdrawn or decreased after "No more bets" without a clause that allows it."""

from simulator.betting import begin, close_bets, extra_bet
from simulator.dealing import deal
from simulator.faults.variant import (
    Variant,
    begin_with_bet,
    bet_that,
    deal_and_show,
    open_and_bet,
    settle_and_conclude,
    some_will,
)
from simulator.round import DEALER_ROLE, SUPERVISOR, Bet, Round
from simulator.rulings.late import raise_late
from simulator.settling import Due, due, finish, pay
from simulator.state import TableState


def _later(round: Round) -> None:
    """Well after the closing; perhaps with the first cards out."""
    round.wait(700, 2000)
    if round.chance.happens(0.4):
        deal(round, round.chance.between(1, 2))


def _money_for(round: Round, bet: Bet, amount: int) -> Due:
    """What would be due if the bet stood with this amount."""
    stands, before = bet.stands, bet.amount
    bet.stands, bet.amount = True, amount
    moved = due(round, bet)
    bet.stands, bet.amount = stands, before
    return moved


def placed_late(round: Round) -> None:
    """Placed late, not refused, and given back in silence."""
    begin(round)
    _later(round)
    bet = extra_bet(round)
    bet.stands = False
    round.wait(900, 1500)
    round.blame("late-bet", "placed", bet=bet)
    finish(round)


def placed_late_and_settled(round: Round) -> None:
    """Placed late, and money moved on it (past posting)."""
    begin(round)
    _later(round)
    bet = extra_bet(round)
    bet.stands = False
    round.wait(900, 1500)
    deal_and_show(round)
    paid, collected = _money_for(round, bet, bet.amount)
    if not paid + collected:
        paid = bet.amount
    round.unsettled.add(bet.id)
    pay(round, bet, paid, collected)
    round.wait(300, 700)
    round.blame("late-bet", "placed and settled", "payout-unexpected", bet=bet)
    settle_and_conclude(round)


def increased_late(round: Round) -> None:
    """Increased late; only what stood at the closing is settled."""
    begin(round)
    _later(round)
    raised = raise_late(round)
    if raised is None:
        bet = extra_bet(round)
        bet.stands = False
    else:
        bet, bet.amount = raised
    round.wait(900, 1500)
    round.blame("late-bet", "increased", bet=bet)
    finish(round)


def increased_late_and_settled(round: Round) -> None:
    """Increased late, and the whole is settled."""
    bet = begin_with_bet(round, 1, -1)
    before = bet.amount
    _later(round)
    round.change(bet, before * 2)
    bet.amount = before
    round.wait(900, 1500)
    deal_and_show(round)
    round.unsettled.add(bet.id)
    pay(round, bet, *_doubled(due(round, bet)))
    round.wait(300, 700)
    round.blame("late-bet", "increased and settled", "payout-wrong", bet=bet)
    settle_and_conclude(round)


def _doubled(moved: Due) -> Due:
    return moved[0] * 2, moved[1] * 2


def withdrawn_late(round: Round) -> None:
    """Withdrawn late, and settled as the rules say: it still stands."""
    bet = begin_with_bet(round, 1, -1, 0)
    _later(round)
    round.withdraw(bet)
    bet.stands = True
    round.wait(900, 1500)
    round.blame("late-withdrawal", "withdrawn", bet=bet)
    finish(round)


def withdrawn_late_and_let_go(round: Round) -> None:
    """Withdrawn late, and not settled."""
    bet = begin_with_bet(round, 1, -1, 0)
    _later(round)
    round.withdraw(bet)
    bet.stands = True
    round.wait(900, 1500)
    round.unsettled.add(bet.id)
    round.blame("late-withdrawal", "withdrawn and let go", "payout-missing", bet=bet)
    finish(round)


def withdrawn_late_and_returned(round: Round) -> None:
    """A losing bet is withdrawn late and returned (pinching)."""
    bet = begin_with_bet(round, -1)
    _later(round)
    round.withdraw(bet)
    bet.stands = True
    round.wait(900, 1500)
    deal_and_show(round)
    round.unsettled.add(bet.id)
    pay(round, bet, 0, 0)
    round.wait(300, 700)
    round.blame("late-withdrawal", "withdrawn and returned", "payout-wrong", bet=bet)
    settle_and_conclude(round)


def decreased_late(round: Round) -> None:
    """Decreased late, and settled with what stood at the closing."""
    bet = begin_with_bet(round, 1, -1, 0)
    before = bet.amount
    _later(round)
    round.change(bet, before // 2)
    bet.amount = before
    round.wait(900, 1500)
    round.blame("late-withdrawal", "decreased", bet=bet)
    finish(round)


def decreased_late_and_settled(round: Round) -> None:
    """A losing bet is decreased late, and only the rest is collected."""
    bet = begin_with_bet(round, -1)
    before = bet.amount
    _later(round)
    round.change(bet, before // 4)
    bet.amount = before
    round.wait(900, 1500)
    deal_and_show(round)
    round.unsettled.add(bet.id)
    pay(round, bet, 0, due(round, bet)[1] // 4)
    round.wait(300, 700)
    round.blame("late-withdrawal", "decreased and settled", "payout-wrong", bet=bet)
    settle_and_conclude(round)


def option_not_theirs(round: Round) -> None:
    """An option to withdraw is offered that the round does not have: 3.17.1 without the cutting card as the first card,
    or any in a game whose document knows none."""
    open_and_bet(round)
    bet = bet_that(round, 1, -1, 0)
    close_bets(round)
    round.wait(900, 1500)
    if round.game.document.methods:
        round.rule("withdrawal-offered", "3.17.1", DEALER_ROLE)
    else:
        round.rule("withdrawal-offered", "5.8.1", SUPERVISOR)
    round.wait(1500, 2500)
    round.withdraw(bet)
    bet.stands = True
    round.wait(1200, 2000)
    round.blame("late-withdrawal", "no such option", bet=bet)
    finish(round)


def _cut_is_far(state: TableState) -> bool:
    return state.shoe.cut != state.shoe.place


VARIANTS = (
    Variant("late-bet", placed_late),
    Variant("late-bet", placed_late_and_settled),
    Variant("late-bet", increased_late),
    Variant("late-bet", increased_late_and_settled),
    Variant("late-withdrawal", withdrawn_late),
    Variant("late-withdrawal", withdrawn_late_and_let_go),
    Variant("late-withdrawal", withdrawn_late_and_returned, some_will(-1)),
    Variant("late-withdrawal", decreased_late),
    Variant("late-withdrawal", decreased_late_and_settled, some_will(-1)),
    Variant("late-withdrawal", option_not_theirs, _cut_is_far),
)
