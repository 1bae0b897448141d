"""The cards of a round as they lie on the table, and the Table of Play's reason for each of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from games.cards import POINTS, RANK
from games.features import DRAGON_TIGER_SHAPES, HandShape
from games.rulebook import Game
from games.settlement import Outcome, Total, hands_of, outcome_of
from games.table_of_play import (
    BANKER_DRAWS,
    BANKER_DRAWS_ALONE,
    NATURAL,
    PLAYER_STANDS,
    banker_draws,
    player_draws,
)

_SUITS: Final = {
    "S": "♠", "H": "♥", "D": "♦", "C": "♣",
    "F": " Fire", "G": " Gold", "E": " Earth", "W": " Wood", "A": " Water",
}  # fmt: skip
_PICTURES: Final = {"S": "Shou", "L": "Lu", "F": "Fu"}
"""Of the five-element deck alone."""
_ORDINALS: Final = ("first", "second", "third")


def card_words(card: str) -> str:
    """A card as people write it: ``8♥``, ``10♠``, ``Lu Gold``."""
    rank = card[:-1]
    return _PICTURES.get(rank, rank) + _SUITS[card[-1]]


@dataclass(frozen=True, slots=True)
class Reason:
    """Why something is as it is, with the clause that says so."""

    words: str
    document: str
    """The name of the rule document."""
    clause: str | None
    """None where the document is silent."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The cards on the table at one moment."""

    hands: Mapping[str, tuple[str, ...]]
    """In the order in which they came to the hand."""
    totals: Mapping[str, Total | None]
    """Point totals, in Dragon Tiger the rank; None for a hand without cards."""
    beside: tuple[str, ...]
    """Cards that belong to no hand, or of which nobody can say to which."""


def lay_out(game: Game, by_draw: Mapping[int, str], order: Sequence[int]) -> Layout:
    """The cards in their hands, ``order`` being the draws in the order that counts.

    Where a draw is not known, only the initial deal can be told by the draw's number; the rest lies beside.
    """
    known = [draw for draw in order if draw in by_draw]
    if sorted(known) == list(range(1, len(known) + 1)):
        cards = tuple(by_draw[draw] for draw in known)
        hands = hands_of(game, cards)
        placed = sum(map(len, hands.values()))
        return Layout(hands, _totals(game, hands), cards[placed:])
    first, second = game.hands
    initial = [draw for draw in sorted(known) if draw <= game.initial_deal]
    hands = {
        first: tuple(by_draw[draw] for draw in initial if draw % 2),
        second: tuple(by_draw[draw] for draw in initial if not draw % 2),
    }
    beside = tuple(by_draw[draw] for draw in sorted(known) if draw > game.initial_deal)
    return Layout(hands, _totals(game, hands), beside)


def _totals(game: Game, hands: Mapping[str, tuple[str, ...]]) -> dict[str, Total | None]:
    return {hand: _total(game, cards) for hand, cards in hands.items()}


def _total(game: Game, cards: Sequence[str]) -> Total | None:
    if not cards:
        return None
    return sum(POINTS[card] for card in cards) % 10 if game.is_baccarat else RANK[cards[0]]


def shapes_of(game: Game, outcome: Outcome) -> tuple[HandShape, HandShape]:
    """The shapes of the two hands of a finished round."""
    first, second = (outcome.hands[hand] for hand in game.hands)
    if not game.is_baccarat:
        return DRAGON_TIGER_SHAPES[first[0]], DRAGON_TIGER_SHAPES[second[0]]
    return _shape(game, first), _shape(game, second)


def _shape(game: Game, hand: Sequence[str]) -> HandShape:
    initial = game.initial_hands[hand[0], hand[1]]
    return initial.with_third[POINTS[hand[2]]] if len(hand) > 2 else initial.shape


