"""Verifying stored rounds: judged anew from the raw events, and whatever is not as stored is found and named."""

from dataclasses import replace
from typing import Any

import orjson
import pytest

from audit.judge import judge
from audit.settings import JudgeSettings, UnknownSettings, settings_of
from games.readings import Readings
from replay import verify as verifying
from replay import windows
from replay.verify import Difference, differences, verify
from schemas.verdicts import verdict_json
from simulator.floor import simulate
from store.connect import Store
from store.read.bulk import partition_shares
from store.read.rounds import RoundFilter
from store.read.stretches import ShoeTimes
from store.write.raw import write_records
from store.write.verdicts import write_verdicts
from tests.audit.case import DTB, Case
from tests.replay.stored import PARTITIONS, fill, judged, mutate, packed
from tests.replay.telling import kinds, tables_of


def _three_shoes() -> list[bytes]:
    """A table of three shoes: bets under the minimum in the first two, a lost settlement at the end of the second, and
    rounds that only what came before explains."""
    case = Case(DTB)
    once: dict[str, Any] = {"bets": {"b1": ("player", 50)}, "settled": {"b1": (50, 0)}}
    case.round(**once).round(bets={"b1": ("player", 50)}, settled={"b1": (0, 0)})
    case.load("S2").round(bets={"b1": ("player", 50)}, settled={"b1": (0, 0)})
    case.round(bets={"b2": ("banker", 500)}, settled={"b2": (0, 500)})
    case.load("S3").round(bets={"b1": ("player", 50)}, settled={"b1": (50, 0)})
    case.round(bets={"b3": ("tie", 200)}, settled={"b3": (0, 200)})
    return case.lines(lost="bet.settled", which=3)


@pytest.mark.parametrize("per_record", [1, 40])
def test_rounds_with_every_fault_are_as_they_are_stored(store: Store, per_record: int) -> None:
    lines = list(simulate(4, 12, 21, faults=0.4))
    poison = [b"no event", b'{"specversion":"1.0"}', b"{},{}", lines[3] + b"," + lines[4]]
    stored = fill(store, [*lines, *lines[40:60], *poison], per_record=per_record)
    result = verify(store)
    assert kinds(result) == []
    assert (result.rounds, result.tables) == (len(stored), 4)


