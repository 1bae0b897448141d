"""Decoding a record: bytes in, events out, and every event that breaks the contract kept with its bytes and the reason.

``decode_record`` and ``decode_line`` never raise, whatever the bytes. An event is accepted or rejected for what it is,
however it was packed: one bad event in an array never takes the good ones with it.
"""

import re
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import msgspec
from pydantic import TypeAdapter, ValidationError
from pydantic_core import from_json

from schemas.events import Envelope, Event
from schemas.reasons import reason_of
from schemas.records import TIMES, AnyEvent, read_event, read_events, record_of
from schemas.repeated_names import name_of_repeated, names_each_once
from schemas.time import are_times, is_time
from schemas.words import LARGEST

MAX_RECORD_BYTES: Final = 16 * 1024 * 1024
"""A record or line beyond this is refused unparsed."""

MAX_EVENT_BYTES: Final = 1024 * 1024
"""So is an event beyond this: the largest that a table has reason to send, all cards of a shoe, has a few thousand."""

MAX_RECORD_EVENTS: Final = 131_072
"""An array with more items is refused whole: so many events, at 128 bytes and more each, do not fit into a record."""


class Rejected(NamedTuple):
    """An event that breaks the contract, or bytes that are none: what came, why not, and what could be read of it."""

    raw: bytes
    """The very bytes of the event inside its record, or the whole record where it cannot be taken apart."""
    place: int
    """Its place in the record, from 0."""
    reason: str
    """Where and what, in plain words."""
    source: str | None = None
    subject: str | None = None
    sequence: int | None = None
    id: str | None = None
    type: str | None = None
    time: str | None = None
    """Only a time that the contract accepts."""


class Decoded(NamedTuple):
    """What one record holds."""

    events: list[AnyEvent]
    places: Sequence[int]
    """The place of each of the events in the record, from 0."""
    rejected: list[Rejected]


_by_its_model: Callable[[bytes], Envelope] = TypeAdapter[Envelope](Event).validator.validate_json

_WHITESPACE = b" \t\r\n"
_ALONE = range(1)


def decode_record(raw: bytes) -> Decoded:
    """The events of one Kafka record: a JSON object, or an array of them (the CloudEvents batch format)."""
    if len(raw) > MAX_RECORD_BYTES:
        return _refused(raw, f"{len(raw)} bytes are more than the {MAX_RECORD_BYTES} that a record may have")
    if raw[:1] != b"{":
        raw = raw.strip(_WHITESPACE)
        if raw[:1] == b"[":
            return _decode_array(raw)
    event = _decode_object(raw, 0)
    if isinstance(event, Rejected):
        return Decoded([], (), [event])
    return Decoded([event], _ALONE, [])


def decode_again(raw: bytes) -> Decoded:
    """A record of which every event was accepted before, by ``decode_record``: what it then looks at besides, times and
    names that come twice, is not looked at again."""
    bare = raw.strip(_WHITESPACE)
    read = read_events(bare if bare[:1] == b"[" else b"[" + bare + b"]")
    return decode_record(raw) if read is None else Decoded(read[0], range(len(read[0])), [])


def decode_line(raw: bytes) -> Decoded:
    """The events of one line of a JSON lines file: one event, or an array of them; nothing for a blank line."""
    if len(raw) <= MAX_RECORD_BYTES and not raw.strip(_WHITESPACE):
        return Decoded([], (), [])
    return decode_record(raw)


def decode_lines(lines: Sequence[bytes]) -> Decoded:
    """The events of many lines at once, as ``decode_line`` gives them one by one; a place is the number of its line.

    Lines of one good event each, the rule, are decoded as one array. No event holds an array of objects and no string
    holds a line break, so that lines which begin and end with a brace cannot run into each other unseen.
    """
    bare = [line.strip(_WHITESPACE) for line in lines]
    if all(line[:1] == b"{" and line[-1:] == b"}" and len(line) <= MAX_EVENT_BYTES for line in bare):
        packed = b"[" + b",\n".join(bare) + b"]"
        events = _plainly_valid(packed)
        if events is not None and len(events) == len(lines):
            return Decoded(events, range(len(events)), [])
    decoded = [decode_line(line) for line in lines]
    return Decoded(
        [event for each in decoded for event in each.events],
        [number for number, each in enumerate(decoded) for _ in each.events],
        [rejected._replace(place=number) for number, each in enumerate(decoded) for rejected in each.rejected],
    )


