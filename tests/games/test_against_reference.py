"""The rulebook against the same games written down as plain code, over many rounds."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.rulebook import GAMES
from games.settlement import outcome_of, settle
from tests.games import reference

BACCARAT = [game for game in GAMES.values() if game.is_baccarat]


def agree(name: str, cards: list[str]) -> None:
    """Assert that hands, totals, winner and every wager of a round are the reference's."""
    game = GAMES[name]
    outcome = outcome_of(game, cards)
    hands = reference.baccarat_hands(cards)
    if hands is None:
        assert outcome is None
        return
    player, banker = hands
    assert outcome is not None
    totals = {"player": reference.total(player), "banker": reference.total(banker)}
    assert outcome.hands == {"player": tuple(player), "banker": tuple(banker)}
    assert outcome.totals == totals
    winner = max(totals, key=totals.__getitem__) if len(set(totals.values())) == 2 else "tie"
    assert outcome.winner == winner
    assert outcome.nets == reference.baccarat_nets(name, player, banker)
    named = (("player", player), ("banker", banker))
    assert outcome.pairs == tuple(hand for hand, held in named if reference.is_pair(held))
    assert outcome.naturals == tuple(hand for hand, held in named if len(held) == 2 and reference.total(held) > 7)


@pytest.mark.parametrize("name", [game.name for game in BACCARAT])
def test_every_wager_of_many_rounds(name: str) -> None:
    chance = random.Random(name)
    deck = GAMES[name].deck
    for _ in range(1200):
        agree(name, chance.sample(deck.codes * 8, 6))
    # Few ranks, so that pairs, ties, sixes and sevens are common.
    narrow = [code for code in deck.codes if code[:-1] in {"4", "6", "7", "10", deck.ranks[-1]}]
    for _ in range(600):
        agree(name, chance.choices(narrow, k=6))


def test_every_wager_of_every_two_ranks_of_dragon_tiger() -> None:
    game = GAMES["dragon_tiger"]
    for dragon in game.deck.codes:
        for tiger in game.deck.codes:
            outcome = outcome_of(game, [dragon, tiger])
            assert outcome is not None
            assert outcome.nets == reference.dragon_tiger_nets(dragon, tiger)


def rounds(least: int, most: int) -> st.SearchStrategy[tuple[str, list[str]]]:
    """A game and so many cards of its deck."""
    return st.sampled_from(BACCARAT).flatmap(
        lambda game: st.tuples(
            st.just(game.name), st.lists(st.sampled_from(game.deck.codes), min_size=least, max_size=most)
        )
    )


@settings(max_examples=150, deadline=None)
@given(rounds(0, 7))
def test_any_number_of_cards(drawn: tuple[str, list[str]]) -> None:
    agree(*drawn)


@settings(max_examples=100, deadline=None)
@given(rounds(4, 6), st.permutations("ABCD"))
def test_dt_3_7_suits_never_change_the_outcome_where_no_element_is_named(
    drawn: tuple[str, list[str]], order: list[str]
) -> None:
    name, cards = drawn
    game = GAMES[name]
    if name == "fa_fa_fabulous_4":
        return
    suits = game.deck.suits
    other = dict(zip(suits, [*order, "E"], strict=False))
    renamed = {suit: suits["ABCDE".index(other[suit])] for suit in suits}
    outcome, again = outcome_of(game, cards), outcome_of(game, [card[:-1] + renamed[card[-1]] for card in cards])
    assert (outcome and outcome.nets) == (again and again.nets)


@settings(max_examples=100, deadline=None)
@given(rounds(4, 8))
def test_superfluous_cards_change_nothing(drawn: tuple[str, list[str]]) -> None:
    name, cards = drawn
    status, outcome = settle(GAMES[name], 10, cards)
    if outcome is None:
        assert status == "card-missing"
        return
    belong = sum(len(hand) for hand in outcome.hands.values())
    assert status == ("ok" if belong == len(cards) else "card-extra")
    assert settle(GAMES[name], 10, cards[:belong]) == ("ok", outcome)
    assert settle(GAMES[name], 10, cards[: belong - 1]).status == "card-missing"
