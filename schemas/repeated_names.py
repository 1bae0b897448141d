"""Fields named twice in one object: JSON readers keep one of the two and do not say so, and a later reader may keep the
other and see a different event. Such an event is rejected.

What was parsed tells how many quotes its keys and strings need; a name too many adds at least two to those in the
bytes. So counting quotes decides it, without a second parse.
"""

import json
import re
from collections.abc import Callable, Sequence
from typing import Any, Final, Literal, get_args, get_origin

import numpy as np
from msgspec import Struct

from schemas.payloads import Payload
from schemas.records import PAYLOAD_OF, AnyEvent

_ENVELOPE_QUOTES: Final = 28
"""Eight keys and six strings."""

_LIMITS_QUOTES: Final = 4
"""Two keys, and numbers."""

_ATTRIBUTE_QUOTES: Final = 4
"""A key and a string."""


def _quotes(value: object) -> int:
    """The quotes of a parsed value."""
    if isinstance(value, str):
        return 2
    if isinstance(value, dict):
        return 2 * len(value) + sum(map(_quotes, value.values()))
    if isinstance(value, tuple):
        return sum(map(_quotes, value))
    return _LIMITS_QUOTES if isinstance(value, Struct) else 0


def _always(payload: type[Payload]) -> int:
    """The quotes that every event with this payload has."""
    quotes = _ENVELOPE_QUOTES
    for field in payload.model_fields.values():
        if field.is_required():
            quotes += 4 if _kind(field.annotation) is str else 2
    return quotes


def _kind(annotation: Any) -> Any:
    """The plain type of a field; a Literal stands for that of its words."""
    return type(get_args(annotation)[0]) if get_origin(annotation) is Literal else annotation


def _beyond(payload: type[Payload]) -> Callable[[Any], int] | None:
    """Counts the further quotes of a payload, those of fields that are null, absent or of no fixed size; None: none."""
    fields = payload.model_fields.items()
    varying = [name for name, field in fields if field.is_required() and _kind(field.annotation) not in (str, int)]
    optional = {name: field.default for name, field in fields if not field.is_required()}
    if not varying and not optional:
        return None

    def count(data: Any) -> int:
        given = [value for name, default in optional.items() if (value := getattr(data, name)) != default]
        return sum(_quotes(getattr(data, name)) for name in varying) + sum(map(_quotes, given)) + 2 * len(given)

    def count_alone(data: Any) -> int:
        value = getattr(data, alone)
        return 2 if value.__class__ is str else _quotes(value)

    alone = varying[0] if len(varying) == 1 else ""
    return count_alone if alone and not optional else count


_SHAPES = {record: (_always(payload), _beyond(payload)) for record, payload in PAYLOAD_OF.items()}
_SHORT: Final = 4_000
_ESCAPE = re.compile(rb"\\(.)", re.DOTALL)


def names_each_once(raw: bytes, events: Sequence[AnyEvent], attributes: int = 0) -> bool:
    """Whether it is certain that no object in the bytes that gave these events, and so many attributes without effect,
    names a field twice, or an optional one to say null or what holds without it."""
    needed = _ATTRIBUTE_QUOTES * attributes
    for event in events:
        data = event.data
        always, beyond = _SHAPES[data.__class__]
        needed += always
        if beyond:
            needed += beyond(data)
    # Where marks are as dense as quotes are here, numpy counts four times as fast as bytes.count, once it has begun.
    found = raw.count(b'"') if len(raw) < _SHORT else int(np.count_nonzero(np.frombuffer(raw, np.uint8) == ord('"')))
    return found == needed or found - _ESCAPE.findall(raw).count(b'"') == needed


class _NamedTwiceError(ValueError):
    """Carries the name of the field."""


def name_of_repeated(raw: bytes) -> str | None:
    """The field that a valid event names twice; None where there is none."""

    def fields(pairs: list[tuple[str, Any]]) -> None:
        names: set[str] = set()
        for name, _ in pairs:
            if name in names:
                raise _NamedTwiceError(name)
            names.add(name)

    try:
        json.loads(raw, object_pairs_hook=fields, parse_int=str, parse_float=str)
    except _NamedTwiceError as name:
        return str(name)
    return None
