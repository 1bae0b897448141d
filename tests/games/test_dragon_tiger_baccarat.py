"""Dragon Tiger Baccarat, line by line of its document."""

import pytest

from games.rulebook import GAMES
from tests.games.dealing import dealt, lost_but, net

GAME = "dragon_tiger_baccarat"


def test_dtb_3_5_eight_wagers_are_available() -> None:
    assert list(GAMES[GAME].wagers) == (
        ["player", "banker", "tie", "dragon_tiger", "big_dragon", "small_dragon", "big_tiger", "small_tiger"]
    )


def test_dtb_3_15_the_higher_total_wins() -> None:
    outcome = dealt(GAME, "9S 6H KS KH")
    assert (outcome.winner, outcome.totals) == ("player", {"player": 9, "banker": 6})
    assert (outcome.naturals, outcome.pairs) == (("player",), ())
    assert dealt(GAME, "7S 8H KS KH").winner == "banker"
    assert dealt(GAME, "8S 9H KS KH").naturals == ("player", "banker")


def test_dtb_1_1_7_three_cards_make_no_natural() -> None:
    assert dealt(GAME, "KS 7H 4S KH 5C").naturals == ()
    assert dealt(GAME, "KS 7H 7S KH").naturals == ()


def test_dtb_3_4_2_the_point_total_is_the_right_digit() -> None:
    assert dealt(GAME, "7S 9H 8S 9D 9C").totals == {"player": 5, "banker": 8}


def test_dtb_3_15_1_a_tie_returns_player_and_banker_and_pays_tie_8_to_1() -> None:
    lost_but(GAME, "6S 6H KS KH", player="0", banker="0", tie="8")


def test_dtb_4_1_player_pays_1_to_1() -> None:
    lost_but(GAME, "9S 6H KS KH", player="1")


def test_dtb_4_1_banker_pays_095_to_1() -> None:
    lost_but(GAME, "6S 9H KS KH", banker="0.95")


def test_dtb_4_2_seven_over_six_on_four_cards_pays_30_to_1() -> None:
    lost_but(GAME, "7S 6H KS KH", player="1", dragon_tiger="30", small_dragon="15")


def test_dtb_4_2_seven_over_six_with_a_third_card_of_banker_pays_40_to_1() -> None:
    lost_but(GAME, "7S 5H KS KH AC", player="1", dragon_tiger="40", small_dragon="15")


def test_dtb_4_2_seven_over_six_with_a_third_card_of_player_pays_40_to_1() -> None:
    lost_but(GAME, "5S 6H KS KH 2C", player="1", dragon_tiger="40", big_dragon="30")


def test_dtb_4_2_seven_over_six_on_six_cards_pays_100_to_1() -> None:
    lost_but(GAME, "5S 4H KS KH 2C 2D", player="1", dragon_tiger="100", big_dragon="30")


@pytest.mark.parametrize("cards", ["7S 5H KS KH QC", "9S 6H KS KH", "6S 7H KS KH"])
def test_dtb_1_1_3_dragon_tiger_loses_with_any_other_outcome(cards: str) -> None:
    assert net(GAME, "dragon_tiger", cards) == "-1"


def test_dtb_4_3_big_dragon_pays_30_to_1_on_seven_with_three_cards() -> None:
    lost_but(GAME, "5S 5H KS KH 2C", player="1", big_dragon="30")


def test_dtb_4_3_small_dragon_pays_15_to_1_on_seven_with_two_cards() -> None:
    lost_but(GAME, "7S 5H KS KH QC", player="1", small_dragon="15")


def test_dtb_4_3_big_tiger_pays_50_to_1_on_six_with_three_cards() -> None:
    lost_but(GAME, "KS 4H QS KH 5C 2D", banker="0.95", big_tiger="50")


def test_dtb_4_3_small_tiger_pays_22_to_1_on_six_with_two_cards() -> None:
    lost_but(GAME, "KS 6H 5S KH 9C", banker="0.95", small_tiger="22")


def test_dtb_1_1_1_the_dragons_lose_on_a_tie_on_seven() -> None:
    lost_but(GAME, "7S 7H KS KH", player="0", banker="0", tie="8")


def test_dtb_1_1_9_the_dragons_lose_when_banker_beats_seven() -> None:
    lost_but(GAME, "7S 8H KS KH", banker="0.95")


def test_dtb_1_1_10_the_tigers_lose_when_player_beats_six() -> None:
    lost_but(GAME, "9S 6H KS KH", player="1")


def test_dtb_4_2_and_4_3_every_line_says_when_it_is_paid() -> None:
    labels = {name: [line.label for line in wager.lines] for name, wager in GAMES[GAME].wagers.items()}
    assert labels["big_dragon"] == ["Player wins with seven on three cards"]
    assert labels["small_dragon"] == ["Player wins with seven on two cards"]
    assert labels["big_tiger"] == ["Banker wins with six on three cards"]
    assert labels["small_tiger"] == ["Banker wins with six on two cards"]
    assert labels["dragon_tiger"] == [f"Player seven over Banker six on {cards} cards" for cards in (6, 5, 4)]
