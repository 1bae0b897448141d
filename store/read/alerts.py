"""Alerts with the steps of their life: those that are open, those closed last, those of a shift, one by its id."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from store.connect import Store
from store.rows.alerts import CLAIMS, Alert, AlertHistory, AlertStep


@dataclass(frozen=True, slots=True)
class AlertTimes:
    """What reports ask of an alert: how long until it was acknowledged, and until it was resolved."""

    alert: str
    severity: str
    code: str
    raised: int
    """Milliseconds since 1970."""
    state: str | None
    disposition: str
    acknowledged: int | None
    """First time, in microseconds since 1970."""
    resolved: int | None
    """Last time, in microseconds since 1970."""


@dataclass(frozen=True, slots=True)
class AlertMark:
    """Enough of an alert to tell whether it has changed."""

    steps: int
    """How many there are; none ever goes."""
    open: bool


_ALERT = (
    "SELECT alert, finding, table, shoe, round, code, severity, pit, game, message, toUnixTimestamp64Micro(time),"
    " toUnixTimestamp64Milli(raised), detail FROM alerts FINAL"
)


_CLOSED = ("resolved", "cleared")
_CLOSED_ALERTS = "SELECT alert FROM alert_states GROUP BY alert HAVING argMaxMerge(state) IN %(closed)s"
_OPEN_ALERTS = f"alert GLOBAL NOT IN ({_CLOSED_ALERTS})"
_CLOSED_LAST = (
    "SELECT alert FROM alert_states WHERE month >= toStartOfMonth(fromUnixTimestamp64Milli(%(start)s, 'UTC'))"
    " GROUP BY alert HAVING argMaxMerge(state) IN %(closed)s ORDER BY max(changed) DESC, alert LIMIT %(most)s"
)
"""The month of the last state is the last that an alert has: no earlier one says whether it is closed, and when."""
_DAY_US = 24 * 3600 * 1_000_000


def alert(store: Store, alert_id: str) -> AlertHistory | None:
    """One alert by its id."""
    found = _histories(store, _alerts(store, "alert = %(alert)s", {"alert": alert_id}))
    return found[0] if found else None


def alerts_by_id(store: Store, alert_ids: Sequence[str]) -> list[AlertHistory]:
    """These alerts, the first one first; those that the store does not have are left out."""
    if not alert_ids:
        return []
    return _histories(store, _alerts(store, "alert IN %(alerts)s", {"alerts": tuple(alert_ids)}))


def alerts_beginning(store: Store, start: str, most: int) -> list[AlertHistory]:
    """At most so many of the alerts whose ids begin so, the first one first. Ids are the sorting key."""
    named = "SELECT DISTINCT alert FROM alerts WHERE startsWith(alert, %(start)s) ORDER BY alert LIMIT %(most)s"
    rows = store.query(named, {"start": start, "most": most})
    return alerts_by_id(store, [name for (name,) in rows])


def alert_marks(store: Store, also: Sequence[str] = (), closed_states: Sequence[str] = _CLOSED) -> dict[str, AlertMark]:
    """The open alerts and ``also`` these, each with a mark that changes with every step."""
    rows = store.query(
        f"SELECT alert, uniqExact(step), {_OPEN_ALERTS}"
        " FROM alert_steps WHERE alert IN %(also)s OR alert GLOBAL IN"
        f" (SELECT alert FROM alerts WHERE {_OPEN_ALERTS}) GROUP BY alert",
        {"also": (*also, ""), "closed": tuple(closed_states)},
    )
    return {name: AlertMark(count, bool(is_open)) for name, count, is_open in rows}


def claimants(store: Store, alert_id: str, place: int) -> dict[int, str]:
    """Who claimed this place in the alert's history, by turn: see `store.write.alerts.claim_place`."""
    rows = store.query(
        "SELECT step FROM alert_steps WHERE alert = %(alert)s AND startsWith(step, %(place)s)"
        " ORDER BY at DESC, step DESC",
        {"alert": CLAIMS + alert_id, "place": f"{place} "},
    )
    turns = [step.split(" ", 2) for (step,) in rows]
    return {int(turn): claimant for _, turn, claimant in turns}


def alerts_between(store: Store, start: int, end: int) -> list[AlertHistory]:
    """Alerts raised from ``start`` until before ``end`` (milliseconds since 1970), the first one first."""
    return _histories(store, _alerts(store, _RAISED_BETWEEN, {"start": start, "end": end}))


