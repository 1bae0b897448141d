"""The expectation of every wager: exactly as counted, filled into the store once."""

from fractions import Fraction
from math import sqrt

import pytest

from games.odds import odds
from games.readings import Readings
from games.rulebook import GAMES, rulebook
from store.connect import Store
from store.expectations import expectation_of, expectations
from store.read.figures import wager_covariances, wager_odds
from store.write.expectations import fill_expectations

KEPT = {(each.game, each.decks): each for each in expectations()}

SOME = sorted({(name, 8) for name in GAMES} | {("dragon_tiger", 4), ("no_commission", 4), ("tiger", 10)})
"""Every game with eight decks, and some others; counting them all takes too long for a test."""


def test_every_game_has_its_expectation_with_every_number_of_decks() -> None:
    assert KEPT.keys() == {(game.name, decks) for game in GAMES.values() for decks in game.decks}
    assert all(set(each.returns) == set(GAMES[each.game].wagers) for each in KEPT.values())


@pytest.mark.parametrize(("game", "decks"), SOME)
def test_the_file_is_what_an_enumeration_gives(game: str, decks: int) -> None:
    assert KEPT[game, decks] == expectation_of(odds(GAMES[game], decks))


def test_other_readings_are_counted_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    cumulative = Readings(tiger_pair="cumulative")
    tiger = rulebook(cumulative)["tiger"]
    monkeypatch.setattr("store.expectations.rulebook", lambda readings: {"tiger": tiger} if readings else {})
    (four, *_) = found = expectations(cumulative)
    assert [each.decks for each in found] == list(tiger.decks)
    assert four.returns["tiger_pair"] > KEPT["tiger", 4].returns["tiger_pair"]


def test_filling_is_exact_and_the_second_time_writes_nothing(store: Store) -> None:
    written = fill_expectations(store)
    stored = wager_odds(store)
    assert written == len(stored) + len(wager_covariances(store))
    banker = next(each for each in stored if (each.game, each.decks, each.wager) == ("tiger", 8, "banker"))
    # Eight decks, five per cent commission: the published counts of Banker and Player wins.
    banker_wins, player_wins, all_draws = 2292252566437888, 2230518282592256, 4998398275503360
    assert banker.expected_return == Fraction(19, 20) * Fraction(banker_wins, all_draws) - Fraction(
        player_wins, all_draws
    )
    pairs = {
        (each.wager, each.other): each for each in wager_covariances(store) if (each.game, each.decks) == ("tiger", 8)
    }
    assert sqrt(pairs["banker", "banker"].covariance) == banker.deviation
    assert pairs["player", "banker"].covariance == pairs["banker", "player"].covariance < 0
    assert fill_expectations(store) == 0


def test_what_the_store_has_wrong_is_replaced(store: Store) -> None:
    fill_expectations(store)
    store.command(
        "INSERT INTO wager_odds (game, decks, wager, expected_return, expectation, deviation, version)"
        " VALUES ('tiger', 8, 'player', '1/2', 0.5, 1, 5)"
    )
    assert fill_expectations(store) == 1
    (player,) = [each for each in wager_odds(store) if (each.game, each.decks, each.wager) == ("tiger", 8, "player")]
    assert (player.expected_return, player.version) == (KEPT["tiger", 8].returns["player"], 6)
