"""The end of a round: the display, what each bet is due by the rulebook, payment, and the closing."""

from simulator.acts import CORRECTED, DEALER, DESK, DISPLAY, DISPLAYED, RFID, ROUND_CLOSED, SETTLED
from simulator.dealing import deal, deal_all
from simulator.rigging import arrange
from simulator.round import SUPERVISOR, Bet, Round

Due = tuple[int, int]
"""Winnings to pay and stake to collect."""


def due(round: Round, bet: Bet) -> Due:
    """What the rules give: exact odds, 5.14 and 5.15 in DTB and FF4, nothing for a bet that does not stand.

    Where the exact amount is not whole, either neighbour is right (reading A-15), and the dealer takes one of them.
    """
    outcome = round.outcome
    if outcome is None or not bet.stands:
        return 0, 0
    net = outcome.nets.get(bet.wager)
    if net is None:
        return 0, 0
    odds = net.numerator
    if not odds:
        return 0, 0
    stake = bet.amount
    if round.game.document.limits_settle:
        limits = round.setup.limits.get(bet.wager)
        if limits is not None:
            if stake > limits[1]:
                stake = limits[1]
            elif stake < limits[0] and bet.owner in round.state.under_minimum:
                return 0, 0
    amount, part = divmod(stake * abs(odds), net.denominator)
    if part and round.chance.random() < 0.5:
        amount += 1
    return (amount, 0) if odds > 0 else (0, amount)


def display(round: Round) -> None:
    """The display shows the outcome; now and then it shows no totals, shows it twice, or fails to show anything."""
    outcome = round.outcome
    if outcome is None or round.state.devices.devices[DISPLAY].is_silent(round.now):
        return
    chance = round.chance.random()
    if chance < 0.02:
        return
    totals = None if chance < 0.06 else dict(outcome.totals)
    round.say(DISPLAY, DISPLAYED, winner=outcome.winner, totals=totals)
    if chance > 0.98:
        round.now += 700
        round.say(DISPLAY, DISPLAYED, winner=outcome.winner, totals=dict(outcome.totals))
    round.now += 600 + int(round.chance.random() * 900)


def settle(round: Round) -> None:
    """Losing wagers are collected and winning ones paid; a push is settled with nothing."""
    state, random = round.state, round.chance.random
    acts, shoe, number = round.acts, round.shoe.id, round.number
    low_limits = round.setup.limits if round.game.document.limits_settle else {}
    hands = round.game.hands
    step = 20 if round.setup.electronic else 220
    used: list[str] = []
    for bet in round.bets.values():
        if bet.id in round.unsettled:
            continue
        if not bet.stands:
            if random() < 0.7:
                continue
            paid = collected = 0
        else:
            paid, collected = due(round, bet)
            player = bet.player
            if bet.wager in hands:
                player.gains(paid - collected)
            else:
                player.bankroll += paid - collected
            if bet.wager in low_limits and bet.amount < low_limits[bet.wager][0] and paid + collected:
                used.append(bet.owner)
        round.now += step
        if random() < 0.003:
            _settle_by_correction(round, bet, paid, collected)
            continue
        acts.append(
            (round.now, RFID, SETTLED,
             {"shoe": shoe, "round": number, "bet": bet.id, "paid": paid, "collected": collected})
        )  # fmt: skip
    state.under_minimum.update(used)
    round.now += 600 + int(random() * 800)


def _settle_by_correction(round: Round, bet: Bet, paid: int, collected: int) -> None:
    """A correction in place of a settlement, or one that confirms it, even long after the round is closed."""
    if round.chance.happens(0.5):
        pay(round, bet, paid, collected)
        wait = round.chance.between(900, 25_000)
        round.now += wait
        round.say(DESK, CORRECTED, bet=bet.id, paid=paid, collected=collected, by=SUPERVISOR)
        round.now -= wait
    else:
        round.say(DESK, CORRECTED, bet=bet.id, paid=paid, collected=collected, by=SUPERVISOR)


def pay(round: Round, bet: Bet | str, paid: int, collected: int) -> None:
    """One settlement, whatever the rules say."""
    name = bet.id if isinstance(bet, Bet) else bet
    round.say(RFID, SETTLED, bet=name, paid=paid, collected=collected)


def conclude(round: Round) -> None:
    """The round is closed."""
    round.say(DEALER, ROUND_CLOSED)


def finish(round: Round) -> None:
    """The rest of a round after its bets are closed, all by the rules."""
    if round.state.rig.favours and not round.drawn:
        arrange(round)
    if round.drawn:
        deal(round)
    else:
        deal_all(round)
    show_and_settle(round)


def show_and_settle(round: Round) -> None:
    """What follows the last card."""
    round.find_outcome()
    display(round)
    settle(round)
    conclude(round)
