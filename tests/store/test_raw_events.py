"""Records and events: written once, read back byte for byte."""

from dataclasses import replace

import orjson
import pytest

from schemas.decoding import decode_record
from store.connect import Store
from store.errors import StoreContradicts
from store.read.events import (
    configuration_events,
    events_by_id,
    round_events,
    round_surrounded,
    shoe_events,
    table_events,
)
from store.read.rejections import rejections
from store.rows.raw import Record, RecordKey
from store.write.raw import write_records, write_rejections
from tests.store.floor import ARRIVAL, START, Table, evening, everything, packed


def test_one_round_comes_back_with_the_bytes_of_each_event(store: Store) -> None:
    floor = evening()
    write_records(store, packed(everything(floor)))
    said = [event for event in floor[1].said if event["data"].get("round") == 2]
    stored = round_events(store, "BT2", "S1", 2)
    assert [orjson.loads(each.raw) for each in stored] == sorted(said, key=lambda event: event["time"])
    assert [each.raw for each in stored] == [orjson.dumps(orjson.loads(each.raw)) for each in stored]
    assert [each.event.id for each in stored] == [orjson.loads(each.raw)["id"] for each in stored]


def test_a_shoe_comes_with_what_is_said_of_it_and_all_its_rounds(store: Store) -> None:
    floor = evening()
    write_records(store, packed(everything(floor)))
    stored = shoe_events(store, "BT1", "S1")
    assert len(stored) == len(floor[0].said) - 1
    assert stored[0].event.type == "shoe.loaded.v1"


def test_a_tables_evening_is_cut_by_device_time(store: Store) -> None:
    floor = evening()
    write_records(store, packed(everything(floor)))
    times = sorted(event["time"] for event in floor[2].said)
    start, end = START + 20_000_000, START + 40_000_000
    stored = list(table_events(store, "BT3", start, end))
    expected = [time for time in times if "2026-01-01T12:00:20" <= time < "2026-01-01T12:00:40"]
    assert expected
    assert [each.event.time for each in stored] == expected


def test_configurations_are_found_among_heartbeats_and_outlive_the_retention(store: Store) -> None:
    table = Table("BT1")
    table.configure()
    for _ in range(5):
        table.say("reader", "device.heartbeat.v1", device_time="2026-01-01T12:00:00Z")
    write_records(store, packed(table.said, per_record=2))
    assert [each.event.type for each in configuration_events(store, "BT1")] == ["table.configured.v1"]
    assert store.query("SELECT type, held FROM events ORDER BY held DESC LIMIT 1 BY type, held") == [
        ("table.configured.v1", 1),
        ("device.heartbeat.v1", 0),
    ]
    assert store.query("SELECT count(), sum(held) FROM records") == [(3, 1)]


def test_an_event_is_found_by_its_id_though_the_id_is_stored_once(store: Store) -> None:
    floor = evening()
    write_records(store, packed(everything(floor)))
    wanted = floor[0].said[9]
    found = events_by_id(store, "BT1", wanted["source"], wanted["id"])
    assert [orjson.loads(each.raw) for each in found] == [wanted]
    assert events_by_id(store, "BT1", wanted["source"], "not-there") == []
    columns = store.query("SELECT name FROM system.columns WHERE database = currentDatabase() AND table = 'events'")
    assert ("id",) not in columns


def _record(raw: bytes, offset: int = 0) -> Record:
    return Record("table.bets", 1, offset, ARRIVAL, raw, decode_record(raw))


@pytest.mark.parametrize(
    "between",
    [b",", b" , ", b",\n  "],
    ids=["without spaces", "with spaces", "with line breaks"],
)
def test_a_packed_record_is_taken_apart_however_it_was_written(store: Store, between: bytes) -> None:
    table = Table("BT1")
    # The text holds what stands between two packed events, so that a careless cut goes wrong.
    for text in ('},{"', "},{", "plain"):
        table.say("pit", "incident.reported.v1", shoe="S1", round=1, incident="other", draws=[], text=text)
    pieces = [orjson.dumps(event) for event in table.said]
    raw = b"[" + between.join(pieces) + b"]"
    write_records(store, [_record(raw)])
    assert [each.raw for each in round_events(store, "BT1", "S1", 1)] == pieces
    assert store.columns("SELECT raw FROM records", as_bytes=True) == [(raw,)]


