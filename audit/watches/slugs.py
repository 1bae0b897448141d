"""Finding a slug of earlier shoes in a later one, though permuted within its rounds and reversed as a whole.

The measure is an exact likelihood ratio. Under a fair shuffle the next card is any of those left in the shoe. Against
it stands a mixture of ways in which a slug can come again: an earlier shoe, a direction, a first round, a place in the
later shoe, a number of rounds, how much of the rounds at either end was cut off; within a round every order is equally
likely, since discards are picked up hand by hand. The ratio of each way times its weight in the mixture is an e-value:
the chance that any of them reaches 1 / rate in a fairly shuffled shoe is at most the rate (union bound and Markov), so
the search may keep the best way only.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import factorial, log, perm, prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from audit.watches.summary import DealtRound, ShoeSummary
from games.cards import DECKS
from games.rulebook import GAMES

SEAMLESS = 0.9
"""Weight of the next round following without a break; the rest is shared by all breaks that are allowed."""
SKIPPED_ROUNDS = 2
"""A break may pass over so many rounds of the earlier shoe."""
SHIFTED_CARDS = 3
"""A break may lose or gain so many cards, as where one was not read or one was slipped in."""
_LOG_SEAMLESS = log(SEAMLESS)
_LOG_BREAK = log((1 - SEAMLESS) / ((SKIPPED_ROUNDS + 1) * (2 * SHIFTED_CARDS + 1)))
CONSIDERED = 16
"""So many of the best chains of rounds are measured to their ends."""

_CARD = {code: number for number, code in enumerate(code for deck in DECKS for code in deck.codes)}


def _keys(count: int) -> NDArray[np.uint64]:
    """A 64-bit number for each card, far from all others (splitmix64): sums of them tell multisets apart."""
    mixed = np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))


_KEY = _keys(len(_CARD))


@dataclass(frozen=True, slots=True)
class Slug:
    """A slug of an earlier shoe that came again."""

    earlier: int
    """Which of the earlier shoes."""
    first: int
    last: int
    """Its first and last round in the earlier shoe that came whole, as places from 0."""
    start: int
    end: int
    """Its cards in the later shoe, ends that were cut off included: from ``start`` up to ``end``, not included."""
    cards: int
    """How many cards of the earlier shoe it spans."""
    reverse: bool
    log_evidence: float
    """The logarithm of its e-value."""


class _Match(NamedTuple):
    """A whole round of an earlier shoe that the later shoe has again, in any order, at some place."""

    earlier: int
    round: int
    start: int
    end: int
    gain: float
    """The logarithm of how much likelier it is as a repeat than by chance."""


class _Chain(NamedTuple):
    """Matches that follow one another, the last one being this one."""

    match: _Match
    before: "_Chain | None"
    score: float

    @property
    def matches(self) -> list[_Match]:
        """From the first to the last."""
        chain: _Chain | None = self
        found = []
        while chain is not None:
            found.append(chain.match)
            chain = chain.before
        return found[::-1]


class _Later:
    """The later shoe: its cards, and how likely each was given those before it."""

    def __init__(self, shoe: ShoeSummary) -> None:
        deck = GAMES[shoe.game].deck
        self.cards = shoe.cards
        self.places = deck.size * shoe.decks
        self.numbers = np.array([_CARD[card] for card in self.cards], dtype=np.intp)
        seen: Counter[str] = Counter()
        surprise = [0.0]
        left = self.places
        for card in self.cards:
            copies = shoe.decks - seen[card] if card in deck.index else 0
            seen[card] += 1
            # A card that cannot be of this shoe is the judge's finding and no evidence here.
            surprise.append(surprise[-1] + (log(left / copies) if copies > 0 else 0.0))
            left -= copies > 0
        self.surprise = surprise
        """Minus the logarithm of the chance of all cards before a place, under a fair shuffle."""

    def surprise_of(self, start: int, end: int) -> float:
        """Minus the logarithm of the chance of these cards, given all before them."""
        return self.surprise[end] - self.surprise[start]


def repeated_slug(earlier: Sequence[ShoeSummary], shoe: ShoeSummary, shortest: int) -> Slug | None:
    """The slug of at least so many cards that is the strongest evidence of a repeat, however weak, or None."""
    if not earlier or not shoe.cards:
        return None
    later = _Later(shoe)
    dealt = [[each for each in past.rounds if each.cards] for past in earlier]
    matches = sorted(_matches(dealt, later), key=lambda match: match[2::-1])
    best: Slug | None = None
    for step in (1, -1):
        chains = sorted(_chains(dealt, matches, step), key=lambda chain: -chain.score)
        for chain in chains[:CONSIDERED]:
            slug = _measure(dealt, later, chain, step)
            if slug.cards >= shortest and (best is None or slug.log_evidence > best.log_evidence):
                best = slug
    return best


def _matches(dealt: list[list[DealtRound]], later: _Later) -> Iterator[_Match]:
    """Every round of an earlier shoe against every place of the later one."""
    rounds = [(past, place, each.cards) for past, shoe in enumerate(dealt) for place, each in enumerate(shoe)]
    by_length: dict[int, list[int]] = {}
    for place, (_, _, cards) in enumerate(rounds):
        # A single card is no anchor; a chain may pass over it.
        if 2 <= len(cards) <= len(later.cards):
            by_length.setdefault(len(cards), []).append(place)
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(_KEY[later.numbers], dtype=np.uint64)])
    for length, places in by_length.items():
        windows = sums[length:] - sums[:-length]
        order = np.argsort(windows, kind="stable")
        numbers = np.array([[_CARD[card] for card in rounds[place][2]] for place in places], dtype=np.intp)
        sought = _KEY[numbers].sum(axis=1, dtype=np.uint64)
        low = np.searchsorted(windows, sought, "left", sorter=order)
        high = np.searchsorted(windows, sought, "right", sorter=order)
        for found in np.flatnonzero(high > low):
            past, place, cards = rounds[places[found]]
            alike = sorted(cards)
            orders = log(factorial(length) // prod(factorial(count) for count in Counter(cards).values()))
            for start in sorted(order[low[found] : high[found]].tolist()):
                end = start + length
                if sorted(later.cards[start:end]) == alike:
                    yield _Match(past, place, start, end, later.surprise_of(start, end) - orders)


def _chains(dealt: list[list[DealtRound]], matches: list[_Match], step: int) -> list[_Chain]:
    """For every match the best chain that ends with it, through the earlier rounds in this direction."""
    ending: dict[tuple[int, int, int], _Chain] = {}
    chains = []
    for match in matches:
        rounds = dealt[match.earlier]
        before: _Chain | None = None
        score = 0.0
        passed = 0
        for skipped in range(SKIPPED_ROUNDS + 1):
            previous = match.round - step * (skipped + 1)
            if not 0 <= previous < len(rounds):
                break
            for gap in range(max(0, passed - SHIFTED_CARDS), passed + SHIFTED_CARDS + 1):
                chain = ending.get((match.earlier, previous, match.start - gap))
                if chain is not None:
                    linked = chain.score + (_LOG_BREAK if skipped or gap else _LOG_SEAMLESS)
                    if linked > score:
                        before, score = chain, linked
            passed += len(rounds[previous].cards)
        chain = _Chain(match, before, score + match.gain)
        ending[match.earlier, match.round, match.end] = chain
        chains.append(chain)
    return chains


def _measure(dealt: list[list[DealtRound]], later: _Later, chain: _Chain, step: int) -> Slug:
    """The evidence of a chain with its two ends, after its weight in the mixture."""
    matches = chain.matches
    first, last = matches[0], matches[-1]
    rounds = dealt[first.earlier]
    head, head_gain = _cut_end(rounds, first.round - step, later, first.start, -1)
    tail, tail_gain = _cut_end(rounds, last.round + step, later, last.end, 1)
    low, high = min(first.round, last.round), max(first.round, last.round)
    whole = len(matches)
    weight = len(dealt) * 2 * len(rounds) * later.places * whole * (whole + 1)
    return Slug(
        earlier=first.earlier,
        first=low,
        last=high,
        start=first.start - head,
        end=last.end + tail,
        cards=sum(len(each.cards) for each in rounds[low : high + 1]) + head + tail,
        reverse=step < 0,
        log_evidence=chain.score + head_gain + tail_gain - log(weight),
    )


def _cut_end(rounds: list[DealtRound], place: int, later: _Later, at: int, side: int) -> tuple[int, float]:
    """How many cards beside a chain can be part of the next round, cut off in any order, and what they add."""
    if not 0 <= place < len(rounds):
        return 0, 0.0
    left = Counter(rounds[place].cards)
    size = left.total()
    ways, best = 1, 0.0
    longest = 0
    while longest < size:
        beside = at + longest if side > 0 else at - longest - 1
        if not 0 <= beside < len(later.cards) or not left[later.cards[beside]]:
            break
        ways *= left[later.cards[beside]]
        left[later.cards[beside]] -= 1
        longest += 1
        start, end = (at, at + longest) if side > 0 else (at - longest, at)
        best = max(best, later.surprise_of(start, end) + log(ways / perm(size, longest)))
    # Any number of its cards may have been cut off, none of them being one way.
    return longest, best - log(size + 1)
