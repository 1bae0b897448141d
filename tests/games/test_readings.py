"""The readings of unclear rules, A-01 to A-05, both ways: a round that tells them apart, and the 8-deck return."""

from dataclasses import fields

import pytest

from games.odds import odds
from games.readings import DEFAULT_READINGS, Readings, choices, readings_of
from games.rulebook import GAMES, rulebook
from tests.games.dealing import dealt, net

LITERAL = Readings(pair="literal")


def percent(game: str, wager: str, readings: Readings = DEFAULT_READINGS, places: int = 2) -> float:
    """The exact 8-deck return, rounded as the readings quote it."""
    return float(round(100 * odds(rulebook(readings)[game], 8).wagers[wager].mean, places))


def test_a_01_an_11_to_1_pair_of_one_rank_returns_1036_less_and_literally_3234_more() -> None:
    assert percent("no_commission", "player_pair") == percent("no_commission", "banker_pair") == -10.36
    assert percent("no_commission", "player_pair", LITERAL) == 32.34


def test_a_01_with_65_cards_a_pair_returns_983_less_and_literally_3286_more() -> None:
    assert percent("sands_elements_no_commission", "banker_pair") == -9.83
    assert percent("sands_elements_no_commission", "banker_pair", LITERAL) == 32.86


def test_a_01_precious_pair_returns_2033_less_and_literally_1524_more() -> None:
    assert percent("fa_fa_fabulous_4", "player_precious_pair") == -20.33
    assert percent("fa_fa_fabulous_4", "player_precious_pair", LITERAL) == 15.24


def test_a_01_tiger_pair_returns_1612_less_and_literally_3766_more() -> None:
    assert percent("tiger", "tiger_pair") == percent("tiger_no_commission", "tiger_pair") == -16.12
    assert percent("tiger", "tiger_pair", LITERAL) == 37.66


@pytest.mark.parametrize("cards", ["10S 9H JS QH", "KS 9H 10S QH"])
def test_a_01_literally_a_ten_pairs_with_a_picture_card(cards: str) -> None:
    assert net("no_commission", "player_pair", cards) == "-1"
    assert net("no_commission", "player_pair", cards, LITERAL) == "11"
    assert dealt("no_commission", cards, LITERAL).pairs == ("player",)


@pytest.mark.parametrize("cards", ["KS 9H QS 10H", "5S 9H 10S KH", "9S 9H JS KH"])
def test_a_01_literally_other_cards_still_pair_by_rank_alone(cards: str) -> None:
    assert net("no_commission", "player_pair", cards, LITERAL) == "-1"
    assert net("no_commission", "player_pair", "9S 7H 9C KH", LITERAL) == "11"


def test_a_01_literally_a_gold_ten_and_a_gold_picture_card_are_an_other_pair() -> None:
    assert net("fa_fa_fabulous_4", "player_precious_pair", "10G 9F SG LE", LITERAL) == "9"
    assert net("fa_fa_fabulous_4", "player_precious_pair", "SG 9F SG LE", LITERAL) == "12"


def test_a_02_at_natural_nine_over_eight_the_dragon_bonus_is_decided_or_pushed() -> None:
    each = Readings(natural_tie="each-natural")
    for game in ("fortune_six_no_commission", "super_6_no_commission"):
        for cards, wins, loses in (("9S 8H KS QH", "player", "banker"), ("8S 9H KS QH", "banker", "player")):
            assert net(game, f"{wins}_dragon_bonus", cards) == "1"
            assert net(game, f"{loses}_dragon_bonus", cards) == "-1"
            assert net(game, f"{wins}_dragon_bonus", cards, each) == "0"
            assert net(game, f"{loses}_dragon_bonus", cards, each) == "0"
        assert net(game, "player_dragon_bonus", "9S 9H KS QH", each) == "0"
        assert net(game, "player_dragon_bonus", "9S 7H KS QH", each) == "1"


def test_a_02_does_not_change_the_return() -> None:
    each = Readings(natural_tie="each-natural")
    for wager in ("player_dragon_bonus", "banker_dragon_bonus"):
        assert percent("super_6_no_commission", wager, places=9) == percent("super_6_no_commission", wager, each, 9)
    pushed, decided = (
        next(line.count for line in odds(rulebook(way)["super_6_no_commission"], 8).wagers["player_dragon_bonus"].lines)
        for way in (each, DEFAULT_READINGS)
    )
    assert round(100 * (pushed - decided) / 4_998_398_275_503_360, 2) == 1.79


