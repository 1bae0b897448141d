"""Bets that the table, the layout or the limits do not allow."""

from games.rulebook import WAGERS
from simulator.betting import close_bets, extra_bet, free_position, somebody
from simulator.faults.variant import (
    Variant,
    deal_and_show,
    in_time,
    open_and_bet,
    settle_and_conclude,
    sign,
)
from simulator.players import Player
from simulator.round import Bet, Round
from simulator.rulings.course import has_differential
from simulator.rulings.limits import exceed_differential
from simulator.settling import finish, pay
from simulator.state import TableState


def _not_on_the_table(state: TableState) -> list[str]:
    return [wager for wager in state.setup.game.wagers if wager not in state.setup.limits]


def _bet_now(round: Round, wager: str, amount: int, player: Player | None = None, position: int | None = None) -> Bet:
    """A bet that nothing keeps within the limits, just before the closing."""
    who = player or somebody(round)
    place = free_position(round, who, wager) if position is None else position
    bet = in_time(round, lambda: round.place(who, wager, amount, place))
    close_bets(round)
    return bet


def wager_not_at_this_table(round: Round) -> None:
    """A wager that the game has and the table does not offer: it stands and is settled."""
    open_and_bet(round)
    wager = round.chance.pick(_not_on_the_table(round.state))
    bet = _bet_now(round, wager, round.setup.limits["tie"][0])
    round.blame("wager-not-offered", "not at this table", bet=bet)
    finish(round)


def wager_of_another_game(round: Round) -> None:
    """A wager that the game has not: it is returned."""
    open_and_bet(round)
    wager = round.chance.pick([wager for wager in WAGERS if wager not in round.game.wagers])
    bet = _bet_now(round, wager, round.setup.limits["tie"][0])
    round.blame("wager-not-offered", "of another game", bet=bet)
    finish(round)


def position_not_there(round: Round) -> None:
    """A position that the table has not: the bet stands."""
    open_and_bet(round)
    position = round.setup.positions + round.chance.between(1, 5)
    bet = _bet_now(round, "tie", round.setup.limits["tie"][0], position=position)
    round.blame("position-not-on-layout", "beyond the layout", bet=bet)
    finish(round)


def _small_wager(round: Round, player: Player) -> str | None:
    """A wager with room at the player's position, on which a small bet leaves the differential within its limit."""
    wagers = [
        wager for wager, (low, _) in round.setup.limits.items()
        if round.has_room(player.position, wager) and round.fits(wager, low)
    ]  # fmt: skip
    return round.chance.pick(wagers) if wagers else None


