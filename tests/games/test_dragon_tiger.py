"""Dragon Tiger, line by line of its document."""

import pytest

from games.features import DRAGON_TIGER_SHAPES, HandShape
from games.rulebook import GAMES
from tests.games.dealing import dealt, lost_but, net

GAME = "dragon_tiger"
RANKS = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"]


def test_dt_3_3_seven_wagers_are_available() -> None:
    assert list(GAMES[GAME].wagers) == [
        "dragon",
        "tiger",
        "tie",
        "dragon_big",
        "dragon_small",
        "tiger_big",
        "tiger_small",
    ]


def test_dt_3_5_cards_rank_from_ace_to_king() -> None:
    for place, rank in enumerate(RANKS):
        for lower in RANKS[:place]:
            assert dealt(GAME, f"{rank}S {lower}S").winner == "dragon"
            assert dealt(GAME, f"{lower}S {rank}S").winner == "tiger"


def test_dt_3_4_a_hand_is_one_card() -> None:
    assert DRAGON_TIGER_SHAPES["AS"] == HandShape(1, 1, "", False)
    assert DRAGON_TIGER_SHAPES["KH"] == HandShape(13, 1, "", False)


def test_dt_3_6_the_totals_are_the_ranks() -> None:
    outcome = dealt(GAME, "10S KH")
    assert outcome.totals == {"dragon": "10", "tiger": "K"}
    assert outcome.hands == {"dragon": ("10S",), "tiger": ("KH",)}
    assert (outcome.naturals, outcome.pairs) == ((), ())
    assert dealt(GAME, "AS QH").totals == {"dragon": "A", "tiger": "Q"}


@pytest.mark.parametrize("rank", RANKS)
def test_dt_3_8_on_a_tie_dragon_and_tiger_lose_half_and_tie_pays_11_to_1(rank: str) -> None:
    # 3.7: suits have no ranking.
    big = {"dragon_big": "1", "tiger_big": "1"} if rank in {"8", "9", "10", "J", "Q", "K"} else {}
    small = {"dragon_small": "1", "tiger_small": "1"} if rank in {"A", "2", "3", "4", "5", "6"} else {}
    lost_but(GAME, f"{rank}S {rank}H", dragon="-0.5", tiger="-0.5", tie="11", **big, **small)
    assert dealt(GAME, f"{rank}S {rank}H").winner == "tie"


def test_dt_3_8_a_ten_and_a_king_are_no_tie() -> None:
    # Reading A-12: the same ranking, not the same points.
    assert dealt(GAME, "KS 10S").winner == "dragon"


def test_dt_4_1_dragon_pays_1_to_1() -> None:
    lost_but(GAME, "7S 6H", dragon="1", tiger_small="1")


def test_dt_4_1_tiger_pays_1_to_1() -> None:
    lost_but(GAME, "7S 8H", tiger="1", tiger_big="1")


@pytest.mark.parametrize("rank", RANKS)
def test_dt_3_9_to_3_12_eight_or_higher_is_big_six_or_lower_small_and_seven_loses_both(rank: str) -> None:
    big = "1" if rank in {"8", "9", "10", "J", "Q", "K"} else "-1"
    small = "1" if rank in {"A", "2", "3", "4", "5", "6"} else "-1"
    assert [net(GAME, wager, f"{rank}S 7H") for wager in ("dragon_big", "dragon_small")] == [big, small]
    assert [net(GAME, wager, f"7H {rank}S") for wager in ("tiger_big", "tiger_small")] == [big, small]
    assert [net(GAME, wager, f"7H {rank}S") for wager in ("dragon_big", "dragon_small")] == ["-1", "-1"]


def test_dt_3_9_to_3_12_every_line_says_when_it_is_paid() -> None:
    labels = {name: [line.label for line in wager.lines] for name, wager in GAMES[GAME].wagers.items()}
    for hand in ("dragon", "tiger"):
        assert labels[f"{hand}_big"] == [f"{hand.capitalize()}'s card is eight or higher"]
        assert labels[f"{hand}_small"] == [f"{hand.capitalize()}'s card is six or lower"]
