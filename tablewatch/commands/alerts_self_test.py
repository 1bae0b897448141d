"""`tablewatch alerts self-test`: proves that an alert comes through, and tells the administrators when it does not."""

import sqlite3
import time
from typing import Annotated

import typer

from store.connect import connect
from store.rows.alerts import Alert, AlertStep
from store.write.alerts import write_alert_steps
from streams.alerting import self_test as self_tests
from streams.alerting.delivery import Outcome, deliver
from streams.alerting.desk import record_raised
from streams.alerting.life import SYSTEM
from streams.alerting.message import text_of
from streams.alerting.recipients import Recipient, local_time
from streams.alerting.rules import Routing
from streams.alerting.standing import standing
from streams.broker_url import Broker, BrokerUnavailable, RightsMissing, TopicsMissing
from tablewatch.commands.alerts_routes import chosen_routing, explained_routing
from tablewatch.commands.services import FLAGGED, broker, data, explained
from tablewatch.commands.store_address import store_url


def self_test(
    within: Annotated[int, typer.Option(min=1, help="Seconds that the alert may take.")] = 30,
    alarm: Annotated[bool, typer.Option(help="Tell the administrators when it does not come.")] = True,
) -> None:
    """Examples:

    \b
      tablewatch alerts self-test
      tablewatch alerts self-test --within 10 --no-alarm

    Sends a known fault of a reserved table through the topics, and waits for its alert. Nobody else hears of it. When
    it does not come in time, the administrators are told, and the exit code is 1; so it is when the alert came and the
    alert service of this data folder is not running, because nobody would be told.
    """
    with explained_routing():
        routing = chosen_routing() if alarm else None
        target = broker()
        took = self_tests.prove(target, within)
    if took is not None:
        typer.echo(f"The alert came after {took:.3f} s.")
        _look_at_service(target)
        return
    reason = f"its alert did not come within {within} s"
    typer.echo(f"The self-test failed: {reason}.", err=True)
    if routing is not None:
        _raise_alarm(routing, reason)
    raise typer.Exit(FLAGGED)


def _look_at_service(target: Broker) -> None:
    """An alert on the topic is told by the alert service alone."""
    try:
        found = standing(target, data() / "alerts")
    except (BrokerUnavailable, RightsMissing, TopicsMissing, OSError, sqlite3.Error) as error:
        typer.echo(
            f"Whether people would be told is not known: the alert service cannot be looked at: {error}", err=True
        )
        return
    if found is None:
        says = f"no alert service has run with the data folder {data().absolute()}; another answers at its /readyz."
        typer.echo(f"Whether people would be told is not known: {says}", err=True)
    elif not found.running:
        typer.echo("The alert service is not running: nobody would be told. Run: tablewatch alerts run", err=True)
        raise typer.Exit(FLAGGED)


def _raise_alarm(routing: Routing, reason: str) -> None:
    now = time.time_ns() // 1_000_000
    alert = self_tests.alarm(self_tests.run_name(now / 1000), reason, now, by_hand=True)
    text = text_of("raised", [alert], [local_time(routing, alert, now)])
    steps: list[AlertStep] = []
    for each in self_tests.administrators(routing):
        person = routing.people[each.person]
        outcome = deliver(person.urls, text)
        steps.append(_told_step(alert, each, person.name or each.person, outcome, time.time_ns() // 1000))
        typer.echo(f"{each.person}: {'told' if outcome.taken else f'not told: {outcome.reason}'}", err=True)
    with explained():
        store = connect(store_url())
        # Before the alert: whoever sees it knows who was told, and tells nobody again.
        write_alert_steps(store, steps)
        record_raised(store, [alert])


def _told_step(alert: Alert, to: Recipient, name: str, outcome: Outcome, now_us: int) -> AlertStep:
    """That somebody was told, or not: as the alert service would say it, so that it tells nobody again."""
    message = f"{alert.id} 0 raised 0 {to.person} 0"
    action = "sent" if outcome.taken else "failed"
    return AlertStep(
        alert=alert.id,
        id=f"{action}.{message} {now_us}",
        at=now_us,
        action=action,
        by=SYSTEM,
        recipient=f"{name} by {outcome.way}" if outcome.way else name,
        note=outcome.reason,
        detail={"message": message, "person": to.person, "line": 0, "kind": "raised", "why": to.why, "together": 1},
    )
