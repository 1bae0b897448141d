"""Settlements that are wrong, missing, or for bets that do not stand."""

from simulator.acts import CORRECTED, DESK
from simulator.betting import close_bets, extra_bet
from simulator.faults.variant import (
    Variant,
    begin_with_bet,
    deal_and_show,
    in_time,
    open_and_bet,
    settle_and_conclude,
    some_will,
)
from simulator.round import DEALER_ROLE, SUPERVISOR, Bet, Round
from simulator.settling import Due, due, pay


def _settle_as(round: Round, bet: Bet, moved: Due) -> None:
    round.unsettled.add(bet.id)
    round.now += 200
    pay(round, bet, *moved)
    round.wait(300, 700)


def _correct(round: Round, bet: Bet, moved: Due) -> None:
    round.wait(1000, 4000)
    round.say(DESK, CORRECTED, bet=bet.id, paid=moved[0], collected=moved[1], by=SUPERVISOR)


def _wrong_payment(round: Round, bet: Bet) -> Due:
    """A winning bet paid by odds that are not its own: more or less than its due by a good part of the stake."""
    paid, _ = due(round, bet)
    part = max(2, bet.amount // 20)
    if paid > part + 2 and round.chance.happens(0.5):
        return paid - part, 0
    return paid + part, 0


def wrong_odds(round: Round) -> None:
    """A winning bet is paid too much or too little."""
    bet = begin_with_bet(round, 1)
    deal_and_show(round)
    _settle_as(round, bet, _wrong_payment(round, bet))
    round.blame("payout-wrong", "odds", bet=bet)
    settle_and_conclude(round)


def loser_paid(round: Round) -> None:
    """A losing bet is paid as if its hand had won."""
    bet = begin_with_bet(round, -1)
    deal_and_show(round)
    _settle_as(round, bet, (bet.amount, 0))
    round.blame("payout-wrong", "loser paid", bet=bet)
    settle_and_conclude(round)


def winner_collected(round: Round) -> None:
    """A winning bet is collected."""
    bet = begin_with_bet(round, 1)
    deal_and_show(round)
    _settle_as(round, bet, (0, bet.amount))
    round.blame("payout-wrong", "winner collected", bet=bet)
    settle_and_conclude(round)


def stake_collected_short(round: Round) -> None:
    """A losing bet is collected in part."""
    bet = begin_with_bet(round, -1)
    deal_and_show(round)
    collected = due(round, bet)[1]
    _settle_as(round, bet, (0, collected - max(2, collected // 4)))
    round.blame("payout-wrong", "collected short", bet=bet)
    settle_and_conclude(round)


def push_collected(round: Round) -> None:
    """A bet that neither wins nor loses is collected or paid."""
    bet = begin_with_bet(round, 0)
    deal_and_show(round)
    _settle_as(round, bet, (0, bet.amount) if round.chance.happens(0.6) else (bet.amount, 0))
    round.blame("payout-wrong", "push", bet=bet)
    settle_and_conclude(round)


def wrong_and_corrected(round: Round) -> None:
    """A wrong settlement is put right: the finding stays."""
    bet = begin_with_bet(round, -1)
    deal_and_show(round)
    right = due(round, bet)
    _settle_as(round, bet, (bet.amount, 0))
    _correct(round, bet, right)
    round.blame("payout-wrong", "corrected", bet=bet)
    settle_and_conclude(round)


def right_and_corrected_wrongly(round: Round) -> None:
    """A right settlement is corrected into a wrong one."""
    bet = begin_with_bet(round, 1)
    deal_and_show(round)
    _settle_as(round, bet, due(round, bet))
    _correct(round, bet, _wrong_payment(round, bet))
    round.blame("payout-wrong", "wrong correction", bet=bet)
    settle_and_conclude(round)


def wrong_twice(round: Round) -> None:
    """A wrong settlement and a wrong correction are two findings."""
    bet = begin_with_bet(round, -1)
    deal_and_show(round)
    _settle_as(round, bet, (bet.amount, 0))
    _correct(round, bet, (bet.amount * 2, 0))
    round.blame("payout-wrong", "wrong twice", "payout-wrong", bet=bet)
    settle_and_conclude(round)


def not_settled(round: Round) -> None:
    """A standing bet is forgotten."""
    bet = begin_with_bet(round, 1, -1, 0)
    deal_and_show(round)
    round.unsettled.add(bet.id)
    round.blame("payout-missing", "forgotten", bet=bet)
    settle_and_conclude(round)


def unknown_bet(round: Round) -> None:
    """A bet that nobody placed is paid."""
    open_and_bet(round)
    close_bets(round)
    deal_and_show(round)
    name = f"b{len(round.bets) + round.chance.between(100, 900)}"
    pay(round, name, round.setup.limits["tie"][0], 0)
    round.wait(300, 700)
    round.blame("payout-unexpected", "unknown bet", bet=name)
    settle_and_conclude(round)


def withdrawn_bet(round: Round) -> None:
    """A bet that was withdrawn in time is settled."""
    open_and_bet(round)
    bet = in_time(round, lambda: extra_bet(round))
    round.now -= 500
    round.withdraw(bet)
    round.now += 500
    close_bets(round)
    deal_and_show(round)
    _settle_as(round, bet, (bet.amount, 0) if round.chance.happens(0.5) else (0, bet.amount))
    round.blame("payout-unexpected", "withdrawn bet", bet=bet)
    settle_and_conclude(round)


def refused_bet(round: Round) -> None:
    """A bet that came late and was refused is settled."""
    open_and_bet(round)
    close_bets(round)
    round.wait(700, 1500)
    bet = extra_bet(round)
    bet.stands = False
    round.wait(900, 1500)
    round.rule("bets-refused", round.clause("late-bet"), DEALER_ROLE, bets=[bet.id])
    round.wait(900, 1500)
    deal_and_show(round)
    _settle_as(round, bet, (bet.amount, 0))
    round.blame("payout-unexpected", "refused bet", bet=bet)
    settle_and_conclude(round)


def settled_twice(round: Round) -> None:
    """One bet is settled twice."""
    bet = begin_with_bet(round, 1, -1)
    deal_and_show(round)
    moved = due(round, bet)
    _settle_as(round, bet, moved)
    _settle_as(round, bet, moved)
    round.blame("payout-unexpected", "settled twice", bet=bet)
    settle_and_conclude(round)


VARIANTS = (
    Variant("payout-wrong", wrong_odds, some_will(1)),
    Variant("payout-wrong", loser_paid, some_will(-1)),
    Variant("payout-wrong", winner_collected, some_will(1)),
    Variant("payout-wrong", stake_collected_short, some_will(-1)),
    Variant("payout-wrong", push_collected, some_will(0)),
    Variant("payout-wrong", wrong_and_corrected, some_will(-1)),
    Variant("payout-wrong", right_and_corrected_wrongly, some_will(1)),
    Variant("payout-wrong", wrong_twice, some_will(-1)),
    Variant("payout-missing", not_settled),
    Variant("payout-unexpected", unknown_bet),
    Variant("payout-unexpected", withdrawn_bet),
    Variant("payout-unexpected", refused_bet),
    Variant("payout-unexpected", settled_twice, some_will(1, -1)),
)
