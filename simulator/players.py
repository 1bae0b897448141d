"""Players: who sits where, what they like to bet on, how they raise after a win or a loss, and what they can afford."""

from collections.abc import Callable
from typing import Final

from simulator.chance import Chance
from simulator.setup import Setup

Random = Callable[[], float]

FLAT: Final = 0
"""Bets the same each time."""
MARTINGALE: Final = 1
"""Doubles after a loss."""
PAROLI: Final = 2
"""Doubles after a win, up to three times."""

FIRST_HAND: Final = 0
SECOND_HAND: Final = 1
FOLLOWS: Final = 2
"""Bets on the hand that won last."""
WHIM: Final = 3

PLAYERS_PER_TABLE = 40
"""How many people share the seats of one table in the course of a session."""


class Player:
    """One person at one table."""

    __slots__ = ("bankroll", "base", "habit", "hand", "id", "level", "mains", "position", "presence", "sides")

    def __init__(self, player: str | None, position: int, setup: Setup, chance: Chance) -> None:
        self.id = player
        """None: not known to the sensors."""
        self.position = position
        limits, chip = setup.limits, setup.chip
        low, high = limits[setup.game.hands[0]]
        self.base = _stake(low * (1 + chance.below(4) * chance.below(3)), chip, low, high)
        self.bankroll = self.base * chance.between(30, 300)
        self.habit = chance.pick((FLAT, FLAT, FLAT, MARTINGALE, PAROLI))
        self.hand = chance.pick((FIRST_HAND, SECOND_HAND, SECOND_HAND, FOLLOWS, WHIM, WHIM))
        self.presence = 0.7 + chance.random() * 0.3
        self.mains = 0.85 + chance.random() * 0.15
        """In this share of the rounds the player bets on a main hand."""
        self.level = 0
        """How often the base stake is doubled at present."""
        self.sides: list[tuple[str, float, int]] = []
        """Side wagers: name, share of the rounds in which it is bet on, stake."""
        offered = [wager for wager in limits if wager not in setup.game.hands]
        for wager in chance.some(offered, chance.pick((0, 1, 1, 2, 3))):
            small, large = limits[wager]
            stake = _stake(small * chance.between(1, 5), chip, small, large)
            self.sides.append((wager, 0.15 + chance.random() * 0.6, stake))

    def bets(self, random: Random, setup: Setup, last_winner: str) -> list[tuple[str, int]]:
        """What the player bets in a round: wagers and stakes."""
        if random() >= self.presence:
            return []
        chosen: list[tuple[str, int]] = []
        if random() < self.mains:
            hands = setup.game.hands
            hand = self.hand
            if hand == FOLLOWS:
                wager = last_winner if last_winner in hands else hands[0]
            elif hand == WHIM:
                wager = hands[0] if random() < 0.5 else hands[1]
            else:
                wager = hands[hand]
            chosen.append((wager, min(self.base << self.level, setup.limits[wager][1])))
        for wager, share, stake in self.sides:
            if random() < share:
                chosen.append((wager, stake))
        return chosen

    def gains(self, net: int) -> None:
        """A main bet was settled: the bankroll changes, and with it perhaps the next stake."""
        self.bankroll += net
        if self.habit == FLAT or not net:
            return
        won = net > 0
        if self.habit == MARTINGALE:
            self.level = 0 if won or self.level >= 4 else self.level + 1
        else:
            self.level = self.level + 1 if won and self.level < 3 else 0


def _stake(amount: int, chip: int, low: int, high: int) -> int:
    """The amount in whole chips and within the limits."""
    return min(max(amount // chip * chip, low), high)


class Seats:
    """Who sits at a table; people go when they are broke or when their session ends, and others come.

    The people of a floor form groups, one per table, that move on to the next table when a session ends, so nobody sits
    at two tables at once.
    """

    __slots__ = ("_chance", "_come", "_group", "_seed", "_setup", "players")

    def __init__(self, setup: Setup, seed: int, chance: Chance) -> None:
        self._setup = setup
        self._seed = seed
        self._chance = chance
        self._group = -1
        self._come = 0
        self.players: list[Player] = []

    def session(self, group: int) -> None:
        """This group of people sits down now."""
        if group == self._group:
            return
        self._group = group
        self._come = 0
        setup, chance = self._setup, self._chance
        count = chance.between(setup.positions // 2, setup.positions) if setup.electronic else chance.between(4, 11)
        positions = list(range(1, setup.positions + 1))
        chance.shuffle(positions)
        self.players = [self._comes(positions[place % len(positions)]) for place in range(count)]

    def leave(self, broke: int) -> None:
        """Whoever cannot afford the stake named goes, and another person takes the seat."""
        for place, player in enumerate(self.players):
            if player.bankroll < broke:
                self.players[place] = self._comes(player.position)

    def _comes(self, position: int) -> Player:
        number = self._group * PLAYERS_PER_TABLE + self._come % PLAYERS_PER_TABLE
        self._come += 1
        habits = Chance(self._seed, "player", number)
        known = habits.happens(0.85) or self._setup.electronic
        return Player(f"M{100_000 + number}" if known else None, position, self._setup, habits)
