"""What every bet of a round is due, as SQL: tables over the round's shape and pairs, filled by asking each wager."""

from dataclasses import dataclass
from functools import cache, cached_property
from math import lcm

from games.paytable import LOST, Wager
from games.rulebook import Game
from replay.reaudit.dealing import Dealt, lookup

_OF_PAIRS = ("_pair", "_pair_rank", "_gold_pair", "any_pair", "both_pairs", "same_pair")
_SHAPES = 1024
"""More than any game has shapes, or two hands have pairs."""


@cache
def dues_of(game: Game) -> "Dues":
    """The settlement of a game's wagers, its tables filled once."""
    return Dues(Dealt(game))


@dataclass(frozen=True)
class Dues:
    """The settlement of a game's wagers as SQL."""

    dealt: Dealt

    @property
    def game(self) -> Game:
        return self.dealt.game

    @cached_property
    def scale(self) -> int:
        """The smallest number of parts of a unit in which every odds of the game is whole."""
        return lcm(*(line.net.denominator for wager in self.game.wagers.values() for line in wager.lines))

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The wagers by number, from 1; those that ask of pairs alone come last."""
        names = sorted(self.game.wagers, key=lambda name: self._asks_of_pairs_alone(self.game.wagers[name]))
        return {name: number for number, name in enumerate(names, start=1)}

    @cached_property
    def _first_of_pairs(self) -> int:
        alone = [number for name, number in self.numbers.items() if self._asks_of_pairs_alone(self.game.wagers[name])]
        return min(alone, default=len(self.numbers) + 1)

    @staticmethod
    def _asks_of_pairs_alone(wager: Wager) -> bool:
        return all(condition.feature.endswith(_OF_PAIRS) for line in wager.lines for condition in line.when)

    @staticmethod
    def _asks_of_pairs(wager: Wager) -> bool:
        return any(condition.feature.endswith(_OF_PAIRS) for line in wager.lines for condition in line.when)

    def wager_number(self, name: str) -> str:
        """The number of a wager, from its name; 0 for one that the game has not."""
        names = list(self.numbers)
        return f"transform({name}, {names}, {list(self.numbers.values())}, 0)"

    def net(self, number: str) -> str:
        """The net of a bet on the wager of this number, in parts of the stake (`scale`); 0 for one that the game has
        not, which is returned."""
        lost = str(int(LOST * self.scale))
        pairs = f"first_pair * {self._pairs} + second_pair"
        of_pairs = self._first_of_pairs <= len(self.numbers)
        place = f"if({number} >= {self._first_of_pairs}, {pairs}, shape)" if of_pairs else "shape"
        net = lookup(f"toUInt32({number} * {_SHAPES} + {place})", self._usual, lost)
        if self._special:
            key = f"toUInt32(({number} * {_SHAPES} + shape) * {_SHAPES} + {pairs})"
            net = lookup(key, self._special, net)
        return f"toInt32(({number} > 0) * {net})"

    @property
    def _pairs(self) -> int:
        count = len(self.dealt.pairs)
        assert count * count <= _SHAPES
        return count

    @cached_property
    def _usual(self) -> dict[int, int]:
        """By wager, and by shape or by the pairs of both hands: the net."""
        table: dict[int, int] = {}
        none = ("", False)
        some = next(iter(self.dealt.shapes))
        for name, number in self.numbers.items():
            wager = self.game.wagers[name]
            if number >= self._first_of_pairs:
                for first, one in self.dealt.pairs.items():
                    for second, other in self.dealt.pairs.items():
                        place = one * self._pairs + other
                        table[number * _SHAPES + place] = self._whole(wager, some, first, second)
            else:
                for shape in self.dealt.shapes:
                    table[number * _SHAPES + shape] = self._whole(wager, shape, none, none)
        return table

    @cached_property
    def _special(self) -> dict[int, int]:
        """By wager, shape and pairs: the net where a wager asks of both and pairs make a difference."""
        table: dict[int, int] = {}
        for name, number in self.numbers.items():
            wager = self.game.wagers[name]
            if number >= self._first_of_pairs or not self._asks_of_pairs(wager):
                continue
            for alike in self._alike(wager):
                first, second = alike[0]
                for shape in self.dealt.shapes:
                    net = self._whole(wager, shape, first, second)
                    if net != self._usual[number * _SHAPES + shape]:
                        for one, other in alike:
                            place = self.dealt.pairs[one] * self._pairs + self.dealt.pairs[other]
                            table[(number * _SHAPES + shape) * _SHAPES + place] = net
        return table

    def _alike(self, wager: Wager) -> list[list[tuple[tuple[str, bool], tuple[str, bool]]]]:
        """The pairs that both hands can have, those together that are all one to a wager."""
        asked = [each for line in wager.lines for each in line.when if each.feature.endswith(_OF_PAIRS)]
        some = next(iter(self.dealt.shapes))
        groups: dict[tuple[bool, ...], list[tuple[tuple[str, bool], tuple[str, bool]]]] = {}
        for first in self.dealt.pairs:
            for second in self.dealt.pairs:
                features = self.dealt.features(some, first, second)
                groups.setdefault(tuple(each.holds(features) for each in asked), []).append((first, second))
        return list(groups.values())

    def _whole(self, wager: Wager, shape: int, first: tuple[str, bool], second: tuple[str, bool]) -> int:
        return int(wager.net(self.dealt.features(shape, first, second)) * self.scale)
