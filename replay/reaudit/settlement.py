"""What every bet of a round is due, as SQL: a table over what wagers ask of a round, filled by asking each wager."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from math import lcm
from typing import TypeVar

from games.paytable import Feature, Line, Wager
from games.rulebook import Game
from replay.reaudit.dealing import Dealt, Pair, table

_OF_PAIRS = ("_pair", "_pair_rank", "_gold_pair", "any_pair", "both_pairs", "same_pair")

T = TypeVar("T", bound=Hashable)


@cache
def dues_of(games: tuple[Game, ...]) -> "Dues":
    """The settlement of the wagers of games that are dealt alike, its tables filled once."""
    return Dues(Dealt(games))


@dataclass(frozen=True)
class Dues:
    """The settlement of the wagers of games that are dealt alike, as SQL.

    Shapes that are all one to every line of every paytable are of one kind, and so are pairs. Wagers that pay the same
    for the same, in whichever game, are one wager here.
    """

    dealt: Dealt

    @cached_property
    def _wagers(self) -> list[Wager]:
        return [wager for game in self.dealt.games for wager in game.wagers.values()]

    @cached_property
    def scale(self) -> int:
        """The smallest number of parts of a unit in which every odds of the games is whole."""
        return lcm(*(line.net.denominator for wager in self._wagers for line in wager.lines))

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The names of the games' wagers by number, from 1."""
        names = dict.fromkeys(wager.name for wager in self._wagers)
        return {name: number for number, name in enumerate(names, start=1)}

    def wager_number(self, name: str) -> str:
        """The number of a wager's name; 0 for one that no game has."""
        return f"transform({name}, {list(self.numbers)}, {list(self.numbers.values())}, 0)"

    @cached_property
    def names(self) -> dict[str, str]:
        """The names of the statement that build on those of the deal: the kind of a round, and where the wagers of its
        game begin."""
        pairs = self.dealt.pairs
        of_shape = table([self._kinds_of_shapes[shape] for shape in self.dealt.shapes])
        of_pairs = table([self._kinds_of_pairs[one, other] for one in pairs for other in pairs])
        games = [game.name for game in self.dealt.games]
        places = [place * (len(self.numbers) + 1) + 1 for place in range(len(games))]
        return {
            "kind": f"toUInt16({of_shape}[shape + 1]) * {_count(self._kinds_of_pairs)}"
            f" + {of_pairs}[first_pair * toUInt16({len(pairs)}) + second_pair + 1]",
            "wagers_of_game": f"toUInt16(transform(game, {games}, {places}, 0))",
        }

    def net(self, number: str) -> str:
        """The net of a bet on the wager of this number, in parts of the stake (`scale`); 0 for one that the game has
        not, which is returned."""
        kinds = _count(self._kinds_of_shapes) * _count(self._kinds_of_pairs)
        return f"{self._nets}[{self._offered}[wagers_of_game + {number}] * toUInt32({kinds}) + kind + 1]"

    @cached_property
    def _by_odds(self) -> dict[Hashable, Wager]:
        """One wager of each that pay the same for the same."""
        return {_odds(wager): wager for wager in self._wagers}

    @cached_property
    def _offered(self) -> str:
        """By game and number of a wager's name: the place of the wager among those that differ; 0: not offered."""
        place = {odds: place for place, odds in enumerate(self._by_odds, start=1)}
        return table(
            [
                place[_odds(game.wagers[name])] if name in game.wagers else 0
                for game in self.dealt.games
                for name in ("", *self.numbers)
            ]
        )

    @cached_property
    def _nets(self) -> str:
        """By wager and kind of round: the net."""
        shapes, pairs = _one_of_each(self._kinds_of_shapes), _one_of_each(self._kinds_of_pairs)
        rounds = [self.dealt.features(shape, *both) for shape in shapes for both in pairs]
        nets = [int(wager.net(features) * self.scale) for wager in self._by_odds.values() for features in rounds]
        return table([0] * len(rounds) + nets)

    @cached_property
    def _kinds_of_shapes(self) -> dict[int, int]:
        return _numbered(
            {shape: self._answers(self.dealt.features(shape), of_pairs=False) for shape in self.dealt.shapes}
        )

    @cached_property
    def _kinds_of_pairs(self) -> dict[tuple[Pair, Pair], int]:
        both = [(one, other) for one in self.dealt.pairs for other in self.dealt.pairs]
        return _numbered({pairs: self._answers(self.dealt.features(0, *pairs), of_pairs=True) for pairs in both})

    def _answers(self, features: Mapping[str, Feature], *, of_pairs: bool) -> tuple[bool, ...]:
        """Whether all that a line asks of pairs, or all else that it asks, is so, line by line."""

        def holds(line: Line) -> bool:
            return all(each.holds(features) for each in line.when if each.feature.endswith(_OF_PAIRS) is of_pairs)

        return tuple(holds(line) for wager in self._by_odds.values() for line in wager.lines)


def _odds(wager: Wager) -> Hashable:
    """What tells apart wagers that do not pay the same for the same."""
    return wager.cumulative, tuple((line.when, line.net) for line in wager.lines)


def _numbered(answers: Mapping[T, tuple[bool, ...]]) -> dict[T, int]:
    """The number of the kind of each, from 0, those with the same answers being of one kind."""
    kinds = {each: number for number, each in enumerate(dict.fromkeys(answers.values()))}
    return {each: kinds[said] for each, said in answers.items()}


def _one_of_each(kinds: Mapping[T, int]) -> list[T]:
    """The first of each kind, by the kinds' numbers, which go by their first ones."""
    first: dict[int, T] = {}
    for each, kind in kinds.items():
        first.setdefault(kind, each)
    return list(first.values())


def _count(kinds: Mapping[T, int]) -> int:
    return 1 + max(kinds.values())
