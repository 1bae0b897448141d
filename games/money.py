"""Exact money: fractions of a minor unit are kept exact and printed as plain decimals."""

from fractions import Fraction


def plain_decimal(amount: Fraction) -> str:
    """The exact amount without exponent and without trailing zeros; every odds of the rulebook gives a finite one."""
    numerator, denominator = amount.numerator, amount.denominator
    if denominator == 1:
        return str(numerator)
    places = 0
    scale = 1
    while scale % denominator:
        places += 1
        scale *= 10
        if places > 40:
            raise ValueError(f"{amount} has no finite decimal form")
    digits = str(abs(numerator) * (scale // denominator)).rjust(places + 1, "0")
    sign = "-" if numerator < 0 else ""
    return f"{sign}{digits[:-places]}.{digits[-places:]}"
