"""Checking a body: every event keeps to the contract and to what its device may say, or none of them is sent."""

import re
from codecs import BOM_UTF8
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final

import orjson

from schemas.decoding import decode_record, split_record
from schemas.records import AnyEvent
from streams.gateway import metrics
from streams.gateway.kinds import KINDS
from streams.gateway.sender import Outgoing
from streams.gateway.tokens import Device

MAX_EVENTS: Final = 5000
"""Of one request. The events of a table have 200 bytes and more, so that a full body of them has about as many."""

MOST_PROBLEMS: Final = 100
"""So many are named; an answer is not many times as large as its question."""


class Mode(Enum):
    """What a body holds, by its content type."""

    ONE = "one event, a JSON object"
    BATCH = "a batch, a JSON array of events"
    EITHER = "an event or an array of events"


@dataclass(frozen=True, slots=True)
class Problem:
    """Why one event is refused."""

    index: int
    """Its place in the batch, from 0."""
    id: str | None
    """Of the event, where it can be read."""
    reason: str


@dataclass(frozen=True, slots=True)
class Refused:
    """Nothing of the body is sent."""

    status: int
    detail: str
    problems: Sequence[Problem] = ()


def check(body: bytes, mode: Mode, device: Device) -> list[Outgoing] | Refused:
    """The events of the body, all of them, or why not."""
    raw = body.strip(b" \t\r\n")
    if raw.startswith(BOM_UTF8):
        return Refused(400, "the body begins with a byte order mark, which is no JSON: send it without")
    begins = {Mode.ONE: b"{", Mode.BATCH: b"[", Mode.EITHER: b"{["}[mode]
    if not raw or raw[:1] not in (begins[:1], begins[1:] or begins):
        return Refused(400, f"the body is not {mode.value}")
    items = split_record(raw)
    if len(items) > MAX_EVENTS:
        return Refused(413, f"{len(items)} events are more than the {MAX_EVENTS} that a request may have")
    decoded = decode_record(raw)
    if decoded.rejected and (fault := _fault_of_json(raw)):
        return Refused(400, f"the body is not JSON: {_no_number(fault) or decoded.rejected[0].reason}")
    # What breaks the contract comes first: it decides the status, is said in the summary, and never goes unnamed.
    problems = [Problem(bad.place, bad.id, bad.reason) for bad in decoded.rejected]
    broken = len(problems)
    metrics.REFUSED.labels("contract").inc(broken)
    allowed = device.allowed
    for place, event in zip(decoded.places, decoded.events, strict=True):
        if reason := _beyond(event, device, allowed):
            problems.append(Problem(place, event.id, reason))
    if problems:
        count = f"{len(problems)} of {len(items)} events are refused, and none was sent"
        if len(problems) > MOST_PROBLEMS:
            count += f" ({MOST_PROBLEMS} of them are named)"
        named = sorted(problems[:MOST_PROBLEMS], key=lambda problem: problem.index)
        return Refused(422 if broken else 403, f"{count}; {problems[0].reason}", named)
    kind = KINDS[device.kind]
    return [
        Outgoing(kind.topic(event.type), event.subject, item) for event, item in zip(decoded.events, items, strict=True)
    ]


def _beyond(event: AnyEvent, device: Device, allowed: frozenset[str]) -> str | None:
    """Why this device may not send this event."""
    if event.subject not in device.tables:
        metrics.REFUSED.labels("table").inc()
        return f"subject: this token is not for table {_quoted(event.subject)}"
    if event.source not in device.sources:
        metrics.REFUSED.labels("source").inc()
        return f"source: this token is not for {_quoted(event.source)}"
    if event.type not in allowed:
        metrics.REFUSED.labels("type").inc()
        return f"type: a {device.kind} with this token may not send {event.type}"
    return None


def _fault_of_json(raw: bytes) -> orjson.JSONDecodeError | None:
    """Where the bytes stop being JSON; None where they are."""
    try:
        orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        return error
    return None


_NO_NUMBERS: Final = re.compile("NaN|-?Infinity")


def _no_number(fault: orjson.JSONDecodeError) -> str | None:
    """What is said of NaN and the like, which some languages write and our readers of events take for numbers."""
    # Of a minus, the fault is what stands behind it.
    start = fault.pos - fault.doc[: fault.pos].endswith("-")
    name = _NO_NUMBERS.match(fault.doc, start)
    return name and f"{name[0]} is no number of JSON, at line {fault.lineno} column {fault.colno - fault.pos + start}"


def _quoted(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:59] + "…")
