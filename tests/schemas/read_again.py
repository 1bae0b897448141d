"""Whether a verdict that is read again for the store says what its JSON says."""

import json
from typing import Any

import msgspec

from schemas.verdicts_again import verdict_again


def is_read_again(raw: bytes) -> bool:
    """Whether all that is read again of a verdict stands in its JSON, and nothing of a list is left out."""
    return _is_part(msgspec.to_builtins(verdict_again(raw)), json.loads(raw))


def _is_part(part: Any, whole: Any) -> bool:
    if isinstance(part, dict):
        return isinstance(whole, dict) and all(key in whole and _is_part(part[key], whole[key]) for key in part)
    if isinstance(part, list | tuple):
        return len(part) == len(whole) and all(map(_is_part, part, whole))
    return type(part) is type(whole) and bool(part == whole)
