"""Bets around "No more bets" that break no rule: refused, taken back in time, or within the tolerance."""

from simulator.acts import DEALER, READER, RFID, WITHDRAWN
from simulator.betting import (
    begin,
    close_bets,
    extra_bet,
    free_position,
    keep_differential,
    open_bets,
    somebody,
    take_bets,
)
from simulator.dealing import draw
from simulator.round import DEALER_ROLE, SUPERVISOR, Bet, Round
from simulator.settling import finish

_WITHIN = 300
"""Bets this close to the closing (ms, by the devices' clocks) are in time whatever the clocks do."""


def raise_late(round: Round) -> tuple[Bet, int] | None:
    """Somebody adds to a bet after the closing; gives the bet and what stood before, None if no bet can grow."""
    chip, limits = round.setup.chip, round.setup.limits
    open_to_more = [bet for bet in round.standing() if bet.amount + chip <= limits[bet.wager][1]]
    if not open_to_more:
        return None
    bet = round.chance.pick(open_to_more)
    before = bet.amount
    round.change(bet, before + chip * round.chance.between(1, (limits[bet.wager][1] - before) // chip))
    return bet, before


def refused_late_bet(round: Round) -> None:
    """DTB, FF4 5.4; SE, DT 5.6; EB 5.5: what comes after the closing is refused."""
    begin(round)
    round.wait(500, 1800)
    raised = raise_late(round) if round.chance.happens(0.5) else None
    if raised is None:
        bet = extra_bet(round)
        bet.stands = False
    else:
        bet, bet.amount = raised
    round.wait(700, 1500)
    by = DEALER_ROLE if round.chance.happens(0.8) else SUPERVISOR
    round.rule("bets-refused", round.clause("late-bet"), by, bets=[bet.id])
    round.wait(900, 1500)
    finish(round)


def late_bet_taken_back(round: Round) -> None:
    """A late bet that is taken back before the first card counts as refused."""
    begin(round)
    round.wait(500, 1800)
    raised = raise_late(round) if round.chance.happens(0.5) else None
    if raised is None:
        bet = extra_bet(round)
        round.wait(900, 1500)
        round.withdraw(bet)
    else:
        round.wait(900, 1500)
        round.change(*raised)
    round.wait(1200, 2000)
    finish(round)


def refused_before_closing(round: Round) -> None:
    """The dealer does not accept a bet while bets are still open: it is out as a whole."""
    open_bets(round)
    take_bets(round)
    keep_differential(round)
    for bet in round.standing():
        if round.fits(bet.wager, -bet.amount):
            round.rule("bets-refused", round.clause("wagers-offered"), DEALER_ROLE, bets=[bet.id])
            bet.stands = False
            break
    round.wait(1000, 1500)
    close_bets(round)
    finish(round)


def bet_within_tolerance(round: Round) -> None:
    """A bet placed or withdrawn at the very moment of the closing: by the clocks a little after it, and not late."""
    begin(round)
    devices = round.state.devices.devices
    now = round.now
    ahead = devices[DEALER].offset - devices[RFID].offset
    round.now = round.closed_at + ahead + round.chance.between(20, _WITHIN)
    player = somebody(round)
    wager = round.chance.pick(list(round.setup.limits))
    low = round.setup.limits[wager][0]
    withdrawable = [bet for bet in round.standing() if round.fits(bet.wager, -bet.amount)]
    if withdrawable and round.chance.happens(0.4):
        bet = round.chance.pick(withdrawable)
        bet.stands = False
        round.say(RFID, WITHDRAWN, bet=bet.id)
    elif round.fits(wager, low):
        position = free_position(round, player, wager)
        if round.has_room(position, wager):
            round.place(player, wager, low, position)
    round.now = now
    finish(round)


def card_within_tolerance(round: Round) -> None:
    """The first card comes as the dealer closes: by the clocks a little before it, and not early."""
    begin(round)
    if round.shoe.place != round.shoe.cut:
        devices = round.state.devices.devices
        ahead = devices[DEALER].offset - devices[READER].offset
        round.now = round.closed_at + ahead - round.chance.between(20, _WITHIN)
        draw(round)
    finish(round)
