"""The AsyncAPI 3 document of all topics: what goes in, what comes out, and who may write it."""

from typing import Any

from schemas.events import MODELS, Envelope
from schemas.json_schemas import MEDIA_TYPE, file_of
from schemas.topics import ALERTS, INPUT, REJECTED, VERDICTS, Topic

_RESULTS = {
    VERDICTS.name: (
        "verdict",
        "One per round and revision; the last ones of a worker come again from the next one.",
    ),
    ALERTS.name: ("finding", "One per finding; again under its id, with cleared true, when a later fact clears it."),
    REJECTED.name: ("rejection", "One per rejected event."),
}

_RECORD = (
    "A record holds one event (a JSON object) or several (a JSON array, the CloudEvents batch format). Its key is the "
    "table id, the subject of its events; a record that packs events of several tables of one partition has a null key "
    "and names its partition. The partition is that of murmur2 of the UTF-8 table id."
)


def asyncapi() -> dict[str, Any]:
    """The whole document; payloads refer to the JSON Schema files beside it."""
    topics = [*INPUT, VERDICTS, ALERTS, REJECTED]
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "Tablewatch",
            "version": "1",
            "description": "Events of live tables in; verdicts, alerts and rejected events out.",
        },
        "defaultContentType": "application/json",
        "channels": {topic.name: _channel(topic) for topic in topics},
        "operations": {
            f"{'receive' if topic.types else 'send'}.{topic.name}": {
                "action": "receive" if topic.types else "send",
                "channel": {"$ref": f"#/channels/{topic.name}"},
                "summary": topic.about,
            }
            for topic in topics
        },
        "components": {"messages": _messages()},
    }


def _channel(topic: Topic) -> dict[str, Any]:
    names = topic.types or (_RESULTS[topic.name][0],)
    return {
        "address": topic.name,
        "description": f"{topic.about} {_RECORD if topic.types else 'Keyed by table.'}",
        "messages": {name: {"$ref": f"#/components/messages/{name}"} for name in names},
        "bindings": {"kafka": {"topic": topic.name, "bindingVersion": "0.5.0"}},
        "x-writers": list(topic.writers),
    }


def _messages() -> dict[str, Any]:
    events = {name: _message(name, _about(model)) for name, model in MODELS.items()}
    return events | {name: _message(name, about) for name, about in _RESULTS.values()}


def _about(model: type[Envelope]) -> str:
    """What an event says, in one sentence: that of its payload, unless it has its own."""
    about = model.__doc__ or getattr(model.model_fields["data"].annotation, "__doc__", None)
    assert about, f"{model.__name__} does not say what it is"
    return about


def _message(name: str, about: str) -> dict[str, Any]:
    return {
        "name": name,
        "summary": about,
        "contentType": "application/cloudevents+json" if name in MODELS else "application/json",
        "payload": {"schemaFormat": MEDIA_TYPE, "schema": {"$ref": f"./{file_of(name)}"}},
    }
