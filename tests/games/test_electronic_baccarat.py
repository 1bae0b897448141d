"""The six games of Electronic Baccarat, line by line of their document."""

import pytest

from games.rulebook import GAMES
from tests.games.dealing import dealt, lost_but, net

HALF_ON_SIX = [
    "super_six_no_commission", "fortune_six_no_commission", "super_6_no_commission", "no_commission",
    "tiger_no_commission",
]  # fmt: skip
WITH_PAIRS = HALF_ON_SIX[:4]
WITH_BONUS = ["fortune_six_no_commission", "super_6_no_commission"]
TIGERS = ["tiger", "tiger_no_commission"]

TWO_CARD_SIX = "KS 6H 5S QH 9C"
THREE_CARD_SIX = "KS 4H QS JH 5C 2D"


@pytest.mark.parametrize(
    ("game", "wagers"),
    [
        ("super_six_no_commission", "player banker tie player_pair banker_pair super_six"),
        (
            "fortune_six_no_commission",
            "player banker tie player_pair banker_pair fortune_six banker_dragon_bonus player_dragon_bonus",
        ),
        (
            "super_6_no_commission",
            "player banker tie player_pair banker_pair super_6 banker_dragon_bonus player_dragon_bonus",
        ),
        ("no_commission", "player banker tie player_pair banker_pair"),
        ("tiger", "player banker tie tiger_pair tiger small_tiger big_tiger tiger_tie"),
        ("tiger_no_commission", "player banker tie tiger_pair tiger small_tiger big_tiger tiger_tie"),
    ],
)
def test_eb_4_each_game_has_its_own_wagers(game: str, wagers: str) -> None:
    assert list(GAMES[game].wagers) == wagers.split()


@pytest.mark.parametrize("game", [*HALF_ON_SIX, "tiger"])
def test_eb_4_player_pays_1_to_1_and_tie_8_to_1(game: str) -> None:
    bonus = {"player_dragon_bonus": "1"} if game in WITH_BONUS else {}
    lost_but(game, "9S 7H KS QH", player="1", **bonus)
    lost_but(game, "7S 7H KS QH", player="0", banker="0", tie="8")


@pytest.mark.parametrize("game", HALF_ON_SIX)
def test_eb_4_1_to_4_4_and_4_8_banker_pays_1_to_2_on_six_and_else_1_to_1(game: str) -> None:
    assert net(game, "banker", TWO_CARD_SIX) == net(game, "banker", THREE_CARD_SIX) == "0.5"
    assert net(game, "banker", "6S 7H KS QH") == "1"
    assert net(game, "banker", "7S 6H KS QH") == "-1"
    assert net(game, "banker", "6S 6H KS QH") == "0"


def test_eb_4_7_banker_of_tiger_baccarat_pays_095_to_1() -> None:
    assert net("tiger", "banker", TWO_CARD_SIX) == net("tiger", "banker", "6S 7H KS QH") == "0.95"
    assert net("tiger", "banker", "7S 6H KS QH") == "-1"
    assert net("tiger", "banker", "6S 6H KS QH") == "0"


@pytest.mark.parametrize(
    ("game", "wager"), [("super_six_no_commission", "super_six"), ("super_6_no_commission", "super_6")]
)
def test_eb_4_1_and_4_3_super_six_pays_15_to_1_when_banker_wins_with_six(game: str, wager: str) -> None:
    assert net(game, wager, TWO_CARD_SIX) == net(game, wager, THREE_CARD_SIX) == "15"
    assert net(game, wager, "6S 6H KS QH") == "-1"
    assert net(game, wager, "7S 6H KS QH") == "-1"
    assert net(game, wager, "6S 7H KS QH") == "-1"


def test_eb_4_2_fortune_six_pays_12_to_1_on_two_cards_and_20_to_1_on_three() -> None:
    assert net("fortune_six_no_commission", "fortune_six", TWO_CARD_SIX) == "12"
    assert net("fortune_six_no_commission", "fortune_six", THREE_CARD_SIX) == "20"
    assert net("fortune_six_no_commission", "fortune_six", "6S 6H KS QH") == "-1"


@pytest.mark.parametrize("game", WITH_PAIRS)
def test_eb_3_7_a_pair_pays_11_to_1_on_its_own_hand(game: str) -> None:
    assert [net(game, f"{hand}_pair", "9S 7H 9C KH") for hand in ("player", "banker")] == ["11", "-1"]
    assert [net(game, f"{hand}_pair", "9S KH QC KS") for hand in ("player", "banker")] == ["-1", "11"]
    assert [net(game, f"{hand}_pair", "10S 4H 10C 4H") for hand in ("player", "banker")] == ["11", "11"]


@pytest.mark.parametrize("cards", ["KS QS", "KS JS", "QS JS", "10S KS", "10S JS", "QS 10H"])
def test_eb_1_1_11_zero_point_cards_of_different_rank_are_no_pair(cards: str) -> None:
    one, other = cards.split()
    assert net("no_commission", "player_pair", f"{one} 9H {other} JH") == "-1"


BY_MARGIN = [(9, "K", "30"), (8, "A", "10"), (7, "2", "6"), (6, "3", "4"), (5, "4", "2"), (4, "5", "1"), (3, "6", "-1")]


