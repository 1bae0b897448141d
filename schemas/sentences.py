"""The sentence of a finding as people read it: amounts in the table's currency, wagers as the layout prints them.

The sentence that a finding carries says both as events and verdicts do, in minor units and by the contract's names; it
is part of stored verdicts, and stays. Who shows it to people asks here.
"""

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Final

from games.rulebook import WAGERS
from schemas.money import amount_words

_AMOUNT: Final = r"(-?[0-9][0-9,]*(?:[.][0-9]+)?)"
_WAGER: Final = rf"(?P<wager>{'|'.join(WAGERS)})"
_MOVED: Final = rf"paid {_AMOUNT}, collected {_AMOUNT}"
_FAR_FROM_EXPECTED: Final = rf"{_AMOUNT} on average, with a deviation of {_AMOUNT}; chance takes .*"
_SENTENCES: Final[Mapping[str, re.Pattern[str]]] = {
    code: re.compile(f"(?:.*){sentence}", re.DOTALL)
    for code, sentence in {
        "below-minimum": rf" on {_WAGER} is {_AMOUNT}, under the minimum of {_AMOUNT}[.]",
        "above-maximum": rf" on {_WAGER} is {_AMOUNT}, over the maximum of {_AMOUNT}[.]",
        "too-many-wagers": rf" wagers on {_WAGER}; [0-9]+ are allowed[.]",
        "wager-not-offered": rf" is on {_WAGER}, which this (?:game|table) does not offer[.]",
        "late-bet": rf' on {_WAGER} was placed or increased after "No more bets" and not refused[.]',
        "late-withdrawal": rf' on {_WAGER} was withdrawn or decreased after "No more bets"; it still stands[.]',
        "differential-exceeded": rf" differed by {_AMOUNT} at the first card; the table allows {_AMOUNT}[.]",
        "payout-wrong": (rf" of {_AMOUNT} on {_WAGER} was (?:settled|corrected) as {_MOVED}; due is {_MOVED}[.]"),
        "payout-missing": rf" of {_AMOUNT} on {_WAGER} stands and was not settled[.]",
        "payout-unexpected": rf", and money moved on it: {_MOVED}[.]",
        "void-not-returned": rf": {_MOVED}[.]",
        "hold-out-of-range": (
            rf" has won {_AMOUNT} over its last [0-9]+ shoes where its wagers give {_FAR_FROM_EXPECTED}"
        ),
        "player-over-expectation": (
            rf" is {_AMOUNT} ahead after [0-9]+ rounds where the wagers give {_FAR_FROM_EXPECTED}"
        ),
    }.items()
}
"""By code of finding: its sentence, with its amounts and its wager as groups.

What comes before is taken as far as it goes, so that a name from a device that looks like an amount is left alone.
"""

ABOUT_MONEY: Final = frozenset(code for code, pattern in _SENTENCES.items() if pattern.groups > len(pattern.groupindex))
"""The codes whose sentence gives amounts."""

ABOUT_WAGERS: Final = frozenset(code for code, pattern in _SENTENCES.items() if pattern.groupindex)
"""The codes whose sentence names a wager."""


def sentence_in(currency: str | None, code: str, sentence: str) -> str:
    """The sentence of a finding with its wager by its title and its amounts in this currency, named at the first one.

    Amounts are as they are where the currency is not known: decimals are not guessed, a hundredfold amount misleads.
    """
    pattern = _SENTENCES.get(code)
    found = None if pattern is None else pattern.fullmatch(sentence)
    if pattern is None or found is None:
        return sentence
    wager = pattern.groupindex.get("wager")
    told, at, unit = "", 0, f" {currency}"
    for group in range(1, pattern.groups + 1):
        told += sentence[at : found.start(group)]
        if group == wager:
            told += WAGERS[found[group]]
        elif currency is None:
            told += found[group]
        else:
            told += amount_words(Fraction(found[group].replace(",", "")), currency) + unit
            unit = ""
        at = found.end(group)
    return told + sentence[at:]
