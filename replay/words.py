"""What an event of a round says, in plain words for somebody who was not there."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from audit.facts import Fact
from games.rulebook import WAGERS
from replay.cards import card_words
from schemas.money import amount_words

Amount = Callable[[int], str]
"""Writes an amount in the table's currency."""

KINDS: Final[Mapping[str, str]] = {
    "round.opened.v1": "opened",
    "bet.placed.v1": "bet",
    "bet.changed.v1": "bet",
    "bet.withdrawn.v1": "bet",
    "bets.closed.v1": "closed",
    "card.drawn.v1": "card",
    "shoe.cutting_card.v1": "cutting-card",
    "result.displayed.v1": "display",
    "bet.settled.v1": "settlement",
    "bet.corrected.v1": "correction",
    "ruling.made.v1": "ruling",
    "incident.reported.v1": "incident",
    "round.closed.v1": "ended",
}
"""The kind of moment that each type of event makes."""


def role_words(role: str) -> str:
    """A role as people say it."""
    return role.replace("_", " ")


def winner_words(winner: str) -> str:
    """A winner as a display shows it."""
    return winner.capitalize()


class Teller:
    """Tells the events of one round in their order; what lies on the layout is known from those told before."""

    def __init__(self, currency: str | None) -> None:
        self._currency = currency
        self.laid: dict[str, int] = {}
        """By bet: what lies on the layout, as the sensors say."""
        self._wagers: dict[str, str] = {}

    def tell(self, fact: Fact) -> str:
        """One event in one sentence."""
        told: str = getattr(self, "_" + KINDS[fact.kind].replace("-", "_"))(fact.data, fact.kind)
        return told

    def _amount(self, amount: int) -> str:
        return amount_words(amount, self._currency)

    def _bet_words(self, bet: str) -> str:
        wager = self._wagers.get(bet)
        return f"Bet {bet}" if wager is None else f"Bet {bet} on {WAGERS[wager]}"

    def _opened(self, data: Any, kind: str) -> str:
        method = "" if data.method is None else f", dealing method {data.method}"
        dealer = "" if data.dealer is None else f", dealer {data.dealer}"
        return f"The round is opened{method}{dealer}."

    def _bet(self, data: Any, kind: str) -> str:
        before = self.laid.get(data.bet, 0)
        if kind == "bet.placed.v1":
            self.laid[data.bet] = data.amount
            self._wagers[data.bet] = data.wager
            who = "An unknown player" if data.player is None else data.player
            wager = WAGERS[data.wager]
            return f"{who} at position {data.position} puts {self._amount(data.amount)} on {wager} (bet {data.bet})."
        if kind == "bet.withdrawn.v1":
            self.laid[data.bet] = 0
            return f"{self._bet_words(data.bet)} of {self._amount(before)} is taken back."
        self.laid[data.bet] = data.amount
        if data.amount == before:
            return f"{self._bet_words(data.bet)} stays at {self._amount(before)}."
        verb = "raised" if data.amount > before else "lowered"
        return f"{self._bet_words(data.bet)} is {verb} from {self._amount(before)} to {self._amount(data.amount)}."

    def _closed(self, data: Any, kind: str) -> str:
        standing = [amount for amount in self.laid.values() if amount]
        bets = "1 bet" if len(standing) == 1 else f"{len(standing)} bets"
        return f'"No more bets": {bets}, {self._amount(sum(standing))} on the layout.'

    def _card(self, data: Any, kind: str) -> str:
        return f"Draw {data.draw} is {card_words(data.card)}."

    def _cutting_card(self, data: Any, kind: str) -> str:
        return f"The cutting card comes out before draw {data.before_draw}."

    def _display(self, data: Any, kind: str) -> str:
        totals = ""
        if data.totals is not None:
            totals = " (" + ", ".join(f"{hand.capitalize()} {total}" for hand, total in data.totals.items()) + ")"
        return f"The display shows {winner_words(data.winner)}{totals}."

    def _moved(self, data: Any) -> str:
        parts = []
        if data.paid:
            parts.append(f"paid {self._amount(data.paid)}")
        if data.collected:
            parts.append(f"collected {self._amount(data.collected)}")
        return " and ".join(parts) or "returned, no money moved"

    def _settlement(self, data: Any, kind: str) -> str:
        return f"{self._bet_words(data.bet)}: {self._moved(data)}."

    def _correction(self, data: Any, kind: str) -> str:
        by = role_words(data.by)
        return f"{self._bet_words(data.bet)} is corrected by the {by}: {self._moved(data)}."

    def _incident(self, data: Any, kind: str) -> str:
        draws = "" if not data.draws else f" (draw{'s' if len(data.draws) > 1 else ''} {_list(data.draws)})"
        text = f": {data.text}" if data.text else ""
        return f"Incident reported, {data.incident.replace('-', ' ')}{draws}{text.rstrip('.')}."

    def _ended(self, data: Any, kind: str) -> str:
        return "The round is over."

    def _ruling(self, data: Any, kind: str) -> str:
        what = _RULINGS[data.ruling](data)
        return f"The {role_words(data.by)} rules by clause {data.clause}: {what}."


def _list(items: Any) -> str:
    return ", ".join(str(item) for item in items) or "none"


_RULINGS: Final[Mapping[str, Callable[[Any], str]]] = {
    "void": lambda data: "the round is void",
    "reconstructed": lambda data: f"the right order of the draws is {_list(data.order)}",
    "withdrawal-offered": lambda data: "players may take back their bets",
    "bets-refused": lambda data: f"refused are the bets {_list(data.bets)}, or what was added to them late",
    "bets-removed": lambda data: f"the bets {_list(data.bets)} are taken off the layout",
    "replacement-card": lambda data: f"{card_words(data.card)} counts as draw {data.draw}",
    "wagers-restricted": lambda data: f"no more than {data.max_wagers_per_area} wagers on one playing area",
    "device-reset": lambda data: "the dealing device is reset",
    "power-failure": lambda data: (
        "the power failed at " + ("the whole table" if data.scope == "table" else f"positions {_list(data.scope)}")
    ),
    "stands": lambda data: "the round stands as it is",
}
