"""Decoding a record: the good events pass, the bad ones are kept with their bytes and the reason."""

import json
from typing import Any

import orjson
import pytest

from schemas.decoding import (
    MAX_EVENT_BYTES,
    MAX_RECORD_BYTES,
    MAX_RECORD_EVENTS,
    decode_again,
    decode_line,
    decode_lines,
    decode_record,
    split_record,
)
from tests.schemas.example_files import INVALID, VALID, Example

GOOD = json.dumps(json.loads(next(each.raw for each in VALID if each.type == "card.drawn.v1"))).encode()
BET = json.dumps(json.loads(next(each.raw for each in VALID if each.type == "bet.placed.v1"))).encode()


def changed(raw: bytes = GOOD, **fields: Any) -> bytes:
    return orjson.dumps(json.loads(raw) | fields)


def reason(raw: bytes) -> str:
    decoded = decode_record(raw)
    assert decoded.events == []
    [rejected] = decoded.rejected
    return rejected.reason


def test_one_object_is_one_event() -> None:
    decoded = decode_record(GOOD)
    assert [event.id for event in decoded.events] == ["01J9ZQ7K"]
    assert list(decoded.places) == [0]


def test_white_space_around_a_record_has_no_effect() -> None:
    assert decode_record(b" \r\n\t" + GOOD + b"\n") == decode_record(GOOD)
    assert decode_record(b" [ " + GOOD + b" , " + BET + b" ]\n") == decode_record(b"[" + GOOD + b"," + BET + b"]")


def test_one_bad_event_never_takes_the_good_ones_with_it() -> None:
    bad = changed(sequence=-1)
    decoded = decode_record(b"[" + GOOD + b" ,\n" + bad + b"  , " + BET + b"]")
    assert [event.type for event in decoded.events] == ["card.drawn.v1", "bet.placed.v1"]
    assert list(decoded.places) == [0, 2]
    [rejected] = decoded.rejected
    assert rejected.raw == bad
    assert rejected.place == 1
    assert rejected.reason == "sequence: should be greater than or equal to 0"


@pytest.mark.parametrize(
    "bad", [b"[]", b"5", b"null", b'"text"', b"[[1]]", b"{}", b"tru", b'{"a":NaN}', b'{"a":"\xff"}']
)
def test_an_item_that_is_no_event_is_rejected_alone(bad: bytes) -> None:
    decoded = decode_record(b"[" + GOOD + b"," + bad + b"]")
    assert len(decoded.events) == 1
    assert [(each.place, each.raw) for each in decoded.rejected] == [(1, bad)]


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"   ",
        b"{",
        b"[",
        b'"',
        b'["',
        b"]",
        b"[}",
        b"[1][2]",
        b"{}{}",
        b"nonsense",
        b"\x00",
        b"\xff\xfe[\x00",
        b"\xef\xbb\xbf{}",
        "[{}]".encode("utf-16"),
        b"[" + GOOD + b",]",
        b"[" + GOOD + b",," + GOOD + b"]",
        b"[" + GOOD,
        b"[" + GOOD + b"," + GOOD[:-9],
        GOOD[:-1],
        b"[" * 100_000,
        b'{"a":' * 100_000,
    ],
    ids=lambda raw: repr(raw[:12]),
)
def test_bytes_that_are_not_json_are_rejected_whole(raw: bytes) -> None:
    decoded = decode_record(raw)
    assert decoded.events == []
    [rejected] = decoded.rejected
    assert rejected.raw == raw.strip(b" ")
    assert rejected.reason.startswith("not JSON: ")
    assert rejected[3:] == (None,) * 6


def test_deep_nesting_is_rejected_without_exhausting_the_stack() -> None:
    deep = b"[" * 90_000 + b"]" * 90_000
    assert "recursion" in reason(deep)
    decoded = decode_record(b"[" + GOOD + b"," + deep + b"]")
    assert len(decoded.events) == 1
    assert "recursion" in decoded.rejected[0].reason


def test_an_empty_array_holds_no_event() -> None:
    assert reason(b"[]") == reason(b" [ ] ") == "no event: the array is empty"


