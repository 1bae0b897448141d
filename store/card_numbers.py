"""Cards as small numbers, for bulk audit: a card's place in the game's deck, or 128 and its place in the other deck."""

from collections.abc import Iterable
from functools import cache

from games.cards import DECKS, STANDARD, Deck
from games.rulebook import GAMES

OTHER_DECK = 128
"""Added to the place of a card that is not of the game's deck."""


@cache
def numbers_of(game: str | None) -> dict[str, int]:
    """The number of every card code in this game; without a known game, as if it were played with 52 cards."""
    deck = _deck_of(game)
    numbers = {code: place for other in DECKS if other is not deck for code, place in _shifted(other).items()}
    return numbers | dict(deck.index)


@cache
def codes_of(game: str | None) -> dict[int, str]:
    """The card code of every number in this game."""
    return {number: code for code, number in numbers_of(game).items()}


def card_numbers(game: str | None, cards: Iterable[str]) -> list[int]:
    """Cards as numbers."""
    numbers = numbers_of(game)
    return [numbers[card] for card in cards]


def card_codes(game: str | None, numbers: Iterable[int]) -> tuple[str, ...]:
    """Numbers as cards."""
    codes = codes_of(game)
    return tuple(codes[number] for number in numbers)


def _deck_of(game: str | None) -> Deck:
    return GAMES[game].deck if game is not None and game in GAMES else STANDARD


def _shifted(deck: Deck) -> dict[str, int]:
    return {code: OTHER_DECK + place for code, place in deck.index.items()}
