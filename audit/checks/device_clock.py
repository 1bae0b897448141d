"""Device clocks: a heartbeat's device time against the time of whoever collected it."""

from audit.devices import Device
from audit.settings import MILLISECOND, JudgeSettings
from schemas.findings import SEVERITY, Finding, finding_id
from schemas.time import micros
from schemas.topics import HEARTBEAT


def check(table: str, device: Device, settings: JudgeSettings) -> list[Finding]:
    """``device-clock``, once for each episode: it lasts until a heartbeat is within the tolerance again."""
    findings = []
    off = False
    for fact in device.facts:
        if fact.event.type != HEARTBEAT:
            continue
        ahead = micros(fact.data.device_time) - micros(fact.event.time)
        was_off, off = off, abs(ahead) > settings.clock_tolerance_ms * MILLISECOND
        if off and not was_off:
            code = "device-clock"
            findings.append(
                Finding(
                    id=finding_id(code, table, about=f"{device.source} {fact.sequence}"),
                    code=code,
                    severity=SEVERITY[code],
                    rule=None,
                    table=table,
                    shoe=None,
                    round=None,
                    bet=None,
                    draw=None,
                    expected=settings.clock_tolerance_ms,
                    actual=ahead // MILLISECOND,
                    message=f"The clock of {device.source} is {abs(ahead) / 1_000_000:.1f} s "
                    f"{'ahead of' if ahead > 0 else 'behind'} the others.",
                )
            )
    return findings
