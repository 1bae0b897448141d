"""What a person reads: one alert, several together, a clearing, an escalation; pure."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Final, Literal

from schemas.findings import SEVERITIES
from store.rows.alerts import Alert
from streams.alerting.raising import sentence_of, tables_of

Kind = Literal["raised", "escalated", "cleared", "test"]

NAMED: Final = 10
"""So many alerts of a digest are told one by one; of the rest, their number."""


@dataclass(frozen=True, slots=True)
class Text:
    """A message as it is sent."""

    title: str
    body: str
    urgency: Literal["failure", "warning", "info", "success"]
    """Apprise's own words for how it looks."""


def text_of(kind: Kind, alerts: Sequence[Alert], times: Sequence[datetime], *, repeat: bool = False) -> Text:
    """The message about these alerts, each with its moment on the clock of its table. Critical ones are all named."""
    order = sorted(range(len(alerts)), key=lambda place: (SEVERITIES.index(alerts[place].severity), alerts[place].time))
    first = alerts[order[0]]
    title = _title(kind, first, len(alerts))
    lines: list[str] = []
    if kind == "escalated":
        lines.append("Nobody has acknowledged this in time." if len(alerts) == 1 else "Nobody acknowledged in time:")
    if kind == "cleared":
        lines.append("A later fact took the ground away; you need not do anything about this:")
    told = [place for number, place in enumerate(order) if number < NAMED or alerts[place].severity == "critical"]
    if len(alerts) == 1:
        lines += _in_full(first, times[0])
    else:
        lines += _by_day((alerts[place], times[place]) for place in told)
    left = len(alerts) - len(told)
    if left:
        lines.append(f"… and {left} more.")
    if repeat:
        lines.append("(You may have had this message already: the service was interrupted while it was sent.)")
    urgency: Literal["failure", "warning", "info", "success"]
    if kind == "cleared":
        urgency = "success"
    elif first.severity == "critical":
        urgency = "failure"
    else:
        urgency = "warning" if first.severity == "high" else "info"
    return Text(_one_line(title), "\n".join(_one_line(line) for line in lines), urgency)


def _one_line(text: str) -> str:
    """Without what would break a line or a header: names come from devices, and may hold anything."""
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())


def _title(kind: Kind, first: Alert, count: int) -> str:
    where = str(first.table or first.detail.get("where") or "no table")
    if first.pit:
        where += f" ({first.pit})"
    about = f"{first.severity.upper()} {first.code} at {where}"
    if count > 1:
        about += f" and {count - 1} more"
    match kind:
        case "escalated":
            return f"Not acknowledged: {about}"
        case "cleared":
            return f"Cleared: {about}"
        case "test":
            return f"Test: {about}"
        case _:
            return about


def _in_full(alert: Alert, moment: datetime) -> list[str]:
    lines = [sentence_of(alert), f"{moment:%Y-%m-%d %H:%M:%S %Z}, {_where(alert)}"]
    finding = alert.detail.get("finding")
    lines += _named(alert)
    rule = finding.get("rule") if isinstance(finding, dict) else None
    if rule:
        lines.append(f"Rule: {rule}")
    cameras = alert.detail.get("cameras")
    if cameras:
        lines.append(f"Cameras: {', '.join(cameras)}")
    lines.append(f"Alert {alert.id[:8]}")
    return lines


def _by_day(alerts: Iterable[tuple[Alert, datetime]]) -> Iterator[str]:
    """A line for each, in their order, below a line with their day and time zone."""
    for day, those in groupby(alerts, lambda each: f"{each[1]:%Y-%m-%d (%Z)}:"):
        yield day
        for alert, moment in those:
            what = f"{alert.severity} {alert.code}, {_where(alert)}: {sentence_of(alert)}"
            yield f"- {moment:%H:%M:%S} {what} [{alert.id[:8]}]"
            yield from _named(alert)


def _named(alert: Alert) -> list[str]:
    """Its tables, where the sentence has not all of them: the store that the desk reads may be what stands still."""
    left_out = [table for table in tables_of(alert) if table not in alert.message]
    return [f"All its tables: {', '.join(tables_of(alert))}"] if left_out else []


def _where(alert: Alert) -> str:
    parts = (
        f"table {alert.table}" if alert.table else "",
        f"shoe {alert.shoe}" if alert.shoe else "",
        f"round {alert.round}" if alert.round else "",
    )
    return " ".join(filter(None, parts)) or "no table"
