"""Writes alerts and the steps of their life; each is known by its id, so that it may be written again."""

from collections.abc import Sequence
from typing import Any

import orjson

from store.connect import Store
from store.rows.alerts import CLAIMS, Alert, AlertStep
from store.ticks import arrival_ticks, device_ticks
from store.write.token import batch_token


def write_alerts(store: Store, alerts: Sequence[Alert]) -> None:
    """Stores alerts; one that is raised twice keeps its first moment."""
    if not alerts:
        return
    columns: dict[str, list[Any]] = {
        "alert": [alert.id for alert in alerts],
        "finding": [alert.finding for alert in alerts],
        "table": [alert.table or "" for alert in alerts],
        "shoe": [alert.shoe or "" for alert in alerts],
        "round": [alert.round or 0 for alert in alerts],
        "code": [alert.code for alert in alerts],
        "severity": [alert.severity for alert in alerts],
        "pit": [alert.pit or "" for alert in alerts],
        "game": [alert.game or "" for alert in alerts],
        "message": [alert.message for alert in alerts],
        "time": [device_ticks(alert.time) for alert in alerts],
        "raised": [arrival_ticks(alert.raised) for alert in alerts],
        "detail": [orjson.dumps(dict(alert.detail)) for alert in alerts],
    }
    store.insert("alerts", columns, batch_token("alerts", (repr(alert).encode() for alert in alerts)))


def write_alert_steps(store: Store, steps: Sequence[AlertStep]) -> None:
    """Stores steps."""
    if not steps:
        return
    columns: dict[str, list[Any]] = {
        "alert": [step.alert for step in steps],
        "at": [device_ticks(step.at) for step in steps],
        "step": [step.id for step in steps],
        "action": [step.action for step in steps],
        "state": [step.state or "" for step in steps],
        "by": [step.by for step in steps],
        "role": [step.role for step in steps],
        "recipient": [step.recipient for step in steps],
        "disposition": [step.disposition for step in steps],
        "note": [step.note for step in steps],
        "detail": [orjson.dumps(dict(step.detail)) for step in steps],
    }
    store.insert("alert_steps", columns, batch_token("alert_steps", (repr(step).encode() for step in steps)))


def claim_place(store: Store, alert: str, place: int, turn: int, at: int, claimant: str) -> None:
    """Claims a place in an alert's history. Of all who claim one place in one turn the store keeps the first, by the
    token of the insertion; who that is, `store.read.alerts.claimants` tells. A claim is a row beside the alert's steps
    and none of them, so that nothing which sums up steps ever counts an act that came second. ``at`` must be the same
    for all claimants: that of the step before.
    """
    columns: dict[str, list[Any]] = {
        "alert": [CLAIMS + alert],
        "at": [device_ticks(at)],
        "step": [f"{place} {turn} {claimant}"],
        "action": ["claimed"],
    }
    store.insert("alert_steps", columns, batch_token("alert_claims", (f"{alert} {place} {turn}".encode(),)))
