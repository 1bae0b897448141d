"""`tablewatch console`: the surveillance room in a browser, and the people who may sign in."""

import ipaddress
import logging
import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType
from typing import Annotated, NoReturn

import typer
import uvicorn

from console.access import AccessLog
from console.auth.pace import Pace
from console.auth.passwords import WeakPassword
from console.auth.people import InvalidPerson, People, Person
from console.auth.roles import ABOUT, ROLES
from console.auth.sessions import Sessions
from console.changes.ledger import Ledger
from console.database import Database, DatabaseUnusable
from console.live.room import LiveRoom
from console.live.sources import feed_of, lag_at
from console.server.app import make_app
from console.server.parts import Parts
from console.shifts import InvalidShifts, Shifts, shifts_of
from store.connect import Patience, connect
from streams.alerting.rules import NOBODY, InvalidRouting, Routing, read_routing
from streams.logs import log_to_stderr
from tablewatch.commands.changeable import changeable
from tablewatch.commands.services import broker, data, explained
from tablewatch.commands.store_address import store_url
from tablewatch.settings import number_of, value_of

WRONG_USE = 2
GRACE_SECONDS = 5

logger = logging.getLogger(__name__)

_HELP = """Examples:

\b
  tablewatch console users add mei --role shift_manager
  tablewatch console users list

The people who may sign in.
"""

console = typer.Typer(invoke_without_command=True)
users = typer.Typer(no_args_is_help=True, help=_HELP, short_help="The people who may sign in.")
console.add_typer(users, name="users")


class _Server(uvicorn.Server):
    """Lets the pages go when it is told to stop: their streams would never end by themselves."""

    room: LiveRoom

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self.room.end()
        super().handle_exit(sig, frame)


@console.callback(invoke_without_command=True)
def serve(
    context: typer.Context,
    host: Annotated[str | None, typer.Option(help="Where to listen; TABLEWATCH_CONSOLE_HOST.")] = None,
    port: Annotated[int | None, typer.Option(min=0, max=65535, help="0: a free one; TABLEWATCH_CONSOLE_PORT.")] = None,
) -> None:
    """Examples:

    \b
      tablewatch console users add mei --role shift_manager
      tablewatch console
      TABLEWATCH_CONSOLE_CERTIFICATE=c.pem TABLEWATCH_CONSOLE_KEY=k.pem tablewatch console --host 0.0.0.0

    Serves the wall, the tables, the alert desk, the replay of rounds and the reports to browsers, to this machine alone
    unless told otherwise. It starts without a broker and without a store, and says so on the page.
    """
    if context.invoked_subcommand is not None:
        return
    with explained():
        where = host or value_of("CONSOLE_HOST")
        number = number_of("CONSOLE_PORT") if port is None else port
        certificate, key = value_of("CONSOLE_CERTIFICATE") or None, value_of("CONSOLE_KEY") or None
        hours, idle = number_of("CONSOLE_SESSION_HOURS"), number_of("CONSOLE_IDLE_MINUTES")
        plain = value_of("CONSOLE_PLAIN") == "1"
        shifts = _shifts()
        source = broker()
        store = connect(store_url(), patience=Patience(total=2.0))
    if (certificate is None) != (key is None):
        _wrong("TABLEWATCH_CONSOLE_CERTIFICATE and TABLEWATCH_CONSOLE_KEY belong together.")
    if certificate is None and not plain and not _here(where):
        _wrong(
            f"Passwords must not travel in the open: {where} needs a certificate, or TABLEWATCH_CONSOLE_PLAIN=1 behind"
            " a proxy that has one."
        )
    with _database() as database:
        people = People(database)
        room = LiveRoom(feed_of(source), store, lag_at(source), routing=_routing())
        parts = Parts(
            people=people,
            sessions=Sessions(database, hours=hours, idle_minutes=idle),
            access=AccessLog(database, store),
            live=room,
            store=store,
            secure=certificate is not None or plain,
            signing_in=Pace(burst=10, per_second=10 / 60),
            asking=Pace(burst=200, per_second=50),
            shifts=shifts,
            changes=Ledger(database, changeable()),
        )
        _listen(make_app(parts), room, where, number, certificate, key, any(not each.disabled for each in people.all()))


def _shifts() -> Shifts:
    try:
        return shifts_of(value_of("SHIFTS"), value_of("TIME_ZONE"))
    except InvalidShifts as error:
        _wrong(str(error))


