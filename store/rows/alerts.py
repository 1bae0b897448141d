"""Alerts, and every step of their life."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

CLAIMS: Final = "claims of "
"""Before the id of an alert: the name under which claims of places in its history are kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Alert:
    """What a person has to hear about: one finding, raised once."""

    id: str
    finding: str
    """Id of the finding that it tells of."""
    table: str | None
    shoe: str | None
    round: int | None
    code: str
    severity: str
    pit: str | None
    game: str | None
    message: str
    time: int
    """Device time of the fact that decided the finding, in microseconds since 1970."""
    raised: int
    """Milliseconds since 1970."""
    detail: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertStep:
    """Something that happened to an alert; never changed afterwards."""

    alert: str
    id: str
    """Of the step: the same step written twice is one."""
    at: int
    """Microseconds since 1970."""
    action: str
    """raised, sent, failed, acknowledged, taken (over), escalated, resolved, reopened, cleared, handed over, noted …"""
    state: str | None = None
    """What the alert is from then on; None: as before."""
    by: str = ""
    """The person, or the part of the system."""
    role: str = ""
    recipient: str = ""
    """Who was told, and by which channel."""
    disposition: str = ""
    """Of a resolution: confirmed, false alarm, test, training."""
    note: str = ""
    detail: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AlertHistory:
    """An alert with its steps in the order in which they happened."""

    alert: Alert
    steps: tuple[AlertStep, ...]

    @property
    def state(self) -> str | None:
        """What the last step that said so made of it; of two steps at one moment the one with the higher id counts."""
        said = [step.state for step in self.steps if step.state]
        return said[-1] if said else None
