"""Rulings by a role below the one that the clause names; they take effect all the same."""

from collections.abc import Callable

from simulator.acts import CORRECTED, DEALER
from simulator.faults.variant import (
    Course,
    Fits,
    Variant,
    anywhere,
    begin_with_bet,
    deal_and_show,
    settle_and_conclude,
)
from simulator.round import ASSISTANT_MANAGER, DEALER_ROLE, PIT_MANAGER, SUPERVISOR, Round
from simulator.rulings.course import (
    harmless_incident,
    has_differential,
    has_methods,
    is_electronic,
    may_be_reordered,
)
from simulator.rulings.limits import differential_brought_back, restrict_wagers
from simulator.rulings.options import (
    device_reset,
    power_failure_after_outcome,
    power_failure_before_outcome,
    terminals_fail,
)
from simulator.rulings.order import (
    order_altered_reconstructed,
    player_left_with_card,
    takes_six_either_way,
    together_order_known,
    together_order_unknown_later,
    wrong_order_reconstructed,
)
from simulator.rulings.voids import drawn_together, interrupted, not_covered, order_altered, void_round
from simulator.settling import due, pay
from simulator.state import TableState


def _by(course: Callable[..., None], clause: str, **who: str) -> Course:
    """A course within the rules, but for one ruling, which somebody makes who may not."""

    def play(round: Round) -> None:
        course(round, **who)
        round.blame("ruling-not-authorised", clause)

    return play


def _void_by_dealer(round: Round) -> None:
    """A void that is founded, and takes effect."""
    ground = round.chance.pick((order_altered, drawn_together))
    void_round(ground, DEALER_ROLE)(round)
    round.blame("ruling-not-authorised", "a void by the dealer")


def _interrupted_void_by_dealer(round: Round) -> None:
    void_round(interrupted, DEALER_ROLE)(round)
    round.blame("ruling-not-authorised", "EB 5.9.1")


def _decided_below_shift_manager(round: Round) -> None:
    """6.1: without the Gaming Shift Manager the void is not founded either."""
    by = round.chance.pick((SUPERVISOR, PIT_MANAGER, ASSISTANT_MANAGER))
    void_round(not_covered, by)(round)
    round.blame("ruling-not-authorised", "6.1", "void-unfounded")


def _removed_below_pit_manager(round: Round) -> None:
    """5.18.3: a Pit Manager has wagers removed when the differential is exceeded."""
    differential_brought_back(round, SUPERVISOR, "remove")
    round.blame("ruling-not-authorised", "5.18.3")


def _corrected_by_dealer(round: Round) -> None:
    """A correction, right in its amounts, is for a Pit Supervisor."""
    bet = begin_with_bet(round, 1, -1)
    deal_and_show(round)
    moved = due(round, bet)
    round.unsettled.add(bet.id)
    pay(round, bet, *moved)
    round.wait(1000, 2000)
    round.say(DEALER, CORRECTED, bet=bet.id, paid=moved[0], collected=moved[1], by=DEALER_ROLE)
    round.blame("ruling-not-authorised", "a correction by the dealer", bet=bet)
    settle_and_conclude(round)


def _decides_uncovered(state: TableState) -> bool:
    return state.setup.game.document.decided_by_shift_manager


def _orders_third_cards(state: TableState) -> bool:
    return has_methods(state) and takes_six_either_way(state)


def _variant(play: Course, fits: Fits = anywhere) -> Variant:
    return Variant("ruling-not-authorised", play, fits)


VARIANTS = (
    _variant(_by(wrong_order_reconstructed, "5.7", by=DEALER_ROLE), may_be_reordered),
    _variant(_by(order_altered_reconstructed, "order altered", by=DEALER_ROLE)),
    _variant(_by(together_order_known, "5.8.1", offered_by=DEALER_ROLE), has_methods),
    _variant(_by(together_order_known, "drawn together", by=DEALER_ROLE)),
    _variant(_by(together_order_unknown_later, "5.8.2.2", by=SUPERVISOR), _orders_third_cards),
    _variant(_by(device_reset, "5.9", by=DEALER_ROLE), has_methods),
    _variant(_by(power_failure_before_outcome, "5.17.1", by=DEALER_ROLE), has_methods),
    _variant(_by(power_failure_after_outcome, "power failure", by=DEALER_ROLE), has_methods),
    _variant(_by(terminals_fail, "EB 5.10", by=DEALER_ROLE), is_electronic),
    _variant(_by(player_left_with_card, "5.11", by=ASSISTANT_MANAGER), has_methods),
    _variant(_by(player_left_with_card, "5.11", by=PIT_MANAGER), has_methods),
    _variant(_by(restrict_wagers, "3.7.1", by=SUPERVISOR), lambda s: has_methods(s) and s.restriction is None),
    _variant(_by(harmless_incident, "stands", by=DEALER_ROLE)),
    _variant(_removed_below_pit_manager, has_differential),
    _variant(_void_by_dealer),
    _variant(_interrupted_void_by_dealer, is_electronic),
    _variant(_decided_below_shift_manager, _decides_uncovered),
    _variant(_corrected_by_dealer),
)
