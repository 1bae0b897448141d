"""What is told at once and what together, so that one broken reader does not send 500 messages; pure.

The first alert of a group (table, code, device) is told at once; the others of its window together, when it ends. A
person who has had his share of messages gets the rest together as soon as he may. Critical alerts are never held back.
"""

import re
from dataclasses import dataclass
from typing import Final

from store.rows.alerts import Alert
from streams.alerting.rules import Limits

NEVER_HELD: Final = "critical"

_OF_DEVICES: Final = frozenset({"device-gap", "device-clock", "device-silent", "event-rejected"})
_DEVICE: Final = re.compile(r"(?<![^\s(])/[^\s,):]+")
"""A source, as `/tables/BT12/reader`."""


@dataclass(frozen=True, slots=True)
class Group:
    """What a person was told of lately and belongs together."""

    until_ms: int
    """The end of the window that its first alert opened."""


@dataclass(frozen=True, slots=True)
class Hold:
    """Not now."""

    until_ms: int
    why: str
    """`group`, `limit` or `quiet`."""


def device_of(alert: Alert) -> str | None:
    """The device that the sentence of an alert about one names; empty: it names none; None: the alert is about none."""
    if alert.code not in _OF_DEVICES:
        return None
    named = _DEVICE.search(alert.message)
    return named[0] if named else ""


def group_of(alert: Alert) -> str:
    """The group of an alert: its table, its code and the device that its sentence names, if it names one."""
    return "\x1f".join((alert.table or "", alert.code, device_of(alert) or ""))


def held(
    limits: Limits, severity: str, group: Group | None, sent_ms: list[int], quiet_until_ms: int | None, now_ms: int
) -> Hold | None:
    """Whether a message waits, and until when. ``sent_ms``: when this person got his last messages that count."""
    if severity == NEVER_HELD:
        return None
    if quiet_until_ms is not None:
        return Hold(quiet_until_ms, "quiet")
    if group is not None and now_ms < group.until_ms:
        return Hold(group.until_ms, "group")
    since = now_ms - limits.per * 1000
    recent = sorted(moment for moment in sent_ms if moment > since)
    if len(recent) >= limits.messages:
        return Hold(recent[-limits.messages] + limits.per * 1000, "limit")
    return None
