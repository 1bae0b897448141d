"""What `/openapi.json` says: how a device talks to the gateway, and what each answer means."""

from typing import Any, Final

from pydantic import TypeAdapter

from schemas.events import Event
from streams.gateway.checking import MAX_EVENTS

MAX_BODY: Final = 1 << 20
"""Bytes of one request."""

ABOUT: Final = f"""
Events of devices that do not speak Kafka. An event is a CloudEvents 1.0 JSON object as the contract has it.

**All or nothing.** The events of a request are sent if every one of them is right, and none of them otherwise; the
answer then names those that are wrong, so that the others can be sent again without them.

**202 means kept.** It is given when the broker has acknowledged every event on all replicas in sync, and not before.
After any other answer, or none, the device keeps its events. 408, 429 and 503 mean: send the same bytes again, after
`Retry-After` seconds. An event that arrives twice (same `source` and `id`, same content) counts once; one that was
changed in between is rejected with the first, so never change an event that was sent. Other answers mean that sending
the same again is of no use.

**Order.** Events are kept in the order of a batch, and of requests that follow each other's answers.

**Unchanged.** The gateway adds nothing and corrects nothing. `time` is what the sender says; in a heartbeat it is the
time of whoever collected it, and `device_time` that of the device.

**Bounds.** {MAX_BODY} bytes and {MAX_EVENTS} events a request. Structured and batch mode; binary mode (`ce-` headers)
and compressed bodies are not taken.
""".strip()

_PROBLEM: Final[dict[str, Any]] = {
    "type": "object",
    "description": "RFC 9457 problem details, with what is wrong with each event.",
    "required": ["type", "title", "status", "detail"],
    "properties": {
        "type": {"type": "string", "const": "about:blank"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "problems": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["index", "id", "reason"],
                "properties": {
                    "index": {"type": "integer", "description": "The event's place in the batch, from 0."},
                    "id": {"type": ["string", "null"], "description": "Of the event, where it can be read."},
                    "reason": {"type": "string"},
                },
            },
        },
    },
}

_REFUSALS: Final = {
    400: "The body is not JSON, or not of the kind that its content type says. Sending it again is of no use.",
    401: "No token, or one that is not known or was revoked.",
    403: "The token is not for the table, the source or the type of these events.",
    408: "The body did not come in time. Send it again.",
    413: "The body, or one of its events, is too large. Send less at a time.",
    415: "Another content type, an encoding, or binary mode.",
    422: "These events break the contract.",
    429: "Too much waits for the broker, in all or of this device. Send it again after Retry-After seconds.",
    503: "The broker is away, or did not acknowledge in time. Send it again after Retry-After seconds.",
}

_PROBLEM_CONTENT: Final = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
_RETRY: Final = {"Retry-After": {"description": "Seconds to wait.", "schema": {"type": "integer"}}}
_ONE: Final = {"$ref": "#/components/schemas/Event"}
_BATCH: Final = {"type": "array", "minItems": 1, "maxItems": MAX_EVENTS, "items": _ONE}

OPERATION: Final[dict[str, Any]] = {
    "security": [{"device": []}],
    "requestBody": {
        "required": True,
        "content": {
            "application/cloudevents+json": {"schema": _ONE},
            "application/cloudevents-batch+json": {"schema": _BATCH},
            "application/json": {"schema": {"oneOf": [_ONE, _BATCH]}},
        },
    },
}
"""Of POST /v1/events, beside its name."""

RESPONSES: Final[dict[int | str, dict[str, Any]]] = {
    202: {
        "description": "The broker has acknowledged all events.",
        "content": {
            "application/json": {
                "schema": {
                    "type": "object",
                    "required": ["accepted"],
                    "properties": {"accepted": {"type": "integer", "description": "How many events."}},
                }
            }
        },
    },
    **{
        status: {
            "description": about,
            "content": _PROBLEM_CONTENT,
            **({"headers": _RETRY} if status in (429, 503) else {}),
        }
        for status, about in _REFUSALS.items()
    },
}


def components() -> dict[str, Any]:
    """The schemas that the description refers to: the events of the contract, and the problems."""
    event = TypeAdapter[Any](Event).json_schema(ref_template="#/components/schemas/{model}")
    schemas = event.pop("$defs", {})
    return {
        "schemas": {**schemas, "Event": event, "Problem": _PROBLEM},
        "securitySchemes": {
            "device": {"type": "http", "scheme": "bearer", "description": "`tablewatch gateway token add` makes one."}
        },
    }
