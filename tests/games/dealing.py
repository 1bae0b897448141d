"""Rounds dealt by hand: cards written in one line, what every wager nets written as decimals."""

from games.money import plain_decimal
from games.readings import DEFAULT_READINGS, Readings
from games.rulebook import rulebook
from games.settlement import Outcome, outcome_of


def dealt(game: str, cards: str, readings: Readings = DEFAULT_READINGS) -> Outcome:
    """The outcome of a complete round, its cards in the order of the draws."""
    outcome = outcome_of(rulebook(readings)[game], cards.split())
    assert outcome is not None, f"{cards} is not a complete round"
    return outcome


def net(game: str, wager: str, cards: str, readings: Readings = DEFAULT_READINGS) -> str:
    """Net win or loss of one unit on a wager in this round."""
    return plain_decimal(dealt(game, cards, readings).nets[wager])


def lost_but(game: str, cards: str, **expected: str) -> None:
    """Assert that these wagers net this much and that every other wager of the game loses its stake."""
    nets = {wager: plain_decimal(amount) for wager, amount in dealt(game, cards).nets.items()}
    assert nets == dict.fromkeys(nets, "-1") | expected
