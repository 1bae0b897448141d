"""hold-out-of-range and player-over-expectation: wins beyond the exact odds are told, luck within them is not."""

from collections.abc import Sequence
from dataclasses import replace
from random import Random

import pytest

from audit.watches.expectation import Account
from audit.watches.hold import hold_out_of_range
from audit.watches.players import FEWEST_SHARES, PlayersState, watch_players
from audit.watches.settings import DEFAULT_SETTINGS, WatchSettings
from audit.watches.summary import DealtRound, SettledBet, ShoeSummary
from games.rulebook import GAMES, Game
from schemas.findings import Finding
from tests.audit.watches.dealt_shoes import PlacedBet, fair_shoe


def _bets(random: Random, game: Game, before: DealtRound | None) -> list[PlacedBet]:
    wagers = list(game.wagers)
    return [
        (player, random.choice(wagers), 100 * random.choice((1, 5, 20)))
        for player in ("P1", "P2", "P3", None)
        if random.random() < 0.8
    ]


def _main_bets(random: Random, game: Game, before: DealtRound | None) -> list[PlacedBet]:
    return [(player, random.choice(("player", "banker")), 1000) for player in ("P1", "P2", "P3", None)]


def _settled_otherwise(shoe: ShoeSummary, player: str | None, lost: bool, random: Random, share: float) -> ShoeSummary:
    """A share of the player's lost bets paid, or of the won ones collected."""

    def settled(bet: SettledBet) -> SettledBet:
        turned = bet.player == player and (bet.net < 0) == lost and bet.net and random.random() < share
        return replace(bet, net=bet.stake if lost else -bet.stake) if turned else bet

    return replace(
        shoe, rounds=tuple(replace(each, bets=tuple(settled(bet) for bet in each.bets)) for each in shoe.rounds)
    )


def _holds(
    shoes: Sequence[ShoeSummary], settings: WatchSettings = DEFAULT_SETTINGS
) -> tuple[Account, list[tuple[int, Finding]]]:
    account, found = Account(), []
    for number, shoe in enumerate(shoes, start=1):
        account, findings = hold_out_of_range(account, shoe, settings)
        found += [(number, finding) for finding in findings]
    return account, found


def _players(
    shoes: Sequence[ShoeSummary], settings: WatchSettings = DEFAULT_SETTINGS
) -> tuple[PlayersState, list[Finding]]:
    state, found = PlayersState(), []
    for shoe in shoes:
        state, findings = watch_players(state, shoe, settings)
        found += findings
    return state, found


@pytest.mark.parametrize("lost", [True, False])
def test_a_table_that_pays_lost_bets_or_collects_won_ones_is_out_of_range(lost: bool) -> None:
    random = Random(31)
    shoes = [
        _settled_otherwise(fair_shoe(random, f"S{n}", bets=_main_bets), None, lost, random, 0.8) for n in range(40)
    ]
    _, ((number, finding), *_) = _holds(shoes)
    assert (finding.code, finding.severity, finding.rule, finding.basis) == (
        "hold-out-of-range", "medium", None, "statistics",
    )  # fmt: skip
    assert (finding.table, finding.shoe, finding.round) == ("T1", f"S{number - 1}", None)
    assert (finding.actual["win"] < finding.expected["win"]) is lost
    assert finding.actual["shoes"] == number
    assert finding.p_value is not None and finding.p_value <= 1e-6


@pytest.mark.parametrize("game", ["fa_fa_fabulous_4", "fortune_six_no_commission", "dragon_tiger"])
def test_fair_tables_and_players_are_told_no_oftener_than_a_raised_rate_allows(game: str) -> None:
    random = Random(32)
    shoes = [fair_shoe(random, f"S{n}", game, bets=_bets) for n in range(60)]
    raised = WatchSettings(hold_rate=0.1, player_rate=0.1)
    assert len(_holds(shoes, raised)[1]) <= 6
    assert len(_players(shoes, raised)[1]) <= 6
    assert _holds(shoes)[1] == []
    assert _players(shoes)[1] == []


def test_an_account_that_was_told_is_opened_anew() -> None:
    random = Random(33)
    shoes = [
        _settled_otherwise(fair_shoe(random, f"S{n}", bets=_main_bets), "P1", True, random, 1.0) for n in range(30)
    ]
    account, found = _holds(shoes)
    numbers = [number for number, _ in found]
    assert len(numbers) > 1
    assert account.shoes == 30 - numbers[-1]
    assert found[1][1].actual["shoes"] == numbers[1] - numbers[0]
    assert len({finding.id for _, finding in found}) == len(found)


