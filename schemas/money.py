"""Money as people read it: minor units in the decimals of their currency."""

from fractions import Fraction
from typing import Final

from games.money import plain_decimal

_NO_DECIMALS: Final = frozenset(
    {"BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "VND", "VUV", "XAF", "XOF", "XPF"}
)
_THREE_DECIMALS: Final = frozenset({"BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"})


def decimals_of(currency: str | None) -> int:
    """How many decimals the minor unit of a currency is (ISO 4217); two for one that is not known."""
    if currency in _NO_DECIMALS:
        return 0
    return 3 if currency in _THREE_DECIMALS else 2


def amount_words(amount: int | Fraction, currency: str | None) -> str:
    """An amount of minor units in plain decimals with thousands apart; a fraction of a minor unit is kept."""
    decimals = decimals_of(currency)
    text = plain_decimal(abs(Fraction(amount)) / 10**decimals)
    whole, _, rest = text.partition(".")
    rest = rest.ljust(decimals, "0")
    sign = "-" if amount < 0 else ""
    return f"{sign}{int(whole):,}" + (f".{rest}" if rest else "")


def signed_words(amount: int | Fraction, currency: str | None) -> str:
    """The same with its sign, for what somebody wins or loses."""
    return ("+" if amount > 0 else "") + amount_words(amount, currency)
