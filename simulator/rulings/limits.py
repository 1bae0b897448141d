"""The table differential exceeded and brought back in time, and fewer wagers per playing area."""

from simulator.betting import close_bets, free_position, keep_differential, open_bets, somebody, take_bets
from simulator.round import DEALER_ROLE, PIT_MANAGER, Bet, Round
from simulator.settling import finish


def restrict_wagers(round: Round, by: str = PIT_MANAGER) -> None:
    """DTB 3.7.1, FF4 3.6.1: a Pit Manager allows fewer than three wagers on a playing area."""
    clause = "3.7.1" if round.game.document.short == "DTB" else "3.6.1"
    most = round.chance.between(1, 2)
    round.state.restriction = most
    open_bets(round)
    round.now += 600
    round.rule("wagers-restricted", clause, by, max_wagers_per_area=most)
    take_bets(round)
    keep_differential(round)
    close_bets(round)
    finish(round)


def exceed_differential(round: Round) -> str:
    """Large bets bring the differential over its limit before the closing; gives the heavier hand."""
    limit = round.differential_limit
    if limit is None:
        raise ValueError("the game or the table has no differential")
    gap = round.differential()
    heavier = round.game.hands[0] if gap >= 0 else round.game.hands[1]
    high = round.setup.limits[heavier][1]
    now = round.now
    round.now -= 1400
    while abs(round.differential()) <= limit:
        player = somebody(round)
        position = free_position(round, player, heavier)
        if round.has_room(position, heavier):
            round.place(player, heavier, high, position)
        else:
            bet = next(bet for bet in round.standing() if bet.wager == heavier and bet.amount < high)
            round.change(bet, high)
        round.now += 40
    round.now = max(now, round.now + 200)
    return heavier


def differential_brought_back(round: Round, by: str = PIT_MANAGER, way: str | None = None) -> None:
    """5.18: over the limit at the closing, and within it before the first card.

    Players of the heavier hand ``decrease`` (5.18.1), those of the lighter one ``increase`` (5.18.2), or a Pit Manager
    has wagers removed (``remove``, 5.18.3).
    """
    open_bets(round)
    take_bets(round)
    keep_differential(round)
    heavier = exceed_differential(round)
    close_bets(round)
    round.wait(800, 2000)
    way = way or round.chance.pick(("decrease", "increase", "remove"))
    if way == "increase" and not _increase(round, heavier):
        way = "remove"
    if way == "decrease":
        round.rule("withdrawal-offered", "5.18.1", DEALER_ROLE)
        round.wait(1200, 2500)
        _decrease(round, heavier)
    elif way == "remove":
        _remove(round, heavier, by)
    round.wait(1500, 3000)
    finish(round)


def _largest(round: Round, hand: str) -> list[Bet]:
    return sorted((bet for bet in round.standing() if bet.wager == hand), key=lambda bet: -bet.amount)


def _excess(round: Round) -> int:
    return abs(round.differential()) - (round.differential_limit or 0)


def _decrease(round: Round, heavier: str) -> None:
    low, chip = round.setup.limits[heavier][0], round.setup.chip
    for bet in _largest(round, heavier):
        excess = _excess(round)
        if excess <= 0:
            return
        less = (bet.amount - excess) // chip * chip
        if less >= low and less > 0:
            round.change(bet, less)
        else:
            round.withdraw(bet)
        round.wait(200, 700)


def _increase(round: Round, heavier: str) -> bool:
    """Whether the lighter hand can be brought up: with bets there, raised, and new ones beside them."""
    hands = round.game.hands
    lighter = hands[1] if heavier == hands[0] else hands[0]
    low, high = round.setup.limits[lighter]
    chip = round.setup.chip
    raisable = [bet for bet in _largest(round, lighter) if high - bet.amount >= _excess(round) + chip]
    if raisable:
        bet = raisable[0]
        round.change(bet, bet.amount + (_excess(round) + chip - 1) // chip * chip)
        return True
    player = somebody(round)
    position = free_position(round, player, lighter)
    amount = max(low, (_excess(round) + chip - 1) // chip * chip)
    if amount > high or not round.has_room(position, lighter):
        return False
    round.place(player, lighter, amount, position)
    return True


def _remove(round: Round, heavier: str, by: str) -> None:
    removed = []
    for bet in _largest(round, heavier):
        if _excess(round) <= 0:
            break
        bet.stands = False
        removed.append(bet.id)
    round.rule("bets-removed", "5.18.3", by, bets=removed)
