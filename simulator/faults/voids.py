"""Void rounds that were settled, rounds void without a ground, and void rounds in which money moved."""

from simulator.acts import Payload
from simulator.betting import begin
from simulator.dealing import deal, deal_all
from simulator.faults.variant import Variant, begin_with_bet
from simulator.round import SUPERVISOR, Round
from simulator.rulings.course import silent_on_unknown_order
from simulator.rulings.order import put_in_order
from simulator.rulings.voids import declare_void, grounds_of, not_covered, return_all, too_few_cards
from simulator.settling import conclude, finish, pay
from simulator.state import TableState


def void_and_settled(round: Round) -> None:
    """The rules make the round void, on one ground of its document or another, and it is settled."""
    grounds = [ground for ground in grounds_of(round.state) if ground not in (too_few_cards, not_covered)]
    ground = round.chance.pick(grounds)
    begin_with_bet(round, 1, -1)
    ground(round)
    round.wait(1200, 2500)
    round.blame("void-required", ground.__name__)
    finish(round)


def _void_for_nothing(round: Round, variant: str) -> None:
    """Declared void by a clause whose ground is not on record."""
    declare_void(round, round.clause(round.chance.pick(("order-altered", "foreign-card", "drawn-together"))))
    round.blame("void-unfounded", variant)
    return_all(round)


def void_without_a_word(round: Round) -> None:
    """Nothing happened, and the round is void."""
    begin(round)
    deal_all(round)
    _void_for_nothing(round, "nothing on record")


def void_for_something_harmless(round: Round) -> None:
    """Something happened that makes no round void."""
    incidents = ["face-up-card", "exposed-card", "wrong-delivery", "other"]
    if not round.game.document.missing_or_unshuffled_void:
        incidents += ["missing-card", "unshuffled-cards"]
    begin(round)
    deal_all(round)
    round.report(round.chance.pick(incidents), (round.drawn,))
    _void_for_nothing(round, "a harmless incident")


def void_although_reconstructed(round: Round) -> None:
    """The order was altered and put right, and the round is void all the same."""
    begin(round)
    deal_all(round)
    round.report("order-altered")
    round.wait(1500, 3000)
    put_in_order(round, list(range(1, round.drawn + 1)), round.clause("order-altered"))
    _void_for_nothing(round, "order reconstructed")


def void_for_third_cards(round: Round) -> None:
    """DTB, FF4 5.8.2.2, SE: third cards drawn together do not make a round void."""
    begin(round)
    deal(round, 6)
    round.report("cards-drawn-together", (5, 6))
    _void_for_nothing(round, "third cards drawn together")


def void_after_outcome(round: Round) -> None:
    """DTB, FF4 5.17, EB 5.9.2: a power failure after an outcome was established makes no round void."""
    begin(round)
    deal_all(round)
    round.wait(1000, 2000)
    scope: Payload = {"scope": "table"}
    round.rule("power-failure", "5.9" if round.setup.electronic else "5.17", SUPERVISOR, **scope)
    _void_for_nothing(round, "power failure after an outcome")


def _knows_power_failures(state: TableState) -> bool:
    return state.setup.game.document.short in {"DTB", "FF4", "EB"}


def money_moved(round: Round) -> None:
    """The round is rightly void, and some bets are paid or collected."""
    ground = round.chance.pick(grounds_of(round.state))
    bet = begin_with_bet(round, 1, -1, 0)
    clause = ground(round)
    declare_void(round, clause, "gaming_shift_manager")
    round.wait(1000, 2000)
    moved = [bet, *(other for other in round.standing() if other is not bet)][: round.chance.between(1, 3)]
    for other in moved:
        if round.chance.happens(0.5):
            pay(round, other, other.amount, 0)
        else:
            pay(round, other, 0, other.amount)
        round.now += 200
    round.wait(700, 1200)
    round.blame("void-not-returned", ground.__name__, *["void-not-returned"] * (len(moved) - 1), bet=bet)
    conclude(round)


VARIANTS = (
    Variant("void-required", void_and_settled),
    Variant("void-unfounded", void_without_a_word),
    Variant("void-unfounded", void_for_something_harmless),
    Variant("void-unfounded", void_although_reconstructed),
    Variant("void-unfounded", void_for_third_cards, silent_on_unknown_order),
    Variant("void-unfounded", void_after_outcome, _knows_power_failures),
    Variant("void-not-returned", money_moved),
)
