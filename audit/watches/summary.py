"""The summary of a shoe: what the watches need of it, small enough to be kept for every shoe ever dealt."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from games.rulebook import GAMES


@dataclass(frozen=True, slots=True)
class SettledBet:
    """One bet that stood and was settled."""

    player: str | None
    """None: not known."""
    wager: str
    stake: int
    """What was at risk, in minor units: after refusals, and no more than the maximum where the rules settle no more."""
    net: int
    """What the player won (paid) or lost (less than 0: collected)."""


@dataclass(frozen=True, slots=True)
class DealtRound:
    """One round of a shoe."""

    round: int
    cards: tuple[str, ...]
    """All cards that were read, in the order of the draws, void rounds included: they go to the discards too."""
    bets: tuple[SettledBet, ...] = ()
    """Without those of a void round, and those whose settlement is not on record."""


@dataclass(frozen=True, slots=True)
class ShoeSummary:
    """One shoe from the first card to its end."""

    table: str
    shoe: str
    game: str
    decks: int
    rounds: tuple[DealtRound, ...]
    """In the order in which they were dealt."""
    remaining: tuple[str, ...] | None = None
    """The cards left at the shoe's end; None when they were not counted."""

    @property
    def cards(self) -> tuple[str, ...]:
        """All cards dealt, in their order."""
        return tuple(card for each in self.rounds for card in each.cards)

    @property
    def tells_enough(self) -> bool:
        """Whether the shoe can be told from one that was never shuffled or hardly dealt: its decks are those of the
        game, and at least a quarter of its cards were read. A shoe with more cards than it holds is wrong by itself."""
        rules = GAMES[self.game]
        whole = rules.deck.size * self.decks
        return self.decks in rules.decks and whole <= 4 * sum(len(each.cards) for each in self.rounds) <= 4 * whole

    def without_bets(self) -> "ShoeSummary":
        """The cards alone, round by round."""
        rounds = tuple(replace(each, bets=()) if each.bets else each for each in self.rounds)
        return replace(self, rounds=rounds, remaining=None)

    def to_json(self) -> dict[str, Any]:
        """As plain JSON; cards of a round are one string, a bet is a list of its four fields."""
        return {
            "table": self.table,
            "shoe": self.shoe,
            "game": self.game,
            "decks": self.decks,
            "rounds": [
                [each.round, " ".join(each.cards), [[bet.player, bet.wager, bet.stake, bet.net] for bet in each.bets]]
                for each in self.rounds
            ],
            "remaining": None if self.remaining is None else " ".join(self.remaining),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "ShoeSummary":
        """Read back what ``to_json`` wrote."""
        return cls(
            table=data["table"],
            shoe=data["shoe"],
            game=data["game"],
            decks=data["decks"],
            rounds=tuple(
                DealtRound(number, tuple(cards.split()), tuple(SettledBet(*bet) for bet in bets))
                for number, cards, bets in data["rounds"]
            ),
            remaining=None if data["remaining"] is None else tuple(data["remaining"].split()),
        )
