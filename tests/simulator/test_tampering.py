"""Tampering that shows over many rounds: slugs, missing cards, and cards arranged in somebody's favour."""

from collections import Counter, defaultdict
from fractions import Fraction
from typing import Any

import orjson
import pytest

from games.rulebook import GAMES
from simulator.floor import simulate
from simulator.truth import Fault

GAME = "no_commission"
Dealt = dict[str, dict[int, list[str]]]


def tampered(code: str, rounds: int, seed: int) -> tuple[Fault, list[dict[str, Any]]]:
    """One table with one fault of this code, and its events once each, in the order of time."""
    truth: list[Fault] = []
    lines = list(simulate(1, rounds, seed, faults=0.02, codes=[code], games=[GAME], truth=truth.append))
    once = {(event["source"], event["id"]): event for event in map(orjson.loads, lines)}
    assert truth
    return truth[0], sorted(once.values(), key=lambda event: str(event["time"]))


def dealt(events: list[dict[str, Any]]) -> Dealt:
    shoes: Dealt = defaultdict(lambda: defaultdict(list))
    for event in events:
        if event["type"] == "card.drawn.v1":
            shoes[event["data"]["shoe"]][event["data"]["round"]].append(event["data"]["card"])
    return shoes


def test_shuffle_repeat_brings_24_cards_or_more_of_an_earlier_shoe_again() -> None:
    fault, events = tampered("shuffle-repeat", 150, seed=1)
    shoes = dealt(events)
    names = sorted(shoes)
    assert fault.shoe in names
    before = shoes[names[names.index(str(fault.shoe)) - 1]]
    sequence = [card for cards in shoes[str(fault.shoe)].values() for card in cards]
    again = 0
    for cards in before.values():
        size = len(cards)
        again += (
            any(Counter(sequence[place : place + size]) == Counter(cards) for place in range(len(sequence) - size))
            * size
        )
    assert again >= 24


def test_card_frequency_takes_five_cards_out_of_every_later_shoe() -> None:
    fault, events = tampered("card-frequency", 700, seed=2)
    removed = Counter(fault.variant.split(", "))
    assert removed.total() == 5
    shoes = dealt(events)
    counts = {shoe: Counter(card for cards in rounds.values() for card in cards) for shoe, rounds in shoes.items()}
    later = sorted(counts)[-3:]
    for card, gone in removed.items():
        assert all(counts[shoe][card] <= 8 - gone for shoe in later)
    ended = [event["data"] for event in events if event["type"] == "shoe.ended.v1"]
    assert [data["remaining"] for data in ended[-3:]] == [None, None, None]


def won_per_stake(events: list[dict[str, Any]], player: str | None) -> Fraction:
    """What the players, or one of them, won per unit staked on the main hands."""
    stakes: dict[tuple[str, int, str], int] = {}
    net, staked = 0, 0
    for event in events:
        data = event["data"]
        key = (data.get("shoe"), data.get("round"), data.get("bet"))
        if event["type"] == "bet.placed.v1" and data["wager"] in GAMES[GAME].hands:
            if player in (None, data["player"]):
                stakes[key] = data["amount"]
        elif event["type"] == "bet.settled.v1" and key in stakes:
            net += data["paid"] - data["collected"]
            staked += stakes[key]
    return Fraction(net, staked)


def test_hold_out_of_range_lets_the_players_win_what_no_honest_shoe_gives() -> None:
    _, events = tampered("hold-out-of-range", 400, seed=3)
    assert won_per_stake(events, None) > Fraction(1, 10)
    honest = [orjson.loads(line) for line in simulate(1, 400, seed=3, games=[GAME])]
    assert won_per_stake(honest, None) < Fraction(1, 10)


def test_player_over_expectation_lets_one_player_win() -> None:
    fault, events = tampered("player-over-expectation", 150, seed=4)
    assert won_per_stake(events, fault.variant) > Fraction(3, 10)


@pytest.mark.parametrize("code", ["shuffle-repeat", "hold-out-of-range", "player-over-expectation"])
def test_tampering_leaves_the_account_of_the_shoe_right(code: str) -> None:
    _, events = tampered(code, 260, seed=5)
    shoes = dealt(events)
    checked = 0
    for event in events:
        data = event["data"]
        if event["type"] == "shoe.ended.v1" and data["remaining"] is not None:
            cards = Counter(card for round in shoes[data["shoe"]].values() for card in round)
            total = cards + Counter(data["remaining"])
            assert len(set(total.values())) == 1, data["shoe"]
            checked += 1
    assert checked
