"""The live shoe ledger: what is left in the shoe by rank and suit at every moment, and its balance at the end."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from games.cards import Deck


@dataclass(frozen=True, slots=True)
class ShoeLedger:
    """The account of one shoe: every card as it was read, against what its decks hold."""

    deck: Deck
    decks: int
    dealt: Mapping[str, int]
    """How many copies of each card have been read."""

    @classmethod
    def loaded(cls, deck: Deck, decks: int) -> "ShoeLedger":
        """A full shoe."""
        return cls(deck, decks, {})

    def after(self, cards: Iterable[str]) -> "ShoeLedger":
        """The ledger when these cards have been dealt as well."""
        dealt = Counter(self.dealt)
        dealt.update(cards)
        return ShoeLedger(self.deck, self.decks, dict(dealt))

    def left(self) -> dict[str, int]:
        """How many copies of each card should still be in the shoe; below zero is one copy too many."""
        return {card: self.decks - self.dealt.get(card, 0) for card in self.deck.codes}

    def left_by_rank(self) -> dict[str, int]:
        """The same by rank."""
        suits = len(self.deck.suits)
        left = self.left()
        return {
            rank: sum(left[card] for card in self.deck.codes[place * suits : (place + 1) * suits])
            for place, rank in enumerate(self.deck.ranks)
        }

    @property
    def remaining(self) -> int:
        """How many cards should still be in the shoe."""
        return self.decks * self.deck.size - sum(self.dealt.values())

    def too_many(self) -> list[str]:
        """The cards that cannot be of this shoe: of another deck, or more copies than its decks hold."""
        return [card for card, count in self.dealt.items() if card not in self.deck.index or count > self.decks]

    def balance(self, remaining: Iterable[str]) -> tuple[dict[str, int], dict[str, int]]:
        """At the shoe's end: the cards missing and the cards left over, when these were counted as remaining."""
        counted = Counter(self.dealt)
        counted.update(remaining)
        missing, over = {}, {}
        for card in sorted(counted.keys() | self.deck.index.keys()):
            difference = counted[card] - (self.decks if card in self.deck.index else 0)
            if difference < 0:
                missing[card] = -difference
            elif difference > 0:
                over[card] = difference
        return missing, over
