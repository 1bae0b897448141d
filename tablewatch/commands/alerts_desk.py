"""`tablewatch alerts list | show | ack | take | resolve | reopen | hand-over | note`: the desk without the console."""

import time
from dataclasses import asdict
from typing import Annotated

import orjson
import typer

from replay.custody import note_access, who_looks
from store.connect import connect
from store.rows.alerts import Alert, AlertHistory
from store.rows.verdicts import RoundKey
from streams.alerting.acts import Act, Deed
from streams.alerting.desk import CLOSED_DAYS, Done, alert_with_steps, closed_alerts, open_alerts, perform
from streams.alerting.life import Disposition, Role, life_of, moment, told_to
from streams.alerting.raising import sentence_of, tables_of
from tablewatch.commands.alerts_named import whole_id
from tablewatch.commands.listing import AsJson
from tablewatch.commands.services import FLAGGED, WRONG_USE, explained
from tablewatch.commands.store_address import store_url
from tablewatch.settings import value_of

AlertId = Annotated[str, typer.Argument(help="The alert's id, or its first characters.", metavar="ID")]
By = Annotated[
    str | None, typer.Option(help="Who does it; default: TABLEWATCH_USER, or you, as this machine knows you.")
]
AsRole = Annotated[Role, typer.Option(help="In which role.")]
_WHICH = (
    "Those that are open are listed by: tablewatch alerts list; those closed last by: tablewatch alerts list --closed."
)
MOST_CLOSED = 50
"""Closed alerts that are listed."""
Found = Annotated[str, typer.Option("--note", help="What was found, and what was done about it.")]
Reason = Annotated[str, typer.Option("--note", help="Why.")]


def list_alerts(
    closed: Annotated[bool, typer.Option("--closed", help=f"The last {MOST_CLOSED} closed ones instead.")] = False,
    as_json: AsJson = False,
) -> None:
    """Examples:

    \b
      tablewatch alerts list
      tablewatch alerts list --closed
      tablewatch alerts list --json | jq -r .id

    The alerts that somebody has to do something about, the first one first; or those that were closed last, the last
    one first.
    """
    with explained():
        store = connect(store_url())
        found = closed_alerts(store, MOST_CLOSED) if closed else open_alerts(store)
    for history in found:
        typer.echo(orjson.dumps(_as_json(history)).decode() if as_json else _line(history))
    if not found and not as_json:
        none = f"No alert of the last {CLOSED_DAYS} days is closed." if closed else "No alert is open."
        typer.echo(none)


def show(alert: AlertId, as_json: AsJson = False) -> None:
    """Examples:

    \b
      tablewatch alerts show 3f9a21c4

    One alert with everything that happened to it: who was told, who did what, and when.
    """
    with explained():
        store = connect(store_url())
        history = alert_with_steps(store, whole_id(store, alert))
    if history is None:
        typer.echo(f"There is no alert {alert!r}. {_WHICH}", err=True)
        raise typer.Exit(WRONG_USE)
    if as_json:
        typer.echo(orjson.dumps(_as_json(history)).decode())
        return
    typer.echo(_line(history))
    if tables := tables_of(history.alert):
        typer.echo(f"  tables: {', '.join(tables)}")
    for step in life_of(history.steps).standing:
        parts = [moment(step.at), step.action]
        parts += [f"by {step.by}"] if step.action != "escalated" else []
        parts += [f"to {to}"] if (to := told_to(step)) else []
        parts += [f"as {step.disposition}"] if step.disposition else []
        parts += [f"({step.note})"] if step.note else []
        typer.echo("  " + " ".join(parts))


def ack(alert: AlertId, by: By = None, role: AsRole = "shift_manager") -> None:
    """Examples:

    \b
      tablewatch alerts ack 3f9a21c4

    Says that you have seen the alert: it calls nobody else.
    """
    _act(alert, "acknowledge", by, role)


def take(alert: AlertId, by: By = None, role: AsRole = "shift_manager") -> None:
    """Examples:

    \b
      tablewatch alerts take 3f9a21c4

    Says that you look after it.
    """
    _act(alert, "take", by, role)


