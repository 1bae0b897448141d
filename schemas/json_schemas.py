"""JSON Schemas of every event type, of verdicts, findings and rejections, read out of the models.

Draft 07, because that is the dialect that every AsyncAPI tool reads. JSON Schema cannot say all that the models check:
to it 5.0 is an integer, and it does not see a field that is named twice.
"""

from typing import Any, Final

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from schemas.events import MODELS
from schemas.findings import FINDING
from schemas.rejections import REJECTION
from schemas.verdicts import VERDICT

DIALECT: Final = "http://json-schema.org/draft-07/schema#"
MEDIA_TYPE: Final = "application/schema+json;version=draft-07"


class _Draft07(GenerateJsonSchema):
    """Without the titles that repeat a field's name, and without ``null`` as the default of what is never null."""

    schema_dialect = DIALECT

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        written = super().default_schema(schema)
        if written.get("default", ...) is None:
            del written["default"]
        return written


def json_schemas() -> dict[str, JsonSchemaValue]:
    """All JSON Schemas by name: the event types, then ``verdict``, ``finding`` and ``rejection``."""
    adapters: dict[str, TypeAdapter[Any]] = {name: TypeAdapter(model) for name, model in MODELS.items()}
    adapters |= {"verdict": VERDICT, "finding": FINDING, "rejection": REJECTION}
    return {name: _schema(name, adapter) for name, adapter in adapters.items()}


def file_of(name: str) -> str:
    """The file that holds a JSON Schema."""
    return f"{name}.schema.json"


def _schema(name: str, adapter: TypeAdapter[Any]) -> JsonSchemaValue:
    body = adapter.json_schema(schema_generator=_Draft07, ref_template="#/definitions/{model}")
    definitions = body.pop("$defs", {})
    schema = {
        "$schema": DIALECT,
        "$id": file_of(name),
        "title": name,
        **{k: v for k, v in body.items() if k != "title"},
    }
    if definitions:
        schema["definitions"] = definitions
    return schema
