"""Player ids for those who need not see them."""

from collections.abc import Mapping
from typing import Any, Final

MASK: Final = "•••"

NAMING: Final = frozenset({"player-over-expectation"})
"""Findings whose words name a player."""


def masked(player: str | None) -> str | None:
    """A player id as others see it: that there is one, and nothing of it."""
    return None if player is None else MASK


def message_for(code: str, message: str, *, masking: bool) -> str:
    """The sentence of a finding, without the player that it may name."""
    if masking and code in NAMING:
        return "A player is further ahead than the wagers make likely."
    return message


def values_for(code: str, value: Any, *, masking: bool) -> Any:
    """What a finding expected or saw, without the player that it may name."""
    if not masking or value is None:
        return value
    if code in NAMING:
        return None
    if isinstance(value, Mapping):
        return {name: MASK if name == "player" else each for name, each in value.items()}
    return value


def detail_for(detail: Mapping[str, Any], *, masking: bool) -> dict[str, Any]:
    """What the access log keeps of a look or an act, without the player that somebody asked about."""
    if not masking:
        return dict(detail)
    # A command's line is kept as it was typed, beside what it asked for.
    asked = detail.get("player")
    return {name: MASK if name == "player" else _without(value, asked) for name, value in detail.items()}


def _without(value: Any, player: Any) -> Any:
    if isinstance(value, str) and isinstance(player, str) and player:
        return value.replace(player, MASK)
    if isinstance(value, Mapping):
        return {name: MASK if name == "player" else _without(each, player) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_without(each, player) for each in value]
    return value
