"""Who would be told of what, as a table: every kind of alert that the routing file tells apart; pure."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from fnmatch import fnmatchcase
from itertools import product
from zoneinfo import ZoneInfo

from schemas.findings import SEVERITIES, SEVERITY
from store.rows.alerts import Alert
from streams.alerting.recipients import escalation_of, quiet_until, recipients
from streams.alerting.rules import DAYS, Hours, Routing

OTHER = "other"


@dataclass(frozen=True, slots=True)
class PreviewRow:
    """One kind of alert, and who is told."""

    severity: str
    code: str
    """A pattern of the file, or `other`: none that it names."""
    pit: str
    game: str
    table: str
    shift: str
    told: tuple[str, ...]
    """People; in brackets those who are told later, after their quiet hours."""
    then: tuple[str, ...]
    """The escalation."""


def preview(routing: Routing, now_ms: int) -> list[PreviewRow]:
    """The rows, each combination of what the rules tell apart once; days of the week as today's."""
    pits = _named([pit for rule in routing.rules for pit in rule.pit] + _pits_of_people(routing))
    games = _named([game for rule in routing.rules for game in rule.game])
    tables = _named([table for rule in routing.rules for table in rule.table])
    codes = _named([code for rule in routing.rules for code in rule.code])
    rows: list[PreviewRow] = []
    for severity, code, pit, game, table, (shift, moment) in product(
        SEVERITIES, codes, pits, games, tables, list(_moments(routing, now_ms))
    ):
        example = _code_like(code, severity, codes)
        if example is None:
            continue
        alert = Alert(
            id="", finding="", table=table, shoe=None, round=None, code=example, severity=severity, pit=pit, game=game,
            message="", time=0, raised=0,
        )  # fmt: skip
        told = tuple(
            f"({each.person})" if quiet_until(routing, each.person, severity, moment) else each.person
            for each in recipients(routing, alert, moment)
        )
        rows.append(PreviewRow(severity, code, pit, game, table, shift, told, _then(routing, severity)))
    return rows


def _named(names: list[str]) -> list[str]:
    return [*dict.fromkeys(names), OTHER]


def _pits_of_people(routing: Routing) -> list[str]:
    return [pit for person in routing.people.values() for pit in person.pits]


def _code_like(pattern: str, severity: str, patterns: list[str]) -> str | None:
    """A code of this severity that the pattern means; for `other`, one that no pattern means."""
    for code, its in SEVERITY.items():
        if its != severity:
            continue
        if pattern == OTHER:
            if not any(fnmatchcase(code, each) for each in patterns):
                return code
        elif fnmatchcase(code, pattern):
            return code
    return None


def _moments(routing: Routing, now_ms: int) -> Iterator[tuple[str, int]]:
    """A moment in each shift, and one in none if there is one."""
    zone = ZoneInfo(routing.time_zone)
    today = datetime.fromtimestamp(now_ms / 1000, zone).date()
    for name, hours in routing.shifts.items():
        day = next(
            today + timedelta(days=n) for n in range(7) if DAYS[(today + timedelta(days=n)).weekday()] in hours.days
        )
        yield name, round((datetime.combine(day, hours.start, zone) + _length(hours) / 2).timestamp() * 1000)
    free = _outside(routing)
    if free is not None:
        yield (
            ("any time" if not routing.shifts else "no shift"),
            round(datetime.combine(today, free, zone).timestamp() * 1000),
        )


def _length(hours: Hours) -> timedelta:
    anchor = datetime(2000, 1, 1, tzinfo=UTC)
    length = datetime.combine(anchor, hours.end) - datetime.combine(anchor, hours.start)
    return length if length > timedelta(0) else length + timedelta(days=1)


def _outside(routing: Routing) -> time | None:
    for minute in range(0, 24 * 60, 30):
        moment = time(minute // 60, minute % 60)
        if not any(_covers(hours, moment) for hours in routing.shifts.values()):
            return moment if routing.shifts else time(12)
    return None


def _covers(hours: Hours, moment: time) -> bool:
    if hours.start < hours.end:
        return hours.start <= moment < hours.end
    return moment >= hours.start or moment < hours.end


def _then(routing: Routing, severity: str) -> tuple[str, ...]:
    escalation = escalation_of(routing, severity)
    if escalation is None:
        return ()
    return tuple(f"after {span(stage.after)}: {', '.join(stage.tell)}" for stage in escalation.chain)


def quiet_hours(routing: Routing) -> list[str]:
    """In words, when whom only critical alerts are sent."""
    return [
        f"{person}: {hours.start:%H:%M} to {hours.end:%H:%M}"
        + ("" if hours.days == DAYS else f", beginning on {', '.join(hours.days)}")
        for person, known in routing.people.items()
        for hours in known.quiet
    ]


def span(seconds: int) -> str:
    """Seconds as the file writes them."""
    for unit, size in (("h", 3600), ("m", 60)):
        if seconds and seconds % size == 0:
            return f"{seconds // size}{unit}"
    return f"{seconds}s"
