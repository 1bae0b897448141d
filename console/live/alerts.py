"""The alerts as the desk shows them: findings from the topic, and what people and the alert service did about them."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from schemas.findings import SEVERITIES, Finding
from store.rows.alerts import Alert, AlertHistory, AlertStep
from streams.alerting.life import CLOSED, SYSTEM, Life, in_order, life_of
from streams.alerting.raising import TablePlace, alert_of

DEVICE_GAP: Final = "device-gap"
CLOSED_KEPT = 500
"""Closed alerts that the desk still shows."""


@dataclass(frozen=True, slots=True)
class Closing:
    """How an alert was closed."""

    by: str
    """Who resolved it; empty: a later fact took the ground away."""
    at: int
    """Milliseconds since 1970."""


@dataclass(frozen=True, slots=True)
class AlertPicture:
    """One alert, and where it stands."""

    alert: Alert
    steps: tuple[AlertStep, ...] = ()
    cleared: bool = False
    """The topic said that a later fact took the ground away."""
    cleared_at: int = 0
    """When the log took that, in milliseconds since 1970."""

    @property
    def state(self) -> str:
        """Where it stands: raised until a step says otherwise."""
        life = life_of(self.steps)
        state = life.state or "raised"
        return "cleared" if self.cleared and state != "resolved" and not _clearing_noted(life) else state

    @property
    def open(self) -> bool:
        """Whether somebody has to do something about it."""
        return self.state not in CLOSED

    @property
    def groundless(self) -> bool:
        """Whether a later fact took the ground away, whatever was done about it before."""
        return self.cleared or _clearing_noted(life_of(self.steps))

    @property
    def closing(self) -> Closing | None:
        """How it was closed; None while it is open."""
        if self.open:
            return None
        last = life_of(self.steps).last
        if last is None or last.state not in CLOSED:
            # The store has not heard of it yet, and never does where no alert service runs.
            return Closing("", self.cleared_at)
        return Closing(last.by if last.state == "resolved" else "", last.at // 1000)


def _clearing_noted(life: Life) -> bool:
    """Whether the steps know that the ground is gone: then they alone say where the alert stands, for somebody may
    have reopened it since."""
    noted = False
    for step in life.standing:
        if step.action == "cleared":
            noted = True
        elif step.by == SYSTEM and step.state in ("raised", "reopened"):
            noted = False
    return noted


class AlertBoard:
    """All open alerts and the last closed ones."""

    def __init__(self) -> None:
        self._alerts: dict[str, AlertPicture] = {}
        self._open: dict[str, Counter[str]] = {}
        """By table: open alerts by severity."""
        self._standing: dict[str, dict[str, Alert]] = {}
        """By table: its open alerts by id."""
        self.changed: set[str] = set()
        """Alerts that have changed since this was last emptied."""

    def __len__(self) -> int:
        return len(self._alerts)

    def get(self, alert: str) -> AlertPicture | None:
        """One alert."""
        return self._alerts.get(alert)

    def all(self) -> list[AlertPicture]:
        """All that are known, the one that was raised first first."""
        # Closed ones come in when the store answers, which may be after later ones that the topic tells of.
        return sorted(self._alerts.values(), key=lambda each: each.alert.raised)

    def closed(self) -> list[AlertPicture]:
        """Those that are closed, the one that was closed first first."""
        found = [(closing.at, each) for each in self.all() if (closing := each.closing) is not None]
        return [each for _, each in sorted(found, key=lambda pair: pair[0])]

    def of_table(self, table: str) -> list[AlertPicture]:
        """The open alerts of one table."""
        return [each for each in self._alerts.values() if each.alert.table == table and each.open]

    def gaps_of(self, table: str) -> list[AlertPicture]:
        """The holes in what the devices of a table sent, the resolved ones as well."""
        return [
            each
            for each in self._alerts.values()
            if each.alert.table == table and each.alert.code == DEVICE_GAP and not each.groundless
        ]

    def open_of(self, table: str) -> Counter[str]:
        """How many alerts of a table are open, by severity."""
        return self._open.get(table, Counter())

    def worst_of(self, table: str) -> Alert | None:
        """The open alert of a table to look at first: the worst one, and of those the one that was raised last."""
        standing = self._standing.get(table)
        if not standing:
            return None
        return min(standing.values(), key=lambda alert: (SEVERITIES.index(alert.severity), -alert.raised, alert.id))

    @property
    def open_count(self) -> Counter[str]:
        """How many alerts are open, by severity."""
        return sum(self._open.values(), Counter())

    def take_finding(self, finding: Finding, raised: int, time: int, place: TablePlace) -> None:
        """A finding as the topic tells of it."""
        known = self._alerts.get(finding.id)
        alert = alert_of(finding, place, raised, {})
        if known is None:
            self._put(AlertPicture(replace(alert, time=time), (), finding.cleared, raised))
        else:
            alert = replace(alert, time=known.alert.time, raised=known.alert.raised)
            at = known.cleared_at if known.cleared else raised
            self._put(replace(known, alert=alert, cleared=finding.cleared, cleared_at=at))

    def take_history(self, history: AlertHistory) -> None:
        """An alert as the store had it when it was asked: a later step that is known already stays."""
        known = self._alerts.get(history.alert.id)
        if known is None:
            self._put(AlertPicture(history.alert, history.steps))
            return
        # No step ever goes, so that whoever read the store first and comes last takes nothing back.
        steps = {step.id: step for step in (*known.steps, *history.steps)}
        alert = replace(history.alert, detail={**history.alert.detail, **known.alert.detail})
        self._put(replace(known, alert=alert, steps=tuple(in_order(steps.values()))))

    def recall(self, history: AlertHistory) -> None:
        """An alert that was closed before the start: no page has to be told of one that it never had."""
        name = history.alert.id
        unheard = name not in self._alerts
        self.take_history(history)
        if unheard:
            self.changed.discard(name)

    def _put(self, picture: AlertPicture) -> None:
        name = picture.alert.id
        before = self._alerts.get(name)
        table = picture.alert.table or ""
        counts = self._open.setdefault(table, Counter())
        if before is not None and before.open:
            counts[before.alert.severity] -= 1
        standing = self._standing.setdefault(table, {})
        standing.pop(name, None)
        if picture.open:
            counts[picture.alert.severity] += 1
            standing[name] = picture.alert
        self._alerts[name] = picture
        self.changed.add(name)
        if len(self._alerts) > 2 * CLOSED_KEPT:
            self._forget(name)

    def _forget(self, taken_in: str) -> None:
        # Whoever looks at an old alert takes it in: it must be there to be shown.
        closed = [
            (closing.at, name)
            for name, each in self._alerts.items()
            if name != taken_in and (closing := each.closing) is not None
        ]
        for _, name in sorted(closed)[:-CLOSED_KEPT]:
            del self._alerts[name]


def finding_of(alert: Alert) -> Mapping[str, Any]:
    """What the finding behind an alert says, as published; empty where only the alert is known."""
    found = alert.detail.get("finding")
    return found if isinstance(found, dict) else {}