def test_a_03_only_the_highest_line_of_the_tiger_pair_or_every_line_that_fits() -> None:
    cumulative = Readings(tiger_pair="cumulative")
    for cards, highest, all_lines in (
        ("9S 7H 9C KH", "4", "4"),
        ("9S KH 9C KS", "20", "24"),
        ("9S 9H 9C 9D", "100", "124"),
        ("9S 7H QC KS", "-1", "-1"),
    ):
        assert net("tiger", "tiger_pair", cards) == highest
        assert net("tiger", "tiger_pair", cards, cumulative) == all_lines
    assert percent("tiger", "tiger_pair", cumulative) == -13.13


def test_a_03_counts_every_line_that_is_paid() -> None:
    highest = odds(GAMES["tiger"], 8).wagers["tiger_pair"].lines
    every = odds(rulebook(Readings(tiger_pair="cumulative"))["tiger"], 8).wagers["tiger_pair"].lines
    twin, double, single, lost = (line.count for line in highest)
    assert [line.count for line in every] == [twin, twin + double, twin + double + single, lost]


def test_a_04_small_tiger_pays_22_to_1_by_the_rule_and_25_to_1_by_the_layout() -> None:
    layout = Readings(small_tiger="layout")
    cards = "KS 6H 5S KH 9C"
    assert net("dragon_tiger_baccarat", "small_tiger", cards) == "22"
    assert net("dragon_tiger_baccarat", "small_tiger", cards, layout) == "25"
    assert net("tiger", "small_tiger", cards, layout) == "22"
    assert percent("dragon_tiger_baccarat", "small_tiger") == -14.33
    assert percent("dragon_tiger_baccarat", "small_tiger", layout) == -3.16


def test_a_05_banker_of_tiger_baccarat_by_the_rule_and_by_the_layout() -> None:
    layout = Readings(tiger_banker="layout")
    for cards, rule, shown in (
        ("KS 6H 5S KH 9C", "0.95", "0.5"),
        ("6S 7H KS QH", "0.95", "1"),
        ("6S 6H KS QH", "0", "0"),
    ):
        assert net("tiger", "banker", cards) == rule
        assert net("tiger", "banker", cards, layout) == shown
    assert percent("tiger", "banker", places=3) == -1.058
    assert percent("tiger", "banker", layout, 3) == -1.458
    assert percent("dragon_tiger_baccarat", "banker", layout, 3) == -1.058


def test_a_06_literally_a_pair_of_tens_is_the_same_as_a_pair_of_kings() -> None:
    for cards, default, literal in (
        ("10S KH 10C KS 9H 9D", "20", "100"),
        ("KS QH KC QS 9H 9D", "20", "20"),
        ("10S 10H JS JH 9H 9D", "-1", "100"),
        ("10S 10H JS QH 9H 9D", "-1", "20"),
        ("10S KH KS KD 9H 9D", "4", "100"),
        ("10S KH JS KD 9H 9D", "4", "20"),
        ("9S 9H 9C 9D", "100", "100"),
        ("9S KH 9C KS", "20", "20"),
        ("9S 10H 9C KS", "4", "20"),
    ):
        assert net("tiger", "tiger_pair", cards) == default
        assert net("tiger", "tiger_pair", cards, LITERAL) == literal


def test_every_reading_has_two_choices_and_the_first_is_in_force() -> None:
    assert choices() == {
        "pair": ("same-rank", "literal"),
        "natural_tie": ("identical", "each-natural"),
        "tiger_pair": ("highest", "cumulative"),
        "small_tiger": ("rule", "layout"),
        "tiger_banker": ("rule", "layout"),
    }
    assert {field.name: field.default for field in fields(Readings)} == {n: c[0] for n, c in choices().items()}
    assert rulebook() is GAMES
    assert rulebook(readings_of({})) is GAMES


def test_readings_are_chosen_by_name() -> None:
    assert readings_of({"pair": "literal", "small_tiger": "layout"}) == Readings(pair="literal", small_tiger="layout")
    with pytest.raises(ValueError, match="there is no reading 'pairs'; the readings are pair, natural_tie"):
        readings_of({"pairs": "literal"})
    with pytest.raises(ValueError, match="'pair' is same-rank or literal, not 'loose'"):
        readings_of({"pair": "loose"})
