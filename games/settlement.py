"""From the cards in the order of the draws to hands, outcome and the exact settlement of every wager."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Literal, NamedTuple

from games.cards import POINTS, STANDARD
from games.features import DRAGON_TIGER_SHAPES, Hand, HandShape, baccarat_features, dragon_tiger_features
from games.paytable import Feature
from games.rulebook import Game
from games.table_of_play import banker_draws, player_draws

Total = int | str
"""A hand's point total; in Dragon Tiger the rank of its card."""

DealStatus = Literal["ok", "card-missing", "card-extra", "foreign-card", "decks-not-allowed"]


class Outcome(NamedTuple):
    """What the cards say of a finished round. Its mappings are shared between rounds: read them, never change them."""

    winner: str
    totals: Mapping[str, Total]
    hands: Mapping[str, Hand]
    naturals: tuple[str, ...]
    """The hands with eight or nine in the initial deal."""
    pairs: tuple[str, ...]
    """The hands whose first two cards are a pair."""
    nets: Mapping[str, Fraction]
    """Net win or loss per unit staked, of every wager of the game."""
    shapes: tuple[HandShape, HandShape]
    """The shapes of the two hands: all that winner, totals and nets depend on."""


@dataclass(frozen=True, slots=True)
class Settlement:
    """A round judged by its cards and decks alone."""

    status: DealStatus
    outcome: Outcome | None
    """None unless the cards suffice and belong."""


class _Deal(NamedTuple):
    """A round laid out: which hand each card belongs to."""

    required: int
    """How many cards the round takes, as far as the cards drawn so far tell."""
    first: Hand
    second: Hand
    shapes: tuple[HandShape, HandShape] | None
    """The shapes of the two hands, or None while cards are missing."""


def _deal(game: Game, cards: Sequence[str]) -> _Deal:
    """1st and 3rd card to Player, 2nd and 4th to Banker, then the Table of Play (DTB 3.13, FF4 3.12, SE 3.7, EB 3.6);
    DT 3.4: the first to Dragon, the second to Tiger. Superfluous cards belong to no hand."""
    drawn = len(cards)
    if not game.is_baccarat:
        if drawn < 2:
            return _Deal(2, tuple(cards), (), None)
        one, two = cards[0], cards[1]
        return _Deal(2, (one,), (two,), (DRAGON_TIGER_SHAPES[one], DRAGON_TIGER_SHAPES[two]))
    if drawn < 4:
        return _Deal(4, tuple(cards[0::2]), tuple(cards[1::2]), None)
    one, two, three, four = cards[:4]
    player, banker = game.initial_hands[one, three], game.initial_hands[two, four]
    player_total, banker_total = player.shape.total, banker.shape.total
    if player_draws(player_total, banker_total):
        if drawn == 4:
            return _Deal(5, (one, three), (two, four), None)
        five = cards[4]
        third = POINTS[five]
        if not banker_draws(player_total, banker_total, third):
            return _Deal(5, (one, three, five), (two, four), (player.with_third[third], banker.shape))
        if drawn == 5:
            return _Deal(6, (one, three, five), (two, four), None)
        six = cards[5]
        shapes = player.with_third[third], banker.with_third[POINTS[six]]
        return _Deal(6, (one, three, five), (two, four, six), shapes)
    if banker_draws(player_total, banker_total, None):
        if drawn == 4:
            return _Deal(5, (one, three), (two, four), None)
        five = cards[4]
        return _Deal(5, (one, three), (two, four, five), (player.shape, banker.with_third[POINTS[five]]))
    return _Deal(4, (one, three), (two, four), (player.shape, banker.shape))


def required_cards(game: Game, cards: Sequence[str]) -> int:
    """How many cards this round takes, as far as the cards drawn so far tell: with fewer than four, four; with a fifth
    still to come, five, even if a sixth may follow."""
    return _deal(game, cards).required


def hands_of(game: Game, cards: Sequence[str]) -> dict[str, Hand]:
    """The cards of a round, complete or not, in their hands. Superfluous cards belong to none."""
    deal = _deal(game, cards)
    first, second = game.hands
    return {first: deal.first, second: deal.second}


def features_of(game: Game, first: HandShape, second: HandShape) -> dict[str, Feature]:
    """The features of a round of this game, from the shapes of its two complete hands."""
    if game.is_baccarat:
        return baccarat_features(first, second, game.readings)
    return dragon_tiger_features(first, second)


class _Shaped(NamedTuple):
    """What follows from the shapes of the two hands, whatever the very cards."""

    winner: str
    totals: Mapping[str, Total]
    naturals: tuple[str, ...]
    pairs: tuple[str, ...]
    nets: Mapping[str, Fraction]


@lru_cache(maxsize=65_536)
def _shaped(game: Game, shapes: tuple[HandShape, HandShape]) -> _Shaped:
    features = features_of(game, *shapes)
    totals: list[Total] = [shape.total if game.is_baccarat else STANDARD.ranks[shape.total - 1] for shape in shapes]
    return _Shaped(
        winner=str(features["winner"]),
        totals=dict(zip(game.hands, totals, strict=True)),
        naturals=tuple(hand for hand in game.hands if features.get(f"{hand}_natural")),
        pairs=tuple(hand for hand in game.hands if features.get(f"{hand}_pair")),
        nets={name: wager.net(features) for name, wager in game.wagers.items()},
    )


def outcome_of(game: Game, cards: Sequence[str]) -> Outcome | None:
    """The outcome of a round, or None while the Table of Play asks for more; superfluous cards are disregarded."""
    _, first, second, shapes = _deal(game, cards)
    if shapes is None:
        return None
    winner, totals, naturals, pairs, nets = _shaped(game, shapes)
    first_name, second_name = game.hands
    return Outcome(winner, totals, {first_name: first, second_name: second}, naturals, pairs, nets, shapes)


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
