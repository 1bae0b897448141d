"""Exact odds of every wager, by enumeration of a full shoe over the rulebook's own features and conditions.

Rounds are counted as ordered draws of six cards (Dragon Tiger: two), the superfluous ones being any of those left, so
that every outcome of a game has the same whole. Nothing here knows a wager: a line added to the rulebook is counted.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, product

from games.cards import POINTS
from games.features import DRAGON_TIGER_SHAPES, HandShape, InitialHand
from games.paytable import LOST, Condition, Feature, Line
from games.rulebook import Game
from games.settlement import features_of
from games.table_of_play import banker_draws, player_draws

OTHERWISE = "Anything else"
"""What is printed for all rounds in which no line of the paytable applies."""

Shapes = tuple[HandShape, HandShape]


@dataclass(frozen=True, slots=True)
class LineOdds:
    """How often one line of a paytable is paid."""

    label: str
    clause: str
    net: Fraction
    """Net win or loss per unit staked."""
    count: int
    """In how many of the ordered draws; where a wager is paid by every line that fits, lines overlap."""


@dataclass(frozen=True, slots=True)
class WagerOdds:
    """What one unit on a wager comes to in a round from a full shoe."""

    mean: Fraction
    """Expected net win per unit staked."""
    second_moment: Fraction
    """Expected square of the net win per unit staked."""
    lines: tuple[LineOdds, ...]

    @property
    def variance(self) -> Fraction:
        """Of the net win per unit staked."""
        return self.second_moment - self.mean**2


@dataclass(frozen=True, slots=True)
class Odds:
    """The exact odds of a game with so many decks."""

    game: str
    decks: int
    outcomes: int
    """The number of ordered draws of six cards (Dragon Tiger: two)."""
    wagers: Mapping[str, WagerOdds]
    products: Mapping[tuple[str, str], Fraction]
    """The expected product of the net wins of any two wagers in the same round, each on one unit."""

    def mean_of(self, stakes: Mapping[str, int]) -> Fraction:
        """Expected net win of these stakes in one round."""
        return sum((stake * self.wagers[wager].mean for wager, stake in stakes.items()), Fraction(0))

    def variance_of(self, stakes: Mapping[str, int]) -> Fraction:
        """Variance of the net win of these stakes in one round; wagers of one round are not independent."""
        square = sum(
            (stakes[one] * stakes[other] * self.products[one, other] for one in stakes for other in stakes), Fraction(0)
        )
        return square - self.mean_of(stakes) ** 2


@cache
def odds(game: Game, decks: int) -> Odds:
    """The exact odds of every wager of the game in a round from a full shoe."""
    joint = net_distribution(game, decks)
    outcomes = sum(joint.values())
    names = tuple(game.wagers)
    sums: dict[tuple[str, str], Fraction] = {}
    for (i, one), (j, other) in product(enumerate(names), repeat=2):
        if i <= j:
            sums[one, other] = sum((nets[i] * nets[j] * count for nets, count in joint.items()), Fraction(0))
            sums[other, one] = sums[one, other]
    means = [sum((nets[i] * count for nets, count in joint.items()), Fraction(0)) for i in range(len(names))]
    lines = _line_odds(game, decks)
    return Odds(
        game=game.name,
        decks=decks,
        outcomes=outcomes,
        wagers={
            name: WagerOdds(total / outcomes, sums[name, name] / outcomes, lines[name])
            for name, total in zip(names, means, strict=True)
        },
        products={pair: total / outcomes for pair, total in sums.items()},
    )


@cache
def net_distribution(game: Game, decks: int) -> Mapping[tuple[Fraction, ...], int]:
    """How many ordered draws give each combination of net wins per unit, in the order of the game's wagers."""
    wagers = tuple(game.wagers.values())
    joint: Counter[tuple[Fraction, ...]] = Counter()
    for features, count in _feature_distribution(game, decks):
        joint[tuple(wager.net(features) for wager in wagers)] += count
    return joint


@cache
def _feature_distribution(game: Game, decks: int) -> list[tuple[dict[str, Feature], int]]:
    """How many ordered draws give each combination of features that the lines of the game can tell apart."""
    asked = {condition for wager in game.wagers.values() for line in wager.lines for condition in line.when}
    names = sorted({condition.feature for condition in asked})
    likes = [_Likes([condition for condition in asked if condition.feature == name]) for name in names]
    counts: Counter[tuple[Feature, ...]] = Counter()
    for (first, second), count in shape_distribution(game, decks).items():
        features = features_of(game, first, second)
        counts[tuple([like[features[name]] for name, like in zip(names, likes, strict=True)])] += count
    return [(dict(zip(names, values, strict=True)), count) for values, count in counts.items()]


