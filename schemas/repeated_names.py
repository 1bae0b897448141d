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

from schemas.events import AnyEvent
from schemas.payloads import PAYLOADS, Limits, Payload

_ENVELOPE_QUOTES: Final = 28
"""Eight keys and six strings."""

_LIMITS_QUOTES: Final = 4
"""Two keys, and numbers."""


def _quotes(value: object) -> int:
    """The quotes of a parsed value."""
    if isinstance(value, str):
        return 2
    if isinstance(value, dict):
        return 2 * len(value) + sum(map(_quotes, value.values()))
    if isinstance(value, tuple):
        return sum(map(_quotes, value))
    return _LIMITS_QUOTES if isinstance(value, Limits) else 0


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
    optional = [name for name, field in fields if not field.is_required()]
    if not varying and not optional:
        return None

    def count(data: Any) -> int:
        given = data.model_fields_set.intersection(optional)
        return sum(_quotes(getattr(data, name)) for name in (*varying, *given)) + 2 * len(given)

    def count_alone(data: Any) -> int:
        value = getattr(data, alone)
        return 2 if value.__class__ is str else _quotes(value)

    alone = varying[0] if len(varying) == 1 else ""
    return count_alone if alone and not optional else count


_SHAPES = {payload: (_always(payload), _beyond(payload)) for payload in PAYLOADS}
_ESCAPE = re.compile(rb"\\(.)", re.DOTALL)


def names_twice(raw: bytes, event: AnyEvent) -> bool:
    """Whether an object in the bytes that gave this event names a field twice."""
    data = event.data
    needed, beyond = _SHAPES[data.__class__]
    if beyond:
        needed += beyond(data)
    found = raw.count(b'"')
    return found != needed and _differ(raw, found, needed, (event,))


def any_names_twice(raw: bytes, events: Sequence[AnyEvent]) -> bool:
    """Whether an object in the array that gave these events names a field twice."""
    needed = 0
    for event in events:
        data = event.data
        always, beyond = _SHAPES[data.__class__]
        needed += always
        if beyond:
            needed += beyond(data)
    # numpy counts four times as fast as bytes.count, where marks are as dense as quotes are here.
    found = int(np.count_nonzero(np.frombuffer(raw, np.uint8) == ord('"')))
    return found != needed and _differ(raw, found, needed, events)


def _differ(raw: bytes, found: int, needed: int, events: Sequence[AnyEvent]) -> bool:
    """Whether the counts still differ when optional attributes and escaped quotes are counted too."""
    needed += sum(4 * ((event.datacontenttype is not None) + (event.dataschema is not None)) for event in events)
    return found - _ESCAPE.findall(raw).count(b'"') != needed


class _NamedTwiceError(ValueError):
    """Carries the name of the field."""


def name_of_repeated(raw: bytes) -> str | None:
    """The field that a valid event names twice, or None where it is buried too deep to be told."""

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
    except RecursionError:
        pass
    return None
