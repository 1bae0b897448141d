"""Exact money as plain decimals, and odds as paytables print them."""

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.money import decimal_text, finite_decimal, plain_decimal
from games.paytable import printed_odds
from games.rulebook import GAMES


@pytest.mark.parametrize(
    ("amount", "text"),
    [
        (Fraction(0), "0"),
        (Fraction(100), "100"),
        (Fraction(-1), "-1"),
        (Fraction(19, 20), "0.95"),
        (Fraction(-1, 2), "-0.5"),
        (Fraction(1, 8), "0.125"),
        (Fraction(1, 3125), "0.00032"),
        (Fraction(-12345, 100), "-123.45"),
        (Fraction(10**30 + 1, 10), "100000000000000000000000000000.1"),
        (Fraction(1, 2**60), "0.000000000000000000867361737988403547205962240695953369140625"),
    ],
)
def test_a_15_amounts_are_exact_and_plain(amount: Fraction, text: str) -> None:
    assert plain_decimal(amount) == text


@pytest.mark.parametrize("amount", [Fraction(1, 3), Fraction(-5, 7), Fraction(1, 30)])
def test_an_amount_without_end_is_refused(amount: Fraction) -> None:
    with pytest.raises(ValueError, match=f"{amount} has no finite decimal form"):
        plain_decimal(amount)


def test_an_amount_is_a_whole_number_of_its_decimal_places() -> None:
    assert finite_decimal(Fraction(19, 20)) == (95, 2)
    assert finite_decimal(Fraction(-7)) == (-7, 0)
    assert decimal_text(500, 2) == "5"
    assert decimal_text(0, 3) == "0"
    assert decimal_text(-5, 3) == "-0.005"
    assert decimal_text(-1, 2) == "-0.01"
    assert decimal_text(1, 1) == "0.1"
    assert decimal_text(1200, 0) == "1200"


@given(st.integers(-(10**20), 10**20), st.integers(0, 12))
def test_the_text_is_the_amount_without_exponent_or_trailing_zeros(digits: int, places: int) -> None:
    amount = Fraction(digits, 10**places)
    text = plain_decimal(amount)
    assert Fraction(Decimal(text)) == amount
    assert decimal_text(digits, places) == text
    assert "e" not in text.lower()
    assert text not in {"-0", ""}
    if "." in text:
        assert text[-1] not in "0."
    assert text.lstrip("-")[0] != "0" or text.lstrip("-")[:2] in {"0", "0."}


def test_every_odds_of_the_rulebook_is_a_finite_decimal() -> None:
    for game in GAMES.values():
        for wager in game.wagers.values():
            for line in wager.lines:
                assert Fraction(Decimal(plain_decimal(line.net))) == line.net


@pytest.mark.parametrize(
    ("net", "text"),
    [
        (Fraction(8), "8 to 1"),
        (Fraction(1), "1 to 1"),
        (Fraction(1, 2), "1 to 2"),
        (Fraction(19, 20), "0.95 to 1"),
        (Fraction(0), "push"),
        (Fraction(-1, 2), "loses 50 %"),
        (Fraction(-1), "loses"),
    ],
)
def test_odds_are_printed_as_a_paytable_does(net: Fraction, text: str) -> None:
    assert printed_odds(net) == text