def test_windows_of_single_shoes_judge_as_the_whole_table(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """DTB 5.14: who used the one time in an earlier shoe is known in a later one"""
    lines = _three_shoes()
    stored = fill(store, lines)
    assert {each.verdict.status for each in stored} >= {"flagged", "unverifiable"}
    monkeypatch.setattr(windows, "EVENTS_AT_ONCE", 1)
    monkeypatch.setattr(verifying, "EVENTS_OF_PARTITION", 0)
    result = verify(store)
    assert kinds(result) == []
    assert result.rounds == len(stored) == 6
    assert len(list(windows.shoe_windows(store, "BT1"))) == 3


@pytest.mark.parametrize("at_once", [1_200, 1_000_000])
def test_partitions_that_are_read_together_judge_as_they_do_alone(
    store: Store, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    stored = fill(store, list(simulate(6, 12, 41, faults=0.1)))
    shares = partition_shares(store)
    sizes = [sum(each.events for each in shares if each.partition == number) for number in range(PARTITIONS)]
    assert max(sizes) <= 1_200 < sum(sizes)
    monkeypatch.setattr(verifying, "EVENTS_OF_PARTITION", at_once)
    result = verify(store)
    assert (result.rounds, result.tables, kinds(result)) == (len(stored), 6, [])


@pytest.mark.parametrize("at_once", [1, 700, 1_000_000])
def test_windows_of_several_tables_are_read_together_and_judge_as_whole_tables(
    store: Store, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    lines = list(simulate(5, 90, 33, faults=0.1))
    torn = lines[7].replace(b'"specversion"', b'"specversion" ,')
    stored = fill(store, [*lines[:500], torn, *lines[500:]])
    monkeypatch.setattr(windows, "EVENTS_AT_ONCE", at_once)
    result = verify(store, RoundFilter(start=0))
    assert (result.rounds, result.tables, kinds(result)) == (len(stored), 5, [])


def test_what_the_store_contradicts_is_said_of_its_own_table_alone(store: Store) -> None:
    lines = list(simulate(3, 4, 8))
    stored = fill(store, lines, per_record=1)
    table = stored[0].key.table
    card = next(line for line in lines if b"card.drawn" in line and f'"subject":"{table}"'.encode() in line).decode()
    mutate(store, f"ALTER TABLE records UPDATE raw = '{card},{card}' WHERE raw = '{card}'")
    result = verify(store, RoundFilter(start=0))
    assert {(each.key.table, each.kind) for each in result.deviations} == {(table, "records-contradict")}
    assert result.rounds == len(stored)


def _shoes(partition: int, *events: int) -> list[ShoeTimes]:
    return [
        ShoeTimes(f"S{place}", place * 1000, place * 1000 + 900, count, partition) for place, count in enumerate(events)
    ]


def test_runs_of_shoes_are_put_together_up_to_what_is_held_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(windows, "EVENTS_AT_ONCE", 100)
    shoes = {"A": _shoes(0, 30, 30, 30), "B": _shoes(0, 20, 90, 20), "C": _shoes(1, 500)}
    found = list(windows.batches(shoes, {"A": None, "B": None, "C": None}))
    assert found == [{"A": (0, 1), "B": (0, 0)}, {"B": (1, 1)}, {"A": (2, 2), "B": (2, 2)}, {"C": (0, 0)}]


def test_shoes_that_nobody_asked_for_part_the_runs_of_a_table() -> None:
    shoes = {"A": _shoes(0, 30, 30, 30, 30), "B": _shoes(0, 20, 20)}
    found = list(windows.batches(shoes, {"A": {"S0", "S2", "S3"}, "B": {"S1"}}))
    assert found == [{"A": (0, 0), "B": (1, 1)}, {"A": (2, 3)}]


@pytest.mark.parametrize("shoe", ["S1", "S2", "S3"])
def test_a_filter_verifies_those_rounds_alone(store: Store, shoe: str) -> None:
    fill(store, _three_shoes())
    result = verify(store, RoundFilter(shoe=shoe))
    assert (result.rounds, kinds(result)) == (2, [])


def test_a_tampered_verdict_is_named_with_what_differs(store: Store) -> None:
    stored = fill(store, list(simulate(2, 4, 5)))
    victim = stored[2].verdict
    mutate(
        store,
        'ALTER TABLE verdicts UPDATE verdict = replaceOne(verdict, \'"status":"verified"\', \'"status":"flagged"\')'
        f" WHERE table = '{victim.table}' AND round = {victim.round}",
    )
    result = verify(store)
    assert kinds(result) == [(str(stored[2].key), "verdict-differs")]
    assert result.deviating[0].differences == (Difference("status", "flagged", "verified"),)


def test_a_changed_event_is_named_by_the_rounds_that_rest_on_it(store: Store) -> None:
    case = Case(DTB).round(bets={"b1": ("player", 100)}, settled={"b1": (100, 0)}).round()
    lines = case.lines()
    write_verdicts(store, judged(lines))
    forged = [line.replace(b'"paid":100', b'"paid":900') for line in lines]
    assert forged != lines
    write_records(store, packed(forged))
    result = verify(store)
    assert kinds(result) == [("BT1/S1/1", "facts-differ")]
    assert {each.path for each in result.deviations[0].differences} >= {"digest", "bets[0].actual.paid", "status"}


def test_a_record_that_was_made_to_hold_more_is_taken_as_it_is_alone(store: Store) -> None:
    """Two objects side by side are no event, also where the record before and after them make an array of it."""
    lines = Case(DTB).round().lines()
    fill(store, lines, per_record=1)
    card = next(line for line in lines if b'"draw":4' in line).decode()
    mutate(store, f"ALTER TABLE records UPDATE raw = '{card},{card}' WHERE raw = '{card}'")
    assert kinds(verify(store)) == [("BT1/S1/1", "facts-differ")]
    narrow = verify(store, RoundFilter(shoe="S1"))
    assert kinds(narrow) == [("BT1/S1/1", "records-contradict")]
    assert "does not hold the event" in narrow.deviations[0].differences[0].stored


def test_what_another_judge_saw_differently_is_told_apart(store: Store) -> None:
    lines = Case(DTB).round(bets={"b1": ("player", 100)}, settled={"b1": (90, 0)}).lines()
    write_records(store, packed(lines))
    old = judged(lines, judge="0")[0]
    seen_then = replace(old.verdict, status="verified", findings=())
    write_verdicts(store, [replace(old, verdict=seen_then)])
    result = verify(store)
    assert kinds(result) == [("BT1/S1/1", "other-judge")]
    assert result.deviating == []


def test_another_judge_excuses_no_other_facts(store: Store) -> None:
    lines = Case(DTB).round(bets={"b1": ("player", 100)}, settled={"b1": (100, 0)}).lines()
    write_verdicts(store, judged(lines, judge="0"))
    write_records(store, packed([line.replace(b'"paid":100', b'"paid":900') for line in lines]))
    assert [each.kind for each in verify(store).deviating] == ["facts-differ"]


def test_each_round_is_judged_under_the_settings_of_its_verdict(store: Store) -> None:
    case = Case(DTB).round(bets={"b1": ("player", 100)}, settled={"b1": (100, 0)})
    case.bet(10_400, "b2").round().round()
    lines = case.lines()
    strict = JudgeSettings(tolerance_ms=300, readings=Readings(small_tiger="layout"))
    default, other = judged(lines), judged(lines, strict)
    codes = [{finding.code for finding in each[0].verdict.findings} for each in (default, other)]
    assert "late-bet" in codes[1] - codes[0]
    write_records(store, packed(lines))
    write_verdicts(store, [other[0], default[1], other[2]])
    result = verify(store)
    assert (result.rounds, kinds(result)) == (3, [])


def test_a_later_revision_is_the_one_that_is_verified(store: Store) -> None:
    lines = Case(DTB).round(bets={"b1": ("player", 100)}, settled={"b1": (100, 0)}).lines()
    write_records(store, packed(lines))
    last = judged(lines)[0]
    first = replace(last.verdict, status="flagged")
    write_verdicts(store, [replace(last, verdict=first)])
    write_verdicts(store, [replace(last, verdict=replace(last.verdict, revision=3))])
    assert kinds(verify(store)) == []


def test_a_round_that_nobody_closed_is_verified_as_it_was_judged_when_it_had_gone_quiet(store: Store) -> None:
    lines = Case(DTB).round(bets={"b1": ("player", 100)}, settled={"b1": (100, 0)}).without("round.closed").lines()
    assert judged(lines) == []
    write_records(store, packed(lines))
    facts = tables_of(lines)["BT1"]
    key = ("S1", 1)
    verdict = judge(
        facts.rounds[key], replace(facts.surroundings.context(key, frozenset()), over=True), JudgeSettings()
    )
    likeness = judged(Case(DTB).round().lines())[0]
    write_verdicts(store, [replace(likeness, verdict=verdict)])
    assert [finding.code for finding in verdict.findings] == ["round-out-of-order"]
    assert kinds(verify(store)) == []


def test_settings_that_this_version_does_not_know_are_told(store: Store) -> None:
    lines = Case(DTB).round().lines()
    write_records(store, packed(lines))
    stored = judged(lines)[0]
    odd = replace(stored.verdict, settings={**stored.verdict.settings, "moon": 3})
    write_verdicts(store, [replace(stored, verdict=odd)])
    assert kinds(verify(store)) == [("BT1/S1/1", "settings-unknown")]


def test_settings_are_read_back_as_they_were_written() -> None:
    settings = JudgeSettings(tolerance_ms=1, readings=Readings(pair="literal", tiger_pair="cumulative"))
    assert settings_of(orjson.loads(orjson.dumps(settings.as_json()))) == settings
    with pytest.raises(UnknownSettings):
        settings_of({})


def test_a_deviation_is_looked_at_again_before_it_is_told(store: Store) -> None:
    """A worker stores verdicts a moment before their events."""
    lines = Case(DTB).round().lines()
    write_verdicts(store, judged(lines))
    records = packed(lines)
    write_records(store, records[:1])

    def a_moment_later() -> None:
        write_records(store, records)

    assert kinds(verify(store, pause=a_moment_later)) == []


@pytest.mark.parametrize(
    ("stored", "judged_now", "expected"),
    [
        ({"a": 1}, {"a": 1}, []),
        ({"a": 1}, {"a": "1"}, [("a", 1, "1")]),
        ({"a": {"b": [1, 2]}}, {"a": {"b": [1, 3, 4]}}, [("a.b[1]", 2, 3), ("a.b[2]", None, 4)]),
        ({"a": None, "b": 2}, {"a": 0}, [("a", None, 0), ("b", 2, None)]),
        ({"a": True}, {"a": 1}, [("a", True, 1)]),
        ("torn", {"a": 1}, [("", "torn", {"a": 1})]),
    ],
)
def test_differences_are_told_field_by_field(stored: Any, judged_now: Any, expected: list[Any]) -> None:
    assert [(each.path, each.stored, each.judged) for each in differences(stored, judged_now)] == expected


def test_a_verdict_of_the_same_values_in_other_bytes_deviates(store: Store) -> None:
    lines = Case(DTB).round().lines()
    stored = fill(store, lines)[0]
    spaced = verdict_json(stored.verdict).replace(b'"round":1', b'"round": 1').decode()
    mutate(store, f"ALTER TABLE verdicts UPDATE verdict = '{spaced}' WHERE 1")
    assert kinds(verify(store)) == [("BT1/S1/1", "verdict-differs")]
