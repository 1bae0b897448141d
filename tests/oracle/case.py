"""Hand-made cases: one table, rounds that are right, and what a test changes in them."""

from __future__ import annotations

from typing import Any

from tests.oracle import rules
from tests.oracle.judge import audit_lines
from tests.oracle.script import Said, clock, number, say, to_lines

TABLE = "BT1"
PLAYER_WINS = ["4H", "2S", "5H", "KS"]  # Player 9, Banker 2: a natural
BANKER_WINS = ["2S", "4H", "KS", "5H"]  # Player 2, Banker 9
TIE = ["4H", "4S", "5H", "5S"]  # 9 and 9
CLOSING, FIRST_CARD, SETTLED, CLOSED = 10_000, 20_000, 33_000, 40_000
ROUND_LENGTH = 60_000


class Case:
    """A table of eight decks whose limits are 100 to 10,000 on every wager, unless told otherwise."""

    def __init__(self, game: str = "dragon_tiger_baccarat", decks: int = 8, **config: Any) -> None:
        self.said: list[Said] = []
        self.config = {
            "game": game,
            "currency": "SGD",
            "area": "main",
            "positions": 7,
            "max_wagers_per_area": None,
            "differential_limit": None,
            "limits": {wager: {"min": 100, "max": 10_000} for wager in rules.WAGERS[game]},
            **config,
        }
        self.game = game
        self.said.append(say(TABLE, 0, "table.configured", **self.config))
        self.said.append(say(TABLE, 100, "shoe.loaded", shoe="S1", decks=decks))
        self.shoe, self.number, self.opened = "S1", 0, -ROUND_LENGTH + 1_000

    def load(self, shoe: str, decks: int = 8) -> None:
        self.shoe, self.number = shoe, 0
        self.said.append(say(TABLE, self.opened + ROUND_LENGTH - 500, "shoe.loaded", shoe=shoe, decks=decks))

    def round(
        self,
        cards: list[str] | None = None,
        bets: dict[str, tuple[str, int]] | None = None,
        settled: dict[str, tuple[int, int]] | None = None,
        method: str | None = None,
        **who: Any,
    ) -> Case:
        """Opening, bets, closing, cards, settlements, end; `who` fills position and player of the bets."""
        self.number += 1
        self.opened += ROUND_LENGTH
        self.tell(0, "round.opened", method=method)
        for bet, (wager, amount) in (bets or {}).items():
            data = {"position": 1, "player": "ann", **who}
            self.tell(2_000, "bet.placed", bet=bet, wager=wager, amount=amount, **data)
        self.tell(CLOSING, "bets.closed")
        dealt = PLAYER_WINS if cards is None else cards
        for draw, card in enumerate(dealt, start=1):
            self.tell(FIRST_CARD + 1_500 * (draw - 1), "card.drawn", draw=draw, card=card)
        for bet, (paid, collected) in (settled or {}).items():
            self.tell(SETTLED, "bet.settled", bet=bet, paid=paid, collected=collected)
        self.tell(CLOSED, "round.closed")
        return self

    def tell(self, after_opening: int, kind: str, source: str | None = None, **data: Any) -> Case:
        """Say something of the round at hand."""
        at = self.opened + after_opening
        self.said.append(say(TABLE, at, kind, source, shoe=self.shoe, round=self.number, **data))
        return self

    def rule(self, after_opening: int, ruling: str, clause: str, by: str = "pit_supervisor", **more: Any) -> Case:
        return self.tell(after_opening, "ruling.made", ruling=ruling, clause=clause, by=by, **more)

    def incident(self, kind: str, *draws: int) -> Case:
        return self.tell(FIRST_CARD + 9_500, "incident.reported", incident=kind, draws=list(draws), text="")

    def beat(self, at: int, source: str, offset: int = 0) -> Case:
        self.said.append(say(TABLE, at, "device.heartbeat", source, device_time=clock(at + offset)))
        return self

    def without(self, kind: str, which: int = -1) -> Case:
        """Never said: no hole in the sequence either."""
        matching = [said for said in self.said if said["type"] == kind + ".v1"]
        self.said = [said for said in self.said if said is not matching[which]]
        return self

    def events(self) -> list[dict[str, Any]]:
        return number(self.said)

    def audit(self, lost: str | None = None, which: int = -1) -> dict[str, list[Any]]:
        """Judge the case; `lost`: the type of an event that was said and did not arrive."""
        events = self.events()
        if lost:
            matching = [event for event in events if event["type"] == lost + ".v1"]
            events.remove(matching[which])
        return audit_lines(to_lines(events))

    def verdict(self, lost: str | None = None, which: int = -1) -> dict[str, Any]:
        """The verdict of the round at hand."""
        verdicts = self.audit(lost, which)["verdicts"]
        return next(dict(v) for v in verdicts if (v["shoe"], v["round"]) == (self.shoe, self.number))

    def codes(self, lost: str | None = None, which: int = -1) -> list[str]:
        return sorted(found["code"] for found in self.verdict(lost, which)["findings"])

    def all_codes(self) -> list[str]:
        return sorted(found["code"] for found in self.audit()["findings"])

    def judged(self) -> tuple[str, list[str]]:
        return self.verdict()["status"], self.codes()
