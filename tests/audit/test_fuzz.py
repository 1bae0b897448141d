"""Garbage, mutated events and absurd but valid ones through decoding, intake and judge: nothing raises."""

from __future__ import annotations

import json
from random import Random
from typing import Any

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from schemas.findings import finding_json
from schemas.verdicts import parse_verdict, verdict_json
from schemas.words import LARGEST
from tests.audit.both_judges import differences, judge_lines
from tests.audit.case import settled_round
from tests.oracle.rules import ALL_CARDS
from tests.oracle.scenarios import scenario
from tests.oracle.script import to_lines
from tests.oracle.validate import INCIDENTS, OPTIONAL, REQUIRED, ROLES, RULINGS
from tests.schemas.read_again import is_read_again

FUZZ = settings(max_examples=25, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))

JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)
WORDS = [
    *REQUIRED, *RULINGS, *INCIDENTS, *ROLES, "shoe", "round", "draw", "bet", "table", "player", "banker", "b1", "S1",
    "BT1", "/tables/BT1/reader", "ZZ", "4H", "LG", "2025-03-01T04:00:00Z", "0001-01-01T00:00:00Z",
    "9999-12-31T23:59:59.999999Z",
]  # fmt: skip
NUMBERS = [0, 1, 2, 3, 7, -1, 2**31, LARGEST, LARGEST + 1, 2**63, 2**64, 10**40]
VALUES = JSON | st.sampled_from(WORDS) | st.sampled_from(NUMBERS)


def judged_and_written(lines: list[bytes]) -> None:
    """Judge them, write all of it down, and read the verdicts back."""
    judged = judge_lines(lines)
    for verdict in judged.verdicts:
        written = verdict_json(verdict)
        assert verdict_json(parse_verdict(written)) == written
        assert is_read_again(written)
    for finding in judged.beside:
        assert json.loads(finding_json(finding))["id"] == finding.id


@FUZZ
@given(lines=st.lists(st.binary(max_size=60) | JSON.map(lambda value: json.dumps(value).encode()), max_size=12))
def test_garbage(lines: list[bytes]) -> None:
    judged_and_written([*lines, *settled_round().lines()])


def spots(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place inside a JSON value."""
    found = [path] if path else []
    if isinstance(value, dict):
        found += [spot for key in value for spot in spots(value[key], (*path, key))]
    elif isinstance(value, list):
        found += [spot for place in range(len(value)) for spot in spots(value[place], (*path, place))]
    return found


def put(value: Any, path: tuple[Any, ...], new: Any) -> None:
    for key in path[:-1]:
        value = value[key]
    value[path[-1]] = new


@FUZZ
@given(seed=st.integers(0, 10_000), values=st.lists(VALUES, min_size=1, max_size=6), dice=st.integers(0, 2**32))
def test_mutated_events(seed: int, values: list[Any], dice: int) -> None:
    events, places = scenario(Random(seed)), Random(dice)
    assume(len(events) < 200)
    for value in values:
        event = places.choice(events)
        put(event, places.choice(spots(event)), value)
    lines = [json.dumps(event).encode() for event in events]
    judged_and_written(lines)
    assert differences(lines) == []


@FUZZ
@given(seed=st.integers(0, 10_000), cuts=st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, 200)), max_size=5))
def test_truncated_lines(seed: int, cuts: list[tuple[int, int]]) -> None:
    lines = to_lines(scenario(Random(seed)))
    for place, end in cuts:
        lines[place % len(lines)] = lines[place % len(lines)][:end]
    judged_and_written(lines)


COUNTS = st.sampled_from([1, 2, 3, 4, 5, 6, 7, 1_000, LARGEST])
MONEY = st.sampled_from([0, 1, 50, 100, 101, LARGEST])
BETS = st.sampled_from(["b1", "b2", "b3"])
CARD = st.sampled_from(sorted(ALL_CARDS))
TIMES = st.sampled_from(["0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999Z"]) | st.integers(0, 90).map(
    lambda second: f"2025-03-01T04:{second // 60:02d}:{second % 60:02d}Z"
)
FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "shoe": st.just("S1"), "round": st.sampled_from([1, 1, 1, 2]), "bet": BETS, "amount": MONEY.map(lambda n: n or 1),
    "paid": MONEY, "collected": MONEY, "position": COUNTS, "player": st.sampled_from(["ann", None]),
    "wager": st.sampled_from(["player", "banker", "tie", "tiger_tie"]), "draw": COUNTS, "card": CARD,
    "before_draw": COUNTS, "decks": COUNTS, "method": st.sampled_from(["A", "C", None]), "winner": st.just("player"),
    "totals": st.none(), "remaining": st.none() | st.lists(CARD, max_size=4), "by": st.sampled_from(ROLES),
    "incident": st.sampled_from(INCIDENTS), "draws": st.lists(COUNTS, max_size=3), "text": st.just(""),
    "device_time": TIMES, "game": st.sampled_from(["dragon_tiger_baccarat", "dragon_tiger", "tiger"]),
    "currency": st.just("SGD"), "area": st.just("hlga"), "positions": COUNTS, "max_wagers_per_area": st.none() | COUNTS,
    "differential_limit": st.none() | MONEY, "order": st.lists(COUNTS, max_size=4), "bets": st.lists(BETS, max_size=2),
    "limits": st.dictionaries(st.sampled_from(["player", "tie"]), st.just({"min": 100, "max": 10_000})),
    "scope": st.just("table"), "clause": st.sampled_from(["5.8.1", "5.9", "6.1", "5.18.1"]),
}  # fmt: skip


@st.composite
def absurd(draw: st.DrawFn) -> dict[str, Any]:
    """A valid event with the least likely of values."""
    kind = draw(st.sampled_from([*REQUIRED, "ruling.made.v1", "card.drawn.v1", "card.drawn.v1", "bet.placed.v1"]))
    if kind == "ruling.made.v1":
        ruling = draw(st.sampled_from(sorted(RULINGS)))
        names = ["shoe", "round", "clause", "by", *RULINGS[ruling]]
        data = {"ruling": ruling, **{name: draw(FIELDS[name]) for name in names}}
    else:
        data = {name: draw(FIELDS[name]) for name in REQUIRED[kind]}
    assert not set(OPTIONAL.get(kind, {})) & set(data)
    return {
        "specversion": "1.0",
        "id": draw(st.uuids()).hex,
        "source": draw(st.sampled_from(["/a", "/b"])),
        "type": kind,
        "subject": "BT1",
        "time": draw(TIMES),
        "sequence": draw(st.sampled_from([0, 1, 2, 3, 4, 5, 6, 7, LARGEST])),
        "data": data,
    }


@settings(FUZZ, max_examples=60)
@given(events=st.lists(absurd(), max_size=14))
def test_valid_events_that_no_table_sends(events: list[dict[str, Any]]) -> None:
    lines = to_lines(events)
    judged_and_written(lines)
    assert differences(lines) == []


def test_stakes_beyond_any_money_in_the_world() -> None:
    case = settled_round(differential_limit=0)
    for place in range(2_100):
        case.bet(3_000, f"x{place}", "player", LARGEST, position=1 + place % 7)
    judged_and_written(case.lines())
    [verdict] = judge_lines(case.lines()).verdicts
    assert verdict.differential is not None
    assert verdict.differential.first_card == LARGEST
