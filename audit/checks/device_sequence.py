"""Holes in what a device sends: a gap in its sequence, and silence while its table goes on."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence

from audit.devices import EVER_AFTER, Device
from audit.settings import MILLISECOND, JudgeSettings
from schemas.findings import SEVERITY, Finding, finding_id
from schemas.topics import HEARTBEAT


def _finding(code: str, table: str, about: str, message: str, expected: object, actual: object) -> Finding:
    return Finding(
        id=finding_id(code, table, about=about),
        code=code,
        severity=SEVERITY[code],
        rule=None,
        table=table,
        shoe=None,
        round=None,
        bet=None,
        draw=None,
        expected=expected,
        actual=actual,
        message=message,
    )


def gaps(table: str, device: Device, seen_by: int = EVER_AFTER) -> list[Finding]:
    """``device-gap``, for each run of missing sequence numbers that showed by a time."""
    return [
        _finding(
            "device-gap", table, f"{device.source} {hole.first}",
            f"{device.source} lost {_events(hole.last - hole.first + 1)}: "
            f"nothing came between {hole.after} and {hole.last + 1}.",
            hole.first, hole.last + 1,
        )
        for hole in device.lacking
        if hole.seen_at <= seen_by
    ]  # fmt: skip


def _events(count: int) -> str:
    return "an event" if count == 1 else f"{count} events"


def silences(
    table: str, devices: Sequence[Device], settings: JudgeSettings, seen_by: int = EVER_AFTER
) -> list[Finding]:
    """``device-silent``: a device that sends heartbeats said nothing while another of its table went on for longer than
    allowed, once for each silence that showed by a time."""
    findings = []
    limit = settings.silence_ms * MILLISECOND
    for device in devices:
        if HEARTBEAT not in device.types:
            continue
        pauses = list(_long_pauses(device, limit))
        if not pauses:
            continue
        others = sorted(
            fact.at for other in devices if other is not device for fact in other.facts if fact.at <= seen_by
        )
        for quiet_from, quiet_to, sequence in pauses:
            place = bisect_right(others, quiet_from + limit)
            if place < len(others) and others[place] < quiet_to:
                findings.append(
                    _finding(
                        "device-silent", table, f"{device.source} {sequence}",
                        f"{device.source} was silent for more than {settings.silence_ms // 1000} s "
                        "while others at the table went on.",
                        settings.silence_ms, (min(others[-1], quiet_to) - quiet_from) // MILLISECOND,
                    )
                )  # fmt: skip
    return findings


def _long_pauses(device: Device, limit: int) -> Iterable[tuple[int, int, int]]:
    """From, to and last sequence of each pause long enough to be a silence, after the device's first heartbeat."""
    beats = False
    facts = device.facts
    for place, fact in enumerate(facts):
        beats = beats or fact.event.type == HEARTBEAT
        following = facts[place + 1].at if place + 1 < len(facts) else EVER_AFTER
        if beats and following - fact.at > limit:
            yield fact.at, following, fact.sequence
