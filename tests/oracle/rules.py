"""The ten games by straight code: decks, Table of Play, and what each wager pays, as the readings have it."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from random import Random
from typing import Any

PIPS = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10"]
RANKS_52 = [*PIPS, "J", "Q", "K"]  # DT 3.5: in rising order
RANKS_65 = [*PIPS, "S", "L", "F"]
DECK_52 = [rank + suit for rank in RANKS_52 for suit in "SHDC"]
DECK_65 = [rank + element for rank in RANKS_65 for element in "FGEWA"]
ALL_CARDS = set(DECK_52) | set(DECK_65)

DTB, FF4, SE, DT, EB = (
    "dragon-tiger-baccarat",
    "fa-fa-fabulous-4",
    "sands-elements-no-commission",
    "dragon-tiger",
    "electronic-baccarat",
)
IN_FORCE = {DTB: "2023-12-07", FF4: "2020-01-23", SE: "2017-05-05", DT: "2013-07-17", EB: "2021-10-28"}
DOCUMENT = {
    "dragon_tiger_baccarat": DTB,
    "fa_fa_fabulous_4": FF4,
    "sands_elements_no_commission": SE,
    "dragon_tiger": DT,
    "super_six_no_commission": EB,
    "fortune_six_no_commission": EB,
    "super_6_no_commission": EB,
    "no_commission": EB,
    "tiger": EB,
    "tiger_no_commission": EB,
}
GAMES = list(DOCUMENT)
_MAIN = ["player", "banker", "tie"]
_PAIRS = ["player_pair", "banker_pair"]
_BONUS = ["banker_dragon_bonus", "player_dragon_bonus"]
_TIGER = ["tiger_pair", "tiger", "small_tiger", "big_tiger", "tiger_tie"]
WAGERS = {
    "dragon_tiger_baccarat": [*_MAIN, "dragon_tiger", "big_dragon", "small_dragon", "big_tiger", "small_tiger"],
    "fa_fa_fabulous_4": [
        *_MAIN,
        "player_precious_pair",
        "banker_precious_pair",
        "player_fabulous_4",
        "banker_fabulous_4",
    ],
    "sands_elements_no_commission": [*_MAIN, *_PAIRS, "fortune_six"],
    "dragon_tiger": ["dragon", "tiger", "tie", "dragon_big", "dragon_small", "tiger_big", "tiger_small"],
    "super_six_no_commission": [*_MAIN, *_PAIRS, "super_six"],
    "fortune_six_no_commission": [*_MAIN, *_PAIRS, "fortune_six", *_BONUS],
    "super_6_no_commission": [*_MAIN, *_PAIRS, "super_6", *_BONUS],
    "no_commission": [*_MAIN, *_PAIRS],
    "tiger": [*_MAIN, *_TIGER],
    "tiger_no_commission": [*_MAIN, *_TIGER],
}
ALL_WAGERS = {wager for wagers in WAGERS.values() for wager in wagers}


def deck(game: str) -> list[str]:
    return DECK_65 if DOCUMENT[game] in (FF4, SE) else DECK_52


def decks_allowed(game: str, decks: int) -> bool:
    """2.1 of each document: four to ten decks, in Dragon Tiger four to eight."""
    return 4 <= decks <= (8 if game == "dragon_tiger" else 10)


def rank(card: str) -> str:
    return card[:-1]


def points(card: str) -> int:
    """Ace 1, two to nine their number, ten and picture cards 0 (3.3)."""
    return PIPS.index(rank(card)) + 1 if rank(card) in PIPS[:9] else 0


def total(cards: list[str]) -> int:
    return sum(points(card) for card in cards) % 10


def hand_names(game: str) -> tuple[str, str]:
    return ("dragon", "tiger") if game == "dragon_tiger" else ("player", "banker")


def banker_draws(banker: int, player_third: int | None) -> bool:
    """The Banker column of the Table of Play, given the Banker's two-card total and the Player's third card."""
    if player_third is None:
        return banker <= 5
    if banker <= 2:
        return True
    if banker == 3:
        return player_third != 8
    if banker == 4:
        return 2 <= player_third <= 7
    if banker == 5:
        return 4 <= player_third <= 7
    if banker == 6:
        return 6 <= player_third <= 7
    return False


def deal(game: str, cards: list[str]) -> tuple[dict[str, list[str]], int] | None:
    """The two hands and how many cards belong to them; None while the Table of Play asks for more cards."""
    if game == "dragon_tiger":
        if len(cards) < 2:
            return None
        return {"dragon": [cards[0]], "tiger": [cards[1]]}, 2
    if len(cards) < 4:
        return None
    player, banker, used = [cards[0], cards[2]], [cards[1], cards[3]], 4
    if total(player) >= 8 or total(banker) >= 8:
        return {"player": player, "banker": banker}, used
    banker_two, third = total(banker), None
    if total(player) <= 5:
        if len(cards) <= used:
            return None
        player.append(cards[used])
        third = points(cards[used])
        used += 1
    if banker_draws(banker_two, third):
        if len(cards) <= used:
            return None
        banker.append(cards[used])
        used += 1
    return {"player": player, "banker": banker}, used


def outcome(game: str, hands: dict[str, list[str]]) -> dict[str, Any]:
    first, second = hand_names(game)
    if game == "dragon_tiger":
        shown: dict[str, Any] = {hand: rank(hands[hand][0]) for hand in (first, second)}
        a, b = (RANKS_52.index(shown[hand]) for hand in (first, second))
        naturals, pairs = [], []
    else:
        shown = {hand: total(hands[hand]) for hand in (first, second)}
        a, b = shown[first], shown[second]
        naturals = [hand for hand in (first, second) if len(hands[hand]) == 2 and shown[hand] >= 8]
        pairs = [hand for hand in (first, second) if is_pair(hands[hand])]
    winner = first if a > b else second if b > a else "tie"
    return {"winner": winner, "totals": shown, "hands": hands, "naturals": naturals, "pairs": pairs}


def is_pair(hand: list[str]) -> bool:
    """Reading A-01: the first two cards have the same rank."""
    return rank(hand[0]) == rank(hand[1])


def net(game: str, wager: str, hands: dict[str, list[str]]) -> Fraction:
    """What one unit on this wager wins (positive) or loses (negative); 0 is a push."""
    if wager not in WAGERS[game]:
        raise KeyError(wager)
    if game == "dragon_tiger":
        return _net_dragon_tiger(wager, rank(hands["dragon"][0]), rank(hands["tiger"][0]))
    p_hand, b_hand = hands["player"], hands["banker"]
    p, b = total(p_hand), total(b_hand)
    p_wins, b_wins, tie = p > b, b > p, p == b
    lose = Fraction(-1)
    if wager == "player":
        if tie:
            return Fraction(0)
        if not p_wins:
            return lose
        if game == "fa_fa_fabulous_4" and p == 4:
            return Fraction(1, 2)
        if game == "fa_fa_fabulous_4" and p == 1:
            return Fraction(2)
        return Fraction(1)
    if wager == "banker":
        if tie:
            return Fraction(0)
        if not b_wins:
            return lose
        if game in ("dragon_tiger_baccarat", "tiger"):
            return Fraction(95, 100)
        if game == "fa_fa_fabulous_4":
            return {4: Fraction(0), 1: Fraction(2)}.get(b, Fraction(1))
        return Fraction(1, 2) if b == 6 else Fraction(1)
    if wager == "tie":
        if not tie:
            return lose
        fours = all(len(hand) == 2 and rank(hand[0]) == rank(hand[1]) == "4" for hand in (p_hand, b_hand))
        return Fraction(800) if game == "fa_fa_fabulous_4" and fours else Fraction(8)
    won = 0  # every other wager: the odds it wins at, 0 if it loses
    if wager == "dragon_tiger" and p == 7 and b == 6:
        won = {6: 100, 5: 40, 4: 30}[len(p_hand) + len(b_hand)]
    if wager == "big_dragon" and p_wins and p == 7 and len(p_hand) == 3:
        won = 30
    if wager == "small_dragon" and p_wins and p == 7 and len(p_hand) == 2:
        won = 15
    if wager == "big_tiger" and b_wins and b == 6 and len(b_hand) == 3:
        won = 50
    if wager == "small_tiger" and b_wins and b == 6 and len(b_hand) == 2:
        won = 22
    if wager == "player_fabulous_4" and p_wins and p == 4:
        won = 50
    if wager == "banker_fabulous_4" and b_wins and b == 4:
        won = 25
    if wager == "player_precious_pair":
        won = _precious(p_hand)
    if wager == "banker_precious_pair":
        won = _precious(b_hand)
    if wager == "player_pair" and is_pair(p_hand):
        won = 11
    if wager == "banker_pair" and is_pair(b_hand):
        won = 11
    if wager in ("super_six", "super_6") and b_wins and b == 6:
        won = 15
    if wager in ("fortune_six", "tiger") and b_wins and b == 6:
        won = 12 if len(b_hand) == 2 else 20
    if wager == "tiger_tie" and tie and p == 6:
        won = 35
    if wager == "tiger_pair":  # the highest line only, twin means one rank in all four cards
        both = is_pair(p_hand) and is_pair(b_hand)
        twin = both and rank(p_hand[0]) == rank(b_hand[0])
        won = 100 if twin else 20 if both else 4 if is_pair(p_hand) or is_pair(b_hand) else 0
    if wager == "player_dragon_bonus":
        return _dragon_bonus(p_hand, b_hand)
    if wager == "banker_dragon_bonus":
        return _dragon_bonus(b_hand, p_hand)
    return Fraction(won) if won else lose


def _precious(hand: list[str]) -> int:
    """FF4 4.2, paid once and to the highest line."""
    if not is_pair(hand):
        return 0
    gold = hand[0].endswith("G") and hand[1].endswith("G")
    if rank(hand[0]) == "4":
        return 30 if gold else 15
    return 12 if gold else 9


def _dragon_bonus(mine: list[str], theirs: list[str]) -> Fraction:
    """EB 4.5, 4.6 with A-02 (a natural tie is one of identical totals) and A-10 (all else loses)."""
    a, b = total(mine), total(theirs)
    natural = len(mine) == 2 and a >= 8
    if natural and len(theirs) == 2 and a == b:
        return Fraction(0)
    if a <= b:
        return Fraction(-1)
    if natural:
        return Fraction(1)
    return Fraction({4: 1, 5: 2, 6: 4, 7: 6, 8: 10, 9: 30}.get(a - b, -1))


def _net_dragon_tiger(wager: str, dragon: str, tiger: str) -> Fraction:
    d, t = RANKS_52.index(dragon) + 1, RANKS_52.index(tiger) + 1
    if wager == "tie":
        return Fraction(11) if d == t else Fraction(-1)
    if wager in ("dragon", "tiger"):
        if d == t:
            return Fraction(-1, 2)  # DT 3.8
        return Fraction(1) if (d > t) == (wager == "dragon") else Fraction(-1)
    card = d if wager.startswith("dragon") else t
    wins = card >= 8 if wager.endswith("big") else card <= 6  # a seven loses both
    return Fraction(1) if wins else Fraction(-1)


def settle(game: str, wager: str, amount: int | Fraction, hands: dict[str, list[str]]) -> tuple[Fraction, Fraction]:
    """(paid, collected) of a stake, exact (A-15)."""
    result = net(game, wager, hands) * amount
    return (result, Fraction(0)) if result > 0 else (Fraction(0), -result)


def outcome_established(game: str, cards: list[str], wagers: list[str]) -> bool:
    """EB 5.9: has any of these wagers conclusively won or lost, whatever cards may follow? Exact (A-25)."""
    return _established(game, tuple(rank(card) for card in cards), tuple(sorted(set(wagers) & set(WAGERS[game]))))


@cache
def _established(game: str, ranks: tuple[str, ...], wagers: tuple[str, ...]) -> bool:
    known = [r + "S" for r in ranks]
    seen: dict[str, set[int]] = {wager: set() for wager in wagers}

    def look(cards: list[str]) -> None:
        dealt = deal(game, cards)
        assert dealt is not None
        for wager, signs in seen.items():
            value = net(game, wager, dealt[0])
            signs.add((value > 0) - (value < 0))

    def open_wagers() -> list[str]:
        return [wager for wager, signs in seen.items() if len(signs) == 1 and 0 not in signs]

    dice = Random(1)
    for _ in range(400):  # most wagers show both ends at once; only the others need every completion
        cards = list(known)
        while deal(game, cards) is None:
            cards.append(dice.choice(RANKS_52) + "S")
        look(cards)
    if not open_wagers():
        return False

    def every(cards: list[str]) -> None:
        if not open_wagers():
            return
        if deal(game, cards) is not None:
            look(cards)
            return
        for r in RANKS_52 if len(cards) < 4 else PIPS:  # third cards count by their points alone
            every([*cards, r + "S"])

    every(known)
    return bool(open_wagers())
