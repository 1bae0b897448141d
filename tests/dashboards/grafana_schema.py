"""Grafana's own models of its JSON, held against a document: no unknown key, no value of a wrong type."""

import enum
import typing
from collections.abc import Mapping
from typing import Any

from grafana_foundation_sdk.cog.plugins import register_default_plugins

register_default_plugins()


def violations(model: Any, document: Mapping[str, Any]) -> list[str]:
    """What Grafana's model of this kind does not know, or knows otherwise."""
    made = model.from_json(document)
    return [*_lost(document, made.to_json(), "$"), *_wrong(made, "$")]


def _lost(document: Any, kept: Any, place: str) -> list[str]:
    """What did not survive the way through the model."""
    if hasattr(kept, "to_json"):
        kept = kept.to_json()
    if isinstance(document, Mapping):
        if not isinstance(kept, Mapping):
            return [f"{place}: an object"]
        lost = [f"{place}.{key}: not known" for key in document if key not in kept]
        return lost + [
            each for key in document if key in kept for each in _lost(document[key], kept[key], f"{place}.{key}")
        ]
    if isinstance(document, list):
        if not isinstance(kept, list) or len(kept) != len(document):
            return [f"{place}: a list"]
        pairs = zip(document, kept, strict=True)
        return [each for i, (one, other) in enumerate(pairs) for each in _lost(one, other, f"{place}[{i}]")]
    return [] if document == kept else [f"{place}: {document!r} became {kept!r}"]


def _wrong(made: Any, place: str) -> list[str]:
    """Values that are not of the type that the model says."""
    found: list[str] = []
    for name, hint in typing.get_type_hints(type(made)).items():
        value = getattr(made, name, None)
        if not _fits(value, hint):
            found.append(f"{place}.{name}: {value!r} is no {hint}")
        elif hasattr(value, "to_json") and not isinstance(value, type):
            found += _wrong(value, f"{place}.{name}")
        elif isinstance(value, list):
            for i, each in enumerate(value):
                if hasattr(each, "to_json"):
                    found += _wrong(each, f"{place}.{name}[{i}]")
    return found


def _fits(value: Any, hint: Any) -> bool:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Union:
        return any(_fits(value, each) for each in arguments)
    if hint is type(None):
        return value is None
    if origin is typing.Literal:
        return value in arguments
    if origin is list:
        return isinstance(value, list) and all(_fits(each, arguments[0]) for each in value)
    if origin is dict:
        return isinstance(value, dict) and all(_fits(each, arguments[1]) for each in value.values())
    if hint in (typing.Any, object) or not isinstance(hint, type):
        return True
    if issubclass(hint, enum.Enum):
        return value in {each.value for each in hint} or isinstance(value, hint)
    if hint is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    if hint is int:
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, hint)
