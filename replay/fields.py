"""A field of a verdict as people read it where two verdicts differ: amounts in the currency, the rest as stored."""

from fractions import Fraction
from typing import Any, Final

import orjson

from schemas.money import amount_words

_AMOUNTS: Final = frozenset({"stake", "paid", "collected", "closing", "first_card", "limit"})
"""The names of a verdict's fields that hold an amount."""


def field_words(path: str, value: Any, currency: str | None) -> str:
    """The value of the field at a path such as ``bets[0].expected.paid``; what is no amount, as JSON has it."""
    name = path.rpartition(".")[2]
    if currency is None:
        return _json(value)
    worded = _worded(name, value, currency)
    return worded if name in _AMOUNTS and isinstance(worded, str) else _json(worded)


def _worded(name: str, value: Any, currency: str) -> Any:
    """The same with every amount in it in words: a bet that is only in one of the verdicts is shown whole."""
    if isinstance(value, dict):
        return {key: _worded(key, inner, currency) for key, inner in value.items()}
    if isinstance(value, list):
        return [_worded(name, inner, currency) for inner in value]
    if name in _AMOUNTS and isinstance(value, int | str):
        try:
            return f"{amount_words(Fraction(value), currency)} {currency}"
        except (ValueError, ZeroDivisionError):
            # Whatever somebody wrote in the place of an amount.
            pass
    return value


def _json(value: Any) -> str:
    return orjson.dumps(value).decode()