def split_record(raw: bytes) -> list[bytes]:
    """The bytes of each event of a record, by place; the record itself where it is no array that can be taken apart."""
    raw = raw.strip(_WHITESPACE)
    return _items(raw) or [raw]


def _decode_object(raw: bytes, place: int) -> AnyEvent | Rejected:
    """One event, or the reason why it is none."""
    if len(raw) > MAX_EVENT_BYTES:
        raw = raw.strip(_WHITESPACE)
        if len(raw) > MAX_EVENT_BYTES:
            return Rejected(raw, place, f"{len(raw)} bytes are more than the {MAX_EVENT_BYTES} that an event may have")
    plain = read_event(raw)
    if plain is not None and names_each_once(raw, (plain,)) and _times_are_right((plain,)):
        return plain
    try:
        event = _by_its_model(raw)
    except ValidationError as error:
        return _rejected(raw.strip(_WHITESPACE), place, reason_of(error))
    repeated = name_of_repeated(raw)
    if repeated is not None:
        return _rejected(raw.strip(_WHITESPACE), place, f"{repeated}: is named twice")
    return record_of(event)


def _plainly_valid(array: bytes) -> list[AnyEvent] | None:
    """The events of an array, if it is certain that all of them are valid."""
    read = read_events(array)
    if read is None:
        return None
    events, attributes = read
    return events if names_each_once(array, events, attributes) and _times_are_right(events) else None


def _times_are_right(events: Sequence[AnyEvent]) -> bool:
    """Whether all times in these events are written as the contract has them."""
    times = [event.time for event in events]
    for event in events:
        data = event.data
        if data.__class__ in TIMES:
            times.append(getattr(data, TIMES[data.__class__]))
    return are_times(times)


def _decode_array(raw: bytes) -> Decoded:
    """The events of an array; when one of them is bad, it is taken apart, so that the good ones pass."""
    items = [] if len(raw) <= MAX_EVENT_BYTES else _items(raw)
    if all(len(item) <= MAX_EVENT_BYTES for item in items):
        events = _plainly_valid(raw)
        if events:
            return Decoded(events, range(len(events)), [])
        items = items or _items(raw)
        if not items:
            return _refused(raw, _why_no_array(raw))
    if len(items) > MAX_RECORD_EVENTS:
        return _refused(raw, f"{len(items)} items are more than the {MAX_RECORD_EVENTS} that a record may have")
    if not any(map(holds_an_object, items)):
        return _refused(raw, _why_no_array(raw))
    decoded = [_decode_object(item, place) for place, item in enumerate(items)]
    return Decoded(
        [event for event in decoded if not isinstance(event, Rejected)],
        [place for place, event in enumerate(decoded) if not isinstance(event, Rejected)],
        [event for event in decoded if isinstance(event, Rejected)],
    )


def holds_an_object(item: bytes) -> bool:
    """Whether an item of an array may be an event, or an array of some; an array of others is refused as one."""
    return item[:1] == b"{" or (item[:1] == b"[" and b"{" in item)


def _why_no_array(raw: bytes) -> str:
    """What is wrong with an array that cannot be taken apart, or that is not worth it."""
    try:
        items = from_json(raw)
    except ValueError as error:
        return f"not JSON: {error}"
    if not items:
        return "no event: the array is empty"
    return "the array cannot be taken apart" if b"{" in raw else "no event: the array holds no object"


_STRING = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"'


def _shallow(levels: int) -> bytes:
    """What may stand inside brackets that nest so many levels deep."""
    inside = rb"|[\[{]" + _shallow(levels - 1) + rb"[\]}]" if levels else b""
    return rb'(?:[^"\[\]{}]++|' + _STRING + inside + rb")*+"


