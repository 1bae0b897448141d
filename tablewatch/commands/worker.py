"""`tablewatch worker`: the agents, until SIGTERM."""

import logging
import os
import re
import socket
import sys
import threading
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import Annotated

import faust
import typer

from streams.agent import Worker
from streams.app import make_app
from streams.logs import log_to_stderr
from streams.outlets import open_outlet
from streams.scribe import Scribe
from streams.told_before import told_since
from tablewatch.commands.measured import measured
from tablewatch.commands.services import UNREACHABLE, broker, explained
from tablewatch.commands.store_address import awaited_store
from tablewatch.settings import InvalidSetting, judge_settings, number_of, value_of

logger = logging.getLogger(__name__)

_NAME = re.compile(r"[A-Za-z0-9._-]{1,249}")


def worker(
    port: Annotated[
        int | None,
        typer.Option(
            min=0, max=65535, envvar="TABLEWATCH_METRICS_PORT", help="Of /metrics, /healthz, /readyz; 0: a free one."
        ),
    ] = None,
) -> None:
    """Examples:

    \b
      tablewatch worker
      TABLEWATCH_BROKER=kafka://broker:9092 tablewatch worker --port 9464

    Judges what the tables say, as it comes: alerts, verdicts and findings out, everything to the store. Start as many
    as the machine bears; they share the partitions, and each has a process beside it that writes to the store. On
    SIGTERM it finishes what it has in hand and exits with 0; where it cannot in time, because the store is away, it
    ends with 3, and what was in hand is judged again at the next start.
    """
    log_to_stderr()
    # First of all: it is a copy of the process, which must not have threads yet.
    scribe = Scribe()
    with explained():
        settings = judge_settings()
        target = broker()
        name = _name()
        # Asked for now: who is told to stop has nobody any more to tell that it is no number.
        session_seconds, stop_seconds = number_of("SESSION_SECONDS"), number_of("STOP_SECONDS")
        with open_outlet(target, patience_seconds=30.0) as outlet:
            partitions = outlet.partitions
        store = awaited_store()
    scribe.begin(store, partitions)
    if find_spec("uvloop") is not None:
        import_module("uvloop").install()
    app = make_app(target, session_seconds=session_seconds, name=name)
    judging = Worker(app, store, settings, partitions, partial(told_since, target), scribe)
    with explained():
        measured("METRICS_PORT", port, lambda: judging.ready, lambda: judging.lacks)
    running = _EndsInTime(app, loglevel="WARN", override_logging=False, redirect_stdouts=False, quiet=True)
    running.stop_seconds = stop_seconds
    # Faust would end a spinner that never was: bytes for a terminal in the middle of a line of the log.
    running.spinner = None
    try:
        running.execute_from_commandline()
    except SystemExit as ended:
        sys.exit(ended.code)


def _name() -> str | None:
    name = value_of("WORKER_NAME").replace("{host}", socket.gethostname())
    if name and not _NAME.fullmatch(name):
        raise InvalidSetting(
            f"TABLEWATCH_WORKER_NAME must be of letters, digits, dots, underscores and hyphens, not {name!r}."
        )
    return name or None


class _EndsInTime(faust.Worker):  # type: ignore[misc]  # faust has no types
    """Ends the process if it does not come to its end by itself: nothing that is not stored was acknowledged."""

    stop_seconds: float

    async def stop(self) -> None:
        timer = threading.Timer(self.stop_seconds, _give_up)
        timer.daemon = True
        timer.start()
        await super().stop()


def _give_up() -> None:
    logger.error("the store is away: what is in hand stays on the broker and is judged again at the next start")
    os._exit(UNREACHABLE)
