"""`tablewatch alerts`: tells people of findings, shows who is told of what, and lets people act without the console."""

import getpass
import logging
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import orjson
import typer

from store.connect import Patience, Store, connect
from store.migrate import check as check_schema
from store.rows.alerts import Alert, AlertHistory
from streams import metrics
from streams.alerting import self_test as self_tests
from streams.alerting.delivery import deliver, unusable
from streams.alerting.desk import Done, alert_with_steps, open_alerts, perform, record_raised
from streams.alerting.journal_file import JournalInUse
from streams.alerting.life import Act, Deed, Disposition, Role, life_of, moment
from streams.alerting.message import text_of
from streams.alerting.preview import OTHER, PreviewRow, preview
from streams.alerting.recipients import local_time
from streams.alerting.rules import NOBODY, InvalidRouting, Routing, read_routing
from streams.alerting.service import AlertService
from streams.logs import log_to_stderr
from tablewatch.commands.services import WRONG_USE, broker, data, explained
from tablewatch.commands.store_address import store_url
from tablewatch.settings import number_of, value_of

FLAGGED = 1
START_PATIENCE = Patience(total=60.0)

logger = logging.getLogger(__name__)

app = typer.Typer(no_args_is_help=True)

AsJson = Annotated[bool, typer.Option("--json", help="One JSON object a line.")]
AlertId = Annotated[str, typer.Argument(help="The alert's id, or its first characters.", metavar="ID")]
By = Annotated[str | None, typer.Option(help="Who does it; default: you, as this machine knows you.")]
AsRole = Annotated[Role, typer.Option(help="In which role.")]
Note = Annotated[str, typer.Option(help="What was found, and what was done about it.")]


@app.callback()
def alerts() -> None:
    """Examples:

    \b
      tablewatch alerts check
      tablewatch alerts run
      tablewatch alerts test-message anna
      tablewatch alerts list
      tablewatch alerts ack 3f9a21c4
      tablewatch alerts resolve 3f9a21c4 --disposition "false alarm" --note "The reader was being cleaned."
      tablewatch alerts self-test

    Tells people of findings, by the routing file that TABLEWATCH_ALERTS_ROUTES names.
    """


@app.command(short_help="Tell people of findings as they come, until SIGTERM.")
def run(
    port: Annotated[
        int | None,
        typer.Option(
            min=0, max=65535, envvar="TABLEWATCH_ALERTS_PORT", help="Of /metrics, /healthz, /readyz; 0: a free one."
        ),
    ] = None,
) -> None:
    """Examples:

    \b
      tablewatch alerts run
      TABLEWATCH_ALERTS_ROUTES=/etc/tablewatch/routes.toml tablewatch alerts run --port 9465

    Tells people of findings as they come, escalates what nobody acknowledges, and records every step. One for a site.
    On SIGTERM it finishes the messages on their way and exits with 0; what was not sent is sent by the next one.
    Without a routing file alerts are kept and come to the desk, and no message is sent.
    """
    log_to_stderr()
    with _explained():
        routing = _routing_or_nobody()
        store = connect(store_url(), patience=START_PATIENCE)
        check_schema(store)
        service = AlertService(broker(), store, routing, data() / "alerts")
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: service.stop())
    host = value_of("METRICS_HOST")
    server = metrics.serve(number_of("ALERTS_PORT") if port is None else port, lambda: service.ready, host)
    logger.info("metrics on port %d", server.server_port)
    with _explained():
        service.run()


@app.command(short_help="Who would be told of what, by the routing file.")
def check(as_json: AsJson = False) -> None:
    """Examples:

    \b
      tablewatch alerts check
      tablewatch alerts check --json | jq 'select(.severity == "critical")'

    Reads the routing file and shows who would be told of what: every kind of alert that its rules tell apart, in each
    shift. A name in brackets is told after his quiet hours. Every fault of the file is named; exit code 2 then.
    """
    with _explained():
        routing = _routing()
    rows = preview(routing, _now_ms())
    for row in rows:
        if as_json:
            typer.echo(orjson.dumps(asdict(row)).decode())
    if not as_json:
        typer.echo(_table(rows))


