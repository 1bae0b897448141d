"""Findings: every code has its severity, ids are stable and unambiguous, and the JSON is that of the contract."""

import json
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft7Validator
from pydantic import ValidationError

from schemas.findings import SEVERITY, STATISTICAL, Finding, as_json, finding_id, finding_json, parse_finding, plain
from schemas.json_schemas import json_schemas

SCHEMA = Draft7Validator(json_schemas()["finding"])

PAYOUT = Finding(
    id=finding_id("payout-wrong", "BT12", "S-1", 17, "B-5", about="e-9"),
    code="payout-wrong",
    severity="critical",
    rule="dragon-tiger-baccarat 4.1",
    table="BT12",
    shoe="S-1",
    round=17,
    bet="B-5",
    draw=None,
    expected={"paid": Fraction(19, 2), "collected": Fraction(0)},
    actual={"paid": 10, "collected": 0},
    message="Bet B-5 was paid 10 and should have been paid 9.5.",
)
REPEAT = replace(
    PAYOUT, code="shuffle-repeat", severity="high", rule=None, round=None, bet=None, basis="statistics", p_value=1e-9
)


def test_severities_are_those_of_the_contract() -> None:
    by_severity = {level: {code for code, each in SEVERITY.items() if each == level} for level in SEVERITY.values()}
    assert by_severity["low"] == {"position-not-on-layout"}
    assert by_severity["medium"] == {
        "too-many-wagers",
        "round-out-of-order",
        "method-not-allowed",
        "device-clock",
        "card-frequency",
        "hold-out-of-range",
        "player-over-expectation",
    }
    assert by_severity["high"] == {
        "decks-not-allowed",
        "shoe-short",
        "below-minimum",
        "above-maximum",
        "differential-exceeded",
        "card-before-close",
        "ruling-not-authorised",
        "payout-missing",
        "device-gap",
        "device-silent",
        "event-rejected",
        "round-incomplete",
        "shuffle-repeat",
    }
    assert by_severity["critical"] == {
        "display-mismatch",
        "card-missing",
        "card-extra",
        "foreign-card",
        "card-conflict",
        "insufficient-cards",
        "wager-not-offered",
        "late-bet",
        "late-withdrawal",
        "void-required",
        "void-unfounded",
        "void-not-returned",
        "payout-wrong",
        "payout-unexpected",
    }
    assert set(SEVERITY) >= STATISTICAL


def test_an_id_never_changes_from_one_version_to_the_next() -> None:
    assert finding_id("late-bet", "BT12", "S-1", 17, "B-5") == "a0ddf7490aa98daeae4c264d303fd8d8"
    assert finding_id("device-gap", "BT12", about="/tables/BT12/reader 41") == "2a20e03323747990f87928143c26ec34"


maybe = st.none() | st.text(max_size=4)
keys = st.tuples(
    st.sampled_from(sorted(SEVERITY)),
    maybe,
    maybe,
    st.none() | st.integers(1, 99),
    maybe,
    st.none() | st.integers(1, 9),
    st.text(max_size=4),
)


@settings(deadline=None)
@given(keys, keys)
def test_two_ids_are_equal_only_for_the_same_subject(one: tuple[Any, ...], other: tuple[Any, ...]) -> None:
    assert (finding_id(*one) == finding_id(*other)) is (one == other)


def test_null_and_empty_and_neighbouring_fields_are_told_apart() -> None:
    ids = {
        finding_id("late-bet", "a", "bc"),
        finding_id("late-bet", "ab", "c"),
        finding_id("late-bet", "ab", None, None, "c"),
        finding_id("late-bet", "a", "b", None, "c"),
        finding_id("late-bet", "a", "", None, "bc"),
        finding_id("late-bet", "a", None, None, "bc"),
        finding_id("late-bet", "a", "bc", about="x"),
        finding_id("late-bet", "a", "bc", round=1),
        finding_id("late-bet", "a", "bc", draw=1),
    }
    assert len(ids) == 9


def test_every_key_is_there_and_what_does_not_apply_is_not_said() -> None:
    assert list(as_json(PAYOUT)) == [
        "id", "code", "severity", "rule", "table", "shoe", "round", "bet", "draw",
        "expected", "actual", "message", "basis",
    ]  # fmt: skip
    assert as_json(PAYOUT)["expected"] == {"paid": "9.5", "collected": 0}
    assert as_json(REPEAT)["p_value"] == 1e-9
    assert as_json(replace(PAYOUT, corrected=True))["corrected"] is True
    assert as_json(replace(PAYOUT, cleared=True))["cleared"] is True


@pytest.mark.parametrize(
    "finding", [PAYOUT, REPEAT, replace(PAYOUT, corrected=True), replace(PAYOUT, cleared=True, table=None)]
)
def test_a_finding_is_read_back_as_it_was_written(finding: Finding) -> None:
    raw = finding_json(finding)
    assert finding_json(parse_finding(raw)) == raw
    assert SCHEMA.is_valid(json.loads(raw))


@pytest.mark.parametrize(
    "change",
    [
        {"code": "unknown"},
        {"severity": "urgent"},
        {"id": "x"},
        {"round": 0},
        {"message": ""},
        {"more": 1},
        {"basis": "guess"},
    ],
)
def test_what_is_no_finding_is_not_read(change: dict[str, object]) -> None:
    fields = as_json(PAYOUT) | change
    assert not SCHEMA.is_valid(fields)
    with pytest.raises(ValidationError):
        parse_finding(json.dumps(fields).encode())


def test_the_schema_asks_for_a_p_value_exactly_with_statistics() -> None:
    assert not SCHEMA.is_valid({**as_json(PAYOUT), "p_value": 0.5})
    assert not SCHEMA.is_valid({key: value for key, value in as_json(REPEAT).items() if key != "p_value"})


def test_exact_amounts_are_integers_or_plain_decimals() -> None:
    value = {"a": [Fraction(1, 2), Fraction(4, 2), (Fraction(1, 20),)], "b": None, "c": 1.5}
    assert plain(value) == {"a": ["0.5", 2, ["0.05"]], "b": None, "c": 1.5}
    with pytest.raises(ValueError, match="no finite decimal"):
        plain(Fraction(1, 3))
