"""What the picture of a table says of its devices: what of theirs is missing, and who is silent."""

from dataclasses import replace
from typing import Any

import orjson

from console.live.detail import sections_of
from console.live.floor import Floor
from schemas.findings import finding_about, finding_json
from schemas.topics import ALERTS, INPUT
from store.rows.alerts import AlertHistory
from streams.alerting.acts import Act, Refusal, decide
from streams.alerting.life import raised_step
from tests.console.test_picture import events, folded


def test_an_event_that_comes_late_fills_its_hole() -> None:
    beats = [event for event in events(4) if event.source.endswith("/rfid") and event.subject.endswith("01")]
    assert len(beats) > 6
    floor = folded([*beats[:2], *beats[4:]])
    (device,) = next(iter(floor.tables.values())).devices.values()
    assert device.missing == 2
    floor.take_event(beats[3], 2)
    assert device.missing == 1
    floor.take_event(beats[2], 2)
    floor.take_event(beats[2], 2)
    assert device.missing == 0


def test_what_came_before_the_topics_are_read_is_not_missing() -> None:
    beats = [event for event in events(4) if event.source.endswith("/rfid") and event.subject.endswith("01")]
    floor = Floor()
    floor.take_event(beats[0], 1, live=False)
    floor.take_event(beats[4], 2)
    (device,) = next(iter(floor.tables.values())).devices.values()
    assert device.missing == 0
    floor.take_event(beats[6], 3)
    assert device.missing == 1


def test_nothing_is_missing_where_something_was_rejected() -> None:
    first, second, third = (
        {
            "specversion": "1.0", "id": f"r-{number}", "source": "/tables/BT9/rfid", "type": "device.heartbeat.v1",
            "subject": "BT9", "time": "2026-03-01T12:00:00Z", "sequence": number,
            "data": {"device_time": "2026-03-01T12:00:00Z"},
        }
        for number in (1, 2, 3)
    )  # fmt: skip
    floor = Floor()
    for said in (first, {**second, "data": {}}, third):
        floor.take_record(INPUT[0].name, orjson.dumps(said), 1)
    assert (floor.unreadable, floor.tables["BT9"].devices["/tables/BT9/rfid"].missing) == (1, 0)


def _beat(device: str, number: int, time: str) -> bytes:
    return orjson.dumps(
        {
            "specversion": "1.0", "id": f"{device}-{number}", "source": f"/tables/BT9/{device}",
            "type": "device.heartbeat.v1", "subject": "BT9", "time": time, "sequence": number,
            "data": {"device_time": time},
        }
    )  # fmt: skip


def test_a_device_is_silent_that_was_not_heard_and_no_clock_makes_another_so() -> None:
    floor = Floor()
    clocks = {
        "reader": "2026-03-01T20:00:{:02}Z",
        "rfid": "2026-03-01T12:00:{:02}Z",
        "dealer": "2026-03-01T11:00:{:02}Z",
    }
    begun = 1_772_366_400_000
    for number in range(30):
        for device, clock in clocks.items():
            floor.take_record(INPUT[0].name, _beat(device, number, clock.format(number)), begun + number * 4_000)
    picture = floor.tables["BT9"]
    assert picture.silent() == []
    for number in range(30, 50):
        # The numbers of the one begin again: it speaks all the same.
        told = number if number < 40 else number - 40
        arrival = begun + number * 4_000
        floor.take_record(INPUT[0].name, _beat("rfid", told, f"2026-03-01T12:01:{number:02}Z"), arrival)
        assert picture.silent() == (["/tables/BT9/reader", "/tables/BT9/dealer"] if number > 44 else [])


def test_a_device_has_a_gap_where_an_alert_tells_of_one_that_was_before_the_console() -> None:
    floor = Floor()
    beat = next(event for event in events(4) if event.source.endswith("/rfid"))
    table, source = beat.subject, beat.source
    floor.take_event(beat, 1)

    def missing() -> list[Any]:
        picture, board = floor.tables[table], floor.alerts
        section = sections_of(picture, [], board.gaps_of(table), masking=False)["devices"]
        assert isinstance(section, list)
        return [(each["missing"], each["resolved"]) for each in section]

    def gap(of: str, cleared: bool = False) -> bytes:
        found = finding_about("device-gap", table, "It lost 3 events.", about=f"{of} 5", expected=5, actual=8)
        return finding_json(replace(found, cleared=cleared))

    floor.take_record(ALERTS.name, gap("/another"), 1)
    assert missing() == [(0, 0)]
    floor.take_record(ALERTS.name, gap(source), 1)
    assert missing() == [(3, 0)]
    floor.tables[table].devices[source].holes.update((6, 40))
    assert missing() == [(4, 0)], "what was seen here and found there is counted once"
    known = floor.alerts.gaps_of(table)[-1].alert
    resolve = Act(
        deed="resolve", by="anna", role="shift_manager", at=9_000, disposition="confirmed", note="Its line was cut."
    )
    raised = raised_step(known.id, 1_000)
    resolved = decide([raised], resolve, known.id)
    assert not isinstance(resolved, Refusal)
    floor.take_history(AlertHistory(known, (raised, *resolved)))
    assert missing() == [(1, 3)]
    floor.take_record(ALERTS.name, gap(source, cleared=True), 1)
    assert missing() == [(2, 0)]
