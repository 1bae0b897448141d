"""`tablewatch alerts self-test`: proves that an alert comes through, and tells the administrators when it does not."""

import time
from typing import Annotated

import typer

from store.connect import connect
from streams.alerting import self_test as self_tests
from streams.alerting.delivery import deliver
from streams.alerting.desk import record_raised
from streams.alerting.message import text_of
from streams.alerting.recipients import local_time
from streams.alerting.rules import Routing
from tablewatch.commands.alerts_routes import chosen_routing, explained_routing
from tablewatch.commands.services import FLAGGED, broker, explained
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
    it does not come in time, the administrators are told, and the exit code is 1.
    """
    with explained_routing():
        routing = chosen_routing() if alarm else None
        took = self_tests.prove(broker(), within)
    if took is not None:
        typer.echo(f"The alert came after {took:.3f} s.")
        return
    reason = f"its alert did not come within {within} s"
    typer.echo(f"The self-test failed: {reason}.", err=True)
    if routing is not None:
        _raise_alarm(routing, reason)
    raise typer.Exit(FLAGGED)


def _raise_alarm(routing: Routing, reason: str) -> None:
    now = time.time_ns() // 1_000_000
    alert = self_tests.alarm(self_tests.run_name(now / 1000), reason, now)
    text = text_of("raised", [alert], [local_time(routing, alert, now)])
    for each in self_tests.administrators(routing):
        outcome = deliver(routing.people[each.person].urls, text)
        typer.echo(f"{each.person}: {'told' if outcome.taken else f'not told: {outcome.reason}'}", err=True)
    with explained():
        record_raised(connect(store_url()), [alert])