def test_a_player_who_wins_too_much_is_told_across_tables_and_nobody_else() -> None:
    random = Random(34)
    shoes = [
        _settled_otherwise(fair_shoe(random, f"S{n}", table=table, bets=_main_bets), "P2", True, random, 0.4)
        for n in range(12)
        for table in ("T1", "T2")
    ]
    state, findings = _players(shoes)
    assert {finding.actual["player"] for finding in findings} == {"P2"}
    first = findings[0]
    assert (first.code, first.severity, first.rule, first.round, first.basis) == (
        "player-over-expectation", "medium", None, None, "statistics",
    )  # fmt: skip
    assert first.actual["net"] > first.expected["net"]
    assert first.actual["shoes"] > 1
    assert set(state.tables) == {"T1", "T2"}
    # At one table alone the same evidence takes longer: both tables' shoes were counted.
    alone = _players([shoe for shoe in shoes if shoe.table == "T1"])[1]
    assert len(alone) < len(findings)


def test_a_player_who_loses_too_much_and_players_not_known_are_not_told() -> None:
    random = Random(35)
    shoes = [fair_shoe(random, f"S{n}", bets=_main_bets) for n in range(20)]
    shoes = [_settled_otherwise(shoe, "P1", False, random, 0.9) for shoe in shoes]
    shoes = [_settled_otherwise(shoe, None, True, random, 0.9) for shoe in shoes]
    state, findings = _players(shoes)
    assert findings == []
    assert set(state.accounts) == {"P1", "P2", "P3"}


def _dealt(game: str) -> DealtRound:
    """Half a shoe of eight decks in one round without bets."""
    return DealtRound(1, tuple(GAMES[game].deck.codes) * 4)


def _ties(name: str, nets: Sequence[int]) -> ShoeSummary:
    """A shoe in which one player had 100 on the tie in every round."""
    rounds = (DealtRound(2, (), (SettledBet("P1", "tie", 100, net),)) for net in nets)
    return ShoeSummary("T1", name, "fa_fa_fabulous_4", 8, (_dealt("fa_fa_fabulous_4"), *rounds))


def test_800_to_1_hit_once_among_many_rounds_is_luck() -> None:
    settings = WatchSettings(fewest_rounds=1)
    shoe = _ties("S1", [-100] * 70 + [80_000])
    assert _players([shoe], settings)[1] == []
    assert _holds([shoe], settings)[1] == []
    assert len(_players([_ties("S1", [-100] * 70 + [80_000] * 5)], settings)[1]) == 1


def test_rare_wins_in_few_rounds_are_told_only_when_they_go_on() -> None:
    rare = [_ties(f"S{n}", [80_000] * 40) for n in range(5)]
    assert _players(rare[:4])[1] == []
    assert _holds(rare[:4])[1] == []
    assert len(_players(rare)[1]) == 1
    assert len(_holds(rare)[1]) == 1


def test_shoes_that_were_hardly_dealt_are_no_evidence() -> None:
    settings = WatchSettings(fewest_rounds=1)
    shoes = [_ties(f"S{n}", [80_000] * 40) for n in range(3)]
    hardly = [replace(shoe, rounds=(replace(shoe.rounds[0], cards=("AF",) * 8), *shoe.rounds[1:])) for shoe in shoes]
    assert len(_players(shoes, settings)[1]) == 3
    assert _players(hardly, settings) == (PlayersState(), [])


def test_the_rate_of_a_shoe_is_shared_by_its_players() -> None:
    def shoe(name: str, players: int) -> ShoeSummary:
        bets = tuple(SettledBet(f"P{n}", "tie", 100, 800) for n in range(players))
        return ShoeSummary("T1", name, "tiger", 8, (_dealt("tiger"), DealtRound(2, (), bets)))

    state, _ = watch_players(PlayersState(), shoe("S1", FEWEST_SHARES + 3))
    without_share = [player for player, account in state.accounts.items() if not account.log_ratios]
    assert without_share == ["P8", "P9", "P10"]
    state, _ = watch_players(state, shoe("S2", FEWEST_SHARES + 3))
    assert all(account.log_ratios for account in state.accounts.values())


def test_a_shoe_told_twice_counts_once_and_one_of_an_unlawful_number_of_decks_not_at_all() -> None:
    random = Random(36)
    shoe = fair_shoe(random, "S1", bets=_main_bets)
    state, _ = watch_players(PlayersState(), shoe)
    assert watch_players(state, shoe) == (state, [])
    assert watch_players(state, replace(shoe, shoe="S2", decks=3)) == (state, [])
    assert hold_out_of_range(Account(), replace(shoe, decks=3), DEFAULT_SETTINGS) == (Account(), [])
    assert hold_out_of_range(Account(), shoe.without_bets(), DEFAULT_SETTINGS) == (Account(), [])


def test_the_state_of_the_players_survives_json() -> None:
    random = Random(37)
    state, _ = _players([fair_shoe(random, f"S{n}", bets=_bets) for n in range(3)])
    assert PlayersState.from_json(state.to_json()) == state
