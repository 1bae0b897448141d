"""Money as people read it: minor units in the decimals of their currency, also within the sentence of a finding.

The sentence that a finding carries gives amounts as events and verdicts do, in minor units; it is part of stored
verdicts, and stays. Who shows it to people writes its amounts in the table's currency.
"""

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Final

from games.money import plain_decimal

_NO_DECIMALS: Final = frozenset(
    {"BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "VND", "VUV", "XAF", "XOF", "XPF"}
)
_THREE_DECIMALS: Final = frozenset({"BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"})

_MOVED: Final = r"paid (#), collected (#)"
_FAR_FROM_EXPECTED: Final = r"(#) on average, with a deviation of (#); chance takes .*"
_SENTENCES: Final[Mapping[str, re.Pattern[str]]] = {
    code: re.compile(f"(.*{sentence.replace('#', r'-?[0-9][0-9,]*(?:[.][0-9]+)?')})", re.DOTALL)
    for code, sentence in {
        "below-minimum": r" is (#), under the minimum of (#)[.]",
        "above-maximum": r" is (#), over the maximum of (#)[.]",
        "differential-exceeded": r" differed by (#) at the first card; the table allows (#)[.]",
        "payout-wrong": rf" of (#) on \w+ was (?:settled|corrected) as {_MOVED}; due is {_MOVED}[.]",
        "payout-missing": r" of (#) on \w+ stands and was not settled[.]",
        "payout-unexpected": rf", and money moved on it: {_MOVED}[.]",
        "void-not-returned": rf": {_MOVED}[.]",
        "hold-out-of-range": rf" has won (#) over its last [0-9]+ shoes where its wagers give {_FAR_FROM_EXPECTED}",
        "player-over-expectation": rf" is (#) ahead after [0-9]+ rounds where the wagers give {_FAR_FROM_EXPECTED}",
    }.items()
}
"""By code of finding: its sentence, with its amounts as groups.

What comes before is taken as far as it goes, so that a name from a device that looks like an amount is left alone.
"""

ABOUT_MONEY: Final = frozenset(_SENTENCES)
"""The codes whose sentence gives amounts."""


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


def sentence_in(currency: str | None, code: str, sentence: str) -> str:
    """The sentence of a finding with its amounts in this currency, which is named at the first one.

    As it is where the currency is not known: the decimals are not guessed, a hundredfold amount misleads.
    """
    pattern = _SENTENCES.get(code)
    found = pattern.fullmatch(sentence) if pattern is not None and currency is not None else None
    if found is None:
        return sentence
    told, at = "", 0
    for group in range(2, len(found.groups()) + 1):
        amount = amount_words(Fraction(found[group].replace(",", "")), currency)
        told += sentence[at : found.start(group)] + amount + (f" {currency}" if group == 2 else "")
        at = found.end(group)
    return told + sentence[at:]