@pytest.mark.parametrize(
    ("before", "after"),
    [(b"", b""), (b"[", b"]"), (b"[ ", b"\n]"), (b" ", b"\n"), (b"\n[", b"] ")],
    ids=["alone", "in an array", "in an array with spaces", "with spaces around", "with spaces around an array"],
)
def test_an_event_that_is_alone_in_its_record_comes_back_without_what_is_around_it(
    store: Store, before: bytes, after: bytes
) -> None:
    """What is sealed is the event: a bundle that held the brackets of its record would prove nothing."""
    table = Table("BT1")
    table.say("pit", "incident.reported.v1", shoe="S1", round=1, incident="other", draws=[], text="},{")
    [event] = [orjson.dumps(event) for event in table.said]
    write_records(store, [_record(before + event + after)])
    assert [each.raw for each in round_events(store, "BT1", "S1", 1)] == [event]


def test_a_cut_that_is_right_in_number_but_wrong_in_place_is_seen(store: Store) -> None:
    table = Table("BT1")
    for text in ("},{", "plain"):
        table.say("pit", "incident.reported.v1", shoe="S1", round=1, incident="other", draws=[], text=text)
    pieces = [orjson.dumps(event) for event in table.said]
    raw = b"[" + b" , ".join(pieces) + b"]"
    assert raw.count(b"},{") == len(pieces) - 1
    write_records(store, [_record(raw)])
    assert [each.raw for each in round_events(store, "BT1", "S1", 1)] == pieces


def test_bytes_that_are_no_event_are_kept_with_the_reason_beside_the_good_ones(store: Store) -> None:
    table = Table("BT1")
    table.play("S1", 1)
    good = orjson.dumps(table.said[0])
    bad = b'{"specversion":"1.0","id":"x","source":"/tables/BT1/reader","subject":"BT1","sequence":4,"type":"nonsense"}'
    write_records(store, [_record(b"[" + good + b"," + bad + b"]"), _record(b"\xff\x00 not JSON", 1)])
    assert [each.raw for each in round_events(store, "BT1", "S1", 1)] == [good]
    kept = rejections(store)
    assert [(each.key.offset, each.place, each.raw) for each in kept] == [(0, 1, bad), (1, 0, b"\xff\x00 not JSON")]
    assert (kept[0].table, kept[0].source, kept[0].sequence, kept[0].id) == ("BT1", "/tables/BT1/reader", 4, "x")
    assert (kept[1].table, kept[1].sequence, kept[1].time) == (None, None, None)
    assert all(each.reason for each in kept)
    assert store.query("SELECT offset, events, rejected FROM records ORDER BY offset") == [(0, 1, 1), (1, 0, 1)]
    assert [each.key.offset for each in rejections(store, table="BT1")] == [0]


def test_an_event_refused_later_is_kept_as_refused_too(store: Store) -> None:
    from store.rows.raw import StoredRejection

    table = Table("BT1")
    table.play("S1", 1)
    raw = orjson.dumps(table.said[0])
    write_records(store, [_record(raw)])
    refused = StoredRejection(
        key=RecordKey("", "table.bets", 1, 0),
        place=0,
        arrival=ARRIVAL,
        raw=raw,
        reason="its id came again with another content",
        table="BT1",
        source=table.said[0]["source"],
        sequence=0,
        id=table.said[0]["id"],
        type="round.opened.v1",
        time=START,
    )
    for _ in range(2):
        write_rejections(store, [refused])
    assert rejections(store, table="BT1") == [refused]


