"""The two decks, card codes, point values and ranking.

A card is its code: rank and then one letter for the suit or element, e.g. ``10H`` or ``LG``.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, eq=False)
class Deck:
    """One kind of deck, without jokers; two decks are the same only if they are one object."""

    name: str
    ranks: tuple[str, ...]
    """From lowest to highest; in the five-element deck Shou (S), Lu (L) and Fu (F) are the picture cards."""
    suits: tuple[str, ...]
    codes: tuple[str, ...] = field(init=False)
    """Every card once, rank by rank; a card's place in it is its number in the compact form of a round."""
    index: Mapping[str, int] = field(init=False)
    """The place of each code in ``codes``."""
    members: frozenset[str] = field(init=False)
    """The codes as a set."""

    def __post_init__(self) -> None:
        codes = tuple(rank + suit for rank in self.ranks for suit in self.suits)
        object.__setattr__(self, "codes", codes)
        object.__setattr__(self, "index", {code: place for place, code in enumerate(codes)})
        object.__setattr__(self, "members", frozenset(codes))

    @property
    def size(self) -> int:
        """How many cards one deck has."""
        return len(self.codes)


_PIPS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10")

STANDARD = Deck("52 cards", (*_PIPS, "J", "Q", "K"), ("S", "H", "D", "C"))
"""DTB, DT and EB 2.1: 52 cards."""

ELEMENTS = Deck("65 cards", (*_PIPS, "S", "L", "F"), ("F", "G", "E", "W", "A"))
"""FF4 and SE 2.1: 65 cards, 13 ranks in Fire, Gold, Earth, Wood and Water (reading A-50)."""

DECKS = (STANDARD, ELEMENTS)

RANK: Mapping[str, str] = {code: code[:-1] for deck in DECKS for code in deck.codes}
"""The rank of every card code of either deck."""

POINTS: Mapping[str, int] = {code: _PIPS.index(rank) + 1 if rank in _PIPS[:9] else 0 for code, rank in RANK.items()}
"""3.3 of the baccarat documents: Ace one, Two to Nine their face value, Ten and picture cards zero."""

TEN = "10"
PICTURES = frozenset("JQKSLF")
GOLD = "G"