def _listen(
    app: object, room: LiveRoom, host: str, port: int, certificate: str | None, key: str | None, somebody: bool
) -> None:
    server = _Server(
        uvicorn.Config(
            app,  # type: ignore[arg-type]
            ssl_certfile=certificate,
            ssl_keyfile=key,
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=GRACE_SECONDS,
        )
    )
    server.room = room
    try:
        server.config.load()
    except OSError as error:
        _wrong(f"{certificate} and {key} cannot be used for TLS: {error.strerror or error}.")
    try:
        listening = socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        _wrong(f"{host} port {port} cannot be used: {error.strerror or error}.")
    # When it has ended in good order, the server raises the signal again, which would be the end of the process.
    for ending in (signal.SIGTERM, signal.SIGINT):
        signal.signal(ending, lambda *_: None)
    with listening:
        log_to_stderr()
        if not somebody:
            logger.warning("nobody can sign in yet: `tablewatch console users add NAME --role ROLE` adds somebody")
        scheme = "http" if certificate is None else "https"
        logger.info("listening on %s://%s:%d", scheme, host, listening.getsockname()[1])
        server.run(sockets=[listening])


@users.command(short_help="Add somebody.")
def add(
    name: Annotated[str, typer.Argument(help="Small letters, digits, dots and dashes.")],
    role: Annotated[str, typer.Option(help=f"One of {', '.join(ROLES)}.")],
    from_input: Annotated[bool, typer.Option("--password-from-input", help="Read it from the standard input.")] = False,
) -> None:
    """Examples:

    \b
      tablewatch console users add mei --role shift_manager
      pass show tablewatch/mei | tablewatch console users add mei --role auditor --password-from-input

    Adds somebody who may sign in. The password is asked for; what is kept is its argon2 hash.
    """
    with _database() as database, _told():
        person = People(database).add(name, role, _password(from_input))
        typer.echo(f"{person.name} may sign in as {person.role}: {ABOUT[person.role]}.", err=True)


@users.command("list", short_help="Everybody who may or might sign in.")
def list_users() -> None:
    """Examples:

    \b
      tablewatch console users list

    Everybody by name, with the role, and whether the person may sign in.
    """
    with _database() as database:
        for person in People(database).all():
            typer.echo(f"{person.name}  {person.role}  {_state(person)}")


@users.command(short_help="Give somebody another role.")
def role(name: str, role: Annotated[str, typer.Argument(help=f"One of {', '.join(ROLES)}.")]) -> None:
    """Examples:

    \b
      tablewatch console users role mei auditor

    Another role from now on; open pages are signed in with it at their next request.
    """
    with _database() as database, _told():
        People(database).change_role(name, role)


@users.command(short_help="Give somebody another password.")
def password(
    name: str,
    from_input: Annotated[bool, typer.Option("--password-from-input", help="Read it from the standard input.")] = False,
) -> None:
    """Examples:

    \b
      tablewatch console users password mei

    Another password; all sessions of the person end, and a lock after failures is taken off.
    """
    with _database() as database, _told():
        People(database).change_password(name, _password(from_input))


@users.command(short_help="Let somebody sign in no more.")
def disable(name: str) -> None:
    """Examples:

    \b
      tablewatch console users disable mei

    The person may not sign in any more and is signed out everywhere. Nobody is deleted: logs name them.
    """
    with _database() as database, _told():
        People(database).disable(name)


@users.command(short_help="Let somebody sign in again.")
def enable(name: str) -> None:
    """Examples:

    \b
      tablewatch console users enable mei

    The person may sign in again; a lock after failures is taken off too.
    """
    with _database() as database, _told():
        People(database).enable(name)


def _routing() -> Routing:
    """Who is called when nobody acknowledges: for the clock of the desk alone, so that it starts without."""
    path = Path(value_of("ALERTS_ROUTES") or data() / "alert-routes.toml")
    if not path.exists():
        return NOBODY
    try:
        return read_routing(path)
    except InvalidRouting as error:
        logger.warning("the desk shows no escalation clock: %s", error)
        return NOBODY


@contextmanager
def _database() -> Iterator[Database]:
    try:
        database = Database(data())
    except DatabaseUnusable as error:
        _wrong(str(error))
    try:
        yield database
    finally:
        database.close()


@contextmanager
def _told() -> Iterator[None]:
    try:
        yield
    except (InvalidPerson, WeakPassword) as error:
        _wrong(str(error))


def _password(from_input: bool) -> str:
    if from_input:
        return sys.stdin.readline().rstrip("\r\n")
    return str(typer.prompt("Password", hide_input=True, confirmation_prompt=True, err=True))


def _state(person: Person) -> str:
    if person.disabled is not None:
        return f"disabled since {datetime.fromtimestamp(person.disabled, UTC):%Y-%m-%d %H:%M} UTC"
    return f"since {datetime.fromtimestamp(person.made, UTC):%Y-%m-%d %H:%M} UTC"


def _here(host: str) -> bool:
    """Whether the address is of this machine alone."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _wrong(message: str) -> NoReturn:
    typer.echo(message, err=True)
    raise typer.Exit(WRONG_USE)
