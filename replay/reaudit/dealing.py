"""From a round's cards to what it came to, as SQL that is read out of the rulebook.

A round of a game comes to one of a few hundred shapes: the totals of its hands and the numbers of their cards. Two
tables tell the shape: what the first two cards of a hand come to, and what the Table of Play makes of the totals and
the cards that follow. Whatever else is asked of a round is a table over its shape and its pairs. The tables are filled
by asking the rulebook itself. Games that are dealt alike share them, and one statement. Names in the statement stand
for expressions that mention each other once or twice only: the engine writes out every mention.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from games.cards import POINTS
from games.features import HandShape
from games.paytable import Feature
from games.rulebook import Game
from games.settlement import features_of
from games.table_of_play import banker_draws, player_draws

Pair = tuple[str, bool]
"""The rank of a pair, and whether it is Gold."""
NO_PAIR: Pair = ("", False)

_PLAYER, _BANKER = 1, 2
"""Bits of the third cards drawn."""
_TOTAL_BITS = 4
"""Of what two cards come to: the total is in so many bits, the number of the pair above them."""
_WHOLE_NUMBERS = {
    "UInt8": (0, 1 << 8),
    "UInt16": (0, 1 << 16),
    "Int16": (-1 << 15, 1 << 15),
    "Int32": (-1 << 31, 1 << 31),
}


def table(values: Sequence[int]) -> str:
    """A table of the rulebook as SQL, to be looked up by place from 1. It is text that the engine reads once: of an
    array of literals it would carry every single one through all its planning."""
    kind = next(name for name, (least, end) in _WHOLE_NUMBERS.items() if least <= min(values) and max(values) < end)
    return f"CAST('[{','.join(map(str, values))}]', 'Array({kind})')"


def dealt_alike(games: Iterable[Game]) -> list[tuple[Game, ...]]:
    """The games in groups that share deck, hands and readings, and so what cards come to."""
    groups: dict[tuple[object, ...], list[Game]] = {}
    for game in games:
        groups.setdefault((game.deck, game.hands, game.readings), []).append(game)
    return [tuple(group) for group in groups.values()]


@dataclass(frozen=True)
class Dealt:
    """The rounds of games that are dealt alike, as SQL over the column ``cards``."""

    games: tuple[Game, ...]

    @property
    def game(self) -> Game:
        """One of the games, to ask what they share."""
        return self.games[0]

    @cached_property
    def shapes(self) -> dict[int, tuple[HandShape, HandShape]]:
        """What a round can come to, pairs left out: the shapes of its two hands, by number from 0 without a gap."""
        if not self.game.is_baccarat:
            ranks = range(1, len(self.game.deck.ranks) + 1)
            return dict(
                enumerate((HandShape(one, 1, *NO_PAIR), HandShape(two, 1, *NO_PAIR)) for one in ranks for two in ranks)
            )
        return {
            (player * 10 + banker) * 4 + draws: (
                HandShape(player, 3 if draws & _PLAYER else 2, *NO_PAIR),
                HandShape(banker, 3 if draws & _BANKER else 2, *NO_PAIR),
            )
            for player in range(10)
            for banker in range(10)
            for draws in range(4)
        }

    @cached_property
    def pairs(self) -> dict[Pair, int]:
        """The pairs that two cards of the deck can be, by number; 0: none."""
        if not self.game.is_baccarat:
            return {NO_PAIR: 0}
        codes = self.game.deck.codes
        shapes = {self.game.initial_hands[one, other].shape for one in codes for other in codes}
        found = sorted({(shape.pair, shape.gold) for shape in shapes if shape.pair})
        return {NO_PAIR: 0} | {pair: number for number, pair in enumerate(found, start=1)}

    def features(self, shape: int, first: Pair = NO_PAIR, second: Pair = NO_PAIR) -> dict[str, Feature]:
        """The features of a round of this shape with these pairs, as the rulebook has them."""
        one, other = self.shapes[shape]
        return features_of(
            self.game, one._replace(pair=first[0], gold=first[1]), other._replace(pair=second[0], gold=second[1])
        )

    def by_shape(self, said: Callable[[dict[str, Feature]], int]) -> str:
        """Something that depends on a round's shape alone, looked up."""
        return f"{table([said(self.features(shape)) for shape in self.shapes])}[shape + 1]"

    @cached_property
    def names(self) -> dict[str, str]:
        """The names of the statement, in the order in which they build on each other."""
        return dict(self._baccarat() if self.game.is_baccarat else self._dragon_tiger())

    def _baccarat(self) -> Iterator[tuple[str, str]]:
        deck = self.game.deck
        # By the numbers of a hand's first two cards: their total and their pair.
        both = [self.game.initial_hands[one, other].shape for one in deck.codes for other in deck.codes]
        two_cards = table([self.pairs[shape.pair, shape.gold] << _TOTAL_BITS | shape.total for shape in both])
        yield "first_two", f"{two_cards}[toUInt16(cards[1]) * {deck.size} + cards[3] + 1]"
        yield "second_two", f"{two_cards}[toUInt16(cards[2]) * {deck.size} + cards[4] + 1]"
        # By the two totals and the points of the fifth and the sixth card: the shape.
        points = table([POINTS[code] for code in deck.codes])
        digits = [
            *(f"bitAnd({hand}, {(1 << _TOTAL_BITS) - 1})" for hand in ("first_two", "second_two")),
            *(f"{points}[cards[{place}] + 1]" for place in (5, 6)),
        ]
        place = " + ".join(f"{digit} * toUInt16({10 ** (3 - power)})" for power, digit in enumerate(digits))
        played = [
            self._played(player, banker, fifth, sixth)
            for player in range(10)
            for banker in range(10)
            for fifth in range(10)
            for sixth in range(10)
        ]
        yield "shape", f"{table(played)}[{place} + 1]"
        # Numbers beyond the deck are those of cards that are not of it, or of none.
        # The fifth card of a round in which Player draws decides whether Banker does; without it there are too few
        # whatever it would have decided.
        yield "enough", f"(length(cards) >= 4 + bitCount(bitAnd(shape, 3)) AND arrayMax(cards) < {deck.size})"
        yield "first_pair", f"bitShiftRight(first_two, {_TOTAL_BITS})"
        yield "second_pair", f"bitShiftRight(second_two, {_TOTAL_BITS})"

    @staticmethod
    def _played(player: int, banker: int, fifth: int, sixth: int) -> int:
        """The shape of a round, from the totals of the first two cards and the points of those that follow (3.14 and
        its like)."""
        if player_draws(player, banker):
            draws = _PLAYER | (_BANKER if banker_draws(player, banker, fifth) else 0)
        else:
            draws = _BANKER if banker_draws(player, banker, None) else 0
        if draws & _PLAYER:
            player += fifth
        if draws & _BANKER:
            banker += sixth if draws & _PLAYER else fifth
        return (player % 10 * 10 + banker % 10) * 4 + draws

    def _dragon_tiger(self) -> Iterator[tuple[str, str]]:
        deck = self.game.deck
        suits, ranks = len(deck.suits), len(deck.ranks)
        yield "enough", f"(length(cards) >= 2 AND arrayMax(cards) < {deck.size})"
        yield "shape", f"toUInt16(intDiv(cards[1], {suits}) * {ranks} + intDiv(cards[2], {suits}))"
        yield "first_pair", "0"
        yield "second_pair", "0"

    @cached_property
    def outcome_due(self) -> str:
        """Winner, totals and naturals of a round as one number, as `_outcome_said` has them."""
        first, second = self.game.hands
        winners = {"tie": 0, first: 1, second: 2}

        def packed(said: Mapping[str, Feature]) -> int:
            totals = int(said[f"{first}_total"]) * 256 + int(said[f"{second}_total"])
            naturals = bool(said.get(f"{first}_natural")) + 2 * bool(said.get(f"{second}_natural"))
            return (totals * 256 + naturals) * 4 + winners[str(said["winner"])]

        return self.by_shape(packed)

    @property
    def _outcome_said(self) -> str:
        """The same of the row's columns, of which no two outcomes make one number; 3 is no winner that a round has."""
        first, second = self.game.hands
        winner = f"transform(winner, ['tie', '{first}', '{second}'], [0, 1, 2], 3)"
        return f"((toUInt32(totals[1]) * 256 + totals[2]) * 256 + naturals) * 4 + {winner}"

    @property
    def outcome_agrees(self) -> str:
        """Whether winner, totals and naturals of the row are those of its cards."""
        return f"(length(totals) = 2 AND {self.outcome_due} = {self._outcome_said})"

    @property
    def pairs_due(self) -> str:
        """Which hands have a pair, as bits."""
        return "((first_pair > 0) + 2 * (second_pair > 0))"
