"""The cards of a round as they count: read, replaced, reconstructed; what is doubtful about them, and the outcome."""

from collections import Counter
from collections.abc import Container, Mapping
from itertools import islice
from typing import NamedTuple

from audit.facts import RoundFacts
from games.rulebook import Game
from games.settlement import Outcome, outcome_of, required_cards

ENDLESS = 2**31
"""The number of decks of a shoe that was never loaded: nothing is too many and nothing runs out."""

MOST_SKIPPED = 1_000
"""So many skipped draws are told; a reader that reports draw 9007199254740991 has skipped a few more."""


class Dealing(NamedTuple):
    """What is known of a round's cards."""

    read: Mapping[int, tuple[str, ...]]
    """By draw: the different cards that were reported for it."""
    cards: tuple[str, ...]
    """In the order that counts; empty where a draw is doubtful."""
    draws: tuple[int, ...]
    """The draw of each of ``cards``."""
    conflicting: tuple[int, ...]
    """Draws with two different cards."""
    skipped: tuple[int, ...]
    """Draws of which nothing is known although a later one is."""
    foreign: tuple[int, ...]
    """Draws whose card cannot be of this shoe (5.1, reading A-22)."""
    required: int
    """How many cards the Table of Play asks for, as far as the cards tell."""
    ran_out: bool
    """The shoe is empty and the round asks for more (DTB, FF4, EB 5.3; SE, DT 5.5)."""
    outcome: Outcome | None
    """None where the cards do not suffice or a foreign one is among them."""

    @property
    def doubtful(self) -> bool:
        """Whether it is unclear which cards were dealt."""
        return bool(self.conflicting or self.skipped)

    @property
    def short(self) -> bool:
        """Fewer cards than the Table of Play asks for."""
        return not self.doubtful and len(self.cards) < self.required

    @property
    def over(self) -> bool:
        """More cards than the Table of Play asks for."""
        return not self.doubtful and len(self.cards) > self.required


def _order_that_counts(facts: RoundFacts, known: set[int]) -> list[int]:
    """After a reconstruction its order counts, and later draws follow in their own (5.7, 5.8)."""
    order: list[int] = []
    for ruling in facts.rulings_of("reconstructed"):
        order = list(dict.fromkeys(ruling.data.order))
    return order + sorted(known - set(order))


def cards_that_count(facts: RoundFacts) -> tuple[str, ...]:
    """All cards of a round in the order that counts; of a draw that was read as two cards the first."""
    counting = {draw: cards[0] for draw, cards in facts.read.items()}
    counting.update({ruling.data.draw: ruling.data.card for ruling in facts.rulings_of("replacement-card")})
    return tuple(counting[draw] for draw in _order_that_counts(facts, set(counting)) if draw in counting)


def _foreign(game: Game, decks: int, read: Mapping[int, tuple[str, ...]], earlier: Mapping[str, int]) -> list[int]:
    """Draws with a card of another deck, or with one copy more than the decks hold; cards count as they were read."""
    index = game.deck.index
    seen: Counter[str] = Counter()
    foreign = []
    for draw in sorted(read):
        cards = read[draw]
        if any(card not in index for card in cards):
            foreign.append(draw)
        elif len(cards) == 1:
            card = cards[0]
            seen[card] += 1
            if seen[card] + earlier.get(card, 0) > decks:
                foreign.append(draw)
    return foreign


def _skipped(known: Container[int], last: int) -> list[int]:
    """The draws up to the last one of which nothing is known; the first ones where there are very many."""
    return list(islice((draw for draw in range(1, last + 1) if draw not in known), MOST_SKIPPED))


def deal(game: Game, decks: int, facts: RoundFacts, earlier: Mapping[str, int], dealt_before: int) -> Dealing:
    """Work out the cards of a round; ``earlier`` are the copies that the shoe dealt before it, ``dealt_before`` how
    many cards those were in all."""
    if not facts.rulings:
        plain = _plainly_dealt(game, decks, facts.read, earlier)
        if plain is not None:
            return plain
    read = facts.read
    index = game.deck.index
    foreign = _foreign(game, decks, read, earlier)
    counting = {draw: cards[0] for draw, cards in read.items()}
    conflicting = [draw for draw, cards in read.items() if len(cards) > 1]
    if facts.rulings:
        replaced = {ruling.data.draw: ruling.data.card for ruling in facts.rulings_of("replacement-card")}
        counting.update(replaced)
        conflicting = [draw for draw in conflicting if draw not in replaced]
        foreign.extend(draw for draw, card in replaced.items() if card not in index and draw not in foreign)
        draws = _order_that_counts(facts, set(counting))
    else:
        draws = sorted(counting)
    last = max(draws, default=0)
    skipped = _skipped(counting, last) if len(counting) < last else []
    cards = () if skipped or conflicting else tuple(counting[draw] for draw in draws)
    required = required_cards(game, cards)
    doubtful = bool(skipped or conflicting)
    # Of a card of another deck nobody can say what the Table of Play asks for.
    clear = not doubtful and all(card in index for card in cards)
    ran_out = clear and len(cards) < required and dealt_before + len(read) >= decks * len(index)
    outcome = outcome_of(game, cards) if clear and len(cards) >= required else None
    return Dealing(
        read, cards, tuple(draws), tuple(sorted(conflicting)), tuple(skipped), tuple(sorted(foreign)), required,
        ran_out, outcome,
    )  # fmt: skip


def _plainly_dealt(
    game: Game, decks: int, read: Mapping[int, tuple[str, ...]], earlier: Mapping[str, int]
) -> Dealing | None:
    """The cards of a round as nearly every one is: each draw read once, none left out, of this shoe, and enough of
    them. None for any other."""
    cards = tuple([reading[0] for reading in read.values() if len(reading) == 1])
    draws = tuple(read)
    # In the order of time, which has to be the order of the draws, without a gap from the first.
    if len(cards) < len(draws) or draws != _DRAWS[: len(draws)] or not game.deck.members.issuperset(cards):
        return None
    for card in cards:
        if earlier.get(card, 0) + cards.count(card) > decks:
            return None
    outcome = outcome_of(game, cards)
    if outcome is None:
        return None
    required = sum(map(len, outcome.hands.values()))
    return Dealing(read, cards, draws, (), (), (), required, False, outcome)


_DRAWS = tuple(range(1, 33))
