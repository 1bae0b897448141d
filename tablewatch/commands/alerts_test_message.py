"""`tablewatch alerts test-message`: a message that says it is a test, by each address of a person."""

import time
from typing import Annotated

import typer

from store.rows.alerts import Alert
from streams.alerting.delivery import deliver
from streams.alerting.message import text_of
from streams.alerting.recipients import local_time
from tablewatch.commands.alerts_routes import chosen_routing, explained_routing
from tablewatch.commands.services import FLAGGED, WRONG_USE


def test_message(name: Annotated[str, typer.Argument(help="A person of the routing file.")]) -> None:
    """Examples:

    \b
      tablewatch alerts test-message anna

    Sends a message that says it is a test, by each of the person's addresses, and says what became of each.
    """
    with explained_routing():
        routing = chosen_routing()
    person = routing.people.get(name)
    if person is None:
        typer.echo(f"The routing file has no {name!r}; it has {', '.join(routing.people)}.", err=True)
        raise typer.Exit(WRONG_USE)
    now = time.time_ns() // 1_000_000
    alert = Alert(
        id="0" * 32, finding="", table=None, shoe=None, round=None, code="message", severity="low", pit=None, game=None,
        message=f"This is a test of how Tablewatch reaches {person.name or name}. There is nothing to do.",
        time=now * 1000, raised=now,
    )  # fmt: skip
    text = text_of("test", [alert], [local_time(routing, alert, now)])
    failed = False
    for url in (*person.urls, *person.copies):
        outcome = deliver([url], text)
        failed |= not outcome.taken
        typer.echo(f"{outcome.way}: {'taken' if outcome.taken else f'not taken: {outcome.reason}'}")
    raise typer.Exit(FLAGGED if failed else 0)
