"""Interruptions after which players may withdraw or bet again: power failure, device reset, cutting card first."""

from simulator.acts import BETS_CLOSED, DEALER, OPENED
from simulator.betting import begin, extra_bet, take_option
from simulator.dealing import coming, deal, show_cutting_card
from simulator.round import DEALER_ROLE, SUPERVISOR, Round
from simulator.settling import finish


def power_failure_before_outcome(round: Round, by: str = SUPERVISOR) -> None:
    """DTB, FF4 5.17.1: nothing is decided yet; players may withdraw all their wagers, then the round goes on."""
    begin(round)
    deal(round, round.chance.between(0, 2))
    round.wait(500, 2000)
    round.rule("power-failure", "5.17", SUPERVISOR, scope="table")
    round.wait(2000, 15_000)
    round.rule("withdrawal-offered", "5.17.1", by)
    round.wait(1500, 4000)
    take_option(round, whole=True)
    round.wait(1200, 3000)
    finish(round)


def power_failure_after_outcome(round: Round, by: str = SUPERVISOR) -> None:
    """DTB, FF4 5.17.2, EB 5.9.2: with an outcome established the round is concluded.

    The Player Pair is decided by the third card and the Tiger Pair by the fourth, where they are on offer (A-25).
    """
    begin(round)
    limits = round.setup.limits
    decided = 3 if "player_pair" in limits else 4 if "tiger_pair" in limits else 6
    count = len(coming(round))
    deal(round, min(count, round.chance.between(min(decided, count), count)))
    round.wait(1000, 2000)
    clause = "5.9.2" if round.game.document.power_void else "5.17.2"
    round.rule("power-failure", clause, by, scope="table")
    round.wait(3000, 20_000)
    finish(round)


def terminals_fail(round: Round, by: str = SUPERVISOR) -> None:
    """EB 5.10: when terminals fail, and not the dealing, the round goes on."""
    begin(round)
    deal(round, round.chance.between(0, 3))
    round.wait(1000, 2000)
    places = list(range(1, round.setup.positions + 1))
    scope = sorted(round.chance.some(places, round.chance.between(1, 4)))
    round.rule("power-failure", "5.10", by, scope=scope)
    round.wait(1500, 8000)
    finish(round)


def device_reset(
    round: Round, by: str = SUPERVISOR, methods: tuple[str, str] | None = None, closed_again: bool = True
) -> None:
    """DTB, FF4 5.9: players may withdraw, the device is reset, they may bet again, and bets are closed again.

    ``methods``: the dealing methods that the first and the second opening announce, None for the one in use.
    """
    begin(round, methods[0] if methods else None)
    round.wait(800, 2000)
    round.rule("withdrawal-offered", "5.9", SUPERVISOR)
    round.wait(1500, 3000)
    take_option(round, whole=False)
    round.wait(1200, 3000)
    round.rule("device-reset", "5.9", by)
    round.wait(1200, 3000)
    if methods or round.chance.happens(0.7):
        round.say(DEALER, OPENED, method=methods[1] if methods else round.method)
        round.wait(1000, 3000)
    for _ in range(round.chance.between(0, 3)):
        extra_bet(round)
        round.wait(500, 2500)
    for bet in round.standing()[:2]:
        chip, high = round.setup.chip, round.setup.limits[bet.wager][1]
        if bet.amount + chip <= high and round.fits(bet.wager, chip):
            round.change(bet, bet.amount + chip)
            round.wait(300, 900)
    round.wait(1000, 3000)
    if closed_again:
        round.say(DEALER, BETS_CLOSED)
    round.wait(1200, 2500)
    finish(round)


def cutting_card_first(round: Round, by: str = DEALER_ROLE) -> None:
    """DTB, FF4 3.17.1: in the HLGA the dealer may let players withdraw when the cutting card comes first."""
    begin(round)
    show_cutting_card(round)
    round.wait(1000, 2000)
    round.rule("withdrawal-offered", "3.17.1", by)
    round.wait(1500, 4000)
    take_option(round, whole=False)
    round.wait(1200, 2500)
    finish(round)
