"""What a paytable asks of a finished round: winner, totals, number of cards, naturals and pairs."""

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from games.cards import DECKS, GOLD, PICTURES, POINTS, RANK, TEN
from games.paytable import Feature
from games.readings import PairReading, Readings
from games.table_of_play import NATURAL

Hand = tuple[str, ...]
"""Card codes in the order in which they came to the hand."""


class HandShape(NamedTuple):
    """All that any paytable asks of one hand."""

    total: int
    """Point total; in Dragon Tiger the place of the card's rank, Ace 1 to King 13."""
    cards: int
    pair: str
    """The rank of the pair that the first two cards form, or an empty string; where a Ten pairs with a picture card
    (literal reading of A-01), both ranks, e.g. ``10K``."""
    gold: bool
    """FF4 1.1.8.1.3: the pair is of one rank and both cards are Gold (reading A-09)."""


class InitialHand(NamedTuple):
    """The first two cards of a baccarat hand: their shape, and what a third card makes of it."""

    shape: HandShape
    with_third: tuple[HandShape, ...]
    """By the point value of the third card, 0 to 9."""


@cache
def initial_hands(pair: PairReading) -> Mapping[tuple[str, str], InitialHand]:
    """Every two cards as the first two of a hand: the table that each round is read with.

    It has pairs across the two decks too, since a hand with a foreign card still has to be laid out.
    """
    return {
        (first, second): _initial_hand((POINTS[first] + POINTS[second]) % 10, *_pair_of(first, second, pair))
        for first in RANK
        for second in RANK
    }


@cache
def _initial_hand(total: int, pair: str, gold: bool) -> InitialHand:
    """3.4: the point total of a hand is the right digit of the sum of its points."""
    third = tuple(HandShape((total + points) % 10, 3, pair, gold) for points in range(10))
    return InitialHand(HandShape(total, 2, pair, gold), third)


def _pair_of(first: str, second: str, reading: PairReading) -> tuple[str, bool]:
    """The rank of the pair that two cards form, or an empty string, and whether it is a Gold pair."""
    if RANK[first] == RANK[second]:
        return RANK[first], first == second and first[-1] == GOLD
    if reading == "literal" and _ten_with_picture(RANK[first], RANK[second]):
        return "".join(sorted((RANK[first], RANK[second]))), False
    return "", False


def _ten_with_picture(first: str, second: str) -> bool:
    return (first == TEN and second in PICTURES) or (second == TEN and first in PICTURES)


def _same_pair(player: str, banker: str, reading: PairReading) -> bool:
    """Whether both hands have a pair and the same one (EB 1.1.19.3): four cards of one rank (reading A-06), or, under
    the literal reading of A-01 each card of one hand a pair with each of the other."""
    if not player or not banker:
        return False
    if reading == "same-rank":
        return player == banker
    return all(
        one == other or _ten_with_picture(one, other) for one in _ranks_of(player) for other in _ranks_of(banker)
    )


def _ranks_of(pair: str) -> tuple[str, ...]:
    """The ranks that a pair is made of: one, or a Ten and a picture card."""
    return (TEN, pair[len(TEN) :]) if pair.startswith(TEN) and pair != TEN else (pair,)


def baccarat_features(player: HandShape, banker: HandShape, readings: Readings) -> dict[str, Feature]:
    """The features of a baccarat round, from its two complete hands."""
    player_natural = player.cards == 2 and player.total >= NATURAL
    banker_natural = banker.cards == 2 and banker.total >= NATURAL
    if player.total == banker.total:
        winner = "tie"
    else:
        winner = "player" if player.total > banker.total else "banker"
    each_natural = player_natural and banker_natural
    return {
        "winner": winner,
        "player_total": player.total,
        "banker_total": banker.total,
        "margin": abs(player.total - banker.total),
        "player_cards": player.cards,
        "banker_cards": banker.cards,
        "cards": player.cards + banker.cards,
        "player_natural": player_natural,
        "banker_natural": banker_natural,
        "natural_tie": each_natural and (readings.natural_tie == "each-natural" or winner == "tie"),
        "player_pair": player.pair != "",
        "banker_pair": banker.pair != "",
        "player_pair_rank": player.pair,
        "banker_pair_rank": banker.pair,
        "player_gold_pair": player.gold,
        "banker_gold_pair": banker.gold,
        "any_pair": player.pair != "" or banker.pair != "",
        "both_pairs": player.pair != "" and banker.pair != "",
        "same_pair": _same_pair(player.pair, banker.pair, readings.pair),
    }


DRAGON_TIGER_SHAPES: Mapping[str, HandShape] = {
    code: HandShape(place, 1, "", False)
    for deck in DECKS
    for place, rank in enumerate(deck.ranks, start=1)
    for code in deck.codes
    if RANK[code] == rank
}
"""The shape of a Dragon Tiger hand, which is one card: from Ace, the lowest, to King (DT 3.5); suits have no ranking
(3.7). Cards of the other deck are in it too, since a round with a foreign card still has to be laid out."""


def dragon_tiger_features(dragon: HandShape, tiger: HandShape) -> dict[str, Feature]:
    """The features of a Dragon Tiger round (DT 3.6 to 3.8)."""
    if dragon.total == tiger.total:
        winner = "tie"
    else:
        winner = "dragon" if dragon.total > tiger.total else "tiger"
    return {"winner": winner, "dragon_total": dragon.total, "tiger_total": tiger.total}