@app.command("test-message", short_help="Send somebody a test.")
def test_message(name: Annotated[str, typer.Argument(help="A person of the routing file.")]) -> None:
    """Examples:

    \b
      tablewatch alerts test-message anna

    Sends a message that says it is a test, by each of the person's addresses, and says what became of each.
    """
    with _explained():
        routing = _routing()
    person = routing.people.get(name)
    if person is None:
        typer.echo(f"The routing file has no {name!r}; it has {', '.join(routing.people)}.", err=True)
        raise typer.Exit(WRONG_USE)
    now = _now_ms()
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


@app.command("list", short_help="The open alerts.")
def list_alerts(as_json: AsJson = False) -> None:
    """Examples:

    \b
      tablewatch alerts list
      tablewatch alerts list --json | jq -r .id

    The alerts that somebody has to do something about, the first one first.
    """
    with _explained():
        found = open_alerts(_store())
    for history in found:
        typer.echo(orjson.dumps(_as_json(history)).decode() if as_json else _line(history))
    if not found and not as_json:
        typer.echo("No alert is open.")


@app.command(short_help="One alert with everything that happened to it.")
def show(alert: AlertId, as_json: AsJson = False) -> None:
    """Examples:

    \b
      tablewatch alerts show 3f9a21c4

    One alert with everything that happened to it: who was told, who did what, and when.
    """
    with _explained():
        store = _store()
        history = alert_with_steps(store, _whole_id(store, alert))
    if history is None:
        typer.echo("There is no such alert.", err=True)
        raise typer.Exit(WRONG_USE)
    if as_json:
        typer.echo(orjson.dumps(_as_json(history)).decode())
        return
    typer.echo(_line(history))
    for step in history.steps:
        parts = [moment(step.at), step.action, f"by {step.by}"]
        parts += [f"to {step.recipient}"] if step.recipient else []
        parts += [f"as {step.disposition}"] if step.disposition else []
        parts += [f"({step.note})"] if step.note else []
        typer.echo("  " + " ".join(parts))


@app.command(short_help="Say that you have seen it.")
def ack(alert: AlertId, by: By = None, role: AsRole = "shift_manager") -> None:
    """Examples:

    \b
      tablewatch alerts ack 3f9a21c4

    Says that you have seen the alert: it calls nobody else.
    """
    _act(alert, "acknowledge", by, role)


@app.command(short_help="Say that you look after it.")
def take(alert: AlertId, by: By = None, role: AsRole = "shift_manager") -> None:
    """Examples:

    \b
      tablewatch alerts take 3f9a21c4

    Says that you look after it.
    """
    _act(alert, "take", by, role)


@app.command(short_help="Say what it was, and close it.")
def resolve(
    alert: AlertId,
    disposition: Annotated[Disposition, typer.Option(help="What it was.")],
    note: Note,
    by: By = None,
    role: AsRole = "shift_manager",
) -> None:
    """Examples:

    \b
      tablewatch alerts resolve 3f9a21c4 --disposition confirmed --note "Paid back 500, dealer told."

    Says what it was, and closes it.
    """
    _act(alert, "resolve", by, role, disposition=disposition, note=note)


@app.command(short_help="Open it again.")
def reopen(alert: AlertId, note: Note, by: By = None, role: AsRole = "shift_manager") -> None:
    """Examples:

    \b
      tablewatch alerts reopen 3f9a21c4 --note "The video shows otherwise."

    Opens a resolved or cleared alert again; if nobody acknowledges it, it escalates.
    """
    _act(alert, "reopen", by, role, note=note)


@app.command("hand-over", short_help="Give it to somebody else.")
def hand_over(
    alert: AlertId,
    to: Annotated[str, typer.Option(help="Who gets it.")],
    to_role: Annotated[Role, typer.Option(help="In which role.")] = "shift_manager",
    by: By = None,
    role: AsRole = "shift_manager",
    note: Note = "",
) -> None:
    """Examples:

    \b
      tablewatch alerts hand-over 3f9a21c4 --to bob

    Gives an alert that somebody looks after to somebody else.
    """
    _act(alert, "hand over", by, role, to=to, to_role=to_role, note=note)


@app.command(short_help="Add a note.")
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


