"""`tablewatch demo`: all of it, embedded, with a simulated floor in real time and the console in a browser."""

import fcntl
import os
import shlex
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from replay.chain.keys import KeyRing, KeyThere
from store.connect import Patience, connect
from store.ending import ASKING, asked_to_end
from store.errors import StoreUnavailable
from store.migrate import migrate
from store.render import SchemaSettings
from store.write.expectations import fill_expectations
from streams.broker_url import EmbeddedLog
from streams.topics import Layout, create
from tablewatch.commands.demo_floor import DemoFloor
from tablewatch.commands.demo_keeper import Keeper
from tablewatch.commands.demo_logins import sample_logins
from tablewatch.commands.demo_parts import Part, await_answer, free_port
from tablewatch.commands.demo_postbox import Postbox
from tablewatch.commands.keys import about_keys
from tablewatch.commands.services import UNREACHABLE, WRONG_USE, data, explained, made
from tablewatch.settings import PREFIX, number_of, readings

PARTITIONS = 4
LOOK_SECONDS = 1.0
ENVIRONMENT = "environment"
"""The file with the settings of the demo, for another terminal."""
TOLD = tuple(PREFIX + name for name in ("DATA", "BROKER", "CLICKHOUSE_URL", "ALERTS_ROUTES", "PARTITIONS", "SETTINGS"))


def demo(
    tables: Annotated[int, typer.Option(min=1, max=1000, help="Tables of the floor.")] = 40,
    faults: Annotated[float, typer.Option(min=0, max=1, help="Share of rounds in which something goes wrong.")] = 0.03,
    seed: Annotated[int, typer.Option(help="The same seed gives the same floor.")] = 1,
    workers: Annotated[int, typer.Option(min=1, max=16, help="Processes that judge.")] = 1,
    port: Annotated[int | None, typer.Option(min=0, max=65535, help="Of the console; 0: a free one.")] = None,
    seconds: Annotated[float | None, typer.Option(min=1, help="End by itself after so long.")] = None,
) -> None:
    """Examples:

    \b
      tablewatch demo
      tablewatch demo --tables 12 --faults 0.3
      TABLEWATCH_DATA=/tmp/tablewatch tablewatch demo --seconds 60

    Starts the embedded store, the embedded log, the workers, the sealing of the store, the delivery of alerts, the
    watches over many rounds, the console, and a simulated floor that plays in real time and errs now and then; prints
    the address and sample logins.
    Nothing leaves this machine. Everything is kept in data/demo, or in the folder that TABLEWATCH_DATA names: started
    again, it goes on where it was (with the tables, seed and faults that it began with). The file `environment` in it
    gives another terminal the settings, so that all other commands can be tried on this floor. Ctrl-C ends it, and so
    does closing the terminal; where its process is killed, its parts end by themselves soon after.
    """
    with explained():
        folder = made(_folder().absolute())
    broker = EmbeddedLog(folder / "log")
    url = f"clickhouse://default@127.0.0.1:{free_port()}/tablewatch"
    wanted = number_of("CONSOLE_PORT") if port is None else port
    console_port = wanted if wanted and _is_free(wanted) else free_port()
    environment = {
        **os.environ,
        "TABLEWATCH_DATA": str(folder), "TABLEWATCH_BROKER": str(broker), "TABLEWATCH_CLICKHOUSE_URL": url,
        "TABLEWATCH_ALERTS_ROUTES": str(folder / "alert-routes.toml"), "TABLEWATCH_PARTITIONS": str(PARTITIONS),
        "TABLEWATCH_CONSOLE_HOST": "127.0.0.1", "TABLEWATCH_CONSOLE_PORT": str(console_port),
    }  # fmt: skip
    # What two administrators change in the demo changes the demo, and nothing beside its folder.
    settings = folder / "tablewatch.toml"
    settings.touch()
    environment.setdefault("TABLEWATCH_SETTINGS", str(settings))
    with explained(), ExitStack() as stack:
        ending = stack.enter_context(_until_signalled())
        stack.enter_context(_alone(folder))
        typer.echo(f"Starting in {folder}: up to a minute …")
        if wanted and console_port != wanted:
            typer.echo(f"Port {wanted} is taken: the console is at another one, {console_port}.")
        _tell_settings(folder, environment)
        keeper = stack.enter_context(Keeper())
        parts = [stack.enter_context(Part(environment, keeper, "clickhouse"))]
        patience = Patience(total=60.0, wait=lambda pause: ending.wait(pause) or parts[0].ended)
        store = connect(url, patience=patience)
        with _awaited(parts[0]):
            migrate(store, SchemaSettings(years=number_of("RETENTION_YEARS")))
        fill_expectations(store, readings())
        create(broker, Layout(partitions=PARTITIONS))
        parts += [stack.enter_context(Part(environment, keeper, "worker")) for _ in range(workers)]
        # Started again, the demo goes on with the key that it has.
        with about_keys(), suppress(KeyThere):
            KeyRing(folder / "keys").make("demo")
        parts.append(stack.enter_context(Part(environment, keeper, "chain", "run")))
        stack.enter_context(Postbox(folder))
        parts.append(stack.enter_context(Part(environment, keeper, "alerts", "run")))
        parts.append(stack.enter_context(Part(environment, keeper, "watches", "run")))
        logins = sample_logins(folder)
        parts.append(stack.enter_context(Part(environment, keeper, "console")))
        floor = DemoFloor(folder, broker, tables, seed, faults, readings())
        if floor.other_than_asked:
            typer.echo(f"The floor of this folder goes on as it began: {floor}.")
            typer.echo("For another one, name another folder in TABLEWATCH_DATA.")
        stack.callback(floor.end)
        floor.start()
        if await_answer(console_port, parts[-1], ending):
            _welcome(f"http://127.0.0.1:{console_port}/", logins, folder)
        elif not ending.is_set() and not parts[-1].ended:
            typer.echo(f"The console does not answer; {parts[-1].log} may say why.", err=True)
            raise typer.Exit(UNREACHABLE)
        _watch(parts, ending, seconds)
        # Of a terminal that was closed there is nobody to tell it.
        with suppress(OSError):
            typer.echo("Stopping …")


