"""card-frequency: a card or a rank is missing or in excess over many shoes.

If the shoe is full and fairly shuffled, the cards dealt are a random sample of it, and the count of a card over several
shoes has an exact distribution. It is looked at on a schedule that shoes alone decide, and every look spends its share
of the rate: the windows, the cards and ranks, and the two directions share what the shoes since the last look have
brought. So the expected number of false findings in any number of shoes is at most the rate times that number (union
bound), and nobody's looking changes it. After a finding its rank starts afresh: only new shoes raise it again.

The number of cards dealt is taken as given. It depends on the cards through the last round alone; the unspent part of
the shares covers that.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from audit.watches.evidence import SMALLEST, once_in, statistical_finding
from audit.watches.hypergeometric import Chances, chances_of, chances_of_sum, tails
from audit.watches.settings import WatchSettings
from audit.watches.summary import ShoeSummary
from games.cards import RANK, Deck
from games.rulebook import GAMES
from schemas.findings import Finding

TEST = "exact tail of the count dealt from full decks, over the last shoes, with the rate spent by a fixed schedule"


class Window(NamedTuple):
    """So many last shoes, looked at once in so many shoes, with a share of the rate."""

    shoes: int
    every: int
    share: float


WINDOWS = (Window(12, 4, 0.05), Window(60, 6, 0.30), Window(60, 60, 0.50), Window(240, 24, 0.10))
"""Sixty shoes are looked at often, to find soon what began lately, and each sixty once with most of the rate."""
LONGEST = max(window.shoes for window in WINDOWS)

Direction = Literal["missing", "in excess"]
DIRECTIONS: Mapping[Direction, float] = {"missing": 0.75, "in excess": 0.25}
"""Their shares: cards that leave a shoe are the commoner trouble."""
RANK_SHARE, CARD_SHARE = 0.7, 0.3
"""A single card shows soon in shoes that are dealt nearly to the end; a rank has to be told from half of each shoe."""


@dataclass(frozen=True, slots=True)
class DealtCounts:
    """How often each card of the deck was dealt from one shoe."""

    decks: int
    counts: tuple[int, ...]
    """In the order of the deck's codes."""


