"""EB 5.9: whether an outcome is established, against a second program that tries every ending in another way."""

import random

import pytest

from audit.established import outcome_established
from games.readings import DEFAULT_READINGS
from games.rulebook import rulebook
from tests.oracle import rules

GAMES = [game for game in rulebook(DEFAULT_READINGS).values() if game.document.power_void]


@pytest.mark.parametrize("dealt", range(7))
def test_eb_5_9_an_outcome_is_established_when_a_wager_can_only_win_or_only_lose(dealt: int) -> None:
    chance = random.Random(dealt)
    seen = set()
    for _ in range(20):
        game = chance.choice(GAMES)
        cards = [chance.choice(game.deck.codes) for _ in range(dealt)]
        offered = chance.sample(sorted(game.wagers), chance.randint(1, len(game.wagers)))
        established = outcome_established(game, offered, cards)
        assert established == rules.outcome_established(game.name, cards, offered), (game.name, offered, cards)
        seen.add(established)
    assert (True in seen) == (dealt > 2), "two of a hand make a pair or none"


def test_eb_5_9_without_a_wager_on_offer_nothing_is_established() -> None:
    assert not outcome_established(GAMES[0], [], ["9S", "9H", "9D", "9C"])
