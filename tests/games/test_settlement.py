"""A round judged by its cards and decks alone: status, foreign cards, superfluous cards."""

import pytest

from games.rulebook import GAMES, WAGERS
from games.settlement import foreign_cards, outcome_of, settle

COMPLETE = ["9S", "7H", "KS", "QH"]


def test_a_complete_round_is_ok() -> None:
    settlement = settle(GAMES["tiger"], 8, COMPLETE)
    assert settlement.status == "ok"
    assert settlement.outcome == outcome_of(GAMES["tiger"], COMPLETE)


def test_2_1_a_number_of_decks_outside_the_range_is_not_allowed() -> None:
    for game, decks in (("tiger", 3), ("tiger", 11), ("dragon_tiger", 9), ("fa_fa_fabulous_4", 0)):
        assert settle(GAMES[game], decks, ["9S", "LG"]) == ("decks-not-allowed", None)
    assert settle(GAMES["tiger"], 10, COMPLETE).status == settle(GAMES["tiger"], 4, COMPLETE).status == "ok"
    assert settle(GAMES["dragon_tiger"], 8, ["9S", "8S"]).status == "ok"


@pytest.mark.parametrize("cards", ["9S 7H KS QH LG", "LG", "9S 7H LG QH", "AA"])
def test_5_1_a_card_of_the_other_deck_is_foreign(cards: str) -> None:
    assert settle(GAMES["tiger"], 8, cards.split()) == ("foreign-card", None)


def test_5_1_a_card_of_52_is_foreign_to_65() -> None:
    assert settle(GAMES["fa_fa_fabulous_4"], 8, ["9F", "7G", "SE", "KH"]) == ("foreign-card", None)
    assert settle(GAMES["fa_fa_fabulous_4"], 8, ["9F", "7G", "SE", "LW"]).status == "ok"


def test_a_22_one_copy_more_than_the_decks_hold_is_foreign() -> None:
    four, five = ["6S"] * 4, ["6S"] * 5
    assert settle(GAMES["tiger"], 4, [*four[:2], "KS", *four[2:]]).status != "foreign-card"
    assert settle(GAMES["tiger"], 4, five) == ("foreign-card", None)
    assert settle(GAMES["tiger"], 5, five).status != "foreign-card"
    assert settle(GAMES["tiger"], 5, [*five, "6S"]) == ("foreign-card", None)
    assert settle(GAMES["tiger"], 6, ["6S"] * 6).status != "foreign-card"
    assert settle(GAMES["tiger"], 8, ["6S"] * 8).status == "card-extra"
    assert settle(GAMES["tiger"], 8, ["6S"] * 9) == ("foreign-card", None)


def test_5_1_a_whole_deck_has_no_foreign_card() -> None:
    for game in ("tiger", "fa_fa_fabulous_4", "dragon_tiger"):
        assert settle(GAMES[game], 4, GAMES[game].deck.codes).status == "card-extra"


def test_3_14_fewer_cards_than_the_table_of_play_asks_for_are_missing() -> None:
    for drawn in range(4):
        assert settle(GAMES["tiger"], 8, COMPLETE[:drawn]) == ("card-missing", None)
    assert settle(GAMES["tiger"], 8, ["5S", "4H", "KS", "KH"]) == ("card-missing", None)
    assert settle(GAMES["tiger"], 8, ["5S", "4H", "KS", "KH", "2C"]) == ("card-missing", None)
    assert settle(GAMES["tiger"], 8, ["5S", "4H", "KS", "KH", "2C", "2D"]).status == "ok"
    assert settle(GAMES["dragon_tiger"], 8, ["5S"]) == ("card-missing", None)


def test_3_14_superfluous_cards_are_extra_and_the_outcome_is_that_of_those_that_belong() -> None:
    for cards in ([*COMPLETE, "2C"], [*COMPLETE, "2C", "3C"]):
        assert settle(GAMES["tiger"], 8, cards) == ("card-extra", outcome_of(GAMES["tiger"], COMPLETE))
    six = ["5S", "4H", "KS", "KH", "2C", "2D"]
    assert settle(GAMES["tiger"], 8, [*six, "3D"]) == ("card-extra", outcome_of(GAMES["tiger"], six))
    assert settle(GAMES["dragon_tiger"], 8, ["5S", "6S", "7S"]).status == "card-extra"


def test_a_foreign_card_is_named_by_its_place() -> None:
    game = GAMES["tiger"]
    assert foreign_cards(game, 4, ["6S", "LG", "6S", "7S"], {}) == [1]
    assert foreign_cards(game, 4, ["6S", "7S", "6S", "6S"], {"6S": 2}) == [3]
    assert foreign_cards(game, 4, ["6S", "7S", "6S", "7S"], {"6S": 4, "7S": 2}) == [0, 2]
    assert foreign_cards(game, 8, ["6S"] * 8, {}) == []
    earlier = {"6S": 1}
    foreign_cards(game, 4, ["6S"], earlier)
    assert earlier == {"6S": 1}


def test_rounds_that_come_to_the_same_share_their_result() -> None:
    game = GAMES["tiger"]
    one, other = outcome_of(game, ["9S", "7H", "KS", "QH"]), outcome_of(game, ["9D", "7C", "JS", "KH"])
    assert one is not None
    assert other is not None
    assert one.result is other.result
    assert one.hands != other.hands
    third = outcome_of(game, ["9S", "7H", "9D", "QH"])
    assert third is not None
    assert third.result is not one.result


def test_there_are_ten_games_and_71_wagers() -> None:
    assert len(GAMES) == 10
    assert sum(len(game.wagers) for game in GAMES.values()) == 71
    assert set(WAGERS) == {wager for game in GAMES.values() for wager in game.wagers}
    assert len(WAGERS) == 27
    assert all(wager.title == WAGERS[name] for game in GAMES.values() for name, wager in game.wagers.items())
    assert all(game.name == name for name, game in GAMES.items())
    assert all(wager.name == name for game in GAMES.values() for name, wager in game.wagers.items())
