"""From the cards in the order of the draws to hands, outcome and the exact settlement of every wager."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache
from typing import Literal, NamedTuple

from games.cards import POINTS, STANDARD
from games.features import DRAGON_TIGER_SHAPES, Hand, HandShape, baccarat_features, dragon_tiger_features
from games.paytable import Feature
from games.rulebook import Game
from games.table_of_play import banker_draws, player_draws

Total = int | str
"""A hand's point total; in Dragon Tiger the rank of its card."""

DealStatus = Literal["ok", "card-missing", "card-extra", "foreign-card", "decks-not-allowed"]


@dataclass(frozen=True, slots=True, eq=False)
class Result:
    """What a round comes to, whatever the very cards; rounds of a game that come to the same share one object."""

    winner: str
    totals: Mapping[str, Total]
    naturals: tuple[str, ...]
    """The hands with eight or nine in the initial deal."""
    pairs: tuple[str, ...]
    """The hands whose first two cards are a pair."""
    nets: Mapping[str, Fraction]
    """Net win or loss per unit staked, of every wager of the game."""


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
    result: Result
    """All of this but the cards: the same object for all rounds of the game that come to the same."""


class Settlement(NamedTuple):
    """A round judged by its cards and decks alone."""

    status: DealStatus
    outcome: Outcome | None
    """None unless the cards suffice and belong."""


_Deal = tuple[int, Hand, Hand, tuple[HandShape, HandShape] | None]
"""A round laid out: how many cards it takes, as far as the cards drawn so far tell; the two hands; and their shapes, or
None while cards are missing."""


def _deal(game: Game, cards: Sequence[str]) -> _Deal:
    """1st and 3rd card to Player, 2nd and 4th to Banker, then the Table of Play (DTB 3.13, FF4 3.12, SE 3.7, EB 3.6);
    DT 3.4: the first to Dragon, the second to Tiger. Superfluous cards belong to no hand."""
    drawn = len(cards)
    if not game.is_baccarat:
        if drawn < 2:
            return (2, tuple(cards), (), None)
        one, two = cards[0], cards[1]
        return (2, (one,), (two,), (DRAGON_TIGER_SHAPES[one], DRAGON_TIGER_SHAPES[two]))
    if drawn < 4:
        return (4, tuple(cards[0::2]), tuple(cards[1::2]), None)
    one, two, three, four = cards[:4]
    player, banker = game.initial_hands[one, three], game.initial_hands[two, four]
    player_total, banker_total = player.shape.total, banker.shape.total
    if player_draws(player_total, banker_total):
        if drawn == 4:
            return (5, (one, three), (two, four), None)
        five = cards[4]
        third = POINTS[five]
        if not banker_draws(player_total, banker_total, third):
            return (5, (one, three, five), (two, four), (player.with_third[third], banker.shape))
        if drawn == 5:
            return (6, (one, three, five), (two, four), None)
        six = cards[5]
        shapes = player.with_third[third], banker.with_third[POINTS[six]]
        return (6, (one, three, five), (two, four, six), shapes)
    if banker_draws(player_total, banker_total, None):
        if drawn == 4:
            return (5, (one, three), (two, four), None)
        five = cards[4]
        return (5, (one, three), (two, four, five), (player.shape, banker.with_third[POINTS[five]]))
    return (4, (one, three), (two, four), (player.shape, banker.shape))


def required_cards(game: Game, cards: Sequence[str]) -> int:
    """How many cards this round takes, as far as the cards drawn so far tell: with fewer than four, four; with a fifth
    still to come, five, even if a sixth may follow."""
    return _deal(game, cards)[0]


def hands_of(game: Game, cards: Sequence[str]) -> dict[str, Hand]:
    """The cards of a round, complete or not, in their hands. Superfluous cards belong to none."""
    _, first, second, _ = _deal(game, cards)
    one, other = game.hands
    return {one: first, other: second}


