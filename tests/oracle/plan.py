"""A table that plays by the rules: the plan of its rounds, before anything odd is done to them."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from random import Random
from typing import Any

from tests.oracle import rules
from tests.oracle.judge import audit_lines
from tests.oracle.script import Said, number, say, to_lines

# Moments of a round in ms after its opening; the gaps leave room for rulings and late acts well beyond tolerance.
LAST_BET, CLOSING, FIRST_CARD, CARD_STEP, DISPLAY, SETTLING, CLOSED = (
    8_000,
    10_000,
    20_000,
    1_500,
    31_000,
    33_000,
    40_000,
)
PLAYERS = ["ann", "ben", "cho", None]


class TablePlan:
    """One table: its configuration, its shoe, and everything said about it so far."""

    def __init__(self, dice: Random, table: str, game: str, start: int) -> None:
        self.dice, self.table, self.game, self.now = dice, table, game, start
        self.said: list[Said] = []
        self.shoe, self.decks, self.round = "", 0, 0
        self.stock: list[str] = []
        self.config: dict[str, Any] = {}
        self.restricted: set[str] = set()  # shoes with a wagers-restricted ruling
        self.misers = dice.random() < 0.15  # players who bet under the minimum again and again (5.14)
        self.one_source = dice.random() < 0.15  # a terminal server that says everything itself: no tolerance

    def say(self, at: int, kind: str, source: str | None = None, **data: Any) -> Said:
        if self.one_source and not kind.startswith("device."):
            source = f"/tables/{self.table}/server"
        return say(self.table, at, kind, source, **data)

    def configure(self, **changes: Any) -> None:
        dice = self.dice
        wagers = rules.WAGERS[self.game]
        offered = wagers if dice.random() < 0.7 else sorted(dice.sample(wagers, dice.randint(1, len(wagers))))
        lowest, highest = dice.choice([100, 50, 2500]), dice.choice([5_000, 10_000])
        self.config = {
            "game": self.game,
            "currency": "SGD",
            "area": dice.choice(["main", "hlga"]),
            "positions": dice.choice([5, 7, 9]),
            "max_wagers_per_area": dice.choice([None, None, 1, 2, 3, 5]),
            "differential_limit": dice.choice([None, 6_000, 20_000]),
            "limits": {wager: {"min": lowest, "max": highest} for wager in offered},
            **changes,
        }
        if dice.random() < 0.3:
            self.config |= {"pit": "P3", "mode": dice.choice(["live", "test", "closed"]), "cameras": ["c1", "c2"]}
        self.said.append(self.say(self.now, "table.configured", **self.config))
        self.now += 2_000

    def load(self, shoe: str, decks: int, report: bool = True) -> None:
        self.shoe, self.decks, self.round = shoe, decks, 0
        self.stock = rules.deck(self.game) * decks
        self.dice.shuffle(self.stock)
        if report:
            self.said.append(self.say(self.now, "shoe.loaded", shoe=shoe, decks=decks))
        self.now += 2_000

    def end_shoe(self, how: str) -> None:
        """`how`: right, wrong or null, for the cards that were left."""
        read: dict[tuple[int, int], set[str]] = {}
        for said in self.said:
            if said["type"] == "card.drawn.v1" and said["data"]["shoe"] == self.shoe:
                read.setdefault((said["data"]["round"], said["data"]["draw"]), set()).add(said["data"]["card"])
        whole = Counter(rules.deck(self.game) * self.decks)
        left = sorted((whole - Counter(card for cards in read.values() for card in cards)).elements())
        self.dice.shuffle(left)
        remaining: list[str] | None = left
        if how == "null" or any(len(cards) > 1 for cards in read.values()):
            remaining = None
        elif how == "wrong":
            remaining = (
                left[1:] if left and self.dice.random() < 0.5 else [*left, self.dice.choice(rules.deck(self.game))]
            )
        self.said.append(self.say(self.now, "shoe.ended", shoe=self.shoe, remaining=remaining))
        self.now += 5_000

    def next_round(self) -> RoundPlan:
        self.round += 1
        plan = RoundPlan(self, self.now)
        self.now += CLOSED + self.dice.choice([4_000, 6_000, 15_000, 40_000])
        return plan


class RoundPlan:
    """One round that is right; what is said of it can be changed before it is put on record."""

    def __init__(self, table: TablePlan, opened: int) -> None:
        self.table, self.dice, self.opened, self.number = table, table.dice, opened, table.round
        self.game, self.shoe = table.game, table.shoe
        self.said: list[Said] = []
        self.bets: list[Said] = []
        self.tags: set[str] = set()  # kinds of oddity that are in it already, so that two do not blur each other
        self.closing, self.first_card = opened + CLOSING, opened + FIRST_CARD
        self.cards: list[str] = []
        self.lucky: list[str] = []  # long shots that these cards win
        for _ in range(self.dice.choice([1, 1, 1, 60])):  # in some rounds the cards are such that a long shot wins
            table.stock += reversed(self.cards)
            self.cards = []
            self.dice.shuffle(table.stock)
            self.draw_cards()
            if self.lucky:
                break
        self.add(0, "round.opened", method=self.usual_method())
        self.add(CLOSING, "bets.closed")
        for draw, card in enumerate(self.cards, start=1):
            self.add(FIRST_CARD + CARD_STEP * (draw - 1), "card.drawn", draw=draw, card=card)
        self.add(CLOSED, "round.closed")
        for _ in range(self.dice.choice([0, 1, 1, 2, 3])):
            self.bet()
        on_offer = [wager for wager in self.lucky if wager in table.config["limits"]]
        if on_offer:
            self.bet(wager=self.dice.choice(on_offer))

    def draw_cards(self) -> None:
        stock = self.table.stock
        while rules.deal(self.game, self.cards) is None and stock:
            self.cards.append(stock.pop())
        hands = self.hands()
        if hands:
            wagers = rules.WAGERS[self.game]
            self.lucky = [wager for wager in wagers if wager != "tie" and rules.net(self.game, wager, hands) >= 12]
            if rules.net(self.game, "tie", hands) > 11:
                self.lucky.append("tie")

    def usual_method(self) -> str | None:
        return self.dice.choice(["A", "B", None]) if rules.DOCUMENT[self.game] in (rules.DTB, rules.FF4) else None

    def add(self, after_opening: int, kind: str, source: str | None = None, **data: Any) -> Said:
        """Say something of this round, so many ms after its opening."""
        said = self.table.say(self.opened + after_opening, kind, source, shoe=self.shoe, round=self.number, **data)
        self.said.append(said)
        return said

    def of(self, kind: str) -> list[Said]:
        return [said for said in self.said if said["type"] == kind + ".v1"]

    def drop(self, said: Said) -> None:
        self.said = [other for other in self.said if other is not said]

    def bet(self, at: int | None = None, wager: str | None = None, amount: int | None = None, **more: Any) -> Said:
        """A bet within its limits on a wager on offer, unless told otherwise."""
        config = self.table.config
        wager = wager or self.dice.choice(sorted(set(config["limits"]) & set(rules.WAGERS[self.game])))
        limit = config["limits"].get(wager, {"min": 100, "max": 5_000})
        if amount is None:
            amount = self.dice.choice([limit["min"], limit["max"], self.dice.randint(limit["min"], limit["max"])])
        data = {
            "bet": f"b{len(self.bets) + 1}",
            "position": len(self.bets) % config["positions"] + 1,
            "player": self.dice.choice(PLAYERS),
            "wager": wager,
            "amount": amount,
            **more,
        }
        when = self.dice.randint(1_000, LAST_BET - 2_000) if at is None else at
        said = self.add(when, "bet.placed", **data)
        self.bets.append(said)
        return said

    def some_bet(self) -> Said:
        """An ordinary bet of the round; a new one if there is none."""
        ordinary = [bet for bet in self.bets if bet["at"] < self.opened + LAST_BET]
        return self.dice.choice(ordinary) if ordinary else self.bet()

    def hands(self) -> dict[str, list[str]] | None:
        dealt = rules.deal(self.game, self.cards)
        return dealt[0] if dealt else None

    def show(self) -> None:
        """The display of the cards as they were dealt."""
        hands = self.hands()
        if hands is None:
            return
        outcome = rules.outcome(self.game, hands)
        totals = outcome["totals"] if self.dice.random() < 0.7 else None
        self.add(DISPLAY, "result.displayed", winner=outcome["winner"], totals=totals)

    def settle(self) -> None:
        """Settle every standing bet as the rules have it; where they leave it open, by the cards dealt."""
        history = to_lines(number([*self.table.said, *self.said]))
        verdict = next(
            v for v in audit_lines(history)["verdicts"] if (v["shoe"], v["round"]) == (self.shoe, self.number)
        )
        void = verdict["status"] == "void"
        for place, bet in enumerate(verdict["bets"]):
            if not bet["stake"] and self.dice.random() < 0.7:
                continue  # what does not stand needs no settlement, 0 and 0 does no harm
            if void and self.dice.random() < 0.5:
                continue
            paid, collected = Fraction(0), Fraction(0)
            hands = self.hands()
            if bet["expected"] is not None:
                paid, collected = Fraction(bet["expected"]["paid"]), Fraction(bet["expected"]["collected"])
            elif hands and bet["wager"] in rules.WAGERS[self.game]:
                paid, collected = rules.settle(self.game, bet["wager"], bet["stake"], hands)
            at = SETTLING + 300 * place
            self.add(at, "bet.settled", bet=bet["bet"], paid=self.whole(paid), collected=self.whole(collected))

    def whole(self, amount: Fraction) -> int:
        """Either whole amount beside an amount that is not whole."""
        return int(amount) if amount.denominator == 1 else int(amount) + self.dice.randint(0, 1)

    def record(self) -> None:
        self.table.said += self.said
