"""How events begin: devices write all of theirs alike, so that up to the id they are known by heart."""

from typing import Any, Final

import orjson

BEHIND: Final = b'"id"'
"""Behind a beginning."""
_SAME_FOR_MANY: Final = frozenset({"specversion", "type", "source", "subject", "datacontenttype", "dataschema", "id"})
"""The attributes that many events of one device have in common, and the id, behind which a beginning ends."""


def fields_of(raw: bytes) -> dict[str, Any]:
    """The fields of a JSON object; none where the bytes are no such thing."""
    try:
        fields = orjson.loads(raw)
    except orjson.JSONDecodeError:
        return {}
    return fields if isinstance(fields, dict) else {}


def attributes_in(beginning: bytes) -> dict[str, Any]:
    """The attributes that a beginning names, brace included; none where it is not the same for many."""
    attributes = fields_of(beginning + BEHIND + b':""}')
    return attributes if attributes.keys() <= _SAME_FOR_MANY else {}