def open_alerts(store: Store, closed_states: Sequence[str] = _CLOSED) -> list[AlertHistory]:
    """Alerts whose last state is none of these, the first one first."""
    return _histories(store, _alerts(store, _OPEN_ALERTS, {"closed": tuple(closed_states)}))


def closed_alerts(store: Store, since: int, most: int) -> list[AlertHistory]:
    """Of the alerts raised ``since`` (milliseconds since 1970) those that were closed last, the last one first.

    By ids alone every month would be read: ids are strewn over all of them.
    """
    condition = f"raised >= fromUnixTimestamp64Milli(%(start)s, 'UTC') AND alert GLOBAL IN ({_CLOSED_LAST})"
    found = _alerts(store, condition, {"start": since, "closed": _CLOSED, "most": most})
    histories = _histories(store, found, since * 1000)
    return sorted(histories, key=lambda each: (_changed(each), each.alert.id), reverse=True)


def _changed(history: AlertHistory) -> int:
    return max((step.at for step in history.steps if step.state), default=0)


def alert_times(store: Store, start: int, end: int, tables: Sequence[str] = ()) -> list[AlertTimes]:
    """When the alerts raised from ``start`` until before ``end`` (milliseconds) were acknowledged and resolved.

    Of all tables, or of these.
    """
    of_tables = " AND table IN %(tables)s" if tables else ""
    rows = store.query(
        "SELECT alert, severity, code, toUnixTimestamp64Milli(raised), states.state, states.disposition,"
        " states.acknowledged, states.resolved FROM (SELECT * FROM alerts FINAL"
        f" WHERE {_RAISED_BETWEEN}{of_tables}) AS alerts"
        " GLOBAL LEFT JOIN (SELECT alert, argMaxMerge(state) AS state, argMaxMerge(disposition) AS disposition,"
        " toUnixTimestamp64Micro(min(acknowledged)) AS acknowledged, toUnixTimestamp64Micro(max(resolved)) AS resolved"
        " FROM alert_states GROUP BY alert) AS states USING (alert) ORDER BY raised, alert",
        {"start": start, "end": end, "tables": tuple(tables)},
    )
    return [
        AlertTimes(name, severity, code, raised, state or None, disposition, acknowledged, resolved)
        for name, severity, code, raised, state, disposition, acknowledged, resolved in rows
    ]


_RAISED_BETWEEN = (
    "raised >= fromUnixTimestamp64Milli(%(start)s, 'UTC') AND raised < fromUnixTimestamp64Milli(%(end)s, 'UTC')"
)


def _alerts(store: Store, condition: str, parameters: dict[str, Any]) -> list[Alert]:
    rows = store.query(f"{_ALERT} WHERE {condition} ORDER BY raised, alert", parameters)
    return [
        Alert(
            id=name,
            finding=finding,
            table=table or None,
            shoe=shoe or None,
            round=round or None,
            code=code,
            severity=severity,
            pit=pit or None,
            game=game or None,
            message=message,
            time=time,
            raised=raised,
            detail=orjson.loads(detail),
        )
        for name, finding, table, shoe, round, code, severity, pit, game, message, time, raised, detail in rows
    ]


def _histories(store: Store, alerts: list[Alert], since: int = _DAY_US) -> list[AlertHistory]:
    """``since``: microseconds since 1970 before which none of the alerts was raised."""
    if not alerts:
        return []
    steps: dict[str, list[AlertStep]] = {each.id: [] for each in alerts}
    rows = store.query(
        "SELECT alert, step, toUnixTimestamp64Micro(at), action, state, by, role, recipient, disposition, note, detail"
        " FROM alert_steps FINAL WHERE alert IN %(alerts)s AND at >= fromUnixTimestamp64Micro(%(since)s, 'UTC')"
        " ORDER BY alert, at, step",
        # The clocks of those who write steps may differ.
        {"alerts": tuple(steps), "since": since - _DAY_US},
    )
    for name, step, at, action, state, by, role, recipient, disposition, note, detail in rows:
        steps[name].append(
            AlertStep(
                alert=name,
                id=step,
                at=at,
                action=action,
                state=state or None,
                by=by,
                role=role,
                recipient=recipient,
                disposition=disposition,
                note=note,
                detail=orjson.loads(detail),
            )
        )
    return [AlertHistory(each, tuple(steps[each.id])) for each in alerts]
