"""The betting window: bets are placed, changed and withdrawn, until the dealer closes."""

from collections.abc import Sequence

from simulator.acts import BETS_CLOSED, CHANGED, DEALER, OPENED, PLACED, RFID, WITHDRAWN
from simulator.players import Player
from simulator.round import Bet, Round

_LAST_CHANGE = 1500
"""Players are done so long before "No more bets" (ms)."""


def open_bets(round: Round, method: str | None = None) -> None:
    """ "Place your bets, please" (3.1)."""
    chance = round.chance
    round.method = method or chance.pick(round.setup.methods)
    dealer = f"D{1 + (round.now // 1_200_000 + round.setup.positions) % 60:03d}"
    round.say(DEALER, OPENED, method=round.method, dealer=dealer)


def take_bets(round: Round) -> None:
    """Everyone bets by habit, some change or withdraw their bets, all in good time before the closing."""
    state, setup, chance = round.state, round.setup, round.chance
    random = chance.random
    acts, bets, areas = round.acts, round.bets, round.areas
    shoe, number, limits = round.shoe.id, round.number, setup.limits
    most, last_winner = round.area_maximum, state.last_winner
    opened = round.now
    window = 15_000 + int(random() * 8_000)
    spread = window - 4_000
    for player in state.seats.players:
        for wager, amount in player.bets(random, setup, last_winner):
            area = (player.position, wager)
            count = areas.get(area, 0)
            if most is not None and count >= most:
                continue
            areas[area] = count + 1
            at = opened + 700 + int(random() * spread)
            name = f"b{len(bets) + 1}"
            bet = bets[name] = Bet(name, player, player.position, wager, amount)
            acts.append(
                (at, RFID, PLACED, {
                    "shoe": shoe, "round": number, "bet": name, "position": player.position, "player": player.id,
                    "wager": wager, "amount": amount,
                })
            )  # fmt: skip
            if random() < 0.09:
                later = at + 400 + int(random() * (opened + window - _LAST_CHANGE - 400 - at))
                if random() < 0.25:
                    bet.stands = False
                    areas[area] = count
                    acts.append((later, RFID, WITHDRAWN, {"shoe": shoe, "round": number, "bet": name}))
                else:
                    low, high = limits[wager]
                    raised = amount * 2 if random() < 0.7 else amount // 2 // setup.chip * setup.chip
                    bet.amount = max(low, min(high, raised))
                    acts.append(
                        (later, RFID, CHANGED, {"shoe": shoe, "round": number, "bet": name, "amount": bet.amount})
                    )
    round.now = opened + window


def keep_differential(round: Round) -> None:
    """Before the closing, the dealer has the largest bets of the heavier hand taken back if the limit is exceeded."""
    limit = round.differential_limit
    if limit is None:
        return
    gap = round.differential()
    if abs(gap) <= limit:
        return
    heavier = round.game.hands[0] if gap > 0 else round.game.hands[1]
    now = round.now
    for bet in sorted(round.standing(), key=lambda bet: -bet.amount):
        if bet.wager == heavier and abs(round.differential()) > limit:
            round.now = now - round.chance.between(200, _LAST_CHANGE - 300)
            round.withdraw(bet)
    round.now = now


def close_bets(round: Round) -> None:
    """ "No more bets" (3.2)."""
    round.say(DEALER, BETS_CLOSED)
    round.closed_at = round.now
    round.now += 1100 + round.chance.below(900)


def begin(round: Round, method: str | None = None) -> None:
    """A round from its opening to its closing of bets, all by the rules; by a method of the table unless told which."""
    open_bets(round, method)
    take_bets(round)
    keep_differential(round)
    close_bets(round)


def extra_bet(round: Round, wagers: Sequence[str] | None = None) -> Bet:
    """One more bet within all limits, placed now by somebody at the table, on one of these wagers (None: on any)."""
    limits, chance = round.setup.limits, round.chance
    names = list(limits if wagers is None else wagers)
    chance.shuffle(names)
    places = list(range(1, round.setup.positions + 1))
    chance.shuffle(places)
    for name in names:
        low, high = limits[name]
        amount = min(high, low + round.setup.chip * chance.below(6))
        place = next((place for place in places if round.has_room(place, name)), None)
        if place is not None and round.fits(name, amount):
            return round.place(somebody(round), name, amount, place)
    raise RuntimeError(f"no room for one more bet at {round.setup.table}")


def free_position(round: Round, player: Player, wager: str) -> int:
    """The player's own position, or another one where the playing area has room."""
    if round.has_room(player.position, wager):
        return player.position
    places = range(1, round.setup.positions + 1)
    return next((place for place in places if round.has_room(place, wager)), player.position)


def somebody(round: Round) -> Player:
    """A player at the table."""
    return round.chance.pick(round.state.seats.players)


def take_option(round: Round, whole: bool) -> None:
    """Some players use the option to withdraw after the closing.

    ``whole``: a player who withdraws takes back all bets (5.8.2.2, 5.17.1); otherwise some of them, or a part. Before
    the first card nobody withdraws what would bring the differential over its limit.
    """
    chance = round.chance
    by_owner: dict[str, list[Bet]] = {}
    for bet in round.standing():
        by_owner.setdefault(bet.owner, []).append(bet)
    for bets in by_owner.values():
        if not chance.happens(0.35):
            continue
        if not round.drawn and not _may_all_go(round, bets):
            continue
        for bet in bets:
            round.wait(150, 700)
            low = round.setup.limits[bet.wager][0]
            half = bet.amount // 2 // round.setup.chip * round.setup.chip
            if not whole and half >= low and half and chance.happens(0.3):
                round.change(bet, half)
            elif whole or chance.happens(0.8):
                round.withdraw(bet)


def _may_all_go(round: Round, bets: list[Bet]) -> bool:
    """Whether the differential stays within its limit whichever of these bets go, whole or in part."""
    limit = round.differential_limit
    if limit is None:
        return True
    moving = sum(bet.amount for bet in bets if bet.wager in round.game.hands)
    return abs(round.differential()) + moving <= limit
