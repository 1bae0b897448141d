"""Which of the courses out of the ordinary, all within the rules, a round takes."""

from collections.abc import Callable
from dataclasses import dataclass

from simulator.betting import begin
from simulator.dealing import deal
from simulator.round import SHIFT_MANAGER, SUPERVISOR, Round
from simulator.rulings.late import (
    bet_within_tolerance,
    card_within_tolerance,
    late_bet_taken_back,
    refused_before_closing,
    refused_late_bet,
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
from simulator.rulings.voids import grounds_of, void_round
from simulator.settling import finish
from simulator.state import TableState

Course = Callable[[Round], None]
"""Plays a round from its opening to its closing."""


def _always(_: TableState) -> bool:
    return True


def has_methods(state: TableState) -> bool:
    """DTB and FF4, which have much in common beside the dealing methods."""
    return state.setup.game.document.methods


def is_electronic(state: TableState) -> bool:
    """The games of EB."""
    return state.setup.electronic


def has_differential(state: TableState) -> bool:
    """Whether a differential is watched at this table."""
    return state.setup.game.document.differential and state.setup.differential_limit is not None


def cut_comes_first(state: TableState) -> bool:
    """3.17.1: in the HLGA, with the cutting card as the next to come."""
    return has_methods(state) and state.setup.area == "hlga" and state.shoe.cut == state.shoe.place


def may_be_reordered(state: TableState) -> bool:
    """The documents that have cards dealt in an incorrect order reconstructed (5.7)."""
    return state.setup.game.document.short in {"DTB", "FF4", "EB"}


def silent_on_unknown_order(state: TableState) -> bool:
    """DTB, FF4 (5.8.2.2) and SE: third cards drawn together do not make the round void."""
    return state.setup.game.document.together_void == "initial-deal" and takes_six_either_way(state)


_HARMLESS = {
    "DTB": (("face-up-card", "5.6"), ("exposed-card", "5.7.1"), ("wrong-delivery", "5.7"), ("other", "6.1")),
    "FF4": (("face-up-card", "5.6"), ("exposed-card", "5.7.1"), ("wrong-delivery", "5.7"), ("other", "6.1")),
    "EB": (("face-up-card", "5.6"), ("other", "6.1")),
    "SE": (("missing-card", "5.1"), ("unshuffled-cards", "5.1"), ("exposed-card", "5.4")),
    "DT": (("missing-card", "5.1"), ("unshuffled-cards", "5.1"), ("exposed-card", "5.4")),
}
"""By document: incidents that leave the round as it is, and the clause cited."""


def harmless_incident(round: Round, by: str | None = None) -> None:
    """Something happens that changes nothing, and the staff say so."""
    begin(round)
    deal(round, round.chance.between(1, round.game.initial_deal))
    incident, clause = round.chance.pick(_HARMLESS[round.game.document.short])
    round.report(incident, (round.drawn,))
    round.wait(1000, 3000)
    if by is not None or round.chance.happens(0.7):
        round.rule("stands", clause, by or (SHIFT_MANAGER if clause == "6.1" else SUPERVISOR))
        round.wait(1000, 2000)
    finish(round)


def rightly_void(round: Round) -> None:
    """One of the grounds that fit."""
    void_round(round.chance.pick(grounds_of(round.state)))(round)


@dataclass(frozen=True, slots=True)
class Possible:
    """A course and when it is possible."""

    play: Course
    fits: Callable[[TableState], bool] = _always


COURSES = (
    Possible(refused_late_bet),
    Possible(late_bet_taken_back),
    Possible(refused_before_closing),
    Possible(bet_within_tolerance),
    Possible(card_within_tolerance),
    Possible(harmless_incident),
    Possible(order_altered_reconstructed),
    Possible(together_order_known),
    Possible(wrong_order_reconstructed, may_be_reordered),
    Possible(together_order_unknown_later, silent_on_unknown_order),
    Possible(player_left_with_card, has_methods),
    Possible(device_reset, has_methods),
    Possible(power_failure_before_outcome, has_methods),
    Possible(power_failure_after_outcome, lambda state: has_methods(state) or is_electronic(state)),
    Possible(terminals_fail, is_electronic),
    Possible(restrict_wagers, lambda state: has_methods(state) and state.restriction is None),
    Possible(differential_brought_back, has_differential),
    Possible(rightly_void),
)
"""Every course that needs no particular moment."""


def special(state: TableState) -> Course:
    """One of the courses that are possible now."""
    return state.chance.pick([course for course in COURSES if course.fits(state)]).play
