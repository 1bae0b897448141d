"""A table is not read from the store for the same without end, whatever it asks for."""

import logging
from collections.abc import Collection, Mapping

import pytest

from audit.live.doubtful import Window
from audit.live.table import LiveTable
from audit.table import RoundKey
from schemas.decoding import decode_lines
from store.connect import Store
from store.read.rejections import rejections
from store.rows.raw import RecordKey
from streams.intake import Origin
from streams.names import Come
from streams.readings import Readings
from tests.audit.case import TABLE, Case
from tests.streams.parts import play_parts
from tests.streams.stored import BET

ROUNDS = 12


def _come(offset: int) -> Come:
    """The same event, read once more at a place of the log."""
    line = Case().lines()[0]
    [event] = decode_lines([line]).events
    return event, Origin(RecordKey("", "table.floor", 0, offset), 0, [event], [0], line, alone=True)


def _offsets(asked: tuple[list[Come], set[str]]) -> tuple[list[int], Collection[str]]:
    late, shoes = asked
    return [origin.key.offset for _, origin in late], shoes


def test_two_that_ask_for_each_other_in_turn_are_read_for_together_and_then_no_more() -> None:
    readings = Readings(TABLE)
    readings.note([_come(1)], [])
    both = readings.next([], {"S2"})
    assert _offsets(both) == ([1], {"S2"})
    readings.note(*both)
    assert readings.next([_come(1)], set()) == ([], set())
    assert readings.next([], {"S2"}) == ([], set())
    assert _offsets(readings.next([_come(1), _come(2)], set())) == ([1, 2], {"S2"})


def test_after_something_came_the_same_is_read_for_again_and_nothing_else() -> None:
    readings = Readings(TABLE)
    readings.note([_come(1)], ["S1"])
    readings.forget()
    assert _offsets(readings.next([_come(1)], set())) == ([1], set())


@pytest.mark.parametrize("asks", ["event", "shoe"])
def test_a_table_that_asks_after_each_reading_is_read_some_times_and_goes_on(
    store: Store, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, asks: str
) -> None:
    """As if the judge had a fault: the last bet, whose name was used before, is asked for by whatever is read."""
    case = Case()
    for _ in range(ROUNDS):
        case.round(**BET)
    events = case.events()
    placed = [event for event in events if event["type"] == "bet.placed.v1"]
    placed[-1]["id"] = placed[0]["id"]
    readings: list[str] = []
    recall = LiveTable.recall_rounds

    def ask_again(live: LiveTable, over_to: int, doubtful: Mapping[RoundKey, Window]) -> None:
        recall(live, over_to, doubtful)
        readings.append(asks)
        if asks == "shoe":
            live._judged.reload.add("S1")
        else:
            live._named_again += live.refused[-1:]

    monkeypatch.setattr(LiveTable, "recall_rounds", ask_again)
    with caplog.at_level(logging.WARNING, "streams.readings"):
        play_parts(store, [events[: len(events) // 2], events[len(events) // 2 :]])
    assert 1 < len(readings) < 10
    assert {record.getMessage() for record in caplog.records} == {"the table is not read once more for the same"}
    assert len(rejections(store, table=TABLE)) == 2
