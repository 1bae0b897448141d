"""The facts of one round, keyed by what they are about, in the order of effective time."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from schemas.records import AnyEvent


class Fact(NamedTuple):
    """An event with its effective time: the largest time of its source and table up to its sequence.

    Facts are ordered by effective time, then source, sequence and id.
    """

    at: int
    """Effective time, in microseconds since 1970."""
    source: str
    sequence: int
    id: str
    kind: str
    """The type of the event."""
    data: Any
    """Its payload."""
    event: AnyEvent

    @classmethod
    def of(cls, event: AnyEvent, at: int) -> "Fact":
        """An event as a fact of this effective time."""
        return cls(at, event.source, event.sequence, event.id, event.type, event.data, event)


def surely_later(fact: Fact, than: Fact, tolerance: int) -> bool:
    """Whether a fact came after another beyond doubt: by their order within one source, by time and tolerance (in
    microseconds, bounds included) between two."""
    if fact.source == than.source:
        return fact[:4] > than[:4]
    return fact.at > than.at + tolerance


@dataclass(slots=True)
class RoundFacts:
    """All facts of one round; every list is in the order of the facts."""

    ordered: list[Fact]
    openings: list[Fact] = field(default_factory=list)
    closings: list[Fact] = field(default_factory=list)
    """ "No more bets"."""
    conclusions: list[Fact] = field(default_factory=list)
    """``round.closed.v1``."""
    acts: dict[str, list[Fact]] = field(default_factory=dict)
    """By bet: placed, changed, withdrawn."""
    cards: list[Fact] = field(default_factory=list)
    read: dict[int, tuple[str, ...]] = field(default_factory=dict)
    """By draw: the different cards that were reported for it."""
    displays: list[Fact] = field(default_factory=list)
    settlements: dict[str, list[Fact]] = field(default_factory=dict)
    """By bet: ``bet.settled.v1``."""
    corrections: dict[str, list[Fact]] = field(default_factory=dict)
    """By bet: ``bet.corrected.v1``."""
    rulings: list[Fact] = field(default_factory=list)
    incidents: list[Fact] = field(default_factory=list)
    cutting_cards: list[Fact] = field(default_factory=list)

    @property
    def beginning(self) -> Fact:
        """The round's opening; without one, its first fact."""
        return self.openings[0] if self.openings else self.ordered[0]

    @property
    def first_card(self) -> Fact | None:
        """The first card in time, whichever draw it is."""
        return self.cards[0] if self.cards else None

    @property
    def settled(self) -> bool:
        """Whether any bet was settled or corrected."""
        return bool(self.settlements or self.corrections)

    def rulings_of(self, kind: str) -> list[Fact]:
        """The rulings of one kind."""
        return [ruling for ruling in self.rulings if ruling.data.ruling == kind]


def gather(facts: Iterable[Fact]) -> RoundFacts:
    """Key the facts of one round by what they are about."""
    ordered = sorted(facts)
    gathered = RoundFacts(ordered)
    acts, settlements, corrections = gathered.acts, gathered.settlements, gathered.corrections
    plain = {
        "round.opened.v1": gathered.openings,
        "bets.closed.v1": gathered.closings,
        "round.closed.v1": gathered.conclusions,
        "card.drawn.v1": gathered.cards,
        "result.displayed.v1": gathered.displays,
        "ruling.made.v1": gathered.rulings,
        "incident.reported.v1": gathered.incidents,
        "shoe.cutting_card.v1": gathered.cutting_cards,
    }
    by_bet = {
        "bet.placed.v1": acts,
        "bet.changed.v1": acts,
        "bet.withdrawn.v1": acts,
        "bet.settled.v1": settlements,
        "bet.corrected.v1": corrections,
    }
    for fact in ordered:
        kind = fact.kind
        listed = plain.get(kind)
        if listed is not None:
            listed.append(fact)
            continue
        keyed = by_bet[kind]
        bet = fact.data.bet
        known = keyed.get(bet)
        if known is None:
            keyed[bet] = [fact]
        else:
            known.append(fact)
    gathered.read = _cards_read(gathered.cards)
    return gathered


def _cards_read(cards: Iterable[Fact]) -> dict[int, tuple[str, ...]]:
    read: dict[int, tuple[str, ...]] = {}
    for fact in cards:
        data = fact.data
        draw, card = data.draw, data.card
        known = read.get(draw)
        if known is None:
            read[draw] = (card,)
        elif card not in known:
            read[draw] = (*known, card)
    return read
