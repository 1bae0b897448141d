"""Honest shoes: cards are conserved, copies never exceed the decks, and rounds take what the Table of Play asks for."""

from collections import Counter, defaultdict
from typing import Any

import orjson

from games.rulebook import GAMES
from games.settlement import required_cards
from simulator.chance import Chance
from simulator.floor import simulate
from simulator.setup import setups
from simulator.shoe import Shoe, falsely_shuffled, full, shuffled, without


def events_of(tables: int, rounds: int, seed: int) -> list[dict[str, Any]]:
    once = {(event["source"], event["id"]): event for event in map(orjson.loads, simulate(tables, rounds, seed))}
    return list(once.values())


def test_what_was_drawn_and_what_is_left_are_the_decks_of_2_1() -> None:
    games = {setup.table: setup.game for setup in setups(10, 4)}
    drawn: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    loaded, left = {}, {}
    for event in events_of(10, 110, seed=4):
        data = event["data"]
        shoe = (event["subject"], data.get("shoe", ""))
        if event["type"] == "card.drawn.v1":
            drawn[shoe][data["card"]] += 1
        elif event["type"] == "shoe.loaded.v1":
            loaded[shoe] = data["decks"]
        elif event["type"] == "shoe.ended.v1" and data["remaining"] is not None:
            left[shoe] = Counter(data["remaining"])
    assert len(left) > 8
    for shoe, remaining in left.items():
        game = games[shoe[0]]
        assert loaded[shoe] in game.decks
        assert drawn[shoe] + remaining == Counter(full(game.deck, loaded[shoe])), shoe


def test_plain_rounds_take_the_cards_that_the_table_of_play_asks_for() -> None:
    cards: dict[tuple[str, str, int], dict[int, str]] = defaultdict(dict)
    ruled = set()
    games = {setup.table: setup.game for setup in setups(10, 6)}
    for event in events_of(10, 30, seed=6):
        data = event["data"]
        if event["type"] == "card.drawn.v1":
            cards[event["subject"], data["shoe"], data["round"]][data["draw"]] = data["card"]
        elif event["type"] == "ruling.made.v1":
            ruled.add((event["subject"], data["shoe"], data["round"]))
    plain = {round: draws for round, draws in cards.items() if round not in ruled}
    assert len(plain) > 200
    for (table, _, _), draws in plain.items():
        dealt = [draws[draw] for draw in range(1, len(draws) + 1)]
        assert required_cards(games[table], dealt) == len(dealt)


def test_a_shoe_ends_at_its_cutting_card_and_never_runs_out() -> None:
    ended = [event["data"] for event in events_of(5, 150, seed=8) if event["type"] == "shoe.ended.v1"]
    counts = [len(data["remaining"]) for data in ended if data["remaining"] is not None]
    assert counts
    assert min(counts) >= 6


def test_every_order_of_a_shuffle_is_equally_likely() -> None:
    chance = Chance(1, "shuffle")
    orders: Counter[str] = Counter()
    for _ in range(6000):
        cards = ["a", "b", "c"]
        chance.shuffle(cards)
        orders["".join(cards)] += 1
    assert len(orders) == 6
    assert all(850 < count < 1150 for count in orders.values())


def test_a_false_shuffle_keeps_a_slug_of_whole_rounds_together() -> None:
    deck = GAMES["no_commission"].deck
    chance = Chance(3, "slug")
    old = Shoe("old", 8, shuffled(deck, 8, chance), 0, 400)
    for start in range(0, 300, 5):
        old.hands.append((start, start + 5))
    new, end = falsely_shuffled(old, chance)
    assert Counter(new) == Counter(old.cards)
    rounds = [sorted(old.cards[start:end]) for start, end in old.hands]
    together = 0
    for place in range(len(new) - 5):
        together += sorted(new[place : place + 5]) in rounds
    # Five such rounds and more are 24 cards and more; by chance alone not one is expected.
    assert together >= 5
    assert 44 <= end < 300


def test_cards_taken_from_the_decks_stay_away() -> None:
    deck = GAMES["no_commission"].deck
    removed = ["9H", "9H", "9S", "KD"]
    cards = without(full(deck, 8), removed)
    assert Counter(cards) + Counter(removed) == Counter(full(deck, 8))
