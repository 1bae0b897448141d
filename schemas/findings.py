"""Findings: a broken rule as data, with its code, its severity and an id that never changes."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Annotated, Any, Final, Literal, get_args

import orjson
from pydantic import ConfigDict, Field, TypeAdapter

from games.money import plain_decimal
from schemas.words import Count, OneOf, Text
from schemas.written import written

Severity = Literal["critical", "high", "medium", "low"]
SEVERITIES: Final[tuple[Severity, ...]] = get_args(Severity)
"""The worst first."""

SEVERITY: Mapping[str, Severity] = MappingProxyType(
    {
        "display-mismatch": "critical",
        "card-missing": "critical",
        "card-extra": "critical",
        "foreign-card": "critical",
        "card-conflict": "critical",
        "decks-not-allowed": "high",
        "shoe-short": "high",
        "insufficient-cards": "critical",
        "wager-not-offered": "critical",
        "position-not-on-layout": "low",
        "below-minimum": "high",
        "above-maximum": "high",
        "too-many-wagers": "medium",
        "differential-exceeded": "high",
        "late-bet": "critical",
        "late-withdrawal": "critical",
        "card-before-close": "high",
        "round-out-of-order": "medium",
        "method-not-allowed": "medium",
        "ruling-not-authorised": "high",
        "void-required": "critical",
        "void-unfounded": "critical",
        "void-not-returned": "critical",
        "payout-wrong": "critical",
        "payout-missing": "high",
        "payout-unexpected": "critical",
        "device-gap": "high",
        "device-clock": "medium",
        "device-silent": "high",
        "event-rejected": "high",
        "round-incomplete": "high",
        "shuffle-repeat": "high",
        "card-frequency": "medium",
        "hold-out-of-range": "medium",
        "player-over-expectation": "medium",
    }
)
"""The severity of every finding code."""

STATISTICAL = frozenset({"shuffle-repeat", "card-frequency", "hold-out-of-range", "player-over-expectation"})
"""The codes with basis ``statistics``: they accuse nobody and change no round's status."""

Code = Annotated[str, OneOf(SEVERITY)]
FindingId = Annotated[str, Field(pattern="^[0-9a-f]{32}$")]


def _tell_what_json_has(schema: dict[str, Any]) -> None:
    """Says in the JSON Schema what the defaults of the dataclass leave out."""
    schema["required"].append("basis")
    schema["if"] = {"properties": {"basis": {"const": "statistics"}}}
    schema["then"] = {"required": ["p_value"]}
    schema["else"] = {"properties": {"p_value": False}}
    schema["properties"]["p_value"] = {"type": "number", "minimum": 0, "maximum": 1}


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A broken rule, or what many rounds together make unlikely."""

    __pydantic_config__ = ConfigDict(
        strict=True, extra="forbid", use_attribute_docstrings=True, json_schema_extra=_tell_what_json_has
    )

    id: FindingId
    """Depends on what the finding is about, never on its wording or amounts: see ``finding_id``."""
    code: Code
    severity: Severity
    rule: Text | None
    """Document and clause, e.g. ``dragon-tiger-baccarat 5.15``; null where no clause is behind it."""
    table: Text | None
    """Null for a rejected event whose subject cannot be read."""
    shoe: Text | None
    round: Count | None
    bet: Text | None
    draw: Count | None
    expected: Any
    """What it should have been, as JSON; amounts are integers or fractions."""
    actual: Any
    """What it was."""
    message: Text
    """One plain sentence for a shift manager."""
    basis: Literal["rule", "statistics"] = "rule"
    p_value: Annotated[float, Field(ge=0, le=1)] | None = None
    """How likely chance alone does this, or worse; with basis ``statistics`` only."""
    corrected: bool = False
    """A later correction of the settlement put it right."""
    cleared: bool = False
    """A later fact took the ground away."""


def finding_id(
    code: str,
    table: str | None,
    shoe: str | None = None,
    round: int | None = None,
    bet: str | None = None,
    draw: int | None = None,
    about: str = "",
) -> str:
    """The id of the finding about this: 32 hex digits of a SHA-256.

    ``about`` tells apart what the rest does not: the event id of a display, a ruling or a settlement, source and first
    missing sequence of a gap, the hash of rejected bytes.
    """
    # A JSON array is unambiguous: no two lists of fields have the same bytes.
    return hashlib.sha256(orjson.dumps([code, table, shoe, round, bet, draw, about])).hexdigest()[:32]


def finding_about(
    code: str,
    table: str | None,
    message: str,
    *,
    rule: str | None = None,
    shoe: str | None = None,
    round: int | None = None,
    bet: str | None = None,
    draw: int | None = None,
    about: str = "",
    expected: Any = None,
    actual: Any = None,
    corrected: bool = False,
    p_value: float | None = None,
) -> Finding:
    """A finding with the severity of its code and the id of what it is about; with a p-value it rests on statistics."""
    return Finding(
        id=finding_id(code, table, shoe, round, bet, draw, about),
        code=code,
        severity=SEVERITY[code],
        rule=rule,
        table=table,
        shoe=shoe,
        round=round,
        bet=bet,
        draw=draw,
        expected=expected,
        actual=actual,
        message=message,
        basis="rule" if p_value is None else "statistics",
        p_value=p_value,
        corrected=corrected,
    )


def as_json(finding: Finding) -> dict[str, Any]:
    """A finding as the contract writes it: all fields, save those that are said only when they apply."""
    fields: dict[str, Any] = {
        "id": finding.id,
        "code": finding.code,
        "severity": finding.severity,
        "rule": finding.rule,
        "table": finding.table,
        "shoe": finding.shoe,
        "round": finding.round,
        "bet": finding.bet,
        "draw": finding.draw,
        "expected": plain(finding.expected),
        "actual": plain(finding.actual),
        "message": finding.message,
        "basis": finding.basis,
    }
    if finding.basis == "statistics":
        fields["p_value"] = finding.p_value
    if finding.corrected:
        fields["corrected"] = True
    if finding.cleared:
        fields["cleared"] = True
    return fields


def finding_json(finding: Finding) -> bytes:
    """A finding as one line of JSON."""
    return written(as_json(finding))


def plain(value: Any) -> Any:
    """A value with its exact amounts as JSON has them: an integer, or a decimal string where one is not whole."""
    if isinstance(value, Fraction):
        return value.numerator if value.denominator == 1 else plain_decimal(value)
    if isinstance(value, Mapping):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    return value


FINDING: TypeAdapter[Finding] = TypeAdapter(Finding)


def parse_finding(raw: bytes) -> Finding:
    """A finding read back from its JSON."""
    return FINDING.validate_json(raw)
