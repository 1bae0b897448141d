"""Why an event was rejected, in plain words: where in the event, and what is wrong there."""

from collections.abc import Mapping
from typing import Any, Final

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from schemas.time import why_no_time

_MOST: Final = 3
"""So many faults of one event are named; a person needs no more to see what is wrong with it."""

_TOO_MANY: Final = 1000
"""Writing out a million faults of a hostile event would take gigabytes."""

_PLAIN: Mapping[str, str] = {
    "missing": "is missing",
    "extra_forbidden": "is not a field of this event",
    "string_too_short": "is empty",
    "model_type": "should be an object",
    "model_attributes_type": "should be an object",
    "union_tag_not_found": "is missing",
}


def reason_of(error: ValidationError) -> str:
    """All that is wrong with one event that pydantic refused, the first three faults by name."""
    if error.error_count() > _TOO_MANY:
        return f"{error.error_count()} faults, too many to name"
    faults = list(dict.fromkeys(map(_fault, error.errors(include_url=False))))
    named = "; ".join(faults[:_MOST])
    return named if len(faults) <= _MOST else f"{named}; and {len(faults) - _MOST} more"


def _fault(error: ErrorDetails) -> str:
    if error["type"] == "json_invalid":
        return f"not JSON: {error.get('ctx', {}).get('error', 'cannot be read')}"
    path = _path(error)
    where, what = ".".join(_short(str(step)) for step in path), _what(error, path)
    return f"{where}: {what}" if where else what


def _path(error: ErrorDetails) -> list[str | int]:
    """The path of a fault inside the event, without the steps that only pydantic knows."""
    path = [step for step in error["loc"][1:] if step != "[key]"]
    if error["loc"][:2] == ("ruling.made.v1", "data"):
        del path[1:2]
    if path[:2] == ["data", "totals"]:
        del path[3:]
    elif path[:2] == ["data", "scope"]:
        del path[2:]
    if error["type"] in ("union_tag_invalid", "union_tag_not_found"):
        path.append(error.get("ctx", {})["discriminator"].strip("'"))
    return path


def _what(error: ErrorDetails, path: list[str | int]) -> str:
    kind = error["type"]
    if kind in _PLAIN:
        return _PLAIN[kind]
    if path[:2] == ["data", "totals"] and len(path) > 2:
        return "should be a point total from 0 to 9 or a rank"
    if path == ["data", "scope"]:
        return "should be 'table' or a list of positions"
    if kind == "union_tag_invalid":
        return f"{_quoted(error.get('ctx', {})['tag'])} is not a word of the contract"
    if kind == "literal_error":
        of = "a card of either deck" if path[1:2] in (["card"], ["remaining"]) else "a word of the contract"
        return f"{_quoted(error['input'])} is not {of}"
    if kind == "string_pattern_mismatch":
        return why_no_time(error["input"])
    return error["msg"].removeprefix("Input ")


def _quoted(value: Any) -> str:
    return _short(repr(value))


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:59] + "…"
