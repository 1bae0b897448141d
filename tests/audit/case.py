"""Cases made by hand: one table, rounds that are right, and what a test changes in them; judged by both judges."""

from __future__ import annotations

from typing import Any

from tests.audit.both_judges import as_the_second_judge_writes, differences, judge_lines
from tests.oracle import rules
from tests.oracle.script import Said, clock, number, say, to_lines

TABLE = "BT1"
READER, RFID, DISPLAY, DEALER, DESK = (
    "/tables/BT1/reader",
    "/tables/BT1/rfid",
    "/tables/BT1/display",
    "/tables/BT1/dealer",
    "/pits/P-BT1/desk",
)
PLAYER_WINS = ["4H", "2S", "5H", "KS"]  # Player 9, Banker 2: a natural
BANKER_WINS = ["2S", "4H", "KS", "5H"]  # Player 2, Banker 9
TIE = ["4H", "4S", "5H", "5S"]  # 9 and 9
CLOSING, FIRST_CARD, CARD_STEP, SHOWN, SETTLED, CLOSED = 10_000, 20_000, 1_500, 31_000, 33_000, 40_000
ROUND_LENGTH = 60_000

DTB, FF4, SE, DT, EB = (
    "dragon_tiger_baccarat",
    "fa_fa_fabulous_4",
    "sands_elements_no_commission",
    "dragon_tiger",
    "no_commission",
)
ALL = [DTB, FF4, SE, DT, EB]
CARDS = {
    DTB: PLAYER_WINS,
    FF4: ["4G", "2E", "5G", "LE"],
    SE: ["4G", "2E", "5G", "LE"],
    DT: ["9H", "2S"],
    EB: PLAYER_WINS,
}
"""A round of each document that its first hand wins, at 1 to 1."""
MAIN = {DTB: "player", FF4: "player", SE: "player", DT: "dragon", EB: "player"}
FIRST_BET: dict[str, Any] = {"bets": {"b1": ("player", 100)}, "settled": {"b1": (100, 0)}}


def judge_both(lines: list[bytes]) -> dict[str, list[Any]]:
    """What the judge says of these lines; the second judge must say the same."""
    assert differences(lines) == []
    return as_the_second_judge_writes(judge_lines(lines))


