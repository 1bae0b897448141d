"""Serving HTTP, one way for all parts: secrets travel with TLS or stay on this machine, and a signal ends it well."""

import errno
import logging
import os
import signal
import socket
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

import typer
import uvicorn

from streams.logs import log_to_stderr
from streams.loopback import is_loopback
from tablewatch.commands.certificates import UnusablePair, check_pair, named_by, validity

WRONG_USE = 2

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a part listens."""

    host: str
    port: int
    """0: a free one."""
    certificate: Path | None
    """As PEM; None: without TLS."""
    key: Path | None
    plain: bool
    """Beyond this machine without TLS, because a proxy in front has it."""


def check_place(place: Place, secrets: str, pair: str, plain: str) -> None:
    """Ends the command where secrets would travel in the open; the words name what is secret, and the settings."""
    if (place.certificate is None) != (place.key is None):
        wrong_use(f"{pair} belong together.")
    if place.certificate is None and not place.plain and not is_loopback(place.host):
        wrong_use(
            f"{secrets} must not travel in the open: {place.host} needs a certificate ({pair}), or {plain} behind a"
            " proxy that has one."
        )


def listen(
    app: Any,
    place: Place,
    *,
    settings: str,
    grace_seconds: int,
    warning: str | None = None,
    ending: Callable[[], None] | None = None,
) -> None:
    """Serve the application until SIGTERM or Ctrl-C.

    ``settings``: what the settings that name the place begin with; ``grace_seconds``: for what is in hand then;
    ``warning``: what is missing for it to be of use; ``ending``: called first when it is told to stop.
    """
    server = _Server(
        uvicorn.Config(
            app,
            ssl_certfile=place.certificate,
            ssl_keyfile=place.key,
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=grace_seconds,
        )
    )
    server.ending = ending
    warnings = [*_told_of_tls(place, settings), *([warning] if warning is not None else [])]
    family = socket.AF_INET6 if ":" in place.host else socket.AF_INET
    try:
        listening = socket.create_server((place.host, place.port), family=family)
    except OSError as error:
        wrong_use(f"{place.host} port {place.port} cannot be used: {_why_not(error, settings)}")

    # A signal that comes before the server looks after them itself ends it as soon as it has started. When it has ended
    # in good order, it raises the signal again, which would be the end of the process: here it changes nothing more.
    def end(*_: object) -> None:
        server.should_exit = True

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, end)
    with listening:
        log_to_stderr()
        for each in warnings:
            logger.warning(each)
        scheme = "http" if place.certificate is None else "https"
        host = f"[{place.host}]" if ":" in place.host else place.host
        logger.info("listening on %s://%s:%d", scheme, host, listening.getsockname()[1])
        server.run(sockets=[listening])


def _told_of_tls(place: Place, settings: str) -> list[str]:
    """What people should know of a certificate that is served all the same; ends the command where it cannot be."""
    if place.certificate is None or place.key is None:
        return []
    named = named_by(settings)
    try:
        check_pair(place.certificate, place.key, named)
    except UnusablePair as error:
        wrong_use(str(error))
    well, says = validity(place.certificate, named)
    return [] if well else [says]


def _why_not(error: OSError, settings: str) -> str:
    """Why there is no listening there, and what to do."""
    if error.errno == errno.EADDRINUSE:
        # Python would add the address once more.
        return f"{os.strerror(errno.EADDRINUSE)}. End the program that has it, or set {settings}_PORT (0: a free one)."
    return f"{error.strerror or error}. Correct {settings}_HOST or {settings}_PORT."


def wrong_use(message: str) -> NoReturn:
    """Say what is wrong with the command or its settings, and end."""
    typer.echo(message, err=True)
    raise typer.Exit(WRONG_USE)


class _Server(uvicorn.Server):
    """Tells the part that it is to stop: answers that last would never end by themselves."""

    ending: Callable[[], None] | None = None

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        if self.ending is not None:
            self.ending()
        super().handle_exit(sig, frame)
