"""Two verdicts on one round side by side: what is not the same, part by part."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

_KEYS: Final = {"bets": "bet", "findings": "id"}
"""Lists whose parts have a name of their own."""
_APART: Final = frozenset({"revision"})
"""What always differs and says nothing."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One part that is not the same."""

    part: str
    """Where, e.g. ``outcome.totals.player`` or ``bets.b2.expected.paid``."""
    first: Any
    """None: not there."""
    second: Any


def differences(first: Mapping[str, Any], second: Mapping[str, Any]) -> list[Difference]:
    """What differs between two verdicts as published, in the order of the first."""
    return list(_differ("", _named(first), _named(second)))


def _named(verdict: Mapping[str, Any]) -> dict[str, Any]:
    """The verdict with bets and findings by their names, so that an inserted one shifts nothing."""
    return {
        name: {each[_KEYS[name]]: _of(name, each) for each in value} if name in _KEYS else value
        for name, value in verdict.items()
        if name not in _APART
    }


def _of(name: str, part: Mapping[str, Any]) -> Any:
    # A finding that is there in one verdict alone is told by its sentence, not taken apart.
    return dict(part) if name == "bets" else f"{part['code']}: {part['message']}"


def _differ(part: str, first: Any, second: Any) -> Iterator[Difference]:
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        for name in {**first, **second}:
            yield from _differ(f"{part}.{name}" if part else str(name), first.get(name), second.get(name))
    elif first != second:
        yield Difference(part, first, second)