def test_a_record_beyond_the_limit_is_refused_unparsed() -> None:
    raw = GOOD + b" " * (MAX_RECORD_BYTES - len(GOOD))
    assert len(decode_record(raw).events) == 1
    assert len(decode_line(raw).events) == 1
    assert (
        reason(raw + b" ")
        == f"{MAX_RECORD_BYTES + 1} bytes are more than the {MAX_RECORD_BYTES} that a record may have"
    )
    [rejected] = decode_line(b" " * (MAX_RECORD_BYTES + 1)).rejected
    assert len(rejected.raw) == MAX_RECORD_BYTES + 1


def test_an_event_beyond_its_limit_is_rejected_alone_and_unparsed() -> None:
    incident = json.loads(next(each.raw for each in VALID if each.type == "incident.reported.v1"))
    incident["data"]["text"] = "x" * (MAX_EVENT_BYTES - len(orjson.dumps(incident)) + len(incident["data"]["text"]))
    largest = orjson.dumps(incident)
    larger = largest.replace(b"xx", b"xxx", 1)
    assert len(largest) == MAX_EVENT_BYTES
    assert decode_record(largest).events == decode_record(b"\n" + largest + b"\n").events != []
    assert reason(larger) == f"{len(larger)} bytes are more than the {MAX_EVENT_BYTES} that an event may have"
    decoded = decode_record(b"[" + larger + b"," + GOOD + b"," + largest + b"]")
    assert list(decoded.places) == [1, 2]
    assert [each.raw for each in decoded.rejected] == [larger]
    assert list(decode_lines([GOOD, larger, largest]).places) == [0, 2]
    assert list(decode_lines([GOOD, largest]).places) == [0, 1]


def test_an_event_with_a_great_many_faults_is_rejected_without_naming_them() -> None:
    raw = changed(GOOD, **{f"field {number}": number for number in range(2000)})
    assert reason(raw) == "2000 faults, too many to name"


def test_an_array_of_more_items_than_events_can_fit_is_refused_whole() -> None:
    raw = b"[" + b"0," * MAX_RECORD_EVENTS + b"0]"
    assert reason(raw).startswith(f"{MAX_RECORD_EVENTS + 1} items are more")
    shortest = b'{"specversion":"1.0","id":"1","source":"s","type":"bets.closed.v1","subject":"t","sequence":0,'
    shortest += b'"time":"2026-01-01T00:00:00Z","data":{"shoe":"1","round":1}}'
    assert decode_record(shortest).events
    assert len(shortest) * MAX_RECORD_EVENTS > MAX_RECORD_BYTES


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"type": "card.drawn.v2"}, "type: 'card.drawn.v2' is not a word of the contract"),
        ({"type": 5}, "type: '5' is not a word of the contract"),
        ({"source": 5}, "source: should be a valid string"),
        ({"sequence": 5.0}, "sequence: should be a valid integer"),
        ({"sequence": True}, "sequence: should be a valid integer"),
        ({"sequence": "5"}, "sequence: should be a valid integer"),
        ({"sequence": 2**53}, "sequence: should be less than or equal to 9007199254740991"),
        ({"sequence": 10**18}, "sequence: should be less than or equal to 9007199254740991"),
        ({"data": []}, "data: should be an object"),
        ({"data": None}, "data: should be an object"),
        ({"extra": 1}, "extra: is not a field of this event"),
        ({"x" * 100: 1}, f"{'x' * 59}…: is not a field of this event"),
        ({"datacontenttype": ""}, "datacontenttype: is empty"),
        ({"time": "2026-02-30T00:00:00Z"}, "time: no such day in the calendar or hour of the day"),
    ],
)
def test_a_reason_says_where_and_what(fields: dict[str, Any], expected: str) -> None:
    assert reason(changed(**fields)) == expected


def test_the_first_three_faults_are_named() -> None:
    raw = changed(id="", source="", subject="", sequence=-1)
    assert reason(raw) == "id: is empty; source: is empty; subject: is empty; and 1 more"


