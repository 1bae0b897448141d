"""The form of a statistical finding, and odds in words."""

from collections.abc import Mapping
from math import exp
from typing import Any

from audit.watches.summary import ShoeSummary
from schemas.findings import SEVERITY, Finding, finding_id

SMALLEST = 1e-300
"""A p-value is never said to be nothing."""


def p_value_of(log_evidence: float) -> float:
    """The p-value of an e-value, given by its logarithm: 1 / e and at most 1 (Markov's inequality)."""
    return max(SMALLEST, exp(-log_evidence)) if log_evidence > 0 else 1.0


def once_in(p_value: float) -> str:
    """A p-value for people, e.g. ``once in 2,500,000 shoes``."""
    times = 1 / p_value
    return f"once in {round(times):,} shoes" if times < 1e12 else "less than once in a million million shoes"


def statistical_finding(
    code: str,
    shoe: ShoeSummary,
    about: str,
    p_value: float,
    test: str,
    expected: Mapping[str, Any],
    actual: Mapping[str, Any],
    message: str,
) -> Finding:
    """A finding with basis ``statistics``, raised at the end of this shoe; ``about`` tells several of a code apart."""
    # Three digits are all that a p-value is worth, and are the same on every machine.
    rounded = float(f"{min(1.0, max(SMALLEST, p_value)):.3g}")
    return Finding(
        id=finding_id(code, shoe.table, shoe.shoe, about=about),
        code=code,
        severity=SEVERITY[code],
        rule=None,
        table=shoe.table,
        shoe=shoe.shoe,
        round=None,
        bet=None,
        draw=None,
        expected={"test": test, **expected},
        actual=dict(actual),
        message=message,
        basis="statistics",
        p_value=rounded,
    )
