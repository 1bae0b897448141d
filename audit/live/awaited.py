"""The cards that a round still awaits: those that come as the Table of Play asks for decide nothing by themselves."""

from typing import Self

from audit.context import RoundContext
from audit.facts import Fact, RoundFacts
from audit.live.shoe import LiveShoe
from games.rulebook import Game
from games.settlement import required_cards

_MOST_CARDS = 6


class AwaitedCards:
    """The dealing of a round in which it was in order at the last look, the closing before it included.

    A card that follows is in order where it is the next draw, not too many for the hands (DTB, FF4 3.14, SE 3.9, EB
    3.8; DT 3.4), of the shoe (5.1) and not among the shoe's last (DTB, FF4, EB 5.3; SE, DT 5.5). What it leads to is
    judged when the result is displayed, or at any other news.
    """

    __slots__ = ("_at", "_cards", "_decks", "_game", "_new", "_shoe")

    def __init__(self, game: Game, decks: int, shoe: LiveShoe, cards: list[str], at: int) -> None:
        self._game = game
        self._decks = decks
        self._shoe = shoe
        self._cards = cards
        self._new: list[str] = []
        """Cards since the last look, of which the shoe's account does not know yet."""
        self._at = at
        """Effective time of the last card."""

    @classmethod
    def after(cls, facts: RoundFacts, context: RoundContext, game: Game, shoe: LiveShoe) -> Self | None:
        """What a round awaits after a look that found nothing of its dealing; None where more than cards was said since
        the bets were closed, or the cards are not plainly there."""
        if not facts.closings or context.loaded is None or context.next_opening is not None:
            return None
        if facts.displays or facts.rulings or facts.incidents or facts.conclusions or facts.settled:
            return None
        cards = [reading[0] for reading in facts.read.values() if len(reading) == 1]
        if len(cards) < len(facts.cards) or list(facts.read) != list(range(1, len(cards) + 1)):
            return None
        # The first card is held against the closing and what players did: it must come after them.
        since = facts.cards[-1].at if facts.cards else facts.ordered[-1].at + 1
        return cls(game, context.loaded.data.decks, shoe, cards, since)

    def takes(self, fact: Fact) -> bool:
        """Whether a card is in order; if it is, the next one is awaited."""
        draw, card = fact.data.draw, fact.data.card
        game, cards = self._game, self._cards
        if draw != len(cards) + 1 or fact.at < self._at or required_cards(game, cards) < draw:
            return False
        index = game.deck.index
        if card not in index or self._shoe.copies(card) + self._new.count(card) >= self._decks:
            return False
        if self._shoe.count + len(self._new) + _MOST_CARDS >= self._decks * len(index):
            return False
        cards.append(card)
        self._new.append(card)
        self._at = fact.at
        return True