@pytest.mark.parametrize("number", [b"NaN", b"Infinity", b"-Infinity", b"1e400", b"1" * 5000, b"-1", b"1.5", b"0x10"])
def test_numbers_that_are_no_money_are_rejected(number: bytes) -> None:
    raw = BET.replace(b"100000", number)
    assert raw != BET
    assert reason(raw)


def test_what_can_be_read_of_a_rejected_event_is_read() -> None:
    [rejected] = decode_record(changed(data={})).rejected
    assert rejected[3:] == (
        "/tables/BT12/reader",
        "BT12",
        41,
        "01J9ZQ7K",
        "card.drawn.v1",
        "2026-03-01T12:34:56.789Z",
    )


def test_what_is_not_certain_does_not_count_as_read() -> None:
    raw = changed(source="", subject=5, sequence=41.0, id=None, type=[], time="2026-02-30T00:00:00Z")
    [rejected] = decode_record(raw).rejected
    assert rejected[3:] == (None,) * 6
    for sequence in (-1, 2**53, True, "41"):
        assert decode_record(changed(sequence=sequence)).rejected[0].sequence is None


def test_half_a_surrogate_pair_is_rejected_and_the_rest_is_read() -> None:
    raw = GOOD.replace(b'"S-0412"', b'"\\ud83d"')
    [rejected] = decode_record(raw).rejected
    assert rejected.reason.startswith("not JSON: ")
    assert (rejected.source, rejected.subject, rejected.sequence) == ("/tables/BT12/reader", "BT12", 41)
    [rejected] = decode_record(GOOD.replace(b'"BT12"', b'"BT\\udc00"')).rejected
    assert (rejected.source, rejected.subject, rejected.sequence) == ("/tables/BT12/reader", None, 41)
    [event] = decode_record(GOOD.replace(b'"BT12"', b'"\\ud83d\\ude00"')).events
    assert event.subject == "\U0001f600"


def test_quotes_without_end_cost_one_pass_over_them() -> None:
    """Looked through from each of them, they would hold a worker up for seconds."""
    raw = b'{"subject":"BT12","a":"' + b'\\"' * 30_000
    [rejected] = decode_record(raw).rejected
    assert (rejected.raw, rejected.subject) == (raw, None)


@pytest.mark.parametrize("long", ["9" * 4301, "-" + "1" * 9000, "7" * 5000 + ".25e7"])
def test_a_number_that_no_reader_takes_is_rejected_and_the_rest_is_read(long: str) -> None:
    digits = "5" * 6000
    raw = b'{"more":%b,"id":"%b",%b' % (long.encode(), digits.encode(), GOOD.lstrip()[1:].replace(b'"id"', b'"other"'))
    [rejected] = decode_record(raw).rejected
    assert rejected.reason.startswith("not JSON: ")
    assert (rejected.source, rejected.subject, rejected.sequence) == ("/tables/BT12/reader", "BT12", 41)
    assert rejected.id == digits, "what stands in quotes is no number"


@pytest.mark.parametrize("example", VALID, ids=str)
def test_a_field_named_twice_is_rejected_wherever_it_stands(example: Example) -> None:
    event = json.loads(example.raw)
    assert decode_record(_written(event, None, "")).events
    for holder in _objects(event):
        for name in holder:
            twice = _written(event, holder, name)
            assert reason(twice) == f"{name}: is named twice"
            decoded = decode_record(b"[" + GOOD + b"," + twice + b"]")
            assert [each.reason for each in decoded.rejected] == [f"{name}: is named twice"]
            assert len(decoded.events) == 1


def _objects(value: Any) -> list[dict[str, Any]]:
    inside = [each for part in value.values() for each in _objects(part)] if isinstance(value, dict) else []
    return [value, *inside] if isinstance(value, dict) else []


def _written(value: Any, holder: dict[str, Any] | None, name: str) -> bytes:
    """A value as JSON, in which one object writes one of its fields twice."""
    if not isinstance(value, dict):
        return orjson.dumps(value)
    members = [orjson.dumps(key) + b":" + _written(each, holder, name) for key, each in value.items()]
    if value is holder:
        members.append(orjson.dumps(name) + b":" + orjson.dumps(value[name]))
    return b"{" + b",".join(members) + b"}"


