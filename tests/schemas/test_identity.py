"""Sameness: repeats have the same canonical bytes, conflicts have not."""

import json
from typing import Any

import orjson
import pytest
import rfc8785
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.decoding import decode_record
from schemas.identity import canonical, content_key
from tests.schemas.example_files import VALID, Example

json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4),
)


def key_of(event: dict[str, Any]) -> bytes:
    [decoded] = decode_record(json.dumps(event).encode()).events
    return content_key(decoded)


@settings(deadline=None)
@given(json_values)
def test_canonical_bytes_are_those_of_rfc_8785(value: Any) -> None:
    assert canonical(value) == rfc8785.dumps(value)


def test_keys_beyond_the_basic_plane_are_sorted_by_utf_16_unit() -> None:
    value = {"\ue000": 1, "\U0001f600": 2, "é": 3}
    assert canonical(value) == rfc8785.dumps(value)
    assert canonical(value) != orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


@pytest.mark.parametrize("example", VALID, ids=str)
def test_the_key_is_the_canonical_form_of_what_was_sent(example: Example) -> None:
    sent = json.loads(example.raw)
    sent.pop("datacontenttype", None)
    sent.pop("dataschema", None)
    assert key_of(sent) == rfc8785.dumps(sent)


@pytest.mark.parametrize("example", VALID, ids=str)
def test_spelling_and_attributes_without_effect_make_no_difference(example: Example) -> None:
    sent = json.loads(example.raw)
    other = {"dataschema": "x", "datacontenttype": "y", **dict(reversed(sent.items()))}
    assert key_of(other) == key_of(sent)


@pytest.mark.parametrize("example", VALID, ids=str)
def test_another_time_or_sequence_is_another_content(example: Example) -> None:
    sent = json.loads(example.raw)
    assert key_of(sent | {"time": "2026-03-01T12:34:57Z"}) != key_of(sent)
    assert key_of(sent | {"sequence": 7}) != key_of(sent)


def test_an_optional_field_with_its_default_is_the_same_as_an_absent_one() -> None:
    sent = json.loads(next(each.raw for each in VALID if each.name == "valid-required-fields"))
    live = sent | {"data": sent["data"] | {"mode": "live"}}
    closed = sent | {"data": sent["data"] | {"mode": "closed"}}
    assert key_of(live) == key_of(sent) != key_of(closed)


def test_null_is_kept_where_the_contract_has_it() -> None:
    sent = json.loads(next(each.raw for each in VALID if each.name == "valid-player-not-known"))
    assert b'"player":null' in key_of(sent)
