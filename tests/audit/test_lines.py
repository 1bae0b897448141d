"""Section 1 and Time of section 6: lines, repeats, conflicts, effective times."""

from __future__ import annotations

import json

import pytest

from tests.audit.case import CLOSING, Case, judge_both, settled_round
from tests.oracle.script import to_lines


@pytest.mark.parametrize(
    "change",
    [
        {"specversion": "1.1"}, {"id": ""}, {"id": 7}, {"source": None}, {"type": "round.paused.v1"},
        {"type": "round.closed"}, {"sequence": -1}, {"sequence": "3"}, {"sequence": True}, {"sequence": 1.0},
        {"time": "2025-03-01T04:00:00"}, {"time": "2025-03-01T04:00:00.1234567Z"}, {"time": "2025-03-01T04:61:00Z"},
        {"data": []}, {"extra": 1}, {"dataschema": None}, {"subject": None}, {"data": {"shoe": "S1", "round": 0}},
        {"data": {"shoe": "S1", "round": 1, "by": "x"}}, {"data": {"shoe": "", "round": 1}}, {"data": {"shoe": "S1"}},
    ],
)  # fmt: skip
def test_an_event_that_is_not_of_the_contract_is_rejected_and_the_rest_is_judged(change: dict[str, object]) -> None:
    events = settled_round().events()
    assert events[-1]["type"] == "round.closed.v1"
    found = judge_both(to_lines([*events, {**events[-1], "id": "other", "sequence": 3, **change}]))
    assert [each["code"] for each in found["findings"]] == ["event-rejected"]
    assert found["verdicts"][0]["status"] == "verified"


@pytest.mark.parametrize(
    "line",
    [b"{", b"[]", b"null", b"\xff\xfe", b'"text"', b"12", b'{"a":NaN}', b"[" * 50, b'{"id":"\\ud800"}', b"not json"],
)
def test_bytes_that_are_no_event_are_one_finding_however_often_they_come(line: bytes) -> None:
    found = judge_both([line, *settled_round().lines(), line])
    assert [each["code"] for each in found["findings"]] == ["event-rejected"]
    assert found["findings"][0]["table"] is None


def test_optional_attributes_and_short_times_are_accepted() -> None:
    events = Case().round().events()
    events[-1] |= {"datacontenttype": "application/json", "dataschema": "urn:x", "time": "2025-03-01T04:00:41Z"}
    assert judge_both(to_lines(events))["findings"] == []


def test_an_event_seen_twice_counts_once_in_whatever_spelling() -> None:
    events = settled_round().events()
    lines = to_lines(events)
    spelt = [json.dumps(dict(reversed(event.items())), indent=None).encode() for event in events]
    assert judge_both(lines + spelt + lines)["findings"] == []


def test_two_contents_under_one_id_are_both_rejected() -> None:
    events = Case().round().events()
    closing = next(event for event in events if event["type"] == "bets.closed.v1")
    lines = to_lines(events)
    other = json.dumps({**closing, "time": "2025-03-01T04:00:12Z"}).encode()
    found = judge_both([*lines, other, other, *lines])
    assert [each["code"] for each in found["findings"]] == ["event-rejected", "event-rejected", "round-incomplete"]
    assert judge_both([other, *lines])["verdicts"] == found["verdicts"]  # whichever came first


def test_one_id_of_two_sources_is_no_conflict() -> None:
    events = settled_round().events()
    for event in events:
        event["id"] = f"e{event['sequence']}"
    assert judge_both(to_lines(events))["findings"] == []


def test_the_effective_time_never_runs_back_within_a_source() -> None:
    case = settled_round().change(CLOSING + 3_000, "b1", 150)
    events = case.events()
    late = next(event for event in events if event["type"] == "bet.changed.v1")
    late["time"] = events[2]["time"]  # by its own clock long before the closing, by its sequence after nothing later
    codes = [each["code"] for each in judge_both(to_lines(events))["findings"]]
    assert codes == ["payout-wrong"]  # effective at the placing: an increase in time
    placed = next(event for event in events if event["type"] == "bet.placed.v1")
    placed["time"] = next(event["time"] for event in events if event["type"] == "card.drawn.v1")
    codes = sorted(each["code"] for each in judge_both(to_lines(events))["findings"])
    assert codes == ["late-bet", "payout-unexpected"]  # both effective at the first card


def test_no_lines_give_no_verdicts() -> None:
    assert judge_both([]) == {"verdicts": [], "findings": []}
