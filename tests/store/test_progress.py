"""How far the store is: offsets to skip, rounds still open, what a worker folds again."""

import pytest

from schemas.time import micros
from schemas.topics import partition_of
from store.connect import Store
from store.read import progress
from store.read.progress import (
    events_to_fold,
    first_missing,
    known_tables,
    last_offset,
    last_times,
    open_rounds,
    open_shoes,
    stored_events_count,
    stored_offsets,
)
from store.rows.raw import Record
from store.write.raw import write_records
from store.write.verdicts import write_verdicts
from tests.store.floor import ARRIVAL, PARTITIONS, START, Table, evening, everything, judged, packed

_PARTITION = partition_of("BT1", PARTITIONS)


def test_offsets_that_are_stored_are_known_per_log_topic_and_partition(store: Store) -> None:
    table = Table("BT1")
    table.play("S1", 1)
    (record,) = packed([table.said[1]])
    for offset in (3, 4, 7):
        write_records(store, [Record("table.bets", 2, offset, ARRIVAL, record.raw, record.decoded)])
    write_records(store, [Record("table.bets", 2, 1, ARRIVAL, record.raw, record.decoded, log="made anew")])
    assert last_offset(store, "table.bets", 2) == 7
    assert stored_offsets(store, "table.bets", 2, 4, 9) == {4, 7}
    assert last_offset(store, "table.bets", 2, log="made anew") == 1
    assert stored_offsets(store, "table.bets", 2, 0, 9, log="made anew") == {1}
    assert last_offset(store, "table.bets", 1) is None
    assert last_offset(store, "table.cards", 2) is None
    assert stored_events_count(store) == 4


def test_the_first_offset_that_is_missing_is_found_wherever_it_is(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "_BLOCK", 4)
    table = Table("BT1")
    table.play("S1", 1)
    (record,) = packed([table.said[1]])
    stored = {2, 3, 4, 5, 6, 7, 8, 9, 10, 13}
    write_records(
        store, [Record("table.bets", 2, each, ARRIVAL, record.raw, record.decoded) for each in sorted(stored)]
    )
    for first in range(15):
        for end in range(first, 16):
            missing = [offset for offset in range(first, end) if offset not in stored]
            assert first_missing(store, "table.bets", 2, first, end) == min(missing, default=end), (first, end)
    assert first_missing(store, "table.cards", 2, 3, 9) == 3
    assert first_missing(store, "table.bets", 2, 2, 11, log="made anew") == 2


def test_a_record_counts_as_stored_only_when_its_events_are(store: Store) -> None:
    """The mark comes last: events without their record are written again."""
    table = Table("BT1")
    table.play("S1", 1)
    records = packed(table.said)
    write_records(store, records)
    store.command("TRUNCATE TABLE records")
    assert last_offset(store, records[0].topic, records[0].partition) is None
    write_records(store, records[:1])
    assert stored_events_count(store) == len(records[0].decoded.events)


def test_a_round_is_open_until_it_has_a_verdict(store: Store) -> None:
    floor = evening(["BT1"], 3)
    write_records(store, packed(everything(floor)))
    assert [str(span.key) for span in open_rounds(store, _PARTITION, 0)] == ["BT1/S1/1", "BT1/S1/2", "BT1/S1/3"]
    write_verdicts(store, [judged("BT1", number=2)])
    left = open_rounds(store, _PARTITION, 0)
    assert [(str(span.key), span.closed) for span in left] == [("BT1/S1/1", True), ("BT1/S1/3", True)]
    opened = next(event for event in floor[0].said if event["type"] == "round.opened.v1")
    assert left[0].first_time == START + 1_000_000
    assert opened["data"]["round"] == 1
    assert open_rounds(store, _PARTITION, ARRIVAL + 10_000_000) == [], "nothing was heard of since"
    assert open_rounds(store, (_PARTITION + 1) % PARTITIONS, 0) == []


def test_a_round_over_midnight_of_a_month_is_one_round(store: Store) -> None:
    """Spans are summed up by month; what is read puts the months together."""
    table = Table("BT1")
    table.play("S1", 1)
    records = packed(table.said, per_record=1)
    month = 31 * 24 * 3600 * 1000
    moved = [
        Record(
            each.topic, each.partition, each.offset, each.arrival + (month if place % 2 else 0), each.raw, each.decoded
        )
        for place, each in enumerate(records)
    ]
    write_records(store, moved)
    assert store.query("SELECT uniqExact(month) FROM round_spans") == [(2,)]
    for since in (0, ARRIVAL, ARRIVAL + month):
        (span,) = open_rounds(store, _PARTITION, since)
        assert (span.first_time, span.closed) == (START, True)
        assert span.last_arrival >= ARRIVAL + month
    assert open_rounds(store, _PARTITION, ARRIVAL + 2 * month) == []


def test_a_round_that_nobody_closed_is_told(store: Store) -> None:
    table = Table("BT1")
    table.play("S1", 1, closed=False)
    write_records(store, packed(table.said))
    assert [span.closed for span in open_rounds(store, _PARTITION, 0)] == [False]


def test_a_worker_folds_the_configuration_and_the_whole_shoe_of_an_open_round(store: Store) -> None:
    table = Table("BT1")
    table.configure()
    table.load("S1")
    table.play("S1", 1)
    table.end("S1")
    table.load("S2")
    table.play("S2", 1)
    table.play("S2", 2, closed=False)
    write_records(store, packed(table.said))
    write_verdicts(store, [judged("BT1"), judged("BT1", shoe="S2")])
    assert open_shoes(store, _PARTITION, 0) == [("BT1", "S2")]
    folded = [each.event for each in events_to_fold(store, _PARTITION, 0)]
    expected = [e["id"] for e in table.said if e["type"] == "table.configured.v1" or e["data"].get("shoe") == "S2"]
    assert [event.id for event in folded] == expected


def test_a_shoe_that_ended_with_a_round_not_judged_is_folded_too(store: Store) -> None:
    table = Table("BT1")
    table.load("S1")
    table.play("S1", 1)
    table.end("S1")
    write_records(store, packed(table.said))
    assert open_shoes(store, _PARTITION, 0) == [("BT1", "S1")]
    write_verdicts(store, [judged("BT1")])
    assert open_shoes(store, _PARTITION, 0) == []
    assert list(events_to_fold(store, _PARTITION, 0)) == []


def test_the_last_word_of_each_table_is_known(store: Store) -> None:
    floor = evening(["BT1", "BT2"], 2)
    write_records(store, packed(everything(floor)))
    said = {table.name: max(micros(event["time"]) for event in table.said) for table in floor}
    assert last_times(store, ["BT1", "BT2", "BT3"]) == said
    assert last_times(store, ["BT2"]) == {"BT2": said["BT2"]}
    assert known_tables(store) == ["BT1", "BT2"]