def resolve(
    alert: AlertId,
    disposition: Annotated[Disposition, typer.Option(help="What it was.")],
    note: Found,
    by: By = None,
    role: AsRole = "shift_manager",
) -> None:
    """Examples:

    \b
      tablewatch alerts resolve 3f9a21c4 --disposition confirmed --note "Paid back 500, dealer told."

    Says what it was, and closes it.
    """
    _act(alert, "resolve", by, role, disposition=disposition, note=note)


def reopen(alert: AlertId, note: Reason, by: By = None, role: AsRole = "shift_manager") -> None:
    """Examples:

    \b
      tablewatch alerts reopen 3f9a21c4 --note "The video shows otherwise."

    Opens a resolved or cleared alert again; if nobody acknowledges it, it escalates.
    """
    _act(alert, "reopen", by, role, note=note)


def hand_over(
    alert: AlertId,
    to: Annotated[str, typer.Option(help="Who gets it, by the name at the console; it is not looked up.")],
    to_role: Annotated[Role, typer.Option(help="In which role.")] = "shift_manager",
    by: By = None,
    role: AsRole = "shift_manager",
    note: Reason = "",
) -> None:
    """Examples:

    \b
      tablewatch alerts hand-over 3f9a21c4 --to bob

    Gives an alert that somebody has acknowledged or taken to somebody else.
    """
    _act(alert, "hand over", by, role, to=to, to_role=to_role, note=note)


def note(
    alert: AlertId,
    text: Annotated[str, typer.Argument(help="What is to be remembered.")],
    by: By = None,
    role: AsRole = "shift_manager",
) -> None:
    """Examples:

    \b
      tablewatch alerts note 3f9a21c4 "Video of camera 12 is kept."

    Adds a note.
    """
    _act(alert, "note", by, role, note=text)


def _act(
    alert: str,
    deed: Deed,
    by: str | None,
    role: Role,
    *,
    disposition: Disposition | None = None,
    note: str = "",
    to: str = "",
    to_role: Role | None = None,
) -> None:
    act = Act(
        deed=deed,
        by=by or who_looks(value_of("USER")),
        role=role,
        at=time.time_ns() // 1000,
        disposition=disposition,
        note=note,
        to=to,
        to_role=to_role,
    )
    with explained():
        store = connect(store_url())
        answer = perform(store, whole_id(store, alert, deed), act)
        if isinstance(answer, Done):
            about = answer.history.alert
            note_access(store, act.by, f"alert: {deed}", _round_of(about), {"alert": about.id, "as": role})
    if isinstance(answer, Done):
        typer.echo(_line(answer.history))
        return
    unknown = "no such alert" in answer.reason
    typer.echo(f"There is no alert {alert!r}. {_WHICH}" if unknown else answer.reason, err=True)
    raise typer.Exit(WRONG_USE if unknown else FLAGGED)


def _round_of(alert: Alert) -> list[RoundKey]:
    if alert.table is None or alert.shoe is None or alert.round is None:
        return []
    return [RoundKey(alert.table, alert.shoe, alert.round)]


def _line(history: AlertHistory) -> str:
    alert, life = history.alert, life_of(history.steps)
    where = " ".join(str(part) for part in (alert.table, alert.shoe, alert.round) if part is not None)
    holder = f" by {life.holder}" if life.holder and life.state == "taken" else ""
    if life.last is not None and not life.open:
        was = f" as {life.last.disposition}" if life.last.disposition else ""
        holder = f"{was} by {life.last.by} at {moment(life.last.at)}"
    return (
        f"{alert.id[:8]}  {moment(alert.raised * 1000)}  {alert.severity:8}  {life.state or 'raised'}{holder}"
        f"  {alert.code}  {where}  {sentence_of(alert)}"
    )


def _as_json(history: AlertHistory) -> dict[str, object]:
    life = life_of(history.steps)
    return {
        **asdict(history.alert),
        "state": life.state,
        "holder": life.holder or None,
        "steps": [asdict(step) for step in life.standing],
    }
