"""What a judgement may be set to: tolerances in time, and the readings of unclear rules."""

from dataclasses import asdict, dataclass, field
from typing import Any

from games.readings import Readings

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
