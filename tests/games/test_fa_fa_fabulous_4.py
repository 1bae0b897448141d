"""Fa Fa Fabulous 4 Baccarat, line by line of its document."""

import pytest

from games.rulebook import GAMES
from tests.games.dealing import dealt, lost_but, net

GAME = "fa_fa_fabulous_4"


def test_ff4_3_5_seven_wagers_are_available() -> None:
    pairs = ["player_precious_pair", "banker_precious_pair"]
    assert list(GAMES[GAME].wagers) == ["player", "banker", "tie", *pairs, "player_fabulous_4", "banker_fabulous_4"]


def test_ff4_4_1_player_with_four_pays_1_to_2_and_player_fabulous_4_50_to_1() -> None:
    lost_but(GAME, "AF 2G 3G AE 10F 10E", player="0.5", player_fabulous_4="50")


def test_ff4_4_1_player_with_one_pays_2_to_1() -> None:
    lost_but(GAME, "SF SE AG 10E 10F 10W", player="2")


def test_ff4_4_1_player_with_any_other_total_pays_1_to_1() -> None:
    lost_but(GAME, "9F 2G SF 5E", player="1")


def test_ff4_4_1_banker_with_four_is_a_push_and_banker_fabulous_4_pays_25_to_1() -> None:
    lost_but(GAME, "SF AG 3G 3E 10F", banker="0", banker_fabulous_4="25")


def test_ff4_4_1_banker_with_one_pays_2_to_1() -> None:
    lost_but(GAME, "SF AG 10G 10E 10F SE", banker="2")


def test_ff4_4_1_banker_with_any_other_total_pays_1_to_1() -> None:
    lost_but(GAME, "2F 9G 5F SE", banker="1")


def test_ff4_4_1_tie_pays_8_to_1_and_returns_player_and_banker() -> None:
    lost_but(GAME, "6F 6G SF SE", player="0", banker="0", tie="8")


def test_ff4_4_1_a_tie_on_four_loses_both_fabulous_4() -> None:
    # Reading A-13: the hand must win with four. Player stays at four on a Ten, and Banker's four stands on it.
    lost_but(GAME, "AF AG 3F 3G 10E", player="0", banker="0", tie="8")


def test_ff4_4_1_a_losing_four_wins_no_fabulous_4() -> None:
    lost_but(GAME, "AF 9G 3F 10E", banker="1")
    lost_but(GAME, "9F AG 10F 3E", player="1")


def test_ff4_1_1_13_tie_on_element_eights_pays_800_to_1_only() -> None:
    lost_but(
        GAME, "4F 4G 4E 4W", player="0", banker="0", tie="800", player_precious_pair="15", banker_precious_pair="15"
    )


@pytest.mark.parametrize("cards", ["8F 4G 10F 4E", "4G 8F 4E 10F", "3F 3G 5F 5G", "8F 8G SF SE", "4F 3G 4G 5W"])
def test_ff4_1_1_13_another_tie_on_natural_eight_pays_8_to_1(cards: str) -> None:
    assert dealt(GAME, cards).totals == {"player": 8, "banker": 8}
    assert net(GAME, "tie", cards) == "8"


def test_ff4_4_2_pair_of_gold_fours_pays_30_to_1() -> None:
    lost_but(GAME, "4G 9F 4G SE", player_precious_pair="30", banker="1")
    lost_but(GAME, "9F 4G SE 4G", banker_precious_pair="30", player="1")


@pytest.mark.parametrize("pair", [("4G", "4F"), ("4F", "4G"), ("4F", "4F"), ("4E", "4W")])
def test_ff4_4_2_other_pairs_of_fours_pay_15_to_1(pair: tuple[str, str]) -> None:
    one, other = pair
    lost_but(GAME, f"{one} 9F {other} SE", player_precious_pair="15", banker="1")
    lost_but(GAME, f"9F {one} SE {other}", banker_precious_pair="15", player="1")


@pytest.mark.parametrize("rank", ["A", "2", "10", "S", "L", "F"])
def test_ff4_4_2_gold_pairs_pay_12_to_1(rank: str) -> None:
    assert net(GAME, "player_precious_pair", f"{rank}G 9F {rank}G SE") == "12"
    assert net(GAME, "banker_precious_pair", f"9F {rank}G SE {rank}G") == "12"


@pytest.mark.parametrize("pair", [("LF", "LF"), ("LF", "LG"), ("LG", "LA"), ("10E", "10W"), ("9F", "9A")])
def test_ff4_4_2_other_pairs_pay_9_to_1(pair: tuple[str, str]) -> None:
    one, other = pair
    assert net(GAME, "player_precious_pair", f"{one} 9E {other} SE") == "9"
    assert net(GAME, "banker_precious_pair", f"9E {one} SE {other}") == "9"


@pytest.mark.parametrize("cards", ["SG LG", "SF FF", "LG FG", "10G SG", "LF 10F", "4G 5G"])
def test_ff4_1_1_8_two_cards_of_different_rank_are_no_pair(cards: str) -> None:
    one, other = cards.split()
    assert net(GAME, "player_precious_pair", f"{one} 9E {other} SE") == "-1"
    assert "player" not in dealt(GAME, f"{one} 9E {other} SE").pairs


def test_ff4_1_1_8_1_each_precious_pair_looks_at_its_own_hand() -> None:
    # Reading A-08: a pair of Banker wins nothing for Player Precious Pair.
    lost_but(GAME, "9E LF SE LG", player="1", banker_precious_pair="9")
    assert dealt(GAME, "9E LF SE LG").pairs == ("banker",)


def test_ff4_3_13_a_third_card_makes_no_precious_pair() -> None:
    assert net(GAME, "player_precious_pair", "AF 7G SE 10F AF") == "-1"
    assert net(GAME, "player_precious_pair", "2F 7G 2E 10F 2W") == "9"
