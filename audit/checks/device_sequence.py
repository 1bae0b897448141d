"""Holes in what a device sends: a gap in its sequence, and silence while its table goes on."""

from collections.abc import Sequence

import numpy as np

from audit.devices import Device, Presence
from audit.settings import MILLISECOND, JudgeSettings
from audit.trail import ALWAYS_BEFORE, EVER_AFTER, Numbers
from schemas.findings import Finding, finding_about


def gaps(table: str, device: Device, seen_by: int = EVER_AFTER) -> list[Finding]:
    """``device-gap``, for each run of missing sequence numbers that showed by a time."""
    return [
        finding_about(
            "device-gap", table,
            f"{device.source} lost {_events(hole.last - hole.first + 1)}: "
            f"nothing came between {hole.after} and {hole.last + 1}.",
            about=f"{device.source} {hole.first}", expected=hole.first, actual=hole.last + 1,
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
    presences = [device.presence() for device in devices]
    for place, own in enumerate(presences):
        if own.first_beat is None:
            continue
        pauses, ends = _long_pauses(own.times, own.first_beat, limit)
        starts = own.times[pauses]
        heard, last = _heard_after(presences[:place] + presences[place + 1 :], starts + limit, seen_by)
        for silent in np.flatnonzero(heard < ends).tolist():
            quiet_from, quiet_to = int(starts[silent]), int(ends[silent])
            source, sequence = devices[place].source, int(own.sequences[pauses[silent]])
            findings.append(
                finding_about(
                    "device-silent", table,
                    f"{source} was silent for more than {settings.silence_ms // 1000} s "
                    "while others at the table went on.",
                    about=f"{source} {sequence}", expected=settings.silence_ms,
                    actual=(min(last, quiet_to) - quiet_from) // MILLISECOND,
                )
            )  # fmt: skip
    return findings


def _long_pauses(times: Numbers, first_beat: int, limit: int) -> tuple[Numbers, Numbers]:
    """The place after which each pause begins that is long enough to be a silence, from the device's first heartbeat
    on, and the time at which it ends."""
    following = np.append(times[1:], EVER_AFTER)
    pauses = np.flatnonzero(following - times > limit)
    pauses = pauses[pauses >= first_beat]
    return pauses, following[pauses]


def _heard_after(others: Sequence[Presence], moments: Numbers, seen_by: int) -> tuple[Numbers, int]:
    """When any of the others was heard next after each moment, and when last."""
    following, last = np.full(len(moments), EVER_AFTER, np.int64), ALWAYS_BEFORE
    for other in others:
        times = other.times[: np.searchsorted(other.times, seen_by, side="right")]
        if len(times):
            places = np.searchsorted(times, moments, side="right")
            heard = np.where(places < len(times), times[np.minimum(places, len(times) - 1)], EVER_AFTER)
            following = np.minimum(following, heard)
            last = max(last, int(times[-1]))
    return following, last
