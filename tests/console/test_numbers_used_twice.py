"""A device that begins its sequence again is told from one whose events come late or more than once."""

from typing import Any

import orjson

from console.live.detail import sections_of
from console.live.floor import Floor
from schemas.decoding import decode_line
from schemas.records import AnyEvent


def beat(sequence: int, second: int, name: str = "") -> AnyEvent:
    time = f"2026-03-01T12:{second // 60:02}:{second % 60:02}Z"
    said = {
        "specversion": "1.0", "id": f"r-{sequence}{name}", "source": "/tables/BT9/rfid", "subject": "BT9",
        "type": "device.heartbeat.v1", "time": time, "sequence": sequence, "data": {"device_time": time},
    }  # fmt: skip
    (event,) = decode_line(orjson.dumps(said)).events
    return event


def heard(*events: AnyEvent, live: bool = True) -> Any:
    floor = Floor()
    for event in events:
        floor.take_event(event, 1, live=live)
    devices: Any = sections_of(floor.tables["BT9"], [], masking=False)["devices"]
    (device,) = devices
    return device


def test_a_device_that_begins_its_sequence_again_uses_numbers_twice_and_is_not_silent() -> None:
    before = [beat(number, 5 * number) for number in range(1, 20)]
    again = [beat(number, 100 + 5 * number, "again") for number in range(1, 18)]
    told = heard(*before, *again)
    assert (told["twice"], told["missing"], told["silent"]) == (True, 0, False)


def test_what_comes_late_or_again_uses_no_number_twice() -> None:
    said = [beat(number, 20 * number) for number in range(1, 12)]
    assert not heard(*said[:4], *said[6:], *said[:7], *said)["twice"]


def test_what_fills_a_hole_uses_no_number_twice_whatever_its_time() -> None:
    assert not heard(beat(1, 0), beat(3, 5), beat(2, 60))["twice"]


def test_before_the_topics_are_followed_nothing_is_said_of_numbers() -> None:
    assert not heard(beat(9, 0), beat(8, 60), live=False)["twice"]