class _Likes(dict[Feature, Feature]):
    """For each value of a feature one value that stands for all those on which the conditions agree."""

    def __init__(self, conditions: list[Condition]) -> None:
        super().__init__()
        self._conditions = conditions
        self._standing: dict[tuple[bool, ...], Feature] = {}

    def __missing__(self, value: Feature) -> Feature:
        answers = tuple(condition.holds({condition.feature: value}) for condition in self._conditions)
        self[value] = self._standing.setdefault(answers, value)
        return self[value]


def _line_odds(game: Game, decks: int) -> dict[str, tuple[LineOdds, ...]]:
    counts: dict[str, Counter[Line | None]] = {name: Counter() for name in game.wagers}
    for features, count in _feature_distribution(game, decks):
        for name, wager in game.wagers.items():
            for line in wager.deciding_lines(features) or (None,):
                counts[name][line] += count
    return {
        name: (
            *(LineOdds(line.label, line.clause, line.net, counts[name][line]) for line in wager.lines),
            LineOdds(OTHERWISE, wager.clause, LOST, counts[name][None]),
        )
        for name, wager in game.wagers.items()
    }


@cache
def shape_distribution(game: Game, decks: int) -> Mapping[Shapes, int]:
    """How many ordered draws from a full shoe give each pair of hand shapes."""
    return _baccarat_shapes(game, decks) if game.is_baccarat else _dragon_tiger_shapes(game, decks)


def _dragon_tiger_shapes(game: Game, decks: int) -> dict[Shapes, int]:
    copies = Counter(DRAGON_TIGER_SHAPES[code] for code in game.deck.codes for _ in range(decks))
    return {
        (dragon, tiger): copies[dragon] * (copies[tiger] - (dragon == tiger))
        for dragon, tiger in product(copies, repeat=2)
    }


def _baccarat_shapes(game: Game, decks: int) -> dict[Shapes, int]:
    left_after_deal = game.deck.size * decks - 4
    any_two = left_after_deal * (left_after_deal - 1)
    copies = Counter(POINTS[code] for code in game.deck.codes for _ in range(decks))
    found: defaultdict[Shapes, int] = defaultdict(int)
    for player, banker, dealt, ways in _initial_deals(game, decks):
        left = [copies[points] - dealt.count(points) for points in range(10)]
        player_total, banker_total = player.shape.total, banker.shape.total
        if player_draws(player_total, banker_total):
            for third, player_hand in enumerate(player.with_third):
                if not banker_draws(player_total, banker_total, third):
                    found[player_hand, banker.shape] += ways * left[third] * (left_after_deal - 1)
                    continue
                for fourth, banker_hand in enumerate(banker.with_third):
                    found[player_hand, banker_hand] += ways * left[third] * (left[fourth] - (fourth == third))
        elif banker_draws(player_total, banker_total, None):
            for third, banker_hand in enumerate(banker.with_third):
                found[player.shape, banker_hand] += ways * left[third] * (left_after_deal - 1)
        else:
            found[player.shape, banker.shape] += ways * any_two
    return {shapes: count for shapes, count in found.items() if count}


def _initial_deals(game: Game, decks: int) -> Iterator[tuple[InitialHand, InitialHand, tuple[int, ...], int]]:
    """The two initial hands, the point values of their four cards, and how many ordered draws give them."""
    groups = _interchangeable(game)
    copies = [len(group) * decks for group in groups]
    starts: dict[tuple[InitialHand, int, int], int] = {}
    hands = []
    for a, b in combinations_with_replacement(range(len(groups)), 2):
        start = game.initial_hands[groups[a][0], groups[b][0]], POINTS[groups[a][0]], POINTS[groups[b][0]]
        orders = 1 if a == b else 2
        hands.append((a, b, orders, starts.setdefault(start, len(starts))))
    ways = [[0] * len(starts) for _ in starts]
    for a, b, player_orders, player in hands:
        player_ways = player_orders * copies[a] * (copies[b] - (a == b))
        row = ways[player]
        for c, d, banker_orders, banker in hands:
            left_of_c = copies[c] - (c == a) - (c == b)
            left_of_d = copies[d] - (d == a) - (d == b) - (d == c)
            row[banker] += player_ways * banker_orders * left_of_c * left_of_d
    for (player_hand, one, three), row in zip(starts, ways, strict=True):
        for (banker_hand, two, four), count in zip(starts, row, strict=True):
            yield player_hand, banker_hand, (one, two, three, four), count


def _interchangeable(game: Game) -> list[list[str]]:
    """The deck's cards in groups within which no paytable can tell one card from another as part of a hand."""
    table, codes = game.initial_hands, game.deck.codes
    groups: defaultdict[tuple[object, ...], list[str]] = defaultdict(list)
    for code in codes:
        seen = POINTS[code], *((table[code, other], table[other, code]) for other in codes)
        groups[seen].append(code)
    return list(groups.values())
