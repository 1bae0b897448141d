"""From a round's cards to what it came to, as SQL that is read out of the rulebook.

A round of a game comes to one of a few hundred shapes: the totals of its hands and the numbers of their cards. Its
cards give the shape by sums of points and one table, the Table of Play, and the pairs by another; whatever else is
asked of a round is a table over its shape and its pairs. The tables are filled by asking the rulebook itself. Names in
the statement stand for expressions that mention each other once or twice only: the engine writes out every mention.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from games.cards import POINTS
from games.features import HandShape
from games.paytable import Feature
from games.rulebook import Game
from games.settlement import features_of
from games.table_of_play import banker_draws, player_draws
from store.card_numbers import OTHER_DECK

_PLAYER, _BANKER = 1, 2
"""Bits of the third cards drawn."""


def lookup(value: str, table: Mapping[int, int], otherwise: str) -> str:
    """A table of the rulebook as SQL; what is not in it is ``otherwise``."""
    entries = {key: said for key, said in sorted(table.items()) if str(said) != otherwise}
    if not entries:
        return otherwise
    return f"transform({value}, {list(entries)}, {list(entries.values())}, {otherwise})"


@dataclass(frozen=True)
class Dealt:
    """A game's rounds as SQL over the column ``cards``."""

    game: Game

    @cached_property
    def shapes(self) -> dict[int, tuple[HandShape, HandShape]]:
        """What a round of the game can come to, pairs left out: the shapes of its two hands, by number."""
        if not self.game.is_baccarat:
            ranks = range(1, len(self.game.deck.ranks) + 1)
            return {
                one * 16 + other: (HandShape(one, 1, "", False), HandShape(other, 1, "", False))
                for one in ranks
                for other in ranks
            }
        return {
            (player * 10 + banker) * 4 + draws: (
                HandShape(player, 3 if draws & _PLAYER else 2, "", False),
                HandShape(banker, 3 if draws & _BANKER else 2, "", False),
            )
            for player in range(10)
            for banker in range(10)
            for draws in range(4)
        }

    @cached_property
    def pairs(self) -> dict[tuple[str, bool], int]:
        """The pairs that two cards of the game's deck can be, by rank and whether it is Gold; 0: none."""
        if not self.game.is_baccarat:
            return {("", False): 0}
        codes = self.game.deck.codes
        shapes = {self.game.initial_hands[one, other].shape for one in codes for other in codes}
        found = sorted({(shape.pair, shape.gold) for shape in shapes if shape.pair})
        return {("", False): 0} | {pair: number for number, pair in enumerate(found, start=1)}

    def features(self, shape: int, first: tuple[str, bool], second: tuple[str, bool]) -> dict[str, Feature]:
        """The features of a round of this shape with these pairs, as the rulebook has them."""
        one, other = self.shapes[shape]
        return features_of(
            self.game, one._replace(pair=first[0], gold=first[1]), other._replace(pair=second[0], gold=second[1])
        )

    def shape_table(self, said: Callable[[dict[str, Feature]], int]) -> dict[int, int]:
        """Something that depends on a round's shape alone, by shape."""
        none = ("", False)
        return {shape: said(self.features(shape, none, none)) for shape in self.shapes}

    @cached_property
    def names(self) -> dict[str, str]:
        """The names of the statement, in the order in which they build on each other."""
        return dict(self._baccarat() if self.game.is_baccarat else self._dragon_tiger())

    def _baccarat(self) -> Iterator[tuple[str, str]]:
        deck = self.game.deck
        suits = len(deck.suits)
        by_rank = [POINTS[code] for code in deck.codes[::suits]]
        assert all(POINTS[code] == by_rank[number // suits] for number, code in enumerate(deck.codes))
        # Thirteen points of four bits each fit into one number.
        packed = sum(points << 4 * rank for rank, points in enumerate(by_rank))

        def points(place: int) -> str:
            return f"toUInt8(bitAnd(bitShiftRight(toUInt64({packed}), 4 * intDiv(cards[{place}], {suits})), 15))"

        yield "player_two", f"modulo({points(1)} + {points(3)}, 10)"
        yield "banker_two", f"modulo({points(2)} + {points(4)}, 10)"
        yield "fifth", points(5)
        yield "sixth", points(6)
        # By the two totals: who draws, two bits for each number of points that the fifth card can have.
        table = [
            sum(self._draws(player, banker, third) << 2 * third for third in range(10))
            for player in range(10)
            for banker in range(10)
        ]
        yield (
            "draws",
            f"toUInt8(bitAnd(bitShiftRight({table}[player_two * 10 + banker_two + 1], 2 * fifth), 3))",
        )
        # The fifth card of a round in which Player draws decides whether Banker does; without it there are too few
        # whatever it would have decided.
        yield "enough", f"(length(cards) >= 4 + bitCount(draws) AND arrayMax(cards) < {OTHER_DECK})"
        yield "player_sum", f"modulo(player_two + if(bitAnd(draws, {_PLAYER}), fifth, 0), 10)"
        yield "banker_sum", "modulo(banker_two + multiIf(draws = 3, sixth, draws = 2, fifth, 0), 10)"
        yield "shape", "toUInt16((player_sum * 10 + banker_sum) * 4 + draws)"
        size = deck.size
        two_cards = {
            first * size + second: self.pairs[pair.pair, pair.gold]
            for first, one in enumerate(deck.codes)
            for second, other in enumerate(deck.codes)
            if (pair := self.game.initial_hands[one, other].shape).pair
        }
        yield "first_pair", lookup(f"toUInt16(toUInt16(cards[1]) * {size} + cards[3])", two_cards, "0")
        yield "second_pair", lookup(f"toUInt16(toUInt16(cards[2]) * {size} + cards[4])", two_cards, "0")

    @staticmethod
    def _draws(player: int, banker: int, third: int) -> int:
        """Who draws a third card, from the two totals and the points of the fifth card (3.14 and its like)."""
        if player_draws(player, banker):
            return _PLAYER | (_BANKER if banker_draws(player, banker, third) else 0)
        return _BANKER if banker_draws(player, banker, None) else 0

    def _dragon_tiger(self) -> Iterator[tuple[str, str]]:
        suits = len(self.game.deck.suits)
        yield "enough", f"(length(cards) >= 2 AND arrayMax(cards) < {OTHER_DECK})"
        rank = f"(intDiv(cards[{{}}], {suits}) + 1)"
        yield "shape", f"toUInt16({rank.format(1)} * 16 + {rank.format(2)})"
        yield "first_pair", "0"
        yield "second_pair", "0"

    def _marks(self, said: Mapping[str, Feature]) -> int:
        """Naturals and winner of a round as one number of four bits."""
        first, second = self.game.hands
        naturals = bool(said.get(f"{first}_natural")) + 2 * bool(said.get(f"{second}_natural"))
        return naturals * 4 + {"tie": 0, first: 1, second: 2}[str(said["winner"])]

    @cached_property
    def outcome_due(self) -> str:
        """Winner, totals and naturals of a round as one number, as `_outcome_said` has them."""
        first, second = self.game.hands

        def packed(said: dict[str, Feature]) -> int:
            return (int(said[f"{first}_total"]) * 16 + int(said[f"{second}_total"])) * 16 + self._marks(said)

        return lookup("shape", self.shape_table(packed), "0")

    @property
    def _marks_said(self) -> str:
        """Naturals and winner as the row has them; a number that no round has where the row has no winner."""
        first, second = self.game.hands
        winner = f"multiIf(winner = 'tie', 0, winner = '{first}', 1, winner = '{second}', 2, 65536)"
        return f"(naturals * 4 + {winner})"

    @cached_property
    def outcome_agrees(self) -> str:
        """Whether winner, totals and naturals of the row are those of its cards."""
        if not self.game.is_baccarat:
            said = f"(toUInt16(totals[1]) * 16 + totals[2]) * 16 + {self._marks_said}"
            return f"(length(totals) = 2 AND {self.outcome_due} = {said})"
        # By the totals: naturals and winner, four bits for each of the ways to draw. Totals that are right tell the
        # rest as well as the cards do, in fewer steps.
        marks = self.shape_table(self._marks)
        table = [
            sum(marks[(player * 10 + banker) * 4 + draws] << 4 * draws for draws in range(4))
            for player in range(10)
            for banker in range(10)
        ]
        return (
            "(length(totals) = 2 AND totals[1] = player_sum AND totals[2] = banker_sum AND"
            f" bitAnd(bitShiftRight({table}[totals[1] * 10 + totals[2] + 1], 4 * draws), 15) = {self._marks_said})"
        )

    @cached_property
    def pairs_due(self) -> str:
        """Which hands have a pair, as bits."""
        if not self.game.is_baccarat:
            return "0"
        suits, deck = len(self.game.deck.suits), self.game.deck
        by_rank = all(
            bool(self.game.initial_hands[one, other].shape.pair) == (first // suits == second // suits)
            for first, one in enumerate(deck.codes)
            for second, other in enumerate(deck.codes)
        )
        if not by_rank:
            return "((first_pair > 0) + 2 * (second_pair > 0))"
        ranks = [f"intDiv(cards[{place}], {suits})" for place in range(1, 5)]
        return f"(({ranks[0]} = {ranks[2]}) + 2 * ({ranks[1]} = {ranks[3]}))"
