"""A field of a verdict as people read it where two verdicts differ: amounts in the currency, the rest as stored."""

from fractions import Fraction
from typing import Any, Final

import orjson

from schemas.money import amount_words

_AMOUNTS: Final = frozenset({"stake", "paid", "collected", "closing", "first_card", "limit"})
"""The names of a verdict's fields that hold an amount."""


def field_words(path: str, value: Any, currency: str | None) -> str:
    """The value of the field at a path such as ``bets[0].expected.paid``; what is no amount, as JSON has it."""
    if currency is not None and path.rpartition(".")[2] in _AMOUNTS and isinstance(value, int | str):
        try:
            return f"{amount_words(Fraction(value), currency)} {currency}"
        except (ValueError, ZeroDivisionError):
            # Whatever somebody wrote in the place of an amount.
            pass
    return orjson.dumps(value).decode()
