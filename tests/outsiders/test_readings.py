"""Where an unclear rule is read otherwise, the watches hold wins against the odds of that reading."""

from dataclasses import replace
from random import Random

from audit.watches.hold import hold_out_of_range
from audit.watches.players import PlayersState, watch_players
from audit.watches.settings import WatchSettings
from audit.watches.summary import DealtRound, ShoeSummary
from audit.watches.watch import WatchState, watch_shoe
from games.odds import odds
from games.readings import Readings
from games.rulebook import rulebook
from games.settlement import outcome_of
from schemas.findings import Finding
from tablewatch.settings import judge_settings, watch_settings
from tests.audit.watches.dealt_shoes import fair_shoe

LITERAL = Readings(pair="literal")
GAME = rulebook(LITERAL)["no_commission"]


def _shoes() -> list[ShoeSummary]:
    """Fair shoes in which one player bets on the pair all the time, settled with the Ten paired to every picture."""
    random = Random(5)
    dealt = [fair_shoe(random, f"S{n}", bets=lambda *_: [("P1", "player_pair", 100)]) for n in range(30)]
    return [replace(shoe, rounds=tuple(map(_settled, shoe.rounds))) for shoe in dealt]


def _settled(played: DealtRound) -> DealtRound:
    outcome = outcome_of(GAME, played.cards)
    assert outcome is not None
    return replace(played, bets=tuple(replace(bet, net=int(100 * outcome.nets[bet.wager])) for bet in played.bets))


def _found(settings: WatchSettings) -> list[Finding]:
    table, players, found = WatchState(), PlayersState(), list[Finding]()
    for shoe in _shoes():
        table, of_table = watch_shoe(table, shoe, settings)
        players, of_players = watch_players(players, shoe, settings)
        found += [*of_table, *of_players]
    return found


def test_a_01_wins_on_pairs_read_literally_are_out_of_range_only_where_pairs_are_not_read_so() -> None:
    told = {finding.code for finding in _found(WatchSettings())}
    assert told == {"hold-out-of-range", "player-over-expectation"}
    assert _found(WatchSettings(readings=LITERAL)) == []


def test_a_01_the_expected_win_is_that_of_the_reading() -> None:
    shoe = _shoes()[0]
    account, _ = hold_out_of_range(WatchState().hold, shoe, WatchSettings(readings=LITERAL))
    assert account.expected == account.staked * odds(GAME, 8).wagers["player_pair"].mean
    assert account.expected > 0


def test_the_watches_are_set_to_the_readings_that_rounds_are_judged_by() -> None:
    environment = {"TABLEWATCH_READING_PAIR": "literal", "TABLEWATCH_READING_TIGER_BANKER": "layout"}
    readings = judge_settings(environment).readings
    assert watch_settings(environment).readings == readings == Readings(pair="literal", tiger_banker="layout")
    assert watch_settings({}).readings == Readings()