# An object as deep as events are, a string that ends, a bracket, a comma, or a quote that opens a string without end.
# Possessive, so that a hostile record costs a few passes over it and no memory.
_TOKEN = re.compile(rb"\{" + _shallow(4) + rb"\}|" + _STRING + rb'|[\[\]{},"]', re.DOTALL)


# Cuts an array in a tenth of the time, if all of it is JSON.
_raw_items = msgspec.json.Decoder(list[msgspec.Raw]).decode


def _items(raw: bytes) -> list[bytes]:
    """The bytes of each item of an array; none when its brackets, commas and quotes do not make one."""
    try:
        return list(map(bytes, _raw_items(raw)))
    except (msgspec.MsgspecError, RecursionError):
        pass
    items: list[bytes] = []
    depth = start = 0
    for token in _TOKEN.finditer(raw):
        mark = token[0]
        if mark == b"," and depth == 1:
            items.append(raw[start : token.start()].strip(_WHITESPACE))
            start = token.end()
        elif mark in (b"[", b"{"):
            depth += 1
            if depth == 1:
                start = token.end()
        elif mark in (b"]", b"}"):
            depth -= 1
            if depth == 0:
                items.append(raw[start : token.start()].strip(_WHITESPACE))
                whole = raw[:1] == b"[" and mark == b"]" and token.end() == len(raw)
                return items if whole and all(items) else []
        elif mark == b'"':
            return []
    return []


def _refused(raw: bytes, reason: str) -> Decoded:
    return Decoded([], (), [Rejected(raw, 0, reason)])


def _rejected(raw: bytes, place: int, reason: str) -> Rejected:
    """Keeps a bad event with what can be read of it: a place in the sequence is filled only by what is certain."""
    fields = _read(raw)
    if not isinstance(fields, dict):
        return Rejected(raw, place, reason)
    sequence = fields.get("sequence")
    time = _string(fields, "time")
    return Rejected(
        raw,
        place,
        reason,
        source=_string(fields, "source"),
        subject=_string(fields, "subject"),
        sequence=sequence if type(sequence) is int and 0 <= sequence <= LARGEST else None,
        id=_string(fields, "id"),
        type=_string(fields, "type"),
        time=time if time is not None and is_time(time) else None,
    )


def _string(fields: dict[str, Any], name: str) -> str | None:
    value = fields.get(name)
    return value if isinstance(value, str) and value and _SUBSTITUTE not in value else None


# Half a surrogate pair is no character, and no JSON reader of ours takes it; the rest of such an event can be read
# when another sign stands in for it. A field that holds the sign does not count as read. An event is never so long that
# more than this is worth searching.
_SUBSTITUTE = "\ufffd"
_SEARCHED: Final = 65_536
_LONE_SURROGATE = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u([dD][89a-fA-F][0-9a-fA-F]{2})|\\.", re.DOTALL
)


def _read(raw: bytes) -> object:
    """The JSON value that the bytes hold, as far as they hold one; None otherwise."""
    try:
        return from_json(raw)
    except ValueError:
        if len(raw) > _SEARCHED:
            return None
    try:
        return from_json(_STRING_OR_NUMBER.sub(_short, _LONE_SURROGATE.sub(_readable, raw)))
    except ValueError:
        return None


# No reader takes a number of more than 4,300 digits before its point, which nothing in an event may be; the rest can be
# read. A string without end takes the rest, so that a hostile event costs one pass over it.
_MOST_DIGITS: Final = 4_300
_STRING_OR_NUMBER = re.compile(
    rb'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)|-?([0-9]++)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?', re.DOTALL
)


def _short(token: re.Match[bytes]) -> bytes:
    digits = token[1]
    return token[0] if digits is None or len(digits) <= _MOST_DIGITS else b"null"


def _readable(escape: re.Match[bytes]) -> bytes:
    return escape[0] if escape[1] is None else b"\\ufffd"
