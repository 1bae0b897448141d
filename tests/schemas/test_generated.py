"""The generated files are those of the models, and the AsyncAPI document holds together."""

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator

from schemas.asyncapi import asyncapi
from schemas.events import MODELS
from schemas.generate import FOLDER, generated_files
from schemas.topics import INPUT, OUTPUT

FILES = generated_files()


def test_the_generated_files_are_current() -> None:
    written = {path.name: path.read_bytes() for path in FOLDER.iterdir()}
    assert written == FILES, "run: python -m schemas.generate"


def test_every_event_type_and_every_result_has_a_schema() -> None:
    names = {name.removesuffix(".schema.json") for name in FILES} - {"asyncapi.json"}
    assert names == {*MODELS, "verdict", "finding", "rejection"}


@pytest.mark.parametrize("name", sorted(set(FILES) - {"asyncapi.json"}))
def test_every_schema_is_a_schema_and_refers_only_to_itself(name: str) -> None:
    schema = json.loads(FILES[name])
    Draft7Validator.check_schema(schema)
    assert schema["additionalProperties"] is False or "oneOf" in schema
    for reference in _references(schema):
        assert reference.startswith("#/definitions/")
        assert _resolve(schema, reference)


def test_every_reference_of_the_asyncapi_document_resolves() -> None:
    document = asyncapi()
    references = _references(document)
    assert len(references) > len(MODELS)
    for reference in references:
        if reference.startswith("#/"):
            assert _resolve(document, reference)
        else:
            assert Path(reference).name in FILES


def test_the_asyncapi_document_tells_every_topic_its_messages_and_writers() -> None:
    document = asyncapi()
    assert document["asyncapi"] == "3.0.0"
    for topic in INPUT:
        channel = document["channels"][topic.name]
        assert tuple(channel["messages"]) == topic.types
        assert tuple(channel["x-writers"]) == topic.writers
        assert document["operations"][f"receive.{topic.name}"]["action"] == "receive"
    for topic in OUTPUT:
        assert len(document["channels"][topic.name]["messages"]) == 1
        assert document["operations"][f"send.{topic.name}"]["action"] == "send"
    assert set(document["components"]["messages"]) == {*MODELS, "verdict", "finding", "rejection"}


def _references(value: Any) -> list[str]:
    if isinstance(value, dict):
        here = [value["$ref"]] if isinstance(value.get("$ref"), str) else []
        return here + [each for part in value.values() for each in _references(part)]
    if isinstance(value, list):
        return [each for part in value for each in _references(part)]
    return []


def _resolve(document: Any, reference: str) -> Any:
    for step in reference.removeprefix("#/").split("/"):
        document = document[step]
    return document
