"""From the cards in the order of the draws to hands, outcome and the exact settlement of every wager."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Literal

from games.cards import POINTS, RANK
from games.features import (
    Hand,
    HandShape,
    baccarat_features,
    baccarat_shape,
    dragon_tiger_features,
    dragon_tiger_shape,
)
from games.paytable import Feature
from games.rulebook import Game
from games.table_of_play import PLAYER_STANDS, cards_required

Total = int | str
"""A hand's point total; in Dragon Tiger the rank of its card."""

DealStatus = Literal["ok", "card-missing", "card-extra", "foreign-card", "decks-not-allowed"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the cards say of a finished round."""

    winner: str
    totals: Mapping[str, Total]
    hands: Mapping[str, Hand]
    naturals: tuple[str, ...]
    """The hands with eight or nine in the initial deal."""
    pairs: tuple[str, ...]
    """The hands whose first two cards are a pair."""
    nets: Mapping[str, Fraction]
    """Net win or loss per unit staked, of every wager of the game."""


@dataclass(frozen=True, slots=True)
class Settlement:
    """A round judged by its cards and decks alone."""

    status: DealStatus
    outcome: Outcome | None
    """None unless the cards suffice and belong."""


def required_cards(game: Game, cards: Sequence[str]) -> int:
    """How many cards this round takes, as far as the cards drawn so far tell."""
    if not game.is_baccarat:
        return 2
    return cards_required([POINTS[card] for card in cards[:5]])


def hands_of(game: Game, cards: Sequence[str]) -> dict[str, Hand]:
    """The cards of a round, complete or not, in their hands: 1st and 3rd Player, 2nd and 4th Banker, then by the Table
    of Play (DTB 3.13, FF4 3.12, SE 3.7, EB 3.6; DT 3.4: first Dragon, then Tiger). Superfluous cards belong to none."""
    first, second = game.hands
    belong = cards[: required_cards(game, cards)]
    if len(belong) < 5:
        return {first: tuple(belong[0::2]), second: tuple(belong[1::2])}
    one, two, three, four, five = belong[:5]
    if (POINTS[one] + POINTS[three]) % 10 >= PLAYER_STANDS:
        return {first: (one, three), second: (two, four, five)}
    return {first: (one, three, five), second: (two, four, *belong[5:])}


def features_of(game: Game, first: HandShape, second: HandShape) -> dict[str, Feature]:
    """The features of a round of this game, from the shapes of its two complete hands."""
    if game.is_baccarat:
        return baccarat_features(first, second, game.readings)
    return dragon_tiger_features(first, second)


@dataclass(frozen=True, slots=True)
class _Shaped:
    """What follows from the shapes of the two hands, whatever the very cards."""

    winner: str
    naturals: tuple[str, ...]
    pairs: tuple[str, ...]
    nets: Mapping[str, Fraction]


@lru_cache(maxsize=65_536)
def _shaped(game: Game, first: HandShape, second: HandShape) -> _Shaped:
    features = features_of(game, first, second)
    return _Shaped(
        winner=str(features["winner"]),
        naturals=tuple(hand for hand in game.hands if features.get(f"{hand}_natural")),
        pairs=tuple(hand for hand in game.hands if features.get(f"{hand}_pair")),
        nets={name: wager.net(features) for name, wager in game.wagers.items()},
    )


def outcome_of(game: Game, cards: Sequence[str]) -> Outcome | None:
    """The outcome of a round, or None while the Table of Play asks for more; superfluous cards are disregarded."""
    if len(cards) < required_cards(game, cards):
        return None
    hands = hands_of(game, cards)
    first_name, second_name = game.hands
    first, second = hands[first_name], hands[second_name]
    totals: dict[str, Total]
    if game.is_baccarat:
        shapes = baccarat_shape(first, game.readings), baccarat_shape(second, game.readings)
        totals = {first_name: shapes[0].total, second_name: shapes[1].total}
    else:
        shapes = dragon_tiger_shape(first[0]), dragon_tiger_shape(second[0])
        totals = {first_name: RANK[first[0]], second_name: RANK[second[0]]}
    shaped = _shaped(game, *shapes)
    return Outcome(shaped.winner, totals, hands, shaped.naturals, shaped.pairs, shaped.nets)


def foreign_cards(game: Game, decks: int, cards: Sequence[str], earlier: Mapping[str, int]) -> list[int]:
    """The places (from 0) of cards that cannot be of this shoe: not of the game's deck, or one copy more than its decks
    hold (readings A-22), with ``earlier`` the copies of each card that the shoe has already dealt."""
    deck, seen, foreign = game.deck.index, Counter(earlier), []
    for place, card in enumerate(cards):
        seen[card] += 1
        if card not in deck or seen[card] > decks:
            foreign.append(place)
    return foreign


def settle(game: Game, decks: int, cards: Sequence[str]) -> Settlement:
    """Judge a round by its cards alone, from a fresh shoe."""
    if decks not in game.decks:
        return Settlement("decks-not-allowed", None)
    # Four copies or fewer never exceed the decks that 2.1 asks for, and a round has at most six cards.
    if not game.deck.index.keys() >= set(cards) or (len(cards) > decks and foreign_cards(game, decks, cards, {})):
        return Settlement("foreign-card", None)
    outcome = outcome_of(game, cards)
    if outcome is None:
        return Settlement("card-missing", None)
    extra = len(cards) > sum(len(hand) for hand in outcome.hands.values())
    return Settlement("card-extra" if extra else "ok", outcome)
