"""Exact money: fractions of a minor unit are kept exact and printed as plain decimals."""

from fractions import Fraction


def plain_decimal(amount: Fraction) -> str:
    """The exact amount without exponent and without trailing zeros.

    Every odds of the rulebook gives a finite one; anything else, such as a third, is a ``ValueError``.
    """
    numerator, denominator = amount.numerator, amount.denominator
    if denominator == 1:
        return str(numerator)
    twos = (denominator & -denominator).bit_length() - 1
    rest, fives = denominator >> twos, 0
    while rest % 5 == 0:
        rest //= 5
        fives += 1
    if rest != 1:
        raise ValueError(f"{amount} has no finite decimal form")
    places = max(twos, fives)
    digits = str(abs(numerator) * 10**places // denominator).rjust(places + 1, "0")
    sign = "-" if numerator < 0 else ""
    return f"{sign}{digits[:-places]}.{digits[-places:]}"
