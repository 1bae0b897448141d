"""Rejected events at a live table: what their holes hide, as of the whole file, and what a device costs that sends
nothing else."""

import random
from collections.abc import Iterable
from functools import partial
from itertools import pairwise

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.filled import Filled, RejectedPlace
from audit.live.refused_ids import MOST_FORMS, MOST_IDS
from audit.live.table import LiveTable
from schemas.decoding import decode_lines
from tests.audit.case import READER, TABLE, Case
from tests.audit.live_worker import FOR_EVER, SETTINGS, content, offline, play, told_of
from tests.audit.troubled import BETS, broken, troubled
from tests.oracle.script import to_lines


@pytest.mark.parametrize("release", [False, True], ids=["all-held", "released"])
@pytest.mark.parametrize("seed", [0, 1, 2, 3, 4, 6, 7, 9, 11, 13, 315])
def test_what_rejected_events_may_hide_is_the_same_live_as_of_the_whole_file(seed: int, release: bool) -> None:
    # Those that change a round which was let go of need the store: tests/streams/test_rejected_places.py.
    lines = to_lines(troubled(seed))
    verdicts, found = offline(lines)
    worker = play(lines, random.Random(seed), batch=3, release=release)
    assert {key: content(worker.verdicts[key]) for key in verdicts if key in worker.verdicts} == {
        key: content(verdict) for key, verdict in verdicts.items()
    }
    assert told_of(worker, verdicts) == found


@pytest.mark.parametrize("first", [True, False], ids=["rejected-first", "rejected-then"])
def test_a_number_that_a_rejected_event_claims_as_well_hides_nothing_after_the_next_one(first: bool) -> None:
    case = Case().round(**BETS).round(**BETS).round(**BETS)
    events = case.events()
    settled = next(event for event in events if event["type"] == "bet.settled.v1")
    place = events.index(settled) + (not first)
    lines = to_lines([*events[:place], broken(settled), *events[place:]])
    worker = play(lines, random.Random(1), batch=1, release=False)
    found = [[each.code for each in worker.verdicts[TABLE, "S1", number].findings] for number in (1, 2, 3)]
    assert found == [["round-incomplete"], ["round-incomplete"], ["payout-missing"]], "the sensor spoke in the second"


def test_a_device_of_which_everything_is_rejected_costs_as_much_at_the_end_of_the_day_as_at_its_beginning() -> None:
    table = LiveTable(TABLE, SETTINGS)
    for event in decode_lines(Case().round(**BETS).lines()).events:
        table.take(event)
    reader = table._beside.source(READER)
    last = reader.device.facts[-1].sequence
    for number in range(last + 1, last + 1_000):
        table.reject(RejectedPlace(READER, number, "card.drawn.v1"))
        assert table.calm == (number > last + 1), "only the first tells something: that the end is open"
        table.look(FOR_EVER)
    assert reader.rejected.runs == [(last + 1, last + 999)]
    table.reject(RejectedPlace(READER, last + 1_001, "card.drawn.v1"))
    assert [each.code for each in table.look(FOR_EVER).findings] == ["device-gap"]


def _under(name: str, content: int) -> bytes:
    event = Case().round(**BETS).events()[5]
    return orjson.dumps({**event, "id": name, "sequence": content, "time": f"2025-03-01T09:00:{content % 60:02d}Z"})


def _refused(table: LiveTable, *lines: bytes) -> list[bytes]:
    """Take events; the bytes of those that are refused because of them."""
    for line in lines:
        table.take(decode_lines([line]).events[0], origin=partial(bytes, line))
    refused = [origin.raw(event) for event, origin in table.refused if origin is not None]
    table.refused.clear()
    return refused


def test_a_device_that_sends_everything_under_one_id_is_remembered_in_little_memory() -> None:
    table = LiveTable(TABLE, SETTINGS)
    lines = [_under("0", content) for content in range(3 * MOST_FORMS)]
    assert _refused(table, *lines) == lines
    assert _refused(table, *lines[-10:]) == [], "what it repeats is refused once"
    [source] = table._beside.sources.values()
    assert [len(forms) for forms in source.refused.values()] == [MOST_FORMS]
    assert len(source.rejected.runs) == 1


def test_an_id_that_was_refused_long_ago_is_looked_up_when_it_comes_again() -> None:
    table = LiveTable(TABLE, SETTINGS)
    for number in range(MOST_IDS + 10):
        pair = [_under(f"id-{number}", 2 * number), _under(f"id-{number}", 2 * number + 1)]
        assert sorted(_refused(table, *pair)) == sorted(pair)
    assert _refused(table, _under("id-1", 9_999)), "before a look all are remembered"
    assert not table.look(0).named_again
    [source] = table._beside.sources.values()
    assert len(source.refused) == MOST_IDS
    assert _refused(table, _under("id-20", 40)) == [], "this one is remembered"
    again = _under("id-0", 10_000)
    assert _refused(table, again) == []
    assert [event.id for event, _ in table.look(0).named_again] == ["id-0"]


def _filled(numbers: Iterable[int]) -> Filled:
    filled = Filled()
    for number in numbers:
        filled.add(RejectedPlace(READER, number, None))
    return filled


@given(st.lists(st.integers(0, 40)), st.integers(-1, 40))
def test_runs_are_the_numbers_that_were_filled_in_whichever_order_they_came(numbers: list[int], last: int) -> None:
    filled = _filled(numbers)
    assert filled.runs == _filled(sorted(numbers)).runs
    assert [number for run in filled.runs for number in range(run.first, run.last + 1)] == sorted(set(numbers))
    assert all(one.last + 1 < other.first for one, other in pairwise(filled.runs))
    filled.let_go(last)
    left = [number for run in filled.runs for number in range(run.first, run.last + 1)]
    assert left == sorted({number for number in numbers if number > last})
