"""Sameness: the canonical bytes of an event, by which a repeat is told from a conflict."""

from typing import Any

import orjson

from schemas.records import AnyEvent, canonical_event


def content_key(event: AnyEvent) -> bytes:
    """The canonical bytes of an event without the attributes that have no effect.

    Two events of one source and id are repeats of each other when these are equal, and in conflict otherwise. An
    optional field with its default value is the same as an absent one.
    """
    written = canonical_event(event)
    return written if written.isascii() else canonical(orjson.loads(written))


def canonical(value: Any) -> bytes:
    """The RFC 8785 form of a value made of dicts, lists, tuples, strings, booleans, None and integers below 2^53.

    orjson writes strings and such integers as RFC 8785 does. It sorts keys by code point and the RFC by UTF-16 unit;
    the two orders differ only for keys beyond the basic plane, so that ASCII bytes need no second look. Floats have no
    place here: their canonical form is ECMAScript's, and no fact is a float.
    """
    written = orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    if not written.isascii():
        written = orjson.dumps(_sorted(value))
    return written


def _sorted(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _sorted(value[key]) for key in sorted(value, key=lambda key: key.encode("utf-16-be"))}
    if isinstance(value, list | tuple):
        return [_sorted(each) for each in value]
    return value