@contextmanager
def _awaited(store: Part) -> Iterator[None]:
    """Where nothing answers because the part has ended, that is told, and why."""
    try:
        yield
    except StoreUnavailable:
        if store.ended:
            _tell_of_end(store)
        raise


def _folder() -> Path:
    """A folder of its own unless one is named: its topics are smaller than those that other commands make in `data`."""
    return data() if os.environ.get(f"{PREFIX}DATA") else data() / "demo"


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """No other demo runs in the folder: it would be told another store's port, and this one could not open its own."""
    with (folder / "demo.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            typer.echo(f"A demo runs in {folder}. End it, or name another folder in TABLEWATCH_DATA.", err=True)
            raise typer.Exit(WRONG_USE) from error
        yield


def _tell_settings(folder: Path, environment: dict[str, str]) -> None:
    """What a shell reads to be at this floor, and to know the command: the port of the store is another one at every
    start, and the command lies where nobody but make looks for it."""
    lines = [f"export {name}={shlex.quote(environment[name])}" for name in TOLD]
    lines.append(f"export PATH={shlex.quote(str(Path(sys.executable).parent))}:$PATH")
    (folder / ENVIRONMENT).write_text("\n".join(lines) + "\n", encoding="utf-8")


def _welcome(address: str, logins: dict[str, str], folder: Path) -> None:
    typer.echo(f"\nThe console is at  {address}\n")
    typer.echo("Sign in as one of (samples for this demo alone):")
    width = max(map(len, logins))
    for name, password in logins.items():
        typer.echo(f"  {name:<{width}} {password}")
    settings = shlex.quote(str(folder / ENVIRONMENT))
    typer.echo(f"\nTo try other commands on this floor, in another terminal:  . {settings}")
    typer.echo(f"Logs, data and messages to people: {folder}. Ctrl-C ends it; started again, it goes on.")


def _watch(parts: list[Part], ending: threading.Event, seconds: float | None) -> None:
    """Until told to end, or until a part has ended by itself."""
    deadline = None if seconds is None else time.monotonic() + seconds
    while not ending.wait(LOOK_SECONDS) and (deadline is None or time.monotonic() < deadline):
        for part in parts:
            if part.ended:
                _tell_of_end(part)


def _tell_of_end(part: Part) -> NoReturn:
    if part.in_use is not None:
        folder, process = part.in_use
        typer.echo(
            f"{folder} is in use by process {process}, which may be left from a demo that was killed. If it does not"
            f" end by itself in a minute, end it (kill {process}), or name another folder in TABLEWATCH_DATA.",
            err=True,
        )
    else:
        typer.echo(f"The {part.name} {part.ending}.", err=True)
    raise typer.Exit(UNREACHABLE)


@contextmanager
def _until_signalled() -> Iterator[threading.Event]:
    """An event that Ctrl-C, SIGTERM and the end of the terminal set; the last not where it was started with `nohup`."""
    ending = threading.Event()
    deaf = signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
    with asked_to_end(ending.set, ASKING if deaf else (*ASKING, signal.SIGHUP)):
        yield ending


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True
