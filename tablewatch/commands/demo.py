"""`tablewatch demo`: all of it, embedded, with a simulated floor in real time."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.live import Live

from store.connect import Patience, connect
from store.migrate import migrate
from store.render import SchemaSettings
from streams.broker_url import EmbeddedLog
from streams.embedded.log import Log
from streams.lag import lag_of
from streams.topics import Layout, create
from tablewatch.commands.demo_floor import DemoFloor
from tablewatch.commands.demo_picture import Picture
from tablewatch.commands.services import UNREACHABLE, data, explained

PARTITIONS = 4
REFRESH_SECONDS = 0.5
STOP_SECONDS = 60.0


def demo(
    tables: Annotated[int, typer.Option(min=1, max=200, help="Tables of the floor.")] = 6,
    faults: Annotated[float, typer.Option(min=0, max=1, help="Share of rounds in which something goes wrong.")] = 0.1,
    seed: Annotated[int, typer.Option(help="The same seed gives the same floor.")] = 1,
    workers: Annotated[int, typer.Option(min=1, max=16, help="Processes that judge.")] = 1,
    seconds: Annotated[float | None, typer.Option(min=1, help="End by itself after so long.")] = None,
) -> None:
    """Examples:

    \b
      tablewatch demo
      tablewatch demo --tables 12 --faults 0.3
      TABLEWATCH_DATA=/tmp/tablewatch tablewatch demo --seconds 60

    Starts the embedded store, the embedded log, the workers and a simulated floor that plays in real time and errs now
    and then, and shows tables, rounds and findings as they come. Everything is kept in the data folder: started again,
    it goes on where it was (with the tables, seed and faults that it began with).
    """
    folder = data().absolute()
    folder.mkdir(parents=True, exist_ok=True)
    broker = EmbeddedLog(folder / "log")
    url = f"clickhouse://default@127.0.0.1:{_free_port()}/tablewatch"
    environment = {
        **os.environ,
        "TABLEWATCH_DATA": str(folder), "TABLEWATCH_BROKER": str(broker), "TABLEWATCH_CLICKHOUSE_URL": url,
    }  # fmt: skip
    with explained(), ExitStack() as stack:
        ending = stack.enter_context(_until_signalled())
        stack.enter_context(_part("clickhouse", environment))
        migrate(connect(url, patience=Patience(total=60.0)), SchemaSettings())
        create(broker, Layout(partitions=PARTITIONS))
        for _ in range(workers):
            stack.enter_context(_part("worker", environment))
        floor = DemoFloor(folder, broker, tables, seed, faults)
        stack.callback(floor.end)
        floor.start()
        log = stack.enter_context(Log(broker.folder))
        _watch(Picture(log), broker, ending, seconds)


def _watch(picture: Picture, broker: EmbeddedLog, ending: threading.Event, seconds: float | None) -> None:
    """Show what comes until told to end: a picture on a terminal, lines otherwise."""
    console = Console()
    deadline = None if seconds is None else time.monotonic() + seconds
    with ExitStack() as stack:
        live = stack.enter_context(Live(console=console, screen=True)) if console.is_terminal else None
        while not ending.wait(REFRESH_SECONDS) and (deadline is None or time.monotonic() < deadline):
            lines = picture.update()
            if live is not None:
                live.update(picture.render(lag_of(broker)))
            else:
                for line in lines:
                    typer.echo(line)


@contextmanager
def _until_signalled() -> Iterator[threading.Event]:
    """An event that Ctrl-C and SIGTERM set."""
    ending = threading.Event()
    before = {number: signal.signal(number, lambda *_: ending.set()) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield ending
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def _part(command: str, environment: dict[str, str]) -> Iterator[None]:
    """A part as a process of its own, with its log in the data folder; told to stop at the end, and waited for."""
    log = Path(environment["TABLEWATCH_DATA"]) / f"{command}.log"
    with log.open("ab") as file:
        process = subprocess.Popen(
            [sys.executable, "-c", "from tablewatch.command import main; main()", command],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=file,
            # Ctrl-C at the terminal is for the demo, which stops its parts in their order.
            start_new_session=True,
        )
    try:
        yield
        if process.poll() is not None:
            typer.echo(f"The {command} has ended by itself; {log} says why.", err=True)
            raise typer.Exit(UNREACHABLE)
    finally:
        process.terminate()
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
