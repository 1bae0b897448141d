"""`tablewatch console`: the surveillance room in a browser, and the people who may sign in."""

import getpass
import logging
import os
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from console.access import AccessLog, put_by
from console.auth.oidc import Provider
from console.auth.oidc_settings import InvalidOidc, oidc_settings
from console.auth.outsiders import Outsiders
from console.auth.pace import Pace
from console.auth.passwords import WeakPassword
from console.auth.people import InvalidPerson, People, Person, differences
from console.auth.roles import ABOUT, ROLES
from console.auth.sessions import Sessions
from console.changes.ledger import Ledger
from console.database import Database, DatabaseUnusable
from console.live.room import LiveRoom
from console.live.sources import feed_of, lag_at
from console.server.app import make_app
from console.server.parts import Parts
from console.shifts import InvalidShifts, Shifts, shifts_of
from replay.custody import entries_of, who_looks
from store.connect import Patience, connect
from streams.alerting.rules import NOBODY, InvalidRouting, Routing, read_routing
from streams.logs import log_to_stderr
from tablewatch.commands.changeable import changeable
from tablewatch.commands.keys import key_ring
from tablewatch.commands.listening import Place, check_place, listen, wrong_use
from tablewatch.commands.listing import listing
from tablewatch.commands.measured import measured
from tablewatch.commands.services import broker, data, explained
from tablewatch.commands.store_address import store_url
from tablewatch.settings import count_of, judge_settings, number_of, value_of

GRACE_SECONDS = 5
_NO_TERMINAL = "There is no terminal to ask for the password on: give it on input, with --password-from-input."

logger = logging.getLogger(__name__)

_HELP = """Examples:

\b
  tablewatch console users add mei --role shift_manager
  tablewatch console users list

The people who may sign in. Who changes them is in the access log once a console runs.
"""

console = typer.Typer(invoke_without_command=True)
users = typer.Typer(no_args_is_help=True, help=_HELP, short_help="The people who may sign in.")
console.add_typer(users, name="users")


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
        place = Place(
            host or value_of("CONSOLE_HOST"),
            number_of("CONSOLE_PORT") if port is None else port,
            _path("CONSOLE_CERTIFICATE"),
            _path("CONSOLE_KEY"),
            value_of("CONSOLE_PLAIN") == "1",
        )
        hours, idle = count_of("CONSOLE_SESSION_HOURS"), count_of("CONSOLE_IDLE_MINUTES")
        shifts, provider = _shifts(), _provider()
        readings = judge_settings().readings
        source = broker()
        store = connect(store_url(), patience=Patience(total=2.0))
    pair = "TABLEWATCH_CONSOLE_CERTIFICATE and TABLEWATCH_CONSOLE_KEY"
    check_place(place, "Passwords", pair, "TABLEWATCH_CONSOLE_PLAIN=1")
    with _database() as database:
        people = People(database)
        room = LiveRoom(feed_of(source), store, lag_at(source), routing=_routing())
        parts = Parts(
            people=people,
            sessions=Sessions(database, hours=hours, idle_minutes=idle),
            access=AccessLog(database, store),
            live=room,
            store=store,
            secure=place.certificate is not None or place.plain,
            signing_in=Pace(burst=10, per_second=10 / 60),
            asking=Pace(burst=200, per_second=50),
            shifts=shifts,
            changes=Ledger(database, changeable()),
            readings=readings,
            outsiders=Outsiders(database, people),
            oidc=provider,
            ring=key_ring(),
        )
        nobody = provider is None and all(each.disabled for each in people.all())
        # A port of its own: without a role the console itself shows nothing but the sign-in page.
        log_to_stderr()
        with explained():
            measured("CONSOLE_METRICS_PORT", None, lambda: room.health.ready)
        warning = "nobody can sign in yet: `tablewatch console users add NAME --role ROLE` adds somebody"
        listen(
            make_app(parts),
            place,
            settings="TABLEWATCH_CONSOLE",
            grace_seconds=GRACE_SECONDS,
            warning=warning if nobody else None,
            ending=room.end,
        )


def _path(setting: str) -> Path | None:
    named = value_of(setting)
    return Path(named) if named else None


def _shifts() -> Shifts:
    try:
        return shifts_of(value_of("SHIFTS"), value_of("TIME_ZONE"))
    except InvalidShifts as error:
        wrong_use(str(error))


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
        _note(database, "added a person", name, role=role)
        typer.echo(f"{person.name} may sign in as {person.role}: {ABOUT[person.role]}.", err=True)


