"""Records sorted by table: however they are written, each table gets the events that decoding them all gives it."""

from collections import defaultdict
from collections.abc import Callable

import orjson
import pytest

from audit.filled import RejectedPlace
from replay.by_table import ByTable
from schemas.decoding import decode_record
from schemas.records import AnyEvent
from simulator.floor import simulate
from store.read.bulk import RawRecord
from store.read.pieces import events_about

LINES = [line for line in simulate(3, 5, 17) if b'"player":"' in line][:90]


def _record(raw: bytes, offset: int = 0, refused: int = 0) -> RawRecord:
    return RawRecord("", "table.bets", 0, offset, len(decode_record(raw).events), refused, raw)


def _array(lines: list[bytes]) -> bytes:
    return b"[" + b",".join(lines) + b"]"


def _spaced(lines: list[bytes]) -> bytes:
    return b" [ " + b" , ".join(lines) + b" ]\n"


def _data_first(lines: list[bytes]) -> bytes:
    return _array([orjson.dumps(dict(sorted(orjson.loads(line).items()))) for line in lines])


def _escaped_table(lines: list[bytes]) -> bytes:
    return _array([line.replace(b'"subject":"B', b'"subject":"\\u0042') for line in lines])


def _ends_of_events_in_strings(lines: list[bytes]) -> bytes:
    return _array([line.replace(b'"player":"', b'"player":"},{') for line in lines])


def _as_many_cuts_as_events(lines: list[bytes]) -> bytes:
    """One cut inside a string, and a space where one would be."""
    first = lines[0].replace(b'"player":"', b'"player":"},{')
    return b"[" + first + b", " + b",".join(lines[1:]) + b"]"


@pytest.mark.parametrize(
    "written", [_array, _spaced, _data_first, _escaped_table, _ends_of_events_in_strings, _as_many_cuts_as_events]
)
def test_each_table_gets_its_events_however_they_are_written(written: Callable[[list[bytes]], bytes]) -> None:
    records = [_record(written(LINES[start : start + 9]), start) for start in range(0, len(LINES), 9)]
    expected: dict[str, list[AnyEvent]] = defaultdict(list)
    for record in records:
        for event in decode_record(record.raw).events:
            expected[event.subject].append(event)
    assert sum(map(len, expected.values())) == len(LINES)
    sorted_out = ByTable(())
    sorted_out.sort(records)
    for table, events in expected.items():
        taken, places = sorted_out.take(table)
        assert (sorted(taken, key=lambda each: each.id), places) == (sorted(events, key=lambda each: each.id), set())


def test_what_was_refused_of_a_record_is_no_event_of_its_table() -> None:
    events = decode_record(_array(LINES[:4])).events
    sorted_out = ByTable({("", "table.bets", 0, 7, 2)})
    sorted_out.sort([_record(_array(LINES[:4]), offset=7)])
    about = {event.subject for event in events}
    taken = {event.id for table in about for event in sorted_out.take(table)[0]}
    assert taken == {event.id for place, event in enumerate(events) if place != 2}


def test_a_stored_record_that_became_no_event_fills_its_place_alone() -> None:
    """Names a second time what an event has once: a rule broken after it was stored."""
    good = decode_record(_array(LINES[:6])).events
    twice = LINES[2].replace(b'"sequence":', b'"sequence":1,"sequence":', 1)
    broken = RawRecord("", "table.bets", 0, 0, 6, 0, _array([*LINES[:2], twice, *LINES[3:6]]))
    sorted_out = ByTable(())
    sorted_out.sort([broken])
    taken, places = sorted_out.take(good[2].subject)
    assert [event.id for event in taken] == [
        event.id for event in good if event.subject == good[2].subject and event is not good[2]
    ]
    assert places == {RejectedPlace(good[2].source, good[2].sequence, good[2].type)}


def test_a_repeat_counts_once_and_what_contradicts_itself_not_at_all() -> None:
    first = decode_record(LINES[0]).events[0]
    more = b'"amount":1' if b'"amount":' in LINES[0] else b'"paid":1'
    other = LINES[0].replace(more[:-1], more, 1)
    assert other != LINES[0] and decode_record(other).events
    for lines, ids, places in (
        ([LINES[0], LINES[0]], [first.id], set()),
        ([LINES[0], other], [], {RejectedPlace(first.source, first.sequence, first.type)}),
    ):
        sorted_out = ByTable(())
        sorted_out.sort([_record(_array(lines))])
        taken, refused = sorted_out.take(first.subject)
        assert ([event.id for event in taken], refused) == (ids, places)


def test_events_about_another_table_are_not_certain() -> None:
    piece = LINES[0][1:-1]
    about = decode_record(LINES[0]).events[0].subject
    assert events_about(about, [piece]) is not None
    assert events_about(about + "X", [piece]) is None
    assert events_about(about, [piece + b"},{" + piece]) is None
