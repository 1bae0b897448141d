"""The server: one folder, one address, one thread to a connection, until it is told to stop."""

from __future__ import annotations

import errno
import logging
import os
import resource
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import chdb

from store.embedded import faults, folder, packets
from store.embedded.connection import Connection
from store.embedded.engine import Engine
from store.embedded.faults import AddressUnusable, NotLoopback, PortInUse, ServerError
from store.embedded.handshake import Identity
from store.embedded.watch import CancelWatch
from store.ending import on_asked_to_end

MAX_CONNECTIONS: Final = 1000
GRACE_SECONDS: Final = 30.0
"""How long a stop waits for the queries in hand before it ends them."""
_LOOPBACK: Final = ("127.0.0.1", "::1", "localhost")
_BACKLOG: Final = 128
GIVES_WAY: Final = 10
"""How much lower the server's priority is than that of the processes beside it. An insert, once a second, keeps every
core busy for a while: a worker on the same machine that had to share them told people three times as late."""
_logger: Final = logging.getLogger(__name__)


def serve(
    data: Path,
    host: str,
    port: int,
    user: str,
    password: str,
    database: str,
    ready: Callable[[int], None] | None = None,
) -> None:
    """Serves the folder at the address until SIGTERM or SIGINT; then finishes the queries in hand.

    Port 0 takes a free one. `ready` is told the port when clients can connect. Raises CannotStart by its reasons.
    """
    stop = threading.Event()
    restore = _on_signals(stop)
    _allow_many_files()
    version = tuple(int(part) for part in chdb.engine_version.split(".")[:3])
    try:
        with folder.held(data.resolve(), version), _listen(host, port) as listener:
            if threading.current_thread() is threading.main_thread():
                # A thread of another program has no say in that program's priority.
                os.nice(GIVES_WAY)
            engine = Engine(data.resolve(), database)
            try:
                _Server(engine, listener, Identity(engine.version, engine.time_zone, user, password)).run(stop, ready)
            finally:
                engine.close()
    finally:
        restore()


def _allow_many_files() -> None:
    """The engine keeps the files of many parts open beside the connections; 1024, a usual limit, is soon reached."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def _on_signals(stop: threading.Event) -> Callable[[], None]:
    if threading.current_thread() is not threading.main_thread():
        return lambda: None

    return on_asked_to_end(stop.set)


def _listen(host: str, port: int) -> socket.socket:
    if host not in _LOOPBACK:
        raise NotLoopback(
            f"The embedded server listens on this machine only, and {host} is not a loopback address. "
            "Use 127.0.0.1; for a network, run ClickHouse itself."
        )
    try:
        return socket.create_server(
            (host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET, backlog=_BACKLOG
        )
    except (OSError, OverflowError) as error:
        if isinstance(error, OSError) and error.errno == errno.EADDRINUSE:
            raise PortInUse(
                f"Port {port} of {host} is in use by another process. Stop it, or name another port in "
                "TABLEWATCH_CLICKHOUSE_URL."
            ) from None
        raise AddressUnusable(
            f"Cannot listen at port {port} of {host}: {error}. Name another address in TABLEWATCH_CLICKHOUSE_URL."
        ) from None


class _Server:
    def __init__(self, engine: Engine, listener: socket.socket, identity: Identity) -> None:
        self._engine = engine
        self._listener = listener
        self._identity = identity
        self._watch = CancelWatch(engine)
        self._lock = threading.Lock()
        self._connections: dict[Connection, threading.Thread] = {}

    def run(self, stop: threading.Event, ready: Callable[[int], None] | None) -> None:
        accepting = threading.Thread(target=self._accept, args=(stop,), name="accept", daemon=True)
        accepting.start()
        if ready is not None:
            ready(self._listener.getsockname()[1])
        stop.wait()
        self._listener.shutdown(socket.SHUT_RDWR)
        accepting.join()
        self._finish()
        self._watch.close()

    def _accept(self, stop: threading.Event) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError as error:
                if stop.is_set():
                    return
                # Out of file descriptors, as a rule: those who are connected go on, and some will leave.
                _logger.warning("cannot take a connection now: %s", error)
                stop.wait(0.1)
                continue
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection = Connection(client, self._engine, self._identity, self._watch)
            with self._lock:
                full = len(self._connections) >= MAX_CONNECTIONS
                if not full:
                    thread = threading.Thread(target=self._serve, args=(connection,), name="connection", daemon=True)
                    self._connections[connection] = thread
            if full:
                refusal = ServerError(
                    faults.TOO_MANY_SIMULTANEOUS_QUERIES,
                    f"DB::Exception: {MAX_CONNECTIONS} connections are open already",
                )
                with client:
                    client.sendall(packets.exception(refusal))
            else:
                thread.start()

    def _serve(self, connection: Connection) -> None:
        try:
            connection.serve()
        finally:
            with self._lock:
                del self._connections[connection]

    def _finish(self) -> None:
        with self._lock:
            left = dict(self._connections)
        for connection in left:
            connection.stop()
        until = time.monotonic() + GRACE_SECONDS
        for thread in left.values():
            thread.join(max(0.0, until - time.monotonic()))
        for connection, thread in left.items():
            if thread.is_alive():
                _logger.warning("a query still runs %s s after the stop: it is ended", GRACE_SECONDS)
                connection.abort()
                thread.join()