@dataclass(frozen=True, slots=True)
class FrequencyState:
    """What is kept of a table's shoes; they start anew when the table changes to the other kind of deck."""

    deck: str = ""
    shoes: int = 0
    """How many shoes have been counted."""
    recent: tuple[DealtCounts, ...] = ()
    """The last of them, as many as the longest window has."""
    raised: tuple[tuple[str, Direction, int], ...] = ()
    """Ranks already raised, and how many shoes had been counted then."""

    def to_json(self) -> dict[str, Any]:
        """As plain JSON."""
        return {
            "deck": self.deck,
            "shoes": self.shoes,
            "recent": [[each.decks, *each.counts] for each in self.recent],
            "raised": [list(each) for each in self.raised],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "FrequencyState":
        """Read back what ``to_json`` wrote."""
        return cls(
            deck=data["deck"],
            shoes=data["shoes"],
            recent=tuple(DealtCounts(each[0], tuple(each[1:])) for each in data["recent"]),
            raised=tuple((rank, direction, shoes) for rank, direction, shoes in data["raised"]),
        )


class _Look(NamedTuple):
    """One card or rank in one window."""

    p_value: float
    """Tail chance over its share: the smallest rate at which it is raised."""
    subject: str
    """``rank 9`` or ``card 9H``."""
    rank: str
    direction: Direction
    shoes: int
    came: int
    mean: float
    deviation: float


def card_frequency(
    state: FrequencyState, shoe: ShoeSummary, settings: WatchSettings
) -> tuple[FrequencyState, list[Finding]]:
    """Count one more shoe and look at what the schedule asks for."""
    deck = GAMES[shoe.game].deck
    dealt = Counter(shoe.cards)
    counts = tuple(dealt[code] for code in deck.codes)
    if not sum(counts) or sum(counts) > deck.size * shoe.decks:
        # Nothing was read, or more than the shoe holds: the shoe's own account is wrong, and judged elsewhere.
        return state, []
    if state.deck != deck.name:
        state = FrequencyState(deck=deck.name)
    recent = (*state.recent, DealtCounts(shoe.decks, counts))[-LONGEST:]
    state = replace(state, shoes=state.shoes + 1, recent=recent)
    findings = []
    for rank, looks in _due_looks(state, deck).items():
        look = min(looks)
        if look.p_value <= settings.card_frequency_rate:
            findings.append(_finding(shoe, look))
            again = (rank[0], rank[1], state.shoes)
            state = replace(state, raised=(*(each for each in state.raised if each[:2] != rank), again))
    return state, findings


def _due_looks(state: FrequencyState, deck: Deck) -> dict[tuple[str, Direction], list[_Look]]:
    """All looks that are due after this shoe, by rank and direction: a rank and its cards have one cause."""
    since = {(rank, direction): shoes for rank, direction, shoes in state.raised}
    spans: dict[int, _Span] = {}
    looks: dict[tuple[str, Direction], list[_Look]] = {}
    for window in WINDOWS:
        if state.shoes % window.every:
            continue
        for rank in deck.ranks:
            for direction, share in DIRECTIONS.items():
                shoes = min(window.shoes, state.shoes - since.get((rank, direction), 0), len(state.recent))
                if shoes == 0:
                    continue
                if shoes not in spans:
                    spans[shoes] = _Span(state.recent[-shoes:], deck)
                spent = share * window.share * window.every
                looks.setdefault((rank, direction), []).extend(spans[shoes].looks(rank, direction, spent))
    return looks


class _Span:
    """The counts over so many last shoes, against their exact distribution."""

    def __init__(self, shoes: tuple[DealtCounts, ...], deck: Deck) -> None:
        self.shoes = len(shoes)
        self.deck = deck
        self.counts: NDArray[np.int64] = np.array([each.counts for each in shoes], dtype=np.int64).sum(axis=0)
        self.rank = _distribution(shoes, deck, len(deck.suits))
        self.card = _distribution(shoes, deck, 1)

    def looks(self, rank: str, direction: Direction, spent: float) -> list[_Look]:
        """The rank and each of its cards in this direction, with this part of the rate to spend on all ranks."""
        cards = [code for code in self.deck.codes if RANK[code] == rank]
        numbers = [int(self.counts[self.deck.index[code]]) for code in cards]
        return [
            self._look("rank", rank, direction, sum(numbers), self.rank, spent * RANK_SHARE / len(self.deck.ranks)),
            *(
                self._look("card", code, direction, number, self.card, spent * CARD_SHARE / self.deck.size)
                for code, number in zip(cards, numbers, strict=True)
            ),
        ]

    def _look(
        self, kind: str, name: str, direction: Direction, count: int, chances: "_Distribution", spent: float
    ) -> _Look:
        tail = chances.fewer if direction == "missing" else chances.more
        # A count beyond all copies has no chance at all.
        chance = float(tail[count]) if count < len(tail) else float(direction == "missing")
        return _Look(
            max(SMALLEST, chance / spent),
            f"{kind} {name}",
            RANK.get(name, name),
            direction,
            self.shoes,
            count,
            chances.mean,
            chances.deviation,
        )


class _Distribution(NamedTuple):
    fewer: Chances
    more: Chances
    mean: float
    deviation: float


def _distribution(shoes: tuple[DealtCounts, ...], deck: Deck, codes: int) -> _Distribution:
    """Of the count of so many codes together, over these shoes."""
    total = chances_of_sum(chances_of(deck.size * each.decks, codes * each.decks, sum(each.counts)) for each in shoes)
    fewer, more = tails(total)
    values = np.arange(len(total))
    mean = float(total @ values)
    return _Distribution(fewer, more, mean, float(np.sqrt(total @ (values - mean) ** 2)))


def _finding(shoe: ShoeSummary, look: _Look) -> Finding:
    rare = "rarer" if look.direction == "missing" else "commoner"
    return statistical_finding(
        "card-frequency",
        shoe,
        about=f"{look.subject} {look.direction}",
        p_value=look.p_value,
        test=TEST,
        expected={"count": round(look.mean), "standard_deviation": round(look.deviation, 1)},
        actual={
            "subject": look.subject,
            "rank": look.rank,
            "direction": look.direction,
            "count": look.came,
            "shoes": look.shoes,
        },
        message=(
            f"{look.subject[0].upper()}{look.subject[1:]} came "
            f"{look.came} times in the last {look.shoes} shoes of table {shoe.table} where {look.mean:.0f} are "
            f"expected; full decks make it so much {rare} {once_in(look.p_value)}."
        ),
    )
