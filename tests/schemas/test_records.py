"""Records say what the models say: a record never holds what its model refuses, and what it holds is the same."""

import json
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from schemas.decoding import decode_record
from schemas.events import MODELS, Envelope, Event
from schemas.identity import content_key
from schemas.records import AnyEvent, read_event, record_of
from schemas.repeated_names import name_of_repeated
from schemas.time import are_times, is_time
from tests.schemas.example_files import VALID

by_model = TypeAdapter[Envelope](Event).validate_json

# Spellings on which JSON readers and validators are known to differ.
SPELLINGS = [
    b"1.0", b"1e2", b"-0", b"00", b"0x1", b"1_000", b"9007199254740991", b"9007199254740992", b"1" * 400, b"NaN",
    b"Infinity", b"-1", b"true", b"null", b'""', b'"a"', b'"\\u0000"', b'"\x00"', b'"\\ud800"', b'"\\ud83d\\ude00"',
    b'"\xff"', b'"\xed\xa0\x80"', b'"\\/"', b'"\\x"', b'"a\nb"', b'"\\""', b"'a'", b"[]", b"{}", b'["AS"]', b"[1]",
    b'"player"', b'"AS"', b'"A"', b'"live"', b'"test"', b'"table"',
    b'"2026-02-29T12:00:00Z"', b'"2024-02-29T12:00:00Z"',
    b'"2026-03-01t12:00:00Z"', b'"2026-03-01T12:00:00.1234567Z"', b'"2026-03-01T12:00:60Z"',
    b'"2026-03-01T12:00:00+00:00"',
    b'{"player":1,"banker":2}', b'{"player":1,"player":2}', b'{"":1}', b'{"\xc3\xa9":1}', b'{"tie":{"min":1,"max":2}}',
    b'{"tie":{"min":1,"min":1,"max":2}}', b'{"tie":{"min":1,"max":2,"x":1}}',
]  # fmt: skip


def accepted_by_model(raw: bytes) -> AnyEvent | None:
    """The record of an event by way of its model; None where it is refused."""
    try:
        event = by_model(raw)
    except ValidationError:
        return None
    return None if name_of_repeated(raw) else record_of(event)


def places(event: dict[str, Any]) -> list[tuple[dict[str, Any], str]]:
    return [(event, key) for key in event] + [(event["data"], key) for key in event["data"]]


@pytest.mark.parametrize("example", VALID, ids=str)
def test_every_spelling_of_every_field_is_taken_as_the_model_takes_it(example: Any) -> None:
    seen = 0
    for spelling in SPELLINGS:
        event = json.loads(example.raw)
        for number in range(len(places(event))):
            changed = json.loads(example.raw)
            container, key = places(changed)[number]
            container[key] = "@@"
            raw = json.dumps(changed, ensure_ascii=False).encode().replace(b'"@@"', spelling)
            decoded = decode_record(raw)
            expected = accepted_by_model(raw)
            assert decoded.events == ([] if expected is None else [expected]), raw
            seen += bool(decoded.events)
    assert seen


@pytest.mark.parametrize("example", VALID, ids=str)
@pytest.mark.parametrize("added", [
    b'"datacontenttype":"application/json",', b'"dataschema":"urn:x",', b'"dataschema":null,', b'"dataschema":"",',
    b'"dataschema":"a","dataschema":"a",', b'"specversion":"1.0",', b'"time":"2026-03-01T12:00:00Z",', b'"more":1,',
    b'"\\u0069d":"another",',
])  # fmt: skip
def test_an_attribute_more_is_taken_as_the_model_takes_it_alone_and_in_an_array(example: Any, added: bytes) -> None:
    raw = b"{" + added + example.raw.strip()[1:]
    expected = accepted_by_model(raw)
    wanted = [] if expected is None else [expected]
    assert decode_record(raw).events == wanted
    array = b"[" + b",".join([example.raw.strip(), raw, example.raw.strip()]) + b"]"
    [plain] = decode_record(example.raw).events
    assert decode_record(array).events == [plain, *wanted, plain]


@pytest.mark.parametrize("type_", MODELS)
def test_a_record_is_written_canonically_as_its_model_is(type_: str) -> None:
    for example in VALID:
        if example.type == type_:
            model = MODELS[type_].model_validate_json(example.raw)
            fields = model.model_dump(exclude={"datacontenttype", "dataschema"}, exclude_defaults=True)
            assert content_key(record_of(model)) == orjson.dumps(fields, option=orjson.OPT_SORT_KEYS)


def test_a_value_nested_a_million_deep_is_refused_and_raises_nothing() -> None:
    raw = b'{"data":' + b"[" * 1_000_000 + b"]" * 1_000_000 + b',"type":"round.closed.v1"}'
    assert read_event(raw) is None
    raw = b'{"data":' + b"[" * 300_000 + b"]" * 300_000 + b',"type":"round.closed.v1"}'
    decoded = decode_record(raw)
    assert decoded.events == []
    assert len(decoded.rejected) == 1


texts = st.one_of(
    st.datetimes().map(lambda moment: f"{moment.isoformat()}Z"),
    st.from_regex(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{0,7})?Z?", fullmatch=True),
    st.from_regex(r"2026-03-01T12:00:[0-6][0-9:](\.[0-9.Z]{0,7})?[Zz]?", fullmatch=True),
    st.text(max_size=28),
    st.sampled_from(
        [
            "2026-02-29T00:00:00Z",
            "0000-01-01T00:00:00Z",
            "2026-03-01T12:00:00Z\n",
            "2026-03-01T12:00:00Z\0",
            "2026-03-01T12:00:00Z\n2026-03-01T12:00:00Z",
        ]
    ),
)


@settings(max_examples=500, deadline=None)
@given(st.lists(texts, max_size=12))
def test_many_times_are_right_when_each_is(some: list[str]) -> None:
    assert are_times(some) == all(map(is_time, some))
    right = [text for text in some if is_time(text)]
    assert are_times(right)
