"""Every event type accepts its valid examples and refuses its invalid ones, for the reason that their name tells."""

import json
from collections import Counter

import orjson
import pytest
from jsonschema import Draft7Validator

from schemas.decoding import decode_record
from schemas.events import MODELS
from schemas.json_schemas import json_schemas
from schemas.records import RECORDS, record_of
from tests.schemas.example_files import INVALID, VALID, Example

SCHEMAS = {name: Draft7Validator(schema) for name, schema in json_schemas().items()}


def test_every_type_has_two_valid_and_five_invalid_examples() -> None:
    valid, invalid = Counter(each.type for each in VALID), Counter(each.type for each in INVALID)
    assert set(valid) == set(invalid) == set(MODELS)
    assert min(valid.values()) >= 2
    assert min(invalid.values()) >= 5


@pytest.mark.parametrize("example", VALID, ids=str)
def test_a_valid_example_is_accepted_as_it_was_sent(example: Example) -> None:
    decoded = decode_record(example.raw)
    assert decoded.rejected == []
    [event] = decoded.events
    assert type(event) is RECORDS[example.type]
    model = MODELS[example.type].model_validate_json(example.raw)
    assert orjson.loads(model.model_dump_json(exclude_unset=True)) == json.loads(example.raw)
    assert event == record_of(model)
    assert SCHEMAS[example.type].is_valid(json.loads(example.raw))


@pytest.mark.parametrize("example", INVALID, ids=str)
def test_an_invalid_example_is_rejected_for_the_reason_in_its_name(example: Example) -> None:
    decoded = decode_record(example.raw)
    assert decoded.events == []
    [rejected] = decoded.rejected
    assert rejected.raw == example.raw.strip()
    assert rejected.reason.startswith(f"{example.field}: ")
    assert ";" not in rejected.reason
    assert not SCHEMAS[example.type].is_valid(json.loads(example.raw))


@pytest.mark.parametrize("event_type", MODELS)
def test_the_invalid_examples_of_a_type_have_distinct_reasons(event_type: str) -> None:
    examples = [each for each in INVALID if each.type == event_type]
    reasons = {(each.field, decode_record(each.raw).rejected[0].reason) for each in examples}
    assert len(reasons) >= 5


def test_all_examples_in_one_record_are_told_apart() -> None:
    record = b"[" + b",".join(each.raw for pair in zip(VALID, INVALID, strict=False) for each in pair) + b"]"
    decoded = decode_record(record)
    count = min(len(VALID), len(INVALID))
    assert list(decoded.places) == list(range(0, 2 * count, 2))
    assert [each.place for each in decoded.rejected] == list(range(1, 2 * count, 2))
