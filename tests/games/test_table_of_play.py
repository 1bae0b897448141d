"""The Table of Play, cell by cell, against a table of its own (DTB 3.14, FF4 3.14, SE 3.9, EB 3.8)."""

from itertools import product

import pytest

from games.rulebook import GAMES
from games.settlement import hands_of, outcome_of, required_cards
from games.table_of_play import banker_draws, player_draws

# A row for each total of Banker on two cards, a column for the point value of Player's third card, and last the column
# for Player standing: D draws, . stands. Eight and nine never draw.
BANKER = {
    0: "DDDDDDDDDD D",
    1: "DDDDDDDDDD D",
    2: "DDDDDDDDDD D",
    3: "DDDDDDDD.D D",
    4: "..DDDDDD.. D",
    5: "....DDDD.. D",
    6: "......DD.. .",
    7: ".......... .",
}
CARD = {points: f"{'A' if points == 1 else '10' if points == 0 else points}" for points in range(10)}
DECKS_SUITS = {"dragon_tiger_baccarat": "SHDC", "fa_fa_fabulous_4": "FGEW", "sands_elements_no_commission": "FGEW"}
BACCARAT = [name for name, game in GAMES.items() if game.is_baccarat]


def initial_deal(player: int, banker: int, suits: str) -> list[str]:
    """Four cards that give these totals: Player and Banker each a Ten and a card of that value."""
    return [f"10{suits[0]}", f"10{suits[1]}", CARD[player] + suits[2], CARD[banker] + suits[3]]


def test_a_natural_ends_the_dealing() -> None:
    for player, banker in product(range(10), repeat=2):
        if player >= 8 or banker >= 8:
            assert not player_draws(player, banker)
            assert not any(banker_draws(player, banker, third) for third in (None, *range(10)))


@pytest.mark.parametrize("player", range(8))
def test_player_draws_on_zero_to_five_and_stands_on_six_and_seven(player: int) -> None:
    assert [player_draws(player, banker) for banker in range(8)] == [player in {0, 1, 2, 3, 4, 5}] * 8


@pytest.mark.parametrize("banker", BANKER)
def test_banker_draws_as_the_row_of_its_total_says(banker: int) -> None:
    drawn, _, alone = BANKER[banker].partition(" ")
    for player in range(6):
        assert "".join("D" if banker_draws(player, banker, third) else "." for third in range(10)) == drawn
    for player in (6, 7):
        assert banker_draws(player, banker, None) is (alone == "D")


@pytest.mark.parametrize("game", BACCARAT)
def test_every_cell_deals_the_cards_to_the_right_hands(game: str) -> None:
    suits = DECKS_SUITS.get(game, "SHDC")
    rules = GAMES[game]
    expected: tuple[tuple[str, ...], tuple[str, ...]]
    for player, banker, fifth in product(range(10), repeat=3):
        four = initial_deal(player, banker, suits)
        one, two, three, other = four
        fifth_card, sixth_card = CARD[fifth] + suits[0], CARD[9] + suits[1]
        six = [*four, fifth_card, sixth_card]
        if player >= 8 or banker >= 8:
            expected = (one, three), (two, other)
        elif player >= 6:
            draws = BANKER[banker][-1] == "D"
            expected = (one, three), (two, other, fifth_card) if draws else (two, other)
        else:
            draws = BANKER[banker][fifth] == "D"
            expected = (one, three, fifth_card), (two, other, sixth_card) if draws else (two, other)
        needed = len(expected[0]) + len(expected[1])
        outcome = outcome_of(rules, six)
        assert outcome is not None
        assert tuple(outcome.hands.values()) == tuple(hands_of(rules, six).values()) == expected
        assert list(outcome.hands) == ["player", "banker"]
        assert required_cards(rules, six) == needed
        assert required_cards(rules, four) == (4 if needed == 4 else 5)
        for drawn in range(needed):
            assert outcome_of(rules, six[:drawn]) is None
            assert required_cards(rules, six[:drawn]) > drawn
        assert outcome_of(rules, six[:needed]) == outcome
        assert outcome.totals == {
            hand: sum(int(card[:-1].replace("A", "1")) for card in cards) % 10
            for hand, cards in zip(("player", "banker"), expected, strict=True)
        }


def test_3_13_cards_that_are_there_so_far_go_to_their_hands() -> None:
    game = GAMES["dragon_tiger_baccarat"]
    cards = ["2S", "3S", "4S", "5S", "6S", "7S"]
    assert hands_of(game, []) == {"player": (), "banker": ()}
    assert hands_of(game, cards[:1]) == {"player": ("2S",), "banker": ()}
    assert hands_of(game, cards[:3]) == {"player": ("2S", "4S"), "banker": ("3S",)}
    assert required_cards(game, cards[:3]) == 4
    # Player stands on six, Banker's eight is a natural: the rest belong to nobody.
    assert hands_of(game, cards) == {"player": ("2S", "4S"), "banker": ("3S", "5S")}
    # Player draws on five and may still wait for Banker's card.
    assert hands_of(game, ["2S", "2H", "3S", "2D", "4C"]) == {"player": ("2S", "3S", "4C"), "banker": ("2H", "2D")}
    assert required_cards(game, ["2S", "2H", "3S", "2D", "4C"]) == 6


def test_dt_3_4_one_card_to_dragon_then_one_to_tiger() -> None:
    game = GAMES["dragon_tiger"]
    assert required_cards(game, []) == required_cards(game, ["KS", "2S", "3S"]) == 2
    assert hands_of(game, []) == {"dragon": (), "tiger": ()}
    assert hands_of(game, ["KS"]) == {"dragon": ("KS",), "tiger": ()}
    assert hands_of(game, ["KS", "2S", "3S"]) == {"dragon": ("KS",), "tiger": ("2S",)}
    assert outcome_of(game, ["KS"]) is None
    assert game.initial_deal == 2
    assert GAMES["tiger"].initial_deal == 4


def test_a_round_with_a_card_of_the_other_deck_is_still_laid_out() -> None:
    assert hands_of(GAMES["dragon_tiger"], ["LG", "2S"]) == {"dragon": ("LG",), "tiger": ("2S",)}
    assert required_cards(GAMES["tiger"], ["LG", "2S", "9S", "LF"]) == 4