def _less_than(round: Round, low: int) -> int:
    return max(1, low * round.chance.between(1, 9) // 10)


def under_minimum(round: Round) -> None:
    """Placed under the minimum: in DTB and FF4 settled once per player and then returned (5.14), elsewhere settled."""
    _under_minimum(round, somebody(round), "placed")


def under_minimum_again(round: Round) -> None:
    """By somebody who has had the one time."""
    _under_minimum(round, round.chance.pick(_had_their_time(round.state)), "again")


def _under_minimum(round: Round, player: Player, variant: str) -> None:
    open_and_bet(round)
    wager = _small_wager(round, player) or "tie"
    bet = _bet_now(round, wager, _less_than(round, round.setup.limits[wager][0]), player)
    round.blame("below-minimum", variant, bet=bet)
    finish(round)


def _had_their_time(state: TableState) -> list[Player]:
    used = state.under_minimum
    return [player for player in state.seats.players if (player.id or f"position {player.position}") in used]


def under_minimum_settled_again(round: Round) -> None:
    """5.14 of DTB and FF4: a later bet under the minimum is settled instead of returned."""
    open_and_bet(round)
    player = round.chance.pick(_had_their_time(round.state))
    wager = _small_wager(round, player) or "tie"
    bet = _bet_now(round, wager, _less_than(round, round.setup.limits[wager][0]), player)
    deal_and_show(round)
    round.unsettled.add(bet.id)
    pay(round, bet, 0, bet.amount)
    round.wait(500, 900)
    round.blame("below-minimum", "settled again", "payout-wrong", bet=bet)
    settle_and_conclude(round)


def decreased_under_minimum(round: Round) -> None:
    """A bet that was within the limits is decreased under the minimum before the closing."""
    open_and_bet(round)
    bet = in_time(round, lambda: extra_bet(round))
    round.now -= 500
    round.change(bet, _less_than(round, round.setup.limits[bet.wager][0]))
    round.now += 500
    close_bets(round)
    round.blame("below-minimum", "decreased", bet=bet)
    finish(round)


def _too_much(round: Round, times: int = 1) -> tuple[str, int]:
    """A wager and a stake over so many times its maximum, within the differential."""
    limits = round.setup.limits
    more = round.setup.chip * round.chance.between(1, 40)
    choices = [wager for wager, (_, high) in limits.items() if round.fits(wager, times * high + more)]
    wager = round.chance.pick(choices)
    return wager, times * limits[wager][1] + more


def over_maximum(round: Round) -> None:
    """Over the maximum: DTB and FF4 settle the maximum (5.15), the others in full."""
    open_and_bet(round)
    wager, amount = _too_much(round)
    bet = _bet_now(round, wager, amount)
    round.blame("above-maximum", "settled by the rules", bet=bet)
    finish(round)


def over_maximum_in_full(round: Round) -> None:
    """5.15 of DTB and FF4 not followed: a bet over the maximum is settled in full."""
    open_and_bet(round)
    wager, amount = _too_much(round, times=2)
    bet = _bet_now(round, wager, amount)
    deal_and_show(round)
    net = round.outcome.nets[wager] if round.outcome else None
    moved = int(bet.amount * abs(net)) if net is not None else 0
    round.unsettled.add(bet.id)
    result = sign(net.numerator) if net is not None else 0
    pay(round, bet, moved if result > 0 else 0, moved if result < 0 else 0)
    round.wait(500, 900)
    round.blame("above-maximum", "settled in full", *(["payout-wrong"] if result else []), bet=bet)
    settle_and_conclude(round)


def _caps(state: TableState) -> bool:
    return state.setup.game.document.limits_settle


def crowded_area(round: Round) -> None:
    """One wager more on a playing area than allowed; all of them stand."""
    open_and_bet(round)
    most = round.area_maximum or 0
    sides = [wager for wager in round.setup.limits if wager not in round.game.hands]
    wager = round.chance.pick(sides)
    position = round.chance.between(1, round.setup.positions)
    now = round.now
    round.now -= 1400
    while round.areas.get((position, wager), 0) <= most:
        round.place(somebody(round), wager, round.setup.limits[wager][0], position)
        round.now += 100
    round.now = max(now, round.now + 300)
    close_bets(round)
    round.blame("too-many-wagers", "one too many")
    finish(round)


def _counts_wagers(state: TableState) -> bool:
    return state.setup.area_maximum is not None


def differential_left_over(round: Round) -> None:
    """5.18: over the limit at the closing, and still at the first card."""
    open_and_bet(round)
    exceed_differential(round)
    close_bets(round)
    round.blame("differential-exceeded", "left over")
    finish(round)


def differential_raised_again(round: Round) -> None:
    """Players of the heavier hand are asked to decrease (5.18.1), and what they take back is not enough."""
    open_and_bet(round)
    heavier = exceed_differential(round)
    close_bets(round)
    round.wait(800, 1500)
    round.rule("withdrawal-offered", "5.18.1", "dealer")
    round.wait(1200, 2000)
    limit = round.differential_limit or 0
    bet = max((bet for bet in round.standing() if bet.wager == heavier), key=lambda bet: bet.amount)
    less = bet.amount - round.setup.chip
    if abs(round.differential()) - round.setup.chip > limit and less >= round.setup.limits[heavier][0]:
        round.change(bet, less)
    round.wait(1500, 2500)
    round.blame("differential-exceeded", "decreased too little")
    finish(round)


VARIANTS = (
    Variant("wager-not-offered", wager_not_at_this_table, lambda state: bool(_not_on_the_table(state))),
    Variant("wager-not-offered", wager_of_another_game),
    Variant("position-not-on-layout", position_not_there),
    Variant("below-minimum", under_minimum),
    Variant("below-minimum", decreased_under_minimum),
    Variant("below-minimum", under_minimum_again, lambda state: bool(_had_their_time(state))),
    Variant("below-minimum", under_minimum_settled_again, lambda state: _caps(state) and bool(_had_their_time(state))),
    Variant("above-maximum", over_maximum),
    Variant("above-maximum", over_maximum_in_full, _caps),
    Variant("too-many-wagers", crowded_area, _counts_wagers),
    Variant("differential-exceeded", differential_left_over, has_differential),
    Variant("differential-exceeded", differential_raised_again, has_differential),
)