def test_the_largest_numbers_and_strangest_strings_of_the_contract_are_stored(store: Store) -> None:
    table = Table("B'T\\1\n\t\0é牌")
    shoe, largest = "S'\\\"1\n", 2**53 - 1
    table.sequences["/tables/B'T\\1\n\t\0é牌/reader"] = largest
    table.say("reader", "card.drawn.v1", shoe=shoe, round=largest, draw=largest, card="AA")
    for time in ("0001-01-01T00:00:00Z", "1969-12-31T23:59:59.999999Z", "9999-12-31T23:59:59Z"):
        table.say("dealer", "round.opened.v1", shoe=shoe, round=largest, method="A")
        table.said[-1]["time"] = time
    write_records(store, packed(table.said))
    stored = round_events(store, table.name, shoe, largest)
    assert sorted(orjson.loads(each.raw)["time"] for each in stored) == sorted(event["time"] for event in table.said)


def test_an_arrival_by_a_broken_clock_does_not_delete_what_arrived(store: Store) -> None:
    table = Table("BT1")
    table.play("S1", 1)
    raw = orjson.dumps(table.said)
    for offset, arrival in enumerate((-5, 0, 1_000_000_000, 9_999_999_999_999)):
        write_records(store, [Record("table.bets", 1, offset, arrival, raw, decode_record(raw))])
    store.command("OPTIMIZE TABLE records FINAL")
    store.command("OPTIMIZE TABLE events FINAL")
    assert store.query("SELECT count() FROM records") == [(4,)]
    assert len(round_events(store, "BT1", "S1", 1)) == 4 * len(table.said)


def test_a_record_that_does_not_hold_what_its_event_says_is_told(store: Store) -> None:
    floor = evening(["BT1"], 1)
    write_records(store, packed(everything(floor)))
    store.command(
        "ALTER TABLE records UPDATE raw = replaceAll(raw, '/tables/BT1/rfid', '/tables/BT9/rfid') WHERE 1",
        settings={"mutations_sync": 2},
    )
    with pytest.raises(StoreContradicts, match="does not hold the event"):
        round_events(store, "BT1", "S1", 1)


def test_a_record_that_was_taken_away_is_told_from_one_that_is_still_to_come(store: Store) -> None:
    floor = evening(["BT1"], 1)
    records = packed(everything(floor), per_record=2)
    write_records(store, records)
    last = max((each for each in records if each.topic == "table.bets"), key=lambda each: each.offset)
    assert last.offset == 1
    store.command(
        "ALTER TABLE records DELETE WHERE topic = 'table.bets' AND offset = 1", settings={"mutations_sync": 2}
    )
    # A worker died between the events and their record: it will write both again.
    found = round_events(store, "BT1", "S1", 1)
    assert {each.event.id for each in found}.isdisjoint({event.id for event in last.decoded.events})
    assert found
    write_records(store, [last])
    store.command(
        "ALTER TABLE records DELETE WHERE topic = 'table.bets' AND offset = 0", settings={"mutations_sync": 2}
    )
    with pytest.raises(StoreContradicts, match="is not there"):
        round_events(store, "BT1", "S1", 1)


def test_the_records_of_a_round_that_came_long_before_others_were_taken_away(store: Store) -> None:
    """With all that came behind them in their topic: nothing of it is left to tell by its offset."""
    write_records(store, packed(everything(evening(["BT1"], 1)), per_record=2))
    store.command("ALTER TABLE records DELETE WHERE topic = 'table.bets'", settings={"mutations_sync": 2})
    some = round_surrounded(store, "BT1", "S1", 1).events
    assert some
    late = packed(everything(evening(["BT2"], 1)))[-1]
    write_records(store, [replace(late, log="another", arrival=late.arrival + 600_000)])
    with pytest.raises(StoreContradicts, match="is not there"):
        round_surrounded(store, "BT1", "S1", 1)
    # One who takes a table over goes on without them: a worker that was killed in between may have left them so.
    assert round_events(store, "BT1", "S1", 1) == some
