"""Who is told of an alert at a moment: rules, duty, quiet hours; pure, so that `check` shows what the service does."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from fnmatch import fnmatchcase
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from store.rows.alerts import Alert
from streams.alerting.life import ROLES, Life
from streams.alerting.rules import DAYS, Escalation, Hours, Person, Routing, Rule, Stage

_EARLIEST: Final = datetime(2, 1, 1, tzinfo=UTC).timestamp()
_LATEST: Final = datetime(9999, 1, 1, tzinfo=UTC).timestamp()
"""A year from either end of the calendar: room for every zone, and for the days that are counted from a moment."""
_WEEK: Final = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Recipient:
    """Somebody who is told, and why."""

    person: str
    why: str
    """The rule, or the step of the escalation."""


def local_time(routing: Routing, alert: Alert, moment_ms: int) -> datetime:
    """The moment on the clock of the alert's table."""
    named = alert.detail.get("time_zone") or routing.time_zone
    try:
        zone = ZoneInfo(named)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        # A table that names a zone which does not exist is told of by the site's clock.
        zone = ZoneInfo(routing.time_zone)
    return _on_clock(moment_ms, zone)


def _on_clock(moment_ms: int, zone: ZoneInfo) -> datetime:
    """Never raises: a device whose clock says the year 9999 must not keep its alert from being told."""
    return datetime.fromtimestamp(min(max(moment_ms / 1000, _EARLIEST), _LATEST), zone)


def within(hours: Hours, moment: datetime) -> bool:
    """Whether a moment lies in the hours; what begins before midnight belongs to the day that it began on."""
    now = moment.time()
    if hours.start < hours.end:
        begun = 0 if hours.start <= now < hours.end else None
    elif now >= hours.start:
        begun = 0
    else:
        begun = 1 if now < hours.end else None
    if begun is None:
        return False
    return DAYS[(moment - timedelta(days=begun)).weekday()] in hours.days


def fits(routing: Routing, rule: Rule, alert: Alert, now: datetime) -> bool:
    """Whether a rule is meant. What is not known of an alert (its pit, its game) fits: one told too many, not none."""
    if rule.severity and alert.severity not in rule.severity:
        return False
    for wanted, actual in ((rule.pit, alert.pit), (rule.game, alert.game), (rule.table, alert.table)):
        if wanted and actual is not None and actual not in wanted:
            return False
    if rule.code and not any(fnmatchcase(alert.code, pattern) for pattern in rule.code):
        return False
    return not rule.shift or any(within(routing.shifts[name], now) for name in rule.shift)


def recipients(routing: Routing, alert: Alert, moment_ms: int) -> list[Recipient]:
    """Everybody who is told of a new alert, each once; never nobody, if the file names anybody."""
    now = local_time(routing, alert, moment_ms)
    told: dict[str, Recipient] = {}
    for number, rule in enumerate(routing.rules, 1):
        if fits(routing, rule, alert, now):
            for person in _on_duty(routing, rule.tell, alert, now):
                told.setdefault(person, Recipient(person, rule.name or f"rule {number}"))
    if not told:
        for person in _on_duty(routing, routing.otherwise, alert, now):
            told.setdefault(person, Recipient(person, "otherwise"))
    if not told:
        # Nobody is on duty: then everybody who could be is told.
        for person in _everybody(routing, routing.otherwise):
            told.setdefault(person, Recipient(person, "nobody on duty"))
    return list(told.values())


def escalation_of(routing: Routing, severity: str) -> Escalation | None:
    """The escalation that holds for alerts of this severity."""
    for escalation in routing.escalation:
        if not escalation.severity or severity in escalation.severity:
            return escalation
    return None


def stage_of(routing: Routing, severity: str, done: int) -> Stage | None:
    """The next step of the escalation, when so many are done."""
    escalation = escalation_of(routing, severity)
    if escalation is None or done >= len(escalation.chain):
        return None
    return escalation.chain[done]


def next_escalation(routing: Routing, severity: str, life: Life) -> tuple[int, Stage] | None:
    """When an unacknowledged alert escalates next (milliseconds since 1970), and whom it calls: the desk's clock."""
    stage = stage_of(routing, severity, life.escalations)
    if stage is None or not life.unattended:
        return None
    opened = [step.at for step in life.standing if step.state in ("raised", "reopened")]
    return opened[-1] // 1000 + stage.after * 1000, stage


def told_by(routing: Routing, stage: Stage, alert: Alert, moment_ms: int) -> list[Recipient]:
    """Who is told by a step of an escalation; when nobody is on duty, all who could be."""
    now = local_time(routing, alert, moment_ms)
    people = _on_duty(routing, stage.tell, alert, now) or _everybody(routing, stage.tell)
    return [Recipient(person, f"escalation to {', '.join(stage.tell)}") for person in people]


def quiet_until(
    routing: Routing, person: str, severity: str, moment_ms: int, *, has_waited: bool = False
) -> int | None:
    """When this person may be told (milliseconds), if not now; critical alerts are always told now.

    Quiet hours that follow one another without a gap are one. Where they never end, what comes is told when the first
    of them does, rather than never: so it may go now if it ``has_waited``.
    """
    if severity == "critical":
        return None
    quiet = routing.people[person].quiet
    now = _on_clock(moment_ms, ZoneInfo(routing.time_zone))
    first = end = _end_of_quiet(quiet, now)
    while first is not None and end is not None and (further := _end_of_quiet(quiet, end)) is not None:
        if further - now > _WEEK:
            end = None if has_waited else first
            break
        end = further
    return None if end is None else round(end.timestamp() * 1000)


def _end_of_quiet(quiet: Sequence[Hours], now: datetime) -> datetime | None:
    """The end of the quiet hours that a moment lies in, of the longest of them."""
    ends: list[datetime] = []
    for hours in quiet:
        if within(hours, now):
            end = now.replace(hour=hours.end.hour, minute=hours.end.minute, second=0, microsecond=0)
            ends.append(end if end > now else end + timedelta(days=1))
    return max(ends, default=None)


def _on_duty(routing: Routing, targets: Sequence[str], alert: Alert, now: datetime) -> list[str]:
    found: list[str] = []
    for target in targets:
        if target not in ROLES:
            found.append(target)
            continue
        holders = [name for name, person in routing.people.items() if target in person.roles]
        here = [name for name in holders if _serves(routing.people[name], alert.pit)]
        duty = [name for name in here if _at_work(routing, routing.people[name], now)]
        if not duty and alert.severity == "critical":
            # Better that all of the role are woken than that nobody hears of it.
            duty = holders
        found += duty
    return list(dict.fromkeys(found))


def _everybody(routing: Routing, targets: Iterable[str]) -> list[str]:
    wanted = set(targets)
    return [name for name, person in routing.people.items() if name in wanted or wanted & set(person.roles)]


def _serves(person: Person, pit: str | None) -> bool:
    return not person.pits or pit is None or pit in person.pits


def _at_work(routing: Routing, person: Person, now: datetime) -> bool:
    return not person.shifts or any(within(routing.shifts[name], now) for name in person.shifts)