def test_quotes_and_backslashes_inside_strings_are_no_second_name() -> None:
    for text in ('"', '\\"', '\\\\"id":', '","id":"', "\\u0022", "\n"):
        raw = changed(id=text)
        [event] = decode_record(raw).events
        assert event.id == text
        assert len(decode_record(b"[" + raw + b"," + GOOD + b"]").events) == 2


def test_the_bytes_of_each_event_are_found_by_place() -> None:
    items = [GOOD, b'{"a":["}",{"b":"],["}]}', BET]
    assert split_record(b" [" + b" , ".join(items) + b" ] ") == items
    assert split_record(GOOD + b"\n") == [GOOD]
    assert split_record(b"[1,") == [b"[1,"]


@pytest.mark.parametrize(
    "raw",
    [
        b'[{"a": 1 } , [1, 2]\t,"x,]", 5 ]',
        b'[{"a": {"b": [{"c": {"d": {"e": [1]}}}]}},{}]',
        b'[{"a":"\\"]"},"\\\\",null,true,-1.5e3]',
        b'[{"a":"\xff"},{"b":"\\u12"},nan]',
    ],
)
def test_items_are_cut_alike_with_one_that_is_no_json_behind_them(raw: bytes) -> None:
    # Bytes that are JSON are cut by a reader of JSON, all others token by token.
    whole = split_record(raw)
    assert b"".join(whole) != raw
    assert split_record(raw[:-1] + b",nul]") == [*whole, b"nul"]


@pytest.mark.parametrize(
    "raw",
    [
        GOOD,
        b" " + GOOD + b"\n",
        b"[" + GOOD + b"," + BET + b"]",
        b"\n[ " + changed(datacontenttype="application/json", dataschema="x") + b" , " + BET + b" ]",
        b"[" + b",".join(each.raw for each in VALID) + b"]",
        *(each.raw for each in VALID),
    ],
)
def test_a_record_that_was_accepted_is_decoded_again_to_the_same(raw: bytes) -> None:
    decoded = decode_record(raw)
    assert decoded.events and not decoded.rejected
    again = decode_again(raw)
    assert (again.events, list(again.places), again.rejected) == (decoded.events, list(decoded.places), [])


def test_a_line_is_an_event_or_a_batch_or_blank() -> None:
    assert decode_line(GOOD + b"\r\n") == decode_record(GOOD)
    assert len(decode_line(b"[" + GOOD + b"," + GOOD + b"]\n").events) == 2
    assert decode_line(b" \r\n") == ([], (), [])
    assert decode_line(b"") == ([], (), [])


def test_many_lines_are_decoded_as_one_by_one() -> None:
    bad = INVALID[0].raw.replace(b"\n", b" ")
    lines = [GOOD + b"\n", bad + b"\n", b"\n", b"[" + GOOD + b"," + bad + b"," + BET + b"]\n", BET]
    decoded = decode_lines(lines)
    assert [event.type for event in decoded.events] == [
        "card.drawn.v1",
        "card.drawn.v1",
        "bet.placed.v1",
        "bet.placed.v1",
    ]
    assert list(decoded.places) == [0, 3, 3, 4]
    assert [each.place for each in decoded.rejected] == [1, 3]
    assert list(decode_lines([GOOD + b"\n", BET + b"\r\n"]).places) == [0, 1]
    assert decode_lines([]).events == []


def test_lines_never_run_into_each_other() -> None:
    """Two events in one line and one event in two lines: as many events as lines, and all three lines are bad."""
    head, tail = BET.split(b", ", 1)
    for lines in ([GOOD + b"," + GOOD, head, tail], [GOOD + b"," + BET, b"{", b"}"], [GOOD + b',{"a":"}', b'{"}']):
        decoded = decode_lines(lines)
        assert decoded.events == []
        assert [each.place for each in decoded.rejected] == list(range(len(lines)))
