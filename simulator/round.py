"""A round while it is played: what every device saw so far, the bets that stand, the cards that count."""

from collections.abc import Iterable
from typing import Any, Final

from games.settlement import Outcome, outcome_of, required_cards
from simulator.acts import (
    CHANGED,
    DEALER,
    DESK,
    INCIDENT,
    PLACED,
    RFID,
    RULED,
    WITHDRAWN,
    Act,
    Content,
)
from simulator.players import Player
from simulator.state import TableState
from simulator.truth import Fault

DEALER_ROLE: Final = "dealer"
SUPERVISOR: Final = "pit_supervisor"
PIT_MANAGER: Final = "pit_manager"
ASSISTANT_MANAGER: Final = "assistant_casino_manager"
SHIFT_MANAGER: Final = "gaming_shift_manager"


class Bet:
    """One bet of a round."""

    __slots__ = ("amount", "id", "player", "position", "stands", "wager")

    def __init__(self, bet: str, player: Player, position: int, wager: str, amount: int) -> None:
        self.id = bet
        self.player = player
        self.position = position
        self.wager = wager
        self.amount = amount
        """What counts of it if it stands."""
        self.stands = True

    @property
    def owner(self) -> str:
        """Whose it is in the sense of 5.14: players who are not known are told apart by position."""
        return self.player.id or f"position {self.position}"


class Round:
    """The round under way. Steps move ``now`` forward and note what the devices see."""

    __slots__ = (
        "acts", "areas", "bets", "blamed", "cards", "chance", "closed_at", "drawn", "game", "method", "now", "number",
        "outcome", "setup", "shoe", "state", "unsettled",
    )  # fmt: skip

    def __init__(self, state: TableState) -> None:
        self.state = state
        self.setup = state.setup
        self.game = state.setup.game
        self.shoe = state.shoe
        self.chance = state.chance
        self.number = state.rounds + 1
        self.now = state.now
        self.acts: list[Act] = []
        self.bets: dict[str, Bet] = {}
        self.areas: dict[tuple[int, str], int] = {}
        """How many bets were placed per playing area."""
        self.cards: list[str] = []
        """The cards that count, in their right order."""
        self.drawn = 0
        """How many cards have left the device."""
        self.method: str | None = None
        self.closed_at = 0
        self.outcome: Outcome | None = None
        self.blamed = False
        self.unsettled: set[str] = set()
        """Bets that the course of the round settles otherwise than by the rules."""

    def wait(self, low: int, high: int) -> None:
        """Some time passes (ms)."""
        self.now += self.chance.between(low, high)

    def say(self, source: int, kind: str, **payload: Any) -> None:
        """A device reports something about this round, now."""
        self.acts.append((self.now, source, kind, {"shoe": self.shoe.id, "round": self.number, **payload}))

    def note(self, at: int, source: int, kind: str, content: Content) -> None:
        """Something that is no plain report is sent, at a time of its own."""
        self.acts.append((at, source, kind, content))

    def rule(self, ruling: str, clause: str, by: str = SUPERVISOR, **details: Any) -> None:
        """The staff decide; a dealer on the keypad, all others at the pit's desk."""
        source = DEALER if by == DEALER_ROLE else DESK
        self.say(source, RULED, ruling=ruling, clause=clause, by=by, **details)

    def report(self, incident: str, draws: Iterable[int] = (), text: str = "") -> None:
        """The dealer reports an incident."""
        self.say(DEALER, INCIDENT, incident=incident, draws=list(draws), text=text)

    def place(self, player: Player, wager: str, amount: int, position: int | None = None) -> Bet:
        """A bet is placed now."""
        position = player.position if position is None else position
        bet = Bet(f"b{len(self.bets) + 1}", player, position, wager, amount)
        self.bets[bet.id] = bet
        self.areas[position, wager] = self.areas.get((position, wager), 0) + 1
        self.say(RFID, PLACED, bet=bet.id, position=position, player=player.id, wager=wager, amount=amount)
        return bet

    def change(self, bet: Bet, amount: int) -> None:
        """A bet is changed now, and what it was changed to counts."""
        bet.amount = amount
        self.say(RFID, CHANGED, bet=bet.id, amount=amount)

    def withdraw(self, bet: Bet) -> None:
        """A bet is taken back now, and no longer stands."""
        bet.stands = False
        self.say(RFID, WITHDRAWN, bet=bet.id)

    def standing(self) -> list[Bet]:
        """The bets that stand."""
        return [bet for bet in self.bets.values() if bet.stands]

    def differential(self) -> int:
        """1.1.12 of DTB, 1.1.11 of FF4: what stands on Player less what stands on Banker."""
        first, second = self.game.hands
        gap = 0
        for bet in self.bets.values():
            if bet.stands:
                if bet.wager == first:
                    gap += bet.amount
                elif bet.wager == second:
                    gap -= bet.amount
        return gap

    @property
    def differential_limit(self) -> int | None:
        """The table's limit, where the game has one."""
        return self.setup.differential_limit if self.game.document.differential else None

    def fits(self, wager: str, more: int) -> bool:
        """Whether the differential allows so much more, or less, on a wager."""
        limit = self.differential_limit
        if limit is None or wager not in self.game.hands:
            return True
        gap = self.differential() + (more if wager == self.game.hands[0] else -more)
        return abs(gap) <= limit

    @property
    def area_maximum(self) -> int | None:
        """The most wagers on a playing area in this round."""
        most, restriction = self.setup.area_maximum, self.state.restriction
        if restriction is None:
            return most
        return restriction if most is None else min(most, restriction)

    def has_room(self, position: int, wager: str) -> bool:
        """Whether one more wager may be placed on a playing area."""
        most = self.area_maximum
        return most is None or self.areas.get((position, wager), 0) < most

    def required(self) -> int:
        """How many cards the Table of Play asks for, from the cards that count."""
        return required_cards(self.game, self.cards)

    def find_outcome(self) -> Outcome | None:
        """The outcome of the cards that count, None while they do not suffice."""
        self.outcome = outcome_of(self.game, self.cards)
        return self.outcome

    def clause(self, subject: str) -> str:
        """The clause of this game's document about a subject."""
        return self.game.document.clauses[subject]

    def blame_device(self, code: str, variant: str, *more: str, table: bool = True) -> None:
        """Write down a fault of a device; ``table``: whether its bytes tell the table."""
        self.blamed = True
        name = self.setup.table if table else None
        self.state.truth(Fault(name, None, None, code, None, None, (code, *more), variant))

    def blame(self, code: str, variant: str, *more: str, bet: Bet | str | None = None, draw: int | None = None) -> None:
        """Write down the fault of this round and what else it brings about."""
        self.blamed = True
        name = bet.id if isinstance(bet, Bet) else bet
        self.state.truth(Fault(self.setup.table, self.shoe.id, self.number, code, name, draw, (code, *more), variant))