@users.command("list", short_help="Everybody who may or might sign in.")
def list_users() -> None:
    """Examples:

    \b
      tablewatch console users list

    Everybody by name, with the role, by what the person signs in, and whether the person may.
    """
    with _database() as database:
        people = People(database)
        outsiders = Outsiders(database, people)
        rows = [
            (each.name, each.role, "provider" if outsiders.is_one(each.name) else "password", _state(each))
            for each in people.all()
        ]
    if rows:
        typer.echo(listing(("name", "role", "signs in by", "may sign in"), rows))
    else:
        typer.echo("Nobody may sign in yet. `tablewatch console users add --help` shows how to add somebody.")


@users.command(short_help="Give somebody another role.")
def role(name: str, role: Annotated[str, typer.Argument(help=f"One of {', '.join(ROLES)}.")]) -> None:
    """Examples:

    \b
      tablewatch console users role mei auditor

    Another role from now on; open pages are signed in with it at their next request.
    """
    with _database() as database, _told():
        people = People(database)
        _changed(database, people.get(name), people.change_role(name, role))
        lasts = Outsiders(database, people).is_one(name)
    until = " At the next sign-in the provider's groups decide again." if lasts else ""
    typer.echo(f"{name} is {role} now.{until}", err=True)


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
        people = People(database)
        if Outsiders(database, people).is_one(name):
            raise InvalidPerson(f"{name} signs in with the house's provider, which keeps the password")
        before = people.get(name)
        _changed(database, before, people.change_password(name, _password(from_input)), password=True)
    typer.echo(f"{name} has another password, and is signed out everywhere.", err=True)


@users.command(short_help="Let somebody sign in no more.")
def disable(name: str) -> None:
    """Examples:

    \b
      tablewatch console users disable mei

    The person may not sign in any more and is signed out everywhere. Nobody is deleted: logs name them.
    """
    with _database() as database, _told():
        people = People(database)
        _changed(database, people.get(name), people.disable(name))
    typer.echo(f"{name} may sign in no more, and is signed out everywhere.", err=True)


@users.command(short_help="Let somebody sign in again.")
def enable(name: str) -> None:
    """Examples:

    \b
      tablewatch console users enable mei

    The person may sign in again; a lock after failures is taken off too.
    """
    with _database() as database, _told():
        people = People(database)
        _changed(database, people.get(name), people.enable(name))
    typer.echo(f"{name} may sign in.", err=True)


def _changed(database: Database, before: Person, after: Person, *, password: bool = False) -> None:
    _note(database, "changed a person", after.name, **differences(before, after, password=password))


def _note(database: Database, action: str, name: str, **detail: object) -> None:
    """As the page People does: a console, running or started later, brings it to the access log."""
    for entry in entries_of(who_looks(value_of("USER")), action, detail={"name": name, **detail}):
        put_by(database, entry)


def _provider() -> Provider | None:
    names = (
        "issuer", "client_id", "client_secret", "address", "scope", "name_claim", "role_claim", "roles", "title",
    )  # fmt: skip
    try:
        settings = oidc_settings(**{name: value_of(f"OIDC_{name.upper()}") for name in names})
    except InvalidOidc as error:
        wrong_use(str(error))
    return None if settings is None else Provider(settings)


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
        wrong_use(str(error))
    try:
        yield database
    finally:
        database.close()


@contextmanager
def _told() -> Iterator[None]:
    try:
        yield
    except (InvalidPerson, WeakPassword) as error:
        wrong_use(str(error))


def _password(from_input: bool) -> str:
    if from_input:
        return sys.stdin.readline().rstrip("\r\n")
    # Without a terminal nobody can be asked, and what is typed cannot be hidden.
    try:
        os.close(os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY))
    except OSError:
        if not sys.stdin.isatty():
            wrong_use(_NO_TERMINAL)
    with warnings.catch_warnings():
        warnings.simplefilter("error", getpass.GetPassWarning)
        try:
            return str(typer.prompt("Password", hide_input=True, confirmation_prompt=True, err=True))
        except getpass.GetPassWarning:
            wrong_use(_NO_TERMINAL)


def _state(person: Person) -> str:
    if person.disabled is not None:
        return f"disabled since {datetime.fromtimestamp(person.disabled, UTC):%Y-%m-%d %H:%M} UTC"
    if person.locked_until > time.time():
        until = datetime.fromtimestamp(person.locked_until, UTC)
        return f"locked until {until:%Y-%m-%d %H:%M:%S} UTC after wrong passwords"
    return f"since {datetime.fromtimestamp(person.made, UTC):%Y-%m-%d %H:%M} UTC"
