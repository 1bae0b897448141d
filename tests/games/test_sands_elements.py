"""Sands Elements No Commission Baccarat, line by line of its document."""

import pytest

from games.rulebook import GAMES
from tests.games.dealing import dealt, lost_but

GAME = "sands_elements_no_commission"


def test_se_3_5_six_wagers_are_available() -> None:
    assert list(GAMES[GAME].wagers) == ["player", "banker", "tie", "player_pair", "banker_pair", "fortune_six"]


def test_se_4_1_banker_with_six_on_two_cards_pays_1_to_2_and_fortune_six_12_to_1() -> None:
    lost_but(GAME, "SF 6G 5E LW 9A", banker="0.5", fortune_six="12")


def test_se_4_1_banker_with_six_on_three_cards_pays_1_to_2_and_fortune_six_20_to_1() -> None:
    lost_but(GAME, "SF 4G LE 10W 5A 2F", banker="0.5", fortune_six="20")


def test_se_4_1_banker_with_any_other_total_pays_1_to_1() -> None:
    lost_but(GAME, "6F 9G SE LW", banker="1")
    lost_but(GAME, "5F 7G SE LW 10A", banker="1")


def test_se_4_1_player_pays_1_to_1() -> None:
    lost_but(GAME, "9F 6G SE LW", player="1")


def test_se_3_10_1_a_tie_returns_player_and_banker_and_pays_tie_8_to_1() -> None:
    lost_but(GAME, "6F 6G SE LW", player="0", banker="0", tie="8")


def test_se_3_8_1_player_pair_pays_11_to_1() -> None:
    lost_but(GAME, "9F 7G 9E LW", player="1", player_pair="11")


def test_se_3_8_2_banker_pair_pays_11_to_1() -> None:
    lost_but(GAME, "9F LG SE LW 5A", player="1", banker_pair="11")


def test_se_3_8_both_hands_may_have_a_pair() -> None:
    lost_but(GAME, "4F LG 4E LW", player="1", player_pair="11", banker_pair="11")
    assert dealt(GAME, "4F LG 4E LW").pairs == ("player", "banker")


@pytest.mark.parametrize("cards", ["SF 9G LE 10W", "10F 9G SE LW"])
def test_se_1_1_5_cards_of_different_rank_are_no_pair(cards: str) -> None:
    lost_but(GAME, cards, banker="1")


def test_se_3_9_natural_of_either_hand_ends_the_dealing() -> None:
    assert dealt(GAME, "10F 9G SE LW AA").hands == {"player": ("10F", "SE"), "banker": ("9G", "LW")}