def features_of(game: Game, first: HandShape, second: HandShape) -> dict[str, Feature]:
    """The features of a round of this game, from the shapes of its two complete hands."""
    if game.is_baccarat:
        return baccarat_features(first, second, game.readings)
    return dragon_tiger_features(first, second)


@lru_cache(maxsize=262_144)
def _result(game: Game, shapes: tuple[HandShape, HandShape]) -> Result:
    features = features_of(game, *shapes)
    names = _deciding_features(game)
    return _shared_result(game, tuple([features[name] for name in names]))


@cache
def _deciding_features(game: Game) -> tuple[str, ...]:
    """The features that a result of this game depends on: those that are reported, and those that a line asks for."""
    asked = {condition.feature for wager in game.wagers.values() for line in wager.lines for condition in line.when}
    reported = _REPORTED if game.is_baccarat else _REPORTED[:1]
    return tuple(sorted(asked | {"winner"} | {f"{hand}_{what}" for hand in game.hands for what in reported}))


_REPORTED = ("total", "natural", "pair")


@cache
def _shared_result(game: Game, values: tuple[Feature, ...]) -> Result:
    features = dict(zip(_deciding_features(game), values, strict=True))
    return Result(
        winner=str(features["winner"]),
        totals={hand: _total(game, features[f"{hand}_total"]) for hand in game.hands},
        naturals=tuple(hand for hand in game.hands if features.get(f"{hand}_natural")),
        pairs=tuple(hand for hand in game.hands if features.get(f"{hand}_pair")),
        nets={name: wager.net(features) for name, wager in game.wagers.items()},
    )


def _total(game: Game, total: Feature) -> Total:
    """As it is shown: the point total, in Dragon Tiger the rank of the card."""
    return int(total) if game.is_baccarat else STANDARD.ranks[int(total) - 1]


def outcome_of(game: Game, cards: Sequence[str]) -> Outcome | None:
    """The outcome of a round, or None while the Table of Play asks for more; superfluous cards are disregarded."""
    _, first, second, shapes = _deal(game, cards)
    return None if shapes is None else _outcome(game, first, second, _result(game, shapes))


def _outcome(game: Game, first: Hand, second: Hand, result: Result) -> Outcome:
    one, other = game.hands
    hands = {one: first, other: second}
    return Outcome(result.winner, result.totals, hands, result.naturals, result.pairs, result.nets, result)


def foreign_cards(game: Game, decks: int, cards: Sequence[str], earlier: Mapping[str, int]) -> list[int]:
    """The places (from 0) of cards that cannot be of this shoe: not of the game's deck, or one copy more than its decks
    hold (readings A-22), with ``earlier`` the copies of each card that the shoe has already dealt."""
    deck, seen, foreign = game.deck.members, Counter(earlier), []
    for place, card in enumerate(cards):
        seen[card] += 1
        if card not in deck or seen[card] > decks:
            foreign.append(place)
    return foreign


def settle_hands(
    game: Game, decks: int, cards: Sequence[str]
) -> tuple[DealStatus, tuple[Hand, Hand] | None, Result | None]:
    """Judge a round by its cards alone, from a fresh shoe: the status, and hands and result where the cards suffice."""
    if decks not in game.decks:
        return "decks-not-allowed", None, None
    distinct = set(cards)
    # One copy more than the decks hold means that at least as many cards as there are decks are copies of another.
    copies = len(cards) - len(distinct)
    if not distinct <= game.deck.members or (copies >= decks and foreign_cards(game, decks, cards, {})):
        return "foreign-card", None, None
    required, first, second, shapes = _deal(game, cards)
    if shapes is None:
        return "card-missing", None, None
    return "card-extra" if len(cards) > required else "ok", (first, second), _result(game, shapes)


def settle(game: Game, decks: int, cards: Sequence[str]) -> Settlement:
    """Judge a round by its cards alone, from a fresh shoe."""
    status, hands, result = settle_hands(game, decks, cards)
    if hands is None or result is None:
        return Settlement(status, None)
    return Settlement(status, _outcome(game, *hands, result))
