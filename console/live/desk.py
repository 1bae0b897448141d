"""An alert as the desk shows it: what was found, where to look, what to do, and who is at it."""

from typing import Any

from console.advice import advice_for
from console.findings import told_finding
from console.live.alerts import AlertPicture, finding_of
from schemas.money import decimals_of
from schemas.records import Configuration
from streams.alerting.holding import device_of
from streams.alerting.life import life_of, raised_step, told_to
from streams.alerting.raising import tables_of
from streams.alerting.recipients import next_escalation
from streams.alerting.rules import NOBODY, Routing


def alert_json(
    picture: AlertPicture, *, masking: bool, routing: Routing = NOBODY, table: Configuration | None = None
) -> dict[str, Any]:
    """The alert as the page gets it.

    ``masking``: without player ids; ``routing``: whom it calls if nobody answers; ``table``: how its table is set up.
    """
    alert = picture.alert
    # The topic may tell of it before the store has its first step.
    life = life_of(picture.steps or (raised_step(alert.id, alert.raised * 1000),))
    closing = picture.closing
    calls = next_escalation(routing, alert.severity, life) if closing is None else None
    seen = life.acknowledged
    currency = alert.detail.get("currency") or (table.currency if table else None)
    said = {**finding_of(alert), "code": alert.code, "message": alert.message}
    finding = told_finding(said, currency, masking=masking)
    return {
        "id": alert.id,
        "code": alert.code,
        "severity": alert.severity,
        "table": alert.table,
        "shoe": alert.shoe,
        "round": alert.round,
        # An alert raised before its table was set up does not know the pit and the game.
        "pit": alert.pit or (table.pit if table else None),
        "game": alert.game or (table.game if table else None),
        "message": finding["message"],
        "tables": tables_of(alert),
        "device": device_of(alert),
        "rule": finding.get("rule"),
        "bet": finding.get("bet"),
        "draw": finding.get("draw"),
        "expected": finding["expected"],
        "actual": finding["actual"],
        "decimals": None if currency is None else decimals_of(currency),
        "basis": finding.get("basis", "rule"),
        "time": alert.time // 1000,
        "raised": alert.raised,
        "steps_so_far": len(picture.steps),
        "state": picture.state,
        "open": closing is None,
        "closed": None if closing is None else {"by": closing.by, "at": closing.at},
        "holder": life.holder,
        "acknowledged": None if seen is None else {"by": seen.by, "at": seen.at // 1000},
        "escalations": life.escalations,
        "escalates": None if calls is None else {"at": calls[0], "to": list(calls[1].tell)},
        "disposition": life.disposition,
        "advice": advice_for(alert.code),
        "cameras": list(table.cameras or ()) if table else [],
    }


def step_json(step: Any) -> dict[str, Any]:
    """A step in the life of an alert, as the page gets it."""
    return {
        "at": step.at // 1000,
        "action": step.action,
        "state": step.state,
        "by": step.by,
        # Of an escalation it is whom it calls, and not who acted.
        "role": "" if step.action == "escalated" else step.role,
        "recipient": told_to(step),
        "disposition": step.disposition,
        "note": step.note,
    }