def reason_for(game: Game, cards: Sequence[str]) -> Reason:
    """Why the last of these cards, in the order that counts, was drawn and where it went."""
    document, place = game.document.name, len(cards)
    if place <= game.initial_deal:
        hand = game.hands[(place + 1) % 2]
        ordinal = _ORDINALS[(place - 1) // 2]
        what = "card" if game.initial_deal == 2 else f"{ordinal} card"
        return Reason(f"Initial deal: {hand.capitalize()}'s {what}", document, game.document.clauses["draw-order"])
    before = asks_next(game, cards[:-1])
    if before.complete:
        return Reason(
            f"Belongs to no hand: {before.words}",
            document, game.document.clauses["table-of-play"],
        )  # fmt: skip
    return Reason(before.words, document, game.document.clauses["table-of-play"])


@dataclass(frozen=True, slots=True)
class Asked:
    """What the Table of Play asks for next."""

    words: str
    complete: bool
    """Nothing more: the hands are final."""
    clause: str = "table-of-play"
    """The name, in the rulebook, of the clause that says so."""


def asks_next(game: Game, cards: Sequence[str]) -> Asked:
    """What the Table of Play asks for after these cards, in the order that counts."""
    count = len(cards)
    if count < game.initial_deal:
        return Asked(
            f"{game.hands[count % 2].capitalize()} gets the next card of the initial deal", False, "draw-order"
        )
    if not game.is_baccarat:
        return Asked("Each hand has its card", True)
    player, banker = ((POINTS[cards[place]] + POINTS[cards[place + 2]]) % 10 for place in (0, 1))
    if player >= NATURAL or banker >= NATURAL:
        naturals = [f"{hand} has a natural {total}" for hand, total in (("Player", player), ("Banker", banker))
                    if total >= NATURAL]  # fmt: skip
        return Asked(f"{' and '.join(naturals)}: no further card", True)
    if player_draws(player, banker):
        return _after_player_draws(cards, player, banker)
    stands = f"Player stands on {player}"
    if not banker_draws(player, banker, None):
        return Asked(f"{stands} and Banker on {banker}: no further card", True)
    if count == 4:
        return Asked(f"{stands}; Banker has {banker} and draws on 0 to {BANKER_DRAWS_ALONE}", False)
    return Asked(f"{stands} and Banker has its third card", True)


def _after_player_draws(cards: Sequence[str], player: int, banker: int) -> Asked:
    if len(cards) == 4:
        return Asked(f"Player has {player} and draws on 0 to {PLAYER_STANDS - 1}", False)
    third = POINTS[cards[4]]
    values = _range_words(BANKER_DRAWS[banker])
    if not banker_draws(player, banker, third):
        why = f"draws only on {values}" if values else "always stands on that"
        return Asked(f"Player's third card counts {third}; Banker has {banker} and {why}: no further card", True)
    if len(cards) == 5:
        on = "any third card of Player's" if len(BANKER_DRAWS[banker]) == 10 else f"{values}"
        return Asked(f"Player's third card counts {third}; Banker has {banker} and draws on {on}", False)
    return Asked("Both hands have their third card", True)


def _range_words(values: frozenset[int]) -> str:
    """The point values in words: ``2 to 7``, ``6 and 7``, ``0 to 7 and 9``."""
    runs: list[list[int]] = []
    for value in sorted(values):
        if runs and value == runs[-1][-1] + 1:
            runs[-1].append(value)
        else:
            runs.append([value])
    words = [
        str(run[0]) if len(run) == 1 else f"{run[0]} and {run[1]}" if len(run) == 2 else f"{run[0]} to {run[-1]}"
        for run in runs
    ]
    return " and ".join(words)


def outcome_words(game: Game, cards: Sequence[str]) -> str | None:
    """Who wins and by what, in plain words; None while the round goes on."""
    outcome = outcome_of(game, cards)
    if outcome is None:
        return None
    totals = " to ".join(str(outcome.totals[hand]) for hand in game.hands)
    if outcome.winner == "tie":
        return f"Tie, {totals}"
    return f"{outcome.winner.capitalize()} wins, {totals}"