class Case:
    """A table of eight decks whose limits are 100 to 10,000 on every wager, unless told otherwise."""

    def __init__(self, game: str = DTB, decks: int = 8, **config: Any) -> None:
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

    def load(self, shoe: str, decks: int = 8) -> Case:
        """The next rounds are of a new shoe."""
        self.shoe, self.number = shoe, 0
        self.said.append(say(TABLE, self.opened + ROUND_LENGTH - 500, "shoe.loaded", shoe=shoe, decks=decks))
        return self

    def end_shoe(self, remaining: list[str] | None) -> Case:
        """The shoe at hand ends."""
        at = self.opened + ROUND_LENGTH - 1_000
        self.said.append(say(TABLE, at, "shoe.ended", shoe=self.shoe, remaining=remaining))
        return self

    def round(
        self,
        cards: list[str] | None = None,
        bets: dict[str, tuple[str, int]] | None = None,
        settled: dict[str, tuple[int, int]] | None = None,
        method: str | None = None,
        **who: Any,
    ) -> Case:
        """Opening, bets, closing, cards, settlements, end; ``who`` fills position and player of the bets."""
        self.number += 1
        self.opened += ROUND_LENGTH
        self.tell(0, "round.opened", method=method)
        for bet, (wager, amount) in (bets or {}).items():
            self.bet(2_000, bet, wager, amount, **who)
        self.tell(CLOSING, "bets.closed")
        dealt = CARDS[self.game] if cards is None and self.game in CARDS else cards or PLAYER_WINS
        for draw, card in enumerate(dealt, start=1):
            self.draw(draw, card)
        for bet, (paid, collected) in (settled or {}).items():
            self.settle(bet, paid, collected)
        self.tell(CLOSED, "round.closed")
        return self

    def tell(self, after_opening: int, kind: str, source: str | None = None, **data: Any) -> Case:
        """Say something of the round at hand."""
        at = self.opened + after_opening
        self.said.append(say(TABLE, at, kind, source, shoe=self.shoe, round=self.number, **data))
        return self

    def bet(self, at: int, bet: str, wager: str = "player", amount: int = 100, **who: Any) -> Case:
        """A bet is placed."""
        return self.tell(
            at, "bet.placed", bet=bet, wager=wager, amount=amount, **{"position": 1, "player": "ann", **who}
        )

    def change(self, at: int, bet: str, amount: int, source: str | None = None) -> Case:
        """A bet is increased or decreased."""
        return self.tell(at, "bet.changed", source, bet=bet, amount=amount)

    def withdraw(self, at: int, bet: str) -> Case:
        """A bet is withdrawn."""
        return self.tell(at, "bet.withdrawn", bet=bet)

    def draw(self, draw: int, card: str, at: int | None = None, source: str | None = None) -> Case:
        """A card is drawn."""
        when = FIRST_CARD + CARD_STEP * (draw - 1) if at is None else at
        return self.tell(when, "card.drawn", source, draw=draw, card=card)

    def settle(self, bet: str, paid: int, collected: int, at: int = SETTLED) -> Case:
        """A bet is settled."""
        return self.tell(at, "bet.settled", bet=bet, paid=paid, collected=collected)

    def correct(
        self, bet: str, paid: int, collected: int, at: int = CLOSED + 5_000, by: str = "pit_supervisor"
    ) -> Case:
        """A settlement is corrected."""
        return self.tell(at, "bet.corrected", bet=bet, paid=paid, collected=collected, by=by)

    def show(self, winner: str, totals: dict[str, Any] | None = None, at: int = SHOWN) -> Case:
        """The display shows an outcome."""
        return self.tell(at, "result.displayed", winner=winner, totals=totals)

    def rule(self, after_opening: int, ruling: str, clause: str, by: str = "pit_supervisor", **more: Any) -> Case:
        """A ruling is made."""
        return self.tell(after_opening, "ruling.made", ruling=ruling, clause=clause, by=by, **more)

    def incident(self, kind: str, *draws: int) -> Case:
        """An incident is reported, after the cards."""
        return self.tell(FIRST_CARD + 9_500, "incident.reported", incident=kind, draws=list(draws), text="")

    def beat(self, at: int, source: str, offset: int = 0) -> Case:
        """A device sends a heartbeat; its clock is off by this."""
        self.said.append(say(TABLE, at, "device.heartbeat", source, device_time=clock(at + offset)))
        return self

    def without(self, kind: str, which: int = -1) -> Case:
        """Never said: no hole in the sequence either."""
        matching = [said for said in self.said if said["type"] == kind + ".v1"]
        self.said = [said for said in self.said if said is not matching[which]]
        return self

    def events(self) -> list[dict[str, Any]]:
        """The events, numbered."""
        return number(self.said)

    def lines(self, lost: str | None = None, which: int = -1) -> list[bytes]:
        """The lines of the file; ``lost``: the type of an event that was said and did not arrive."""
        events = self.events()
        if lost:
            matching = [event for event in events if event["type"] == lost + ".v1"]
            events.remove(matching[which])
        return to_lines(events)

    def audit(self, lost: str | None = None, which: int = -1) -> dict[str, list[Any]]:
        """Verdicts and findings."""
        return judge_both(self.lines(lost, which))

    def verdict(self, lost: str | None = None, which: int = -1) -> dict[str, Any]:
        """The verdict on the round at hand."""
        verdicts = self.audit(lost, which)["verdicts"]
        return next(dict(v) for v in verdicts if (v["shoe"], v["round"]) == (self.shoe, self.number))

    def codes(self, lost: str | None = None, which: int = -1) -> list[str]:
        """The codes of the findings about the round at hand."""
        return sorted(found["code"] for found in self.verdict(lost, which)["findings"])

    def all_codes(self, lost: str | None = None, which: int = -1) -> list[str]:
        """The codes of all findings."""
        return sorted(found["code"] for found in self.audit(lost, which)["findings"])

    def judged(self, lost: str | None = None, which: int = -1) -> tuple[str, list[str]]:
        """Status and codes of the round at hand."""
        verdict = self.verdict(lost, which)
        return verdict["status"], sorted(found["code"] for found in verdict["findings"])

    def bets(self) -> dict[str, dict[str, Any]]:
        """The bets of the verdict on the round at hand, by name."""
        return {bet["bet"]: bet for bet in self.verdict()["bets"]}

    def stake(self, bet: str = "b1") -> int:
        """What stands of a bet."""
        return int(self.bets()[bet]["stake"])


def settled_round(game: str = DTB, **config: Any) -> Case:
    """A round by the rules with one bet of 100 that wins."""
    return Case(game, **config).round(bets={"b1": (MAIN[game], 100)}, settled={"b1": (100, 0)})


def unsettled_round(game: str = DTB, **config: Any) -> Case:
    """The same round before anything was settled."""
    return Case(game, **config).round(bets={"b1": (MAIN[game], 100)})
