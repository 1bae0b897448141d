"""The watches are a pure fold: cut anywhere, kept as JSON in between, repeated or not, they come to the same."""

import json
from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audit.watches.settings import WatchSettings
from audit.watches.summary import DealtRound, SettledBet, ShoeSummary
from audit.watches.watch import WatchState, watch_shoe
from games.cards import DECKS
from games.rulebook import GAMES, Game
from schemas.findings import STATISTICAL, Finding, finding_json, parse_finding
from tests.audit.watches.dealt_shoes import PlacedBet, deal, fair_shoe, picked_up, with_slug


def _bets(random: Random, game: Game, before: DealtRound | None) -> list[PlacedBet]:
    return [(player, random.choice(("player", "banker")), 1000) for player in ("P1", "P2")]


def _troubled_shoes() -> list[ShoeSummary]:
    """Twenty shoes with a slug that comes again, six cards gone, and lost bets that were paid."""
    random = Random(41)
    shoes = [fair_shoe(random, f"S{n}", without=["4C"] * 6, bets=_bets, stop_after=380) for n in range(19)]
    slug = picked_up(random, shoes[7].rounds[30:40], reverse=True)
    shoes.append(deal(with_slug(random, slug, "no_commission", 8, 77), "S19", bets=_bets, random=random))

    def paid(bet: SettledBet) -> SettledBet:
        return replace(bet, net=abs(bet.net)) if bet.player == "P1" else bet

    return [
        replace(shoe, rounds=tuple(replace(each, bets=tuple(map(paid, each.bets))) for each in shoe.rounds))
        for shoe in shoes
    ]


SHOES = _troubled_shoes()


def _fold(shoes: Sequence[ShoeSummary], state: WatchState | None = None) -> tuple[WatchState, list[Finding]]:
    state, found = state or WatchState(), []
    for shoe in shoes:
        state, findings = watch_shoe(state, shoe)
        found += findings
    return state, found


WHOLE = _fold(SHOES)


def test_all_three_troubles_of_a_table_are_found() -> None:
    assert {finding.code for finding in WHOLE[1]} == STATISTICAL - {"player-over-expectation"}
    assert len({finding.id for finding in WHOLE[1]}) == len(WHOLE[1])


@settings(max_examples=6, deadline=None)
@given(st.integers(0, len(SHOES)))
def test_a_fold_that_is_cut_and_kept_as_json_comes_to_the_same(at: int) -> None:
    before, found = _fold(SHOES[:at])
    kept = WatchState.from_json(json.loads(json.dumps(before.to_json())))
    assert kept == before
    after, more = _fold(SHOES[at:], kept)
    assert (after, found + more) == WHOLE


def test_shoes_told_twice_change_nothing_and_bring_no_second_finding() -> None:
    state, found = WatchState(), []
    for number, shoe in enumerate(SHOES):
        state, findings = watch_shoe(state, shoe)
        found += findings
        assert watch_shoe(state, SHOES[number // 2]) == (state, [])
    assert (state, found) == WHOLE


def test_a_state_is_of_one_table() -> None:
    state, _ = watch_shoe(WatchState(), SHOES[0])
    with pytest.raises(ValueError, match="T2"):
        watch_shoe(state, replace(SHOES[1], table="T2"))


def test_findings_are_those_of_the_contract_and_tell_their_test() -> None:
    for finding in WHOLE[1]:
        assert parse_finding(finding_json(finding)) == finding
        assert finding.expected["test"]
        assert finding.message.endswith("shoes.")


def test_the_state_keeps_cards_of_as_many_shoes_as_the_settings_say_and_no_bets() -> None:
    state = WatchState()
    for shoe in SHOES[:5]:
        state, _ = watch_shoe(state, shoe, WatchSettings(slug_shoes=3))
    assert [past.shoe for past in state.past] == ["S2", "S3", "S4"]
    assert all(each.bets == () for past in state.past for each in past.rounds)
    assert state.past[0].cards == SHOES[2].cards


@pytest.mark.parametrize(
    "wrong",
    [
        {"hold_rate": 0.0},
        {"player_rate": 1.0},
        {"slug_cards": 0},
        {"slug_shoes": 0},
        {"fewest_rounds": 0},
        {"card_frequency_rate": -1},
    ],
)
def test_settings_that_mean_nothing_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        WatchSettings(**wrong)


_CARDS = st.lists(st.sampled_from([code for deck in DECKS for code in deck.codes]), max_size=7).map(tuple)
_BETS = st.lists(
    st.builds(
        SettledBet,
        player=st.none() | st.text(min_size=1),
        wager=st.sampled_from(["tie", "banker", "fortune_six"]),
        stake=st.integers(0, 2**53 - 1),
        net=st.integers(-(2**53), 2**62),
    ),
    max_size=3,
).map(tuple)
_ROUNDS = st.lists(st.builds(DealtRound, round=st.integers(1, 99), cards=_CARDS, bets=_BETS), max_size=5).map(tuple)
_SHOES = st.builds(
    ShoeSummary,
    table=st.just("T1"),
    shoe=st.text(min_size=1),
    game=st.sampled_from(["no_commission", "fa_fa_fabulous_4", "dragon_tiger"]),
    decks=st.sampled_from([1, 8, 12]),
    rounds=_ROUNDS,
    remaining=st.none() | _CARDS,
)


def _dealt(shoe: ShoeSummary) -> ShoeSummary:
    """The same with enough cards to be looked at."""
    return replace(shoe, rounds=(DealtRound(1, tuple(GAMES[shoe.game].deck.codes) * 3), *shoe.rounds))


@given(_SHOES)
def test_a_summary_survives_json(shoe: ShoeSummary) -> None:
    assert ShoeSummary.from_json(json.loads(json.dumps(shoe.to_json()))) == shoe


@settings(max_examples=40, deadline=None)
@given(st.lists(_SHOES | _SHOES.map(_dealt), max_size=5))
def test_any_shoes_however_odd_are_watched_and_give_states_that_json_can_hold(shoes: list[ShoeSummary]) -> None:
    state, findings = _fold(shoes)
    assert WatchState.from_json(json.loads(json.dumps(state.to_json(), allow_nan=False))) == state
    assert {finding.code for finding in findings} <= STATISTICAL
