"""Whatever bytes come in, decoding returns; and what it returns does not depend on how the events were packed."""

import json
from typing import Any

import orjson
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter

from schemas.decoding import Decoded, decode_line, decode_lines, decode_record, split_record
from schemas.events import Envelope, Event
from schemas.records import NO_EFFECT, canonical_event, record_of
from tests.schemas.example_files import INVALID, VALID

by_model = TypeAdapter[Envelope](Event).validate_json
"""What the models say of an event; the records must never accept what they do not."""


def content_of(model: Envelope) -> bytes:
    """The content of an event, written from its model."""
    fields = model.model_dump(exclude=set(NO_EFFECT), exclude_defaults=True)
    return orjson.dumps(fields, option=orjson.OPT_SORT_KEYS)


EXAMPLES = [json.loads(each.raw) for each in (*VALID, *INVALID)]

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


def _paths(value: Any) -> list[tuple[Any, Any]]:
    """Every container in a JSON value with each of its keys or indexes."""
    steps = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [pair for key, each in steps for pair in ((value, key), *_paths(each))]


@st.composite
def events(draw: st.DrawFn) -> bytes:
    """An example as it is, or with one value replaced, one field removed or one added, in any spelling."""
    event = json.loads(json.dumps(draw(st.sampled_from(EXAMPLES))))
    for _ in range(draw(st.integers(0, 2))):
        container, key = draw(st.sampled_from(_paths(event)))
        change = draw(st.sampled_from(["replace", "remove", "add"]))
        if change == "remove":
            container.pop(key)
        elif change == "add" and isinstance(container, dict):
            container[draw(st.text(max_size=5))] = draw(json_values)
        else:
            container[key] = draw(json_values)
        if not event:
            break
    text = json.dumps(event, ensure_ascii=draw(st.booleans()), indent=draw(st.sampled_from([None, 1])))
    return text.encode("utf-8", "surrogatepass")


@st.composite
def torn(draw: st.DrawFn) -> bytes:
    """A record with some of its bytes cut out, doubled or overwritten."""
    raw = b"[" + b",".join(draw(st.lists(events(), min_size=1, max_size=3))) + b"]"
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(raw)))
        end = draw(st.integers(start, min(len(raw), start + 40)))
        new = draw(
            st.sampled_from([b"", raw[start:end] * 2])
            | st.binary(max_size=4)
            | st.sampled_from(list(b'[]{},:"\\')).map(lambda c: bytes([c]))
        )
        raw = raw[:start] + new + raw[end:]
    return raw


def check_accounted(raw: bytes, decoded: Decoded) -> None:
    """Every item of the record is an event or a rejection, never both, never neither."""
    places = [*decoded.places, *(each.place for each in decoded.rejected)]
    assert sorted(places) == list(range(len(places)))
    assert places
    assert len(decoded.events) == len(decoded.places)
    items = split_record(raw)
    for rejected in decoded.rejected:
        assert rejected.reason
        rejected.reason.encode()
        assert rejected.raw == items[rejected.place] or rejected.raw == raw.strip(b" \t\r\n")
    for place, event in zip(decoded.places, decoded.events, strict=True):
        model = by_model(items[place])
        assert json.loads(items[place]) == json.loads(model.model_dump_json(exclude_unset=True))
        assert event == record_of(model)
        assert canonical_event(event) == content_of(model)


@settings(deadline=None)
@given(st.binary(max_size=300))
def test_any_bytes_are_decoded_or_rejected(raw: bytes) -> None:
    check_accounted(raw, decode_record(raw))


@settings(deadline=None)
@given(st.text(alphabet='[]{},:"\\ntruefalsn0123456789.eE+-u \n\x00é', max_size=60))
def test_anything_that_looks_like_json_is_decoded_or_rejected(text: str) -> None:
    check_accounted(text.encode(), decode_record(text.encode()))


@settings(deadline=None)
@given(json_values)
def test_any_json_value_is_decoded_or_rejected(value: Any) -> None:
    raw = json.dumps(value).encode()
    check_accounted(raw, decode_record(raw))


@settings(max_examples=300, deadline=None)
@given(torn())
def test_torn_records_are_decoded_or_rejected(raw: bytes) -> None:
    check_accounted(raw, decode_record(raw))


@settings(max_examples=300, deadline=None)
@given(events())
def test_an_event_is_accepted_only_if_the_reader_of_the_standard_library_sees_the_same(raw: bytes) -> None:
    decoded = decode_record(raw)
    check_accounted(raw, decoded)
    for rejected in decoded.rejected:
        try:
            sent = json.loads(raw)
        except ValueError:
            continue
        for name in ("source", "subject", "sequence", "id", "type", "time"):
            assert getattr(rejected, name) in (None, sent.get(name) if isinstance(sent, dict) else None)


@settings(deadline=None)
@given(st.lists(events(), min_size=1, max_size=6))
def test_how_events_are_packed_does_not_change_what_becomes_of_them(items: list[bytes]) -> None:
    together = decode_record(b"[" + b",".join(items) + b"]")
    alone = [decode_record(item) for item in items]
    assert together.events == [event for each in alone for event in each.events]
    assert list(together.places) == [place for place, each in enumerate(alone) if each.events]
    assert together.rejected == [
        rejected._replace(place=place) for place, each in enumerate(alone) for rejected in each.rejected
    ]


@settings(deadline=None)
@given(st.lists(events().map(lambda raw: raw.replace(b"\n", b"")) | torn() | st.binary(max_size=9), max_size=6))
def test_many_lines_at_once_are_decoded_as_line_by_line(lines: list[bytes]) -> None:
    together = decode_lines(lines)
    alone = [decode_line(line) for line in lines]
    assert together.events == [event for each in alone for event in each.events]
    assert list(together.places) == [number for number, each in enumerate(alone) for _ in each.events]
    assert together.rejected == [
        rejected._replace(place=number) for number, each in enumerate(alone) for rejected in each.rejected
    ]


def _names_twice(raw: bytes) -> bool:
    found = False

    def fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal found
        found = found or len({name for name, _ in pairs}) < len(pairs)
        return dict(pairs)

    json.loads(raw, object_pairs_hook=fields)
    return found


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(VALID), st.data())
def test_a_second_name_is_seen_exactly_when_there_is_one(example: Any, data: st.DataObject) -> None:
    """Text fields are filled with what could be taken for a name, and a field is now and then written twice."""
    event = json.loads(example.raw)
    tricky = st.text(alphabet='"\\:{}, idé\U0001f600', min_size=1, max_size=8)
    event["id"], event["source"] = data.draw(tricky), data.draw(tricky)
    if data.draw(st.booleans()):
        event["dataschema"] = data.draw(tricky)
    members = [(key, json.dumps(value)) for key, value in event.items()]
    for _ in range(data.draw(st.integers(0, 1))):
        members.append(data.draw(st.sampled_from(members)))
    raw = ("{" + ",".join(f"{json.dumps(key)} : {value}" for key, value in members) + "}").encode()
    assert bool(decode_record(raw).rejected) is _names_twice(raw)
    assert bool(decode_record(b"[" + raw + b"," + raw + b"]").rejected) is _names_twice(raw)
