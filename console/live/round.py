"""A round as it is seen while it is played: bets, cards, displays and rulings, keyed so that repeats change nothing."""

from dataclasses import dataclass, field
from typing import Any

from schemas.records import AnyEvent


@dataclass(slots=True)
class BetPicture:
    """A bet on the layout."""

    position: int | None = None
    player: str | None = None
    wager: str | None = None
    """None until the placing itself was heard of."""
    amount: int = 0
    heard: tuple[int, int] = (-1, -1)
    """Time and sequence of the last word about the amount: an earlier one does not count any more."""
    paid: int | None = None
    collected: int | None = None


@dataclass(slots=True)
class RoundPicture:
    """One round, open or just over."""

    shoe: str
    number: int
    first: int
    """Time of the first fact that was heard; all times here are microseconds since 1970, by the devices' clocks."""
    opened: int | None = None
    bets_closed: int | None = None
    closed: int | None = None
    method: str | None = None
    dealer: str | None = None
    cards: dict[int, str] = field(default_factory=dict)
    """By draw."""
    bets: dict[str, BetPicture] = field(default_factory=dict)
    displayed: tuple[int, int, str, dict[str, Any] | None] | None = None
    """The last display: time, sequence, winner, totals."""
    rulings: dict[str, dict[str, Any]] = field(default_factory=dict)
    """By event id."""
    incidents: dict[str, dict[str, Any]] = field(default_factory=dict)

    @property
    def phase(self) -> str:
        """Where the round is, in the words of the floor."""
        if self.closed:
            return "closed"
        if any(bet.paid is not None for bet in self.bets.values()):
            return "settling"
        if self.displayed:
            return "result"
        if self.cards:
            return "dealing"
        if self.bets_closed:
            return "no more bets"
        return "betting"

    @property
    def in_order(self) -> tuple[str, ...]:
        """The cards in the order of the draws, up to the first that is not there."""
        found: list[str] = []
        while (card := self.cards.get(len(found) + 1)) is not None:
            found.append(card)
        return tuple(found)

    def take(self, event: AnyEvent, at: int) -> None:
        """Add what an event of this moment says of this round."""
        data = event.data
        match event.type:
            case "round.opened.v1":
                self.opened = at if self.opened is None else min(self.opened, at)
                self.method, self.dealer = data.method, data.dealer
            case "bets.closed.v1":
                self.bets_closed = at
            case "round.closed.v1":
                self.closed = at
            case "card.drawn.v1":
                self.cards[data.draw] = data.card
            case "bet.placed.v1":
                bet = self._bet(data.bet)
                bet.position, bet.player, bet.wager = data.position, data.player, data.wager
                _amount(bet, (at, event.sequence), data.amount)
            case "bet.changed.v1":
                _amount(self._bet(data.bet), (at, event.sequence), data.amount)
            case "bet.withdrawn.v1":
                _amount(self._bet(data.bet), (at, event.sequence), 0)
            case "bet.settled.v1" | "bet.corrected.v1":
                bet = self._bet(data.bet)
                bet.paid, bet.collected = data.paid, data.collected
            case "result.displayed.v1":
                said = (at, event.sequence, data.winner, data.totals)
                if self.displayed is None or said[:2] >= self.displayed[:2]:
                    self.displayed = said
            case "ruling.made.v1":
                self.rulings[event.id] = {
                    "time": at // 1000, "ruling": data.ruling, "clause": data.clause, "by": data.by,
                }  # fmt: skip
            case "incident.reported.v1":
                self.incidents[event.id] = {"time": at // 1000, "incident": data.incident, "text": data.text}

    def _bet(self, name: str) -> BetPicture:
        return self.bets.setdefault(name, BetPicture())


def _amount(bet: BetPicture, heard: tuple[int, int], amount: int) -> None:
    if heard >= bet.heard:
        bet.amount, bet.heard = amount, heard
