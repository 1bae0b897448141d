"""Device clocks: a heartbeat's device time against the time of whoever collected it."""

from audit.devices import Device
from audit.facts import Fact
from audit.settings import MILLISECOND, JudgeSettings
from schemas.findings import Finding, finding_about
from schemas.time import micros


def drift(heartbeat: Fact) -> int:
    """How far the device's clock is ahead of the collector's, in microseconds."""
    return micros(heartbeat.data.device_time) - micros(heartbeat.event.time)


def is_off(heartbeat: Fact, settings: JudgeSettings) -> bool:
    """Whether the device's clock is beyond the tolerance."""
    return abs(drift(heartbeat)) > settings.clock_tolerance_ms * MILLISECOND


def check(table: str, device: Device, settings: JudgeSettings, *, off: bool = False) -> list[Finding]:
    """``device-clock``, once for each episode: it lasts until a heartbeat is within the tolerance again. ``off`` tells
    how the clock was before the first of the device's facts."""
    findings = []
    tolerance = settings.clock_tolerance_ms * MILLISECOND
    for sequence, ahead in device.beats():
        was_off, off = off, abs(ahead) > tolerance
        if off and not was_off:
            about = f"{device.source} {sequence}"
            findings.append(_finding(table, device.source, about, ahead, settings.clock_tolerance_ms))
    return findings


def ahead_of_arrival(table: str, fact: Fact, arrival: int, settings: JudgeSettings) -> Finding | None:
    """``device-clock`` in the live pipeline: an event whose time is too far ahead of its arrival."""
    ahead = micros(fact.event.time) - arrival
    if ahead <= settings.ahead_ms * MILLISECOND:
        return None
    return _finding(table, fact.source, f"{fact.source} {fact.sequence} arrival", ahead, settings.ahead_ms)


def _finding(table: str, source: str, about: str, ahead: int, allowed_ms: int) -> Finding:
    return finding_about(
        "device-clock", table,
        f"The clock of {source} is {abs(ahead) / 1_000_000:.1f} s {'ahead of' if ahead > 0 else 'behind'} the others.",
        about=about, expected=allowed_ms, actual=ahead // MILLISECOND,
    )  # fmt: skip