@app.command("self-test", short_help="Prove that an alert comes through.")
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
    with _explained():
        routing = _routing() if alarm else None
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
    now = _now_ms()
    alert = self_tests.alarm(self_tests.run_name(now / 1000), reason, now)
    text = text_of("raised", [alert], [local_time(routing, alert, now)])
    for each in self_tests.administrators(routing):
        outcome = deliver(routing.people[each.person].urls, text)
        typer.echo(f"{each.person}: {'told' if outcome.taken else f'not told: {outcome.reason}'}", err=True)
    with _explained():
        record_raised(_store(), [alert])


@contextmanager
def _explained() -> Iterator[None]:
    with explained():
        try:
            yield
        except (InvalidRouting, JournalInUse) as error:
            typer.echo(str(error), err=True)
            raise typer.Exit(WRONG_USE) from error


def _routes() -> Path:
    named = value_of("ALERTS_ROUTES")
    return Path(named) if named else data() / "alert-routes.toml"


def _routing_or_nobody() -> Routing:
    """The routing file; without one that is named or in its usual place, nobody is told."""
    if value_of("ALERTS_ROUTES") or _routes().exists():
        return _routing()
    logger.warning("there is no routing file %s: alerts come to the desk, and no message is sent", _routes())
    return NOBODY


def _routing() -> Routing:
    path = _routes()
    routing = read_routing(path)
    faults = unusable(routing)
    if faults:
        raise InvalidRouting("\n".join([f"{path} cannot be used:", *(f"  {fault}" for fault in faults)]))
    return routing


def _store() -> Store:
    return connect(store_url())


def _now_ms() -> int:
    return time.time_ns() // 1_000_000


def _whole_id(store: Store, start: str) -> str:
    """The id of the open alert that begins so, or what was given."""
    if len(start) >= 32:
        return start
    found = [history.alert.id for history in open_alerts(store) if history.alert.id.startswith(start)]
    if len(found) > 1:
        typer.echo(f"{len(found)} open alerts begin with {start!r}: write more of the id.", err=True)
        raise typer.Exit(WRONG_USE)
    return found[0] if found else start


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
        by=by or getpass.getuser(),
        role=role,
        at=time.time_ns() // 1000,
        disposition=disposition,
        note=note,
        to=to,
        to_role=to_role,
    )
    with _explained():
        store = _store()
        answer = perform(store, _whole_id(store, alert), act)
    if isinstance(answer, Done):
        typer.echo(_line(answer.history))
        return
    typer.echo(answer.reason, err=True)
    raise typer.Exit(FLAGGED)


def _line(history: AlertHistory) -> str:
    alert, life = history.alert, life_of(history.steps)
    where = " ".join(str(part) for part in (alert.table, alert.shoe, alert.round) if part is not None)
    holder = f" by {life.holder}" if life.holder and life.state == "taken" else ""
    return (
        f"{alert.id[:8]}  {moment(alert.raised * 1000)}  {alert.severity:8}  {life.state or 'raised'}{holder}"
        f"  {alert.code}  {where}  {alert.message}"
    )


def _as_json(history: AlertHistory) -> dict[str, object]:
    life = life_of(history.steps)
    return {
        **asdict(history.alert),
        "state": life.state,
        "holder": life.holder or None,
        "steps": [asdict(step) for step in history.steps],
    }


def _table(rows: list[PreviewRow]) -> str:
    """Columns in which the rows differ, aligned."""
    columns: list[tuple[str, Callable[[PreviewRow], str]]] = [
        ("severity", lambda row: row.severity),
        ("code", lambda row: row.code),
        ("pit", lambda row: row.pit),
        ("game", lambda row: row.game),
        ("table", lambda row: row.table),
        ("shift", lambda row: row.shift),
        ("told at once", lambda row: ", ".join(row.told)),
        ("nobody acknowledges", lambda row: "; ".join(row.then) or "-"),
    ]
    shown = [
        (head, value)
        for head, value in columns
        if head not in ("code", "pit", "game", "table") or {value(row) for row in rows} != {OTHER}
    ]
    lines = [[head for head, _ in shown], *([value(row) for _, value in shown] for row in rows)]
    widths = [max(len(line[place]) for line in lines) for place in range(len(shown))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines
    )
