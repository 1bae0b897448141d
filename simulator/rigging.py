"""Tampering that shows over many rounds: cards arranged in favour of the players, or of one of them."""

from fractions import Fraction

from games.settlement import outcome_of
from simulator.round import Round

TRIES = 3
"""The best of so many arrangements of the next cards is dealt."""


def arrange(round: Round) -> None:
    """Exchange the next cards for later ones of the shoe where that helps those whom the table favours.

    No card comes or goes, so the account of the shoe stays right and only the results look too good.
    """
    shoe, chance = round.shoe, round.chance
    if shoe.cut is None or shoe.place + 12 >= shoe.cut:
        return
    best: list[tuple[int, int]] = []
    gain = _gain(round)
    for _ in range(TRIES - 1):
        swaps = [(shoe.place + n, chance.between(shoe.place + 6, shoe.cut - 1)) for n in range(6)]
        for swap in swaps:
            shoe.swap(*swap)
        tried = _gain(round)
        for swap in reversed(swaps):
            shoe.swap(*swap)
        if tried > gain:
            best, gain = swaps, tried
    for swap in best:
        shoe.swap(*swap)


def _gain(round: Round) -> Fraction:
    """What those favoured would win with the cards as they lie."""
    outcome = outcome_of(round.game, round.shoe.peek(6))
    favoured = round.state.rig.favours
    gain = Fraction(0)
    if outcome is not None:
        for bet in round.standing():
            if favoured in {"players", bet.player.id}:
                gain += bet.amount * outcome.nets[bet.wager]
    return gain
