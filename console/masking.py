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
