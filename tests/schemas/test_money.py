"""Amounts in the decimals of their own currency, exact to the last fraction."""

from fractions import Fraction

import pytest

from schemas.money import amount_words, decimals_of, signed_words


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
