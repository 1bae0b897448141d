"""The settings that a verdict was given under, as the judge takes them."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from audit.settings import JudgeSettings
from games.readings import DEFAULT_READINGS, Readings, readings_of


class UnknownSettings(ValueError):
    """A verdict names settings that this version does not know: judge it with the version that gave it."""


_NUMBERS = tuple(field.name for field in fields(JudgeSettings) if field.name != "readings")


def readings_in(settings: Mapping[str, Any]) -> Readings:
    """The readings that a verdict's settings name; where it names none, those in force."""
    chosen = settings.get("readings")
    return DEFAULT_READINGS if chosen is None else readings_of(chosen)


def settings_of(settings: Mapping[str, Any]) -> JudgeSettings:
    """A verdict's settings, for judging its round again."""
    unknown = settings.keys() - {*_NUMBERS, "readings"}
    try:
        if unknown or not all(isinstance(settings[name], int) for name in _NUMBERS):
            raise ValueError(f"it names {', '.join(sorted(unknown)) or 'something else than numbers'}")
        return JudgeSettings(**{name: settings[name] for name in _NUMBERS}, readings=readings_in(settings))
    except (KeyError, ValueError, TypeError) as error:
        raise UnknownSettings(f"the settings of the verdict cannot be read: {error}") from error