@pytest.mark.parametrize("game", WITH_BONUS)
@pytest.mark.parametrize(("margin", "last", "pays"), [*BY_MARGIN, (2, "7", "-1"), (1, "8", "-1")])
def test_eb_4_6_player_dragon_bonus_pays_by_the_margin(game: str, margin: int, last: str, pays: str) -> None:
    cards = f"KS KH 4S 10H 5C {last}C"
    assert dealt(game, cards).totals == {"player": 9, "banker": 9 - margin}
    assert [net(game, f"{hand}_dragon_bonus", cards) for hand in ("player", "banker")] == [pays, "-1"]


@pytest.mark.parametrize("game", WITH_BONUS)
@pytest.mark.parametrize(("margin", "third", "pays"), [*BY_MARGIN, (2, "7", "-1"), (1, "8", "-1")])
def test_eb_4_5_banker_dragon_bonus_pays_by_the_margin(game: str, margin: int, third: str, pays: str) -> None:
    cards = f"KS KH 10S 2H {third}C 7C"
    assert dealt(game, cards).totals == {"player": 9 - margin, "banker": 9}
    assert [net(game, f"{hand}_dragon_bonus", cards) for hand in ("player", "banker")] == ["-1", pays]


@pytest.mark.parametrize("game", WITH_BONUS)
def test_eb_1_1_9_1_two_cards_that_are_no_natural_pay_by_the_margin(game: str) -> None:
    assert net(game, "player_dragon_bonus", "7S KH QS 10H JC") == "6"
    assert net(game, "banker_dragon_bonus", "KS 7H QS 10H 2C") == "2"


@pytest.mark.parametrize("game", WITH_BONUS)
def test_eb_1_1_9_2_a_natural_win_pays_1_to_1_whatever_the_margin(game: str) -> None:
    for cards in ("9S KH QS 10H", "8S KH QS 10H", "9S 8H QS 10H", "8S 7H QS 10H"):
        assert [net(game, f"{hand}_dragon_bonus", cards) for hand in ("player", "banker")] == ["1", "-1"]
    for cards in ("KS 9H QS 10H", "KS 8H QS 10H", "8S 9H QS 10H", "7S 8H QS 10H"):
        assert [net(game, f"{hand}_dragon_bonus", cards) for hand in ("player", "banker")] == ["-1", "1"]


@pytest.mark.parametrize("game", WITH_BONUS)
def test_eb_1_1_8_a_natural_tie_pushes_both_dragon_bonuses(game: str) -> None:
    lost_but(game, "9S 9H QS KH", player="0", banker="0", tie="8", player_dragon_bonus="0", banker_dragon_bonus="0")
    lost_but(game, "8S 8H QS KH", player="0", banker="0", tie="8", player_dragon_bonus="0", banker_dragon_bonus="0")


@pytest.mark.parametrize("game", WITH_BONUS)
@pytest.mark.parametrize("cards", ["7S 7H QS KH", "KS KH 4S 3H 4C 5D"])
def test_eb_4_5_a_tie_that_is_not_natural_loses_both_dragon_bonuses(game: str, cards: str) -> None:
    # Reading A-10: what neither wins nor pushes loses; a tie on eight with three cards is not natural.
    assert dealt(game, cards).winner == "tie"
    assert [net(game, f"{hand}_dragon_bonus", cards) for hand in ("player", "banker")] == ["-1", "-1"]


@pytest.mark.parametrize("game", TIGERS)
def test_eb_1_1_19_1_single_tiger_pair_pays_4_to_1_on_either_hand(game: str) -> None:
    assert net(game, "tiger_pair", "9S 7H 9C KH") == "4"
    assert net(game, "tiger_pair", "9S KH QC KS") == "4"
    assert net(game, "tiger_pair", "9S 7H QC KS") == "-1"


@pytest.mark.parametrize("game", TIGERS)
@pytest.mark.parametrize("cards", ["9S KH 9C KS", "KS QH KC QS 9H 9D", "10S KH 10C KS 9H 9D", "4S 9H 4C 9S"])
def test_eb_1_1_19_2_double_tiger_pair_pays_20_to_1(game: str, cards: str) -> None:
    # Reading A-06: a pair of Tens and a pair of Kings are not of the same value.
    assert net(game, "tiger_pair", cards) == "20"


@pytest.mark.parametrize("game", TIGERS)
@pytest.mark.parametrize("rank", ["10", "9", "Q", "A"])
def test_eb_1_1_19_3_twin_tiger_pair_pays_100_to_1(game: str, rank: str) -> None:
    third = " 5H 6H" if rank == "A" else " KC KD"
    assert net(game, "tiger_pair", f"{rank}S {rank}H {rank}C {rank}D{third}") == "100"


@pytest.mark.parametrize("game", TIGERS)
def test_eb_4_10_tiger_small_tiger_and_big_tiger(game: str) -> None:
    banker = "0.95" if game == "tiger" else "0.5"
    lost_but(game, TWO_CARD_SIX, banker=banker, tiger="12", small_tiger="22")
    lost_but(game, THREE_CARD_SIX, banker=banker, tiger="20", big_tiger="50")


@pytest.mark.parametrize("game", TIGERS)
def test_eb_1_1_20_tiger_tie_pays_35_to_1_on_six_alone(game: str) -> None:
    lost_but(game, "6S 6H KS QH", player="0", banker="0", tie="8", tiger_tie="35")
    lost_but(game, "7S 7H KS QH", player="0", banker="0", tie="8")
    assert net(game, "tiger_tie", "5S 6H QS KH AC") == "35"
    assert net(game, "tiger_tie", "6S 7H QS KH") == "-1"
