"""The sentence of a finding as people read it: amounts in the currency, wagers as printed, the rest as it is."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest

from audit.settings import JudgeSettings
from audit.table import judge_table
from audit.watches.expectation import Account
from audit.watches.hold import hold_out_of_range
from audit.watches.players import PlayersState, watch_players
from audit.watches.settings import WatchSettings
from audit.watches.summary import DealtRound, SettledBet, ShoeSummary
from games.rulebook import GAMES, WAGERS
from schemas.findings import STATISTICAL, Finding
from schemas.money import amount_words
from schemas.sentences import ABOUT_MONEY, ABOUT_WAGERS, sentence_in
from simulator.floor import simulate
from tests.replay.telling import tables_of

WRONG = "Bet b1 of 350000 on banker was settled as paid 332500, collected 0; due is paid 332500.5, collected 1200."


@pytest.mark.parametrize(
    ("currency", "told"),
    [
        (
            "SGD",
            "Bet b1 of 3,500.00 SGD on Banker was settled as paid 3,325.00, collected 0.00; "
            "due is paid 3,325.005, collected 12.00.",
        ),
        (
            "JPY",
            "Bet b1 of 350,000 JPY on Banker was settled as paid 332,500, collected 0; "
            "due is paid 332,500.5, collected 1,200.",
        ),
        (
            "KWD",
            "Bet b1 of 350.000 KWD on Banker was settled as paid 332.500, collected 0.000; "
            "due is paid 332.5005, collected 1.200.",
        ),
        (None, WRONG.replace("banker", "Banker")),
    ],
)
def test_amounts_are_told_in_the_currency_and_not_at_all_otherwise_when_it_is_not_known(
    currency: str | None, told: str
) -> None:
    assert sentence_in(currency, "payout-wrong", WRONG) == told


def test_a_bet_whose_name_looks_like_amounts_keeps_its_name() -> None:
    name = "7 of 100 on tie was settled as paid 1, collected 2; due is paid 3, collected 4."
    told = sentence_in("SGD", "payout-wrong", WRONG.replace("b1", name))
    assert told.startswith(f"Bet {name} of 3,500.00 SGD on Banker was")
    said = f"The round is void, and money moved on bet {name}: paid 5, collected 60."
    assert sentence_in("SGD", "void-not-returned", said).endswith(f"on bet {name}: paid 0.05 SGD, collected 0.60.")


def test_what_is_worded_otherwise_stays() -> None:
    assert sentence_in("SGD", "payout-wrong", "Paid 350000 on banker.") == "Paid 350000 on banker."
    late = "Bet 7 on banker was late."
    assert sentence_in("SGD", "late-bet", late) == late
    assert sentence_in("SGD", "display-mismatch", late) == late


@pytest.mark.parametrize("currency", ["SGD", None])
@pytest.mark.parametrize(
    ("code", "sentence", "told"),
    [
        ("too-many-wagers", "Position 3 has 5 wagers on player_fabulous_4; 3 are allowed.", "Player Fabulous 4"),
        ("wager-not-offered", "Bet b7 is on super_6, which this game does not offer.", "Super 6"),
        ("late-bet", 'Bet tie on tie was placed or increased after "No more bets" and not refused.', "Tie"),
        (
            "late-withdrawal",
            'Bet b on banker was withdrawn or decreased after "No more bets"; it still stands.',
            "Banker",
        ),
    ],
)
def test_a_wager_is_named_as_the_layout_prints_it(currency: str | None, code: str, sentence: str, told: str) -> None:
    before, on, after = sentence.rpartition(" on ")
    wager = after[: len(told)]
    assert sentence_in(currency, code, sentence) == f"{before}{on}{told}{after.removeprefix(wager)}"


def _amounts(value: Any) -> Iterator[int | Fraction]:
    if isinstance(value, dict):
        for name in ("paid", "collected", "win", "net", "standard_deviation"):
            if name in value:
                yield value[name]
    elif value is not None:
        yield value


def _judged(lines: list[bytes]) -> Iterator[Finding]:
    for facts in tables_of(lines).values():
        for verdict in judge_table(facts, JudgeSettings()):
            yield from verdict.findings


def _watched() -> Iterator[Finding]:
    game = "fa_fa_fabulous_4"
    dealt = DealtRound(1, tuple(GAMES[game].deck.codes) * 4)
    won = (DealtRound(2, (), (SettledBet("P1", "tie", 100, net),)) for net in [-100] * 70 + [80_000] * 5)
    shoe, settings = ShoeSummary("T1", "S1", game, 8, (dealt, *won)), WatchSettings(fewest_rounds=1, hold_rate=0.5)
    yield from hold_out_of_range(Account(), shoe, settings)[1]
    yield from watch_players(PlayersState(), shoe, settings)[1]


def test_every_sentence_about_money_or_wagers_that_the_judge_and_the_watches_write_is_understood() -> None:
    told_otherwise = ABOUT_MONEY | ABOUT_WAGERS
    codes = sorted(told_otherwise - STATISTICAL)
    found = [*_judged(list(simulate(3, 60, seed=5, faults=0.5, codes=codes))), *_watched()]
    meant = [finding for finding in found if finding.code in told_otherwise]
    assert {finding.code for finding in meant} == told_otherwise
    for finding in meant:
        told = sentence_in("SGD", finding.code, finding.message)
        assert told.count("SGD") == (finding.code in ABOUT_MONEY)
        if finding.code in ABOUT_WAGERS:
            assert told != finding.message and any(f" on {title}" in told for title in WAGERS.values())
        for amount in (*_amounts(finding.expected), *_amounts(finding.actual)) if finding.code in ABOUT_MONEY else ():
            if amount or finding.code not in ("payout-unexpected", "void-not-returned"):
                assert amount_words(amount, "SGD") in told


def test_no_other_sentence_of_the_judge_names_a_wager_by_its_code_word() -> None:
    coded = [name for name in WAGERS if "_" in name]
    for finding in _judged(list(simulate(6, 40, seed=8, faults=0.6))):
        told = sentence_in("SGD", finding.code, finding.message)
        assert not [name for name in coded if name in told], told
