"""What a paytable asks of a finished round: winner, totals, number of cards, naturals and pairs."""

from typing import NamedTuple

from games.cards import GOLD, PICTURES, POINTS, RANK, RANKING, TEN
from games.paytable import Feature
from games.readings import Readings
from games.table_of_play import NATURAL

Hand = tuple[str, ...]
"""Card codes in the order in which they came to the hand."""


class HandShape(NamedTuple):
    """All that any paytable asks of one hand."""

    total: int
    """Point total; in Dragon Tiger the place of the card's rank, Ace 1 to King 13."""
    cards: int
    pair: str
    """The rank of the pair that the first two cards form, or an empty string (reading A-01)."""
    gold: bool
    """FF4 1.1.8.1.3: the pair is of one rank and both cards are Gold (reading A-09)."""


def baccarat_shape(hand: Hand, readings: Readings) -> HandShape:
    """The shape of a complete baccarat hand; its total is the right digit of the sum of the points (3.4)."""
    first, second = hand[0], hand[1]
    total = POINTS[first] + POINTS[second]
    if len(hand) == 3:
        total += POINTS[hand[2]]
    rank = RANK[first]
    if rank == RANK[second]:
        return HandShape(total % 10, len(hand), rank, first == second and first[-1] == GOLD)
    if readings.pair == "literal" and _ten_with_picture(rank, RANK[second]):
        return HandShape(total % 10, len(hand), TEN, False)
    return HandShape(total % 10, len(hand), "", False)


def _ten_with_picture(first: str, second: str) -> bool:
    return (first == TEN and second in PICTURES) or (second == TEN and first in PICTURES)


def _same_pair(player: str, banker: str, readings: Readings) -> bool:
    """Whether both hands have a pair and the same one (EB 1.1.19.3, readings A-06 and A-01)."""
    if not player or not banker:
        return False
    return player == banker or (readings.pair == "literal" and _ten_with_picture(player, banker))


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
        "same_pair": _same_pair(player.pair, banker.pair, readings),
    }


def dragon_tiger_shape(card: str) -> HandShape:
    """The shape of a Dragon Tiger hand, which is one card (DT 3.5)."""
    return HandShape(RANKING[RANK[card]], 1, "", False)


def dragon_tiger_features(dragon: HandShape, tiger: HandShape) -> dict[str, Feature]:
    """The features of a Dragon Tiger round (DT 3.6 to 3.8)."""
    if dragon.total == tiger.total:
        winner = "tie"
    else:
        winner = "dragon" if dragon.total > tiger.total else "tiger"
    return {"winner": winner, "dragon_rank": dragon.total, "tiger_rank": tiger.total}
