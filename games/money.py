"""Exact money: fractions of a minor unit are kept exact and printed as plain decimals."""

from fractions import Fraction


def plain_decimal(amount: Fraction) -> str:
    """The exact amount without exponent and trailing zeros; ``ValueError`` for one that has no end, such as a third."""
    return decimal_text(*finite_decimal(amount))


def finite_decimal(amount: Fraction) -> tuple[int, int]:
    """The amount as a whole number of its smallest decimal places, and how many places: 0.95 is (95, 2).

    Every odds of the rulebook is a finite decimal; ``ValueError`` for an amount that is none.
    """
    rest, places = amount.denominator, 0
    for prime in (2, 5):
        times = 0
        while rest % prime == 0:
            rest //= prime
            times += 1
        places = max(places, times)
    if rest != 1:
        raise ValueError(f"{amount} has no finite decimal form")
    return int(amount * 10**places), places


def decimal_text(digits: int, places: int) -> str:
    """A whole number of decimal places in plain form: (95, 2) is ``0.95``, (500, 2) is ``5``."""
    if places == 0:
        return str(digits)
    sign, text = ("-", str(-digits)) if digits < 0 else ("", str(digits))
    text = text.rjust(places + 1, "0")
    return f"{sign}{text[:-places]}.{text[-places:]}".rstrip("0").rstrip(".")
