"""What a judgement may be set to: tolerances in time, and the readings of unclear rules."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from games.readings import DEFAULT_READINGS, Readings, readings_of

MILLISECOND = 1_000
"""In microseconds, the unit of all times here."""


@dataclass(frozen=True, slots=True)
class JudgeSettings:
    """The settings of a judgement; they are part of every verdict and of its digest."""

    tolerance_ms: int = 500
    """Events of two sources are compared with this tolerance, bounds included."""
    clock_tolerance_ms: int = 2_000
    """How far a heartbeat's device time may be from the time of whoever collected it."""
    silence_ms: int = 60_000
    """A device that sends heartbeats is silent when others of its table go on for longer than this."""
    ahead_ms: int = 300_000
    """Live: how far ahead of its arrival an event's time may be."""
    idle_ms: int = 1_800_000
    """Live: a round is judged when its table's time is this far past its last fact."""
    patience_ms: int = 2_000
    """Live: what is not there is judged when all topics have been read this far past it."""
    readings: Readings = field(default_factory=Readings)

    def as_json(self) -> dict[str, Any]:
        """As a verdict carries them."""
        return asdict(self)


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
