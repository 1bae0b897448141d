"""Amounts in the decimals of their own currency, exact to the last fraction, also in the sentence of a finding."""

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
from games.rulebook import GAMES
from schemas.findings import STATISTICAL, Finding
from schemas.money import ABOUT_MONEY, amount_words, decimals_of, sentence_in, signed_words
from simulator.floor import simulate
from tests.replay.telling import tables_of


@pytest.mark.parametrize(("currency", "decimals"), [("SGD", 2), ("JPY", 0), ("KRW", 0), ("KWD", 3), (None, 2)])
def test_a_currency_has_the_decimals_of_iso_4217(currency: str | None, decimals: int) -> None:
    assert decimals_of(currency) == decimals


@pytest.mark.parametrize(
    ("amount", "currency", "words"),
    [
        (1_234_567, "SGD", "12,345.67"),
        (1_234_567, "JPY", "1,234,567"),
        (1_234_567, "KWD", "1,234.567"),
        (-50, "USD", "-0.50"),
        (Fraction(5, 2), "SGD", "0.025"),
        (Fraction(5, 2), "JPY", "2.5"),
    ],
)
def test_minor_units_are_written_in_the_currency_and_none_is_lost(
    amount: int | Fraction, currency: str, words: str
) -> None:
    assert amount_words(amount, currency) == words


def test_what_somebody_wins_carries_its_sign() -> None:
    assert [signed_words(each, "JPY") for each in (5, 0, -5)] == ["+5", "0", "-5"]


WRONG = "Bet b1 of 350000 on banker was settled as paid 332500, collected 0; due is paid 332500.5, collected 1200."


@pytest.mark.parametrize(
    ("currency", "told"),
    [
        (
            "SGD",
            "Bet b1 of 3,500.00 SGD on banker was settled as paid 3,325.00, collected 0.00; "
            "due is paid 3,325.005, collected 12.00.",
        ),
        (
            "JPY",
            "Bet b1 of 350,000 JPY on banker was settled as paid 332,500, collected 0; "
            "due is paid 332,500.5, collected 1,200.",
        ),
        (
            "KWD",
            "Bet b1 of 350.000 KWD on banker was settled as paid 332.500, collected 0.000; "
            "due is paid 332.5005, collected 1.200.",
        ),
        (None, WRONG),
    ],
)
def test_amounts_are_told_in_the_currency_and_not_at_all_otherwise_when_it_is_not_known(
    currency: str | None, told: str
) -> None:
    assert sentence_in(currency, "payout-wrong", WRONG) == told


def test_a_bet_whose_name_looks_like_amounts_keeps_its_name() -> None:
    name = "7 of 100 on tie was settled as paid 1, collected 2; due is paid 3, collected 4."
    told = sentence_in("SGD", "payout-wrong", WRONG.replace("b1", name))
    assert told.startswith(f"Bet {name} of 3,500.00 SGD on banker was")
    said = f"The round is void, and money moved on bet {name}: paid 5, collected 60."
    assert sentence_in("SGD", "void-not-returned", said).endswith(f"on bet {name}: paid 0.05 SGD, collected 0.60.")


def test_what_gives_no_amounts_or_is_worded_otherwise_stays() -> None:
    late = 'Bet 350000 on banker was placed or increased after "No more bets" and not refused.'
    assert sentence_in("SGD", "late-bet", late) == late
    assert sentence_in("SGD", "payout-wrong", "Paid 350000.") == "Paid 350000."


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


def test_every_sentence_about_money_that_the_judge_and_the_watches_write_is_understood() -> None:
    codes = sorted(ABOUT_MONEY - STATISTICAL)
    found = [*_judged(list(simulate(3, 40, seed=5, faults=0.5, codes=codes))), *_watched()]
    about_money = [finding for finding in found if finding.code in ABOUT_MONEY]
    assert {finding.code for finding in about_money} == ABOUT_MONEY
    for finding in about_money:
        told = sentence_in("SGD", finding.code, finding.message)
        assert told.count("SGD") == 1
        for amount in (*_amounts(finding.expected), *_amounts(finding.actual)):
            if amount or finding.code not in ("payout-unexpected", "void-not-returned"):
                assert amount_words(amount, "SGD") in told
