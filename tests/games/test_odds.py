"""Exact odds: the published counts, closed forms, and every permutation of a small shoe."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import permutations
from math import comb, perm

import pytest

from games.cards import Deck
from games.odds import OTHERWISE, net_distribution, odds, shape_distribution
from games.paytable import Condition, Line, Wager
from games.rulebook import GAMES, Game
from games.settlement import outcome_of
from tests.games import reference

EIGHT_DECKS = 4_998_398_275_503_360


def count(game: str, wager: str, line: int, decks: int = 8) -> int:
    """How often this line of the wager is paid."""
    return odds(GAMES[game], decks).wagers[wager].lines[line].count


@pytest.mark.parametrize("game", [name for name, game in GAMES.items() if game.is_baccarat and game.deck.size == 52])
def test_eight_decks_give_the_published_counts(game: str) -> None:
    counted = odds(GAMES[game], 8)
    assert counted.outcomes == EIGHT_DECKS == perm(416, 6)
    player, banker, tie = (counted.wagers[wager].lines for wager in ("player", "banker", "tie"))
    assert player[0].count == 2_230_518_282_592_256
    assert sum(line.count for line in banker if line.net > 0) == 2_292_252_566_437_888
    assert tie[0].count == player[1].count == 475_627_426_473_216


@pytest.mark.parametrize(
    ("game", "wager", "percent"),
    [
        ("dragon_tiger_baccarat", "player", -1.2351),
        ("dragon_tiger_baccarat", "banker", -1.0579),
        ("dragon_tiger_baccarat", "tie", -14.3596),
        ("no_commission", "banker", -1.4581),
        ("super_6_no_commission", "player_dragon_bonus", -2.6517),
        ("super_6_no_commission", "banker_dragon_bonus", -9.3731),
        ("dragon_tiger", "dragon", -3.7349),
        ("dragon_tiger", "tiger_big", -7.6923),
    ],
)
def test_eight_decks_give_the_published_returns(game: str, wager: str, percent: float) -> None:
    assert float(round(odds(GAMES[game], 8).wagers[wager].mean * 100, 4)) == percent


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("decks", [4, 8])
def test_the_whole_is_every_ordered_draw(name: str, decks: int) -> None:
    game = GAMES[name]
    whole = perm(game.deck.size * decks, 6 if game.is_baccarat else 2)
    counted = odds(game, decks)
    assert counted.outcomes == sum(shape_distribution(game, decks).values()) == whole
    assert (counted.game, counted.decks) == (name, decks)
    for wager in counted.wagers.values():
        assert sum(line.count for line in wager.lines) == whole
        assert wager.lines[-1].label == OTHERWISE
        assert wager.mean == Fraction(sum(line.count * line.net for line in wager.lines), whole)
        assert wager.second_moment == Fraction(sum(line.count * line.net**2 for line in wager.lines), whole)


@pytest.mark.parametrize("decks", [4, 8])
def test_pairs_in_closed_form(decks: int) -> None:
    pair52 = Fraction(4 * decks - 1, 52 * decks - 1)
    pair65 = Fraction(5 * decks - 1, 65 * decks - 1)
    for hand in ("player_pair", "banker_pair"):
        assert odds(GAMES["no_commission"], decks).wagers[hand].mean == 12 * pair52 - 1
        assert odds(GAMES["sands_elements_no_commission"], decks).wagers[hand].mean == 12 * pair65 - 1


@pytest.mark.parametrize("decks", [4, 8])
def test_ff4_4_2_precious_pairs_in_closed_form(decks: int) -> None:
    counted = odds(GAMES["fa_fa_fabulous_4"], decks)
    two_cards = perm(65 * decks, 2)
    gold = Fraction(perm(decks, 2), two_cards)
    fours = Fraction(perm(5 * decks, 2), two_cards)
    for hand in ("player_precious_pair", "banker_precious_pair"):
        shares = [Fraction(line.count, counted.outcomes) for line in counted.wagers[hand].lines]
        assert shares[:4] == [gold, fours - gold, 12 * gold, 12 * (fours - gold)]


@pytest.mark.parametrize("decks", [4, 8])
def test_ff4_1_1_13_element_eights_in_closed_form(decks: int) -> None:
    counted = odds(GAMES["fa_fa_fabulous_4"], decks)
    eights = counted.wagers["tie"].lines[0]
    assert eights.net == 800
    assert Fraction(eights.count, counted.outcomes) == Fraction(comb(5 * decks, 4), comb(65 * decks, 4))


@pytest.mark.parametrize("decks", [4, 8])
def test_eb_1_1_19_tiger_pairs_in_closed_form(decks: int) -> None:
    counted = odds(GAMES["tiger"], decks)
    copies, four_cards = 4 * decks, perm(52 * decks, 4)
    twin = Fraction(13 * perm(copies, 4), four_cards)
    double = Fraction(13 * 12 * perm(copies, 2) ** 2, four_cards)
    single = 2 * (Fraction(copies - 1, 52 * decks - 1) - twin - double)
    shares = [Fraction(line.count, counted.outcomes) for line in counted.wagers["tiger_pair"].lines]
    assert shares[:3] == [twin, double, single]


@pytest.mark.parametrize("decks", [4, 8])
def test_dragon_tiger_in_closed_form(decks: int) -> None:
    counted = odds(GAMES["dragon_tiger"], decks)
    tie = Fraction(4 * decks - 1, 52 * decks - 1)
    assert counted.wagers["tie"].mean == 12 * tie - 1
    assert counted.wagers["dragon"].mean == counted.wagers["tiger"].mean == -tie / 2
    assert {counted.wagers[f"{hand}_{size}"].mean for hand in ("dragon", "tiger") for size in ("big", "small")} == {
        Fraction(-1, 13)
    }


SMALL = [
    ("fa_fa_fabulous_4", ("4", "8"), ("G", "F"), 2),
    ("fa_fa_fabulous_4", ("A", "3", "10"), ("G", "F"), 1),
    ("fa_fa_fabulous_4", ("4",), ("G", "F", "E"), 2),
    ("sands_elements_no_commission", ("2", "6", "S"), ("W", "A"), 1),
    ("sands_elements_no_commission", ("3", "L", "S"), ("W",), 2),
    ("dragon_tiger_baccarat", ("2", "5", "6", "K"), ("S", "H"), 1),
    ("dragon_tiger_baccarat", ("5", "6", "7", "A", "10", "Q"), ("S",), 1),
    ("fortune_six_no_commission", ("4", "5", "9"), ("S", "H"), 1),
    ("super_6_no_commission", ("A", "7", "J"), ("S", "H"), 1),
    ("super_six_no_commission", ("2", "3", "4", "J", "Q", "K"), ("S",), 1),
    ("no_commission", ("5", "10"), ("S",), 3),
    ("tiger", ("3", "6", "K"), ("S", "H"), 1),
    ("tiger_no_commission", ("3", "10"), ("S", "H"), 2),
]


def small_game(name: str, deck: Deck) -> Game:
    """The same game with a deck so small that every draw can be dealt."""
    return replace(GAMES[name], deck=deck)


def every_draw(name: str, deck: Deck, decks: int) -> Counter[tuple[Fraction, ...]]:
    """The nets of every ordered draw of six physical cards, by the reference."""
    rounds: Counter[tuple[tuple[str, ...], ...]] = Counter()
    for cards in permutations(deck.codes * decks, 6):
        hands = reference.baccarat_hands(list(cards))
        assert hands is not None
        rounds[tuple(map(tuple, hands))] += 1
    nets: Counter[tuple[Fraction, ...]] = Counter()
    for (player, banker), times in rounds.items():
        by_wager = reference.baccarat_nets(name, list(player), list(banker))
        nets[tuple(by_wager[wager] for wager in GAMES[name].wagers)] += times
    return nets


@pytest.mark.parametrize(("name", "ranks", "suits", "decks"), SMALL)
def test_every_draw_of_a_small_shoe(name: str, ranks: tuple[str, ...], suits: tuple[str, ...], decks: int) -> None:
    deck = Deck("small", ranks, suits)
    game = small_game(name, deck)
    expected = every_draw(name, deck, decks)
    assert net_distribution(game, decks) == expected
    counted = odds(game, decks)
    whole = sum(expected.values())
    assert counted.outcomes == whole
    for place, wager in enumerate(game.wagers):
        mean = Fraction(sum(nets[place] * times for nets, times in expected.items()), whole)
        square = Fraction(sum(nets[place] ** 2 * times for nets, times in expected.items()), whole)
        assert (counted.wagers[wager].mean, counted.wagers[wager].second_moment) == (mean, square)
        assert counted.wagers[wager].variance == square - mean**2
    stakes = {wager: 5 + 3 * place for place, wager in enumerate(game.wagers)}
    won = {nets: sum(net * stake for net, stake in zip(nets, stakes.values(), strict=True)) for nets in expected}
    mean = Fraction(sum(won[nets] * times for nets, times in expected.items()), whole)
    assert counted.mean_of(stakes) == mean
    assert counted.variance_of(stakes) == Fraction(sum(won[n] ** 2 * t for n, t in expected.items()), whole) - mean**2


def test_every_draw_of_one_deck_of_dragon_tiger() -> None:
    game = GAMES["dragon_tiger"]
    expected = Counter(
        tuple(reference.dragon_tiger_nets(dragon, tiger).values()) for dragon, tiger in permutations(game.deck.codes, 2)
    )
    assert net_distribution(game, 1) == expected
    assert list(reference.dragon_tiger_nets("AS", "KS")) == list(game.wagers)


def test_products_are_those_of_two_wagers_in_one_round() -> None:
    counted = odds(GAMES["dragon_tiger_baccarat"], 8)
    player, banker = counted.wagers["player"], counted.wagers["banker"]
    assert counted.products["player", "player"] == player.second_moment
    assert counted.products["player", "banker"] == counted.products["banker", "player"]
    wins = Fraction(player.lines[0].count, counted.outcomes), Fraction(banker.lines[0].count, counted.outcomes)
    assert counted.products["player", "banker"] == -wins[0] - Fraction(95, 100) * wins[1]
    assert counted.mean_of({}) == counted.variance_of({}) == 0
    assert counted.variance_of({"tie": 10}) == 100 * counted.wagers["tie"].variance


def test_a_wager_added_to_the_rulebook_is_counted() -> None:
    deck = Deck("small", ("2", "5", "6", "K"), ("S", "H"))
    game = small_game("no_commission", deck)
    close = Line((Condition("margin", "<=", 1), Condition("cards", ">=", 5)), Fraction(3), "9.9", "close and long")
    added = replace(game, wagers={**game.wagers, "close": Wager("close", "Close", (close,), "9.9")})
    won = 0
    for cards in permutations(deck.codes, 6):
        outcome = outcome_of(game, cards)
        assert outcome is not None
        player, banker = outcome.totals.values()
        won += abs(int(player) - int(banker)) <= 1 and sum(map(len, outcome.hands.values())) >= 5
    assert 0 < won < perm(8, 6)
    assert [line.count for line in odds(added, 1).wagers["close"].lines] == [won, perm(8, 6) - won]
    assert odds(added, 1).wagers["player"] == odds(game, 1).wagers["player"]
