"""A shoe: shuffled decks, burnt cards, the cutting card, and the account of what was dealt."""

from collections import Counter
from collections.abc import Sequence

from games.cards import Deck
from simulator.chance import Chance


class Shoe:
    """The cards in a dealing device, from its loading to its end."""

    __slots__ = (
        "_burnt", "_next", "_spare", "cards", "cut", "cut_seen", "decks", "hands", "id", "null_account",
        "off_balance", "slug_end", "to_the_end", "unreported",
    )  # fmt: skip

    def __init__(self, shoe: str, decks: int, cards: list[str], burnt: int, cut: int | None) -> None:
        self.id = shoe
        self.decks = decks
        """As the device reports them."""
        self.cards = cards
        """In the order in which they leave the device."""
        self._burnt = burnt
        self._next = burnt
        self.cut = cut
        """The cutting card lies before the card with this place, None when there is none."""
        self.cut_seen = False
        """The cutting card has come out."""
        self.hands: list[tuple[int, int]] = []
        """Per round dealt: the places of its first card and of the one after its last."""
        self._spare: list[str] | None = None
        self.off_balance = False
        """A card that does not belong was read: a count at the end cannot come out right."""
        self.slug_end = 0
        """Where a slug of an earlier shoe ends, 0 if there is none."""
        self.unreported = False
        """Nobody was told that it was loaded."""
        self.null_account = False
        """The cards left were not counted at the end."""
        self.to_the_end = False
        """It is dealt to its last card."""

    @property
    def place(self) -> int:
        """The place of the next card."""
        return self._next

    @property
    def left(self) -> int:
        """How many cards are still in the device."""
        return len(self.cards) - self._next

    @property
    def over(self) -> bool:
        """Whether no further round is begun: the cutting card has come, or the shoe is as good as empty."""
        if self.cut is None:
            return self.left == 0
        return self._next > self.cut

    def peek(self, count: int) -> list[str]:
        """The next cards, left where they are; fewer near the end."""
        return self.cards[self._next : self._next + count]

    def draw(self) -> str:
        """Take the next card."""
        card = self.cards[self._next]
        self._next += 1
        return card

    def swap(self, place: int, other: int) -> None:
        """Exchange two cards that are still in the device."""
        self.cards[place], self.cards[other] = self.cards[other], self.cards[place]

    def spare(self) -> list[str]:
        """Cards that stay in the device behind the cutting card whatever happens; whoever takes one removes it."""
        if self._spare is None:
            self._spare = [] if self.cut is None else self.cards[self.cut + 13 :]
        return self._spare

    def dealt_out(self) -> list[str]:
        """Card codes of which every copy has been dealt."""
        dealt = Counter(self.cards[self._burnt : self._next])
        return [card for card in sorted(dealt) if dealt[card] == self.decks]

    def remaining(self) -> list[str]:
        """The cards that were not drawn, burnt ones included."""
        return self.cards[: self._burnt] + self.cards[self._next :]


def full(deck: Deck, decks: int) -> list[str]:
    """All cards of so many decks, unshuffled."""
    return list(deck.codes) * decks


def shuffled(deck: Deck, decks: int, chance: Chance) -> list[str]:
    """So many decks, shuffled."""
    cards = full(deck, decks)
    chance.shuffle(cards)
    return cards


def falsely_shuffled(shoe: Shoe, chance: Chance) -> tuple[list[str], int]:
    """The cards of a finished shoe after a false shuffle, and where the slug of whole rounds that stayed together ends.

    Discards are picked up hand by hand, so the order within a round changes, and the slug may come back reversed.
    """
    hands = shoe.hands
    first = chance.below(max(1, len(hands) - 14))
    slug: list[str] = []
    length = chance.between(26, 56)
    taken: set[int] = set()
    reverse = chance.happens(0.5)
    for start, end in hands[first:]:
        if len(slug) >= length:
            break
        round_cards = shoe.cards[start:end]
        chance.shuffle(round_cards)
        slug = round_cards + slug if reverse else slug + round_cards
        taken.update(range(start, end))
    rest = [card for place, card in enumerate(shoe.cards) if place not in taken]
    chance.shuffle(rest)
    at = chance.between(20, len(rest) // 2)
    return rest[:at] + slug + rest[at:], at + len(slug)


def without(cards: Sequence[str], removed: Sequence[str]) -> list[str]:
    """The cards after these were taken away."""
    gone = Counter(removed)
    kept = []
    for card in cards:
        if gone[card]:
            gone[card] -= 1
        else:
            kept.append(card)
    return kept
