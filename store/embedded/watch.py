"""Hears a client that cancels, or goes, while its query runs, and has the engine end that query."""

from __future__ import annotations

import logging
import select
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from store.embedded.engine import Engine
from store.embedded.packets import FromClient

_AGAIN_SECONDS: Final = 0.05
_SPEAKS_OR_GOES: Final = select.EPOLLIN | select.EPOLLRDHUP | select.EPOLLONESHOT
_GOES: Final = select.EPOLLRDHUP | select.EPOLLONESHOT
_logger: Final = logging.getLogger(__name__)


@dataclass(slots=True)
class Watched:
    """A query under way."""

    client: socket.socket
    tag: str
    cancelled: bool


class CancelWatch:
    """One thread for all connections; it sleeps until a client speaks in the middle of its query."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._poll = select.epoll()
        self._lock = threading.Lock()
        self._running: dict[int, Watched] = {}
        self._ended = False
        self._awake, self._alarm = socket.socketpair()
        self._poll.register(self._awake.fileno(), select.EPOLLIN)
        self._thread = threading.Thread(target=self._watch, name="cancel-watch", daemon=True)
        self._thread.start()

    @contextmanager
    def watching(self, client: socket.socket, tag: str, cancelled: bool = False) -> Iterator[Watched]:
        """For the time of a query. Once it is left, no late kill can reach the next query of the connection."""
        watched = Watched(client, tag, cancelled)
        number = client.fileno()
        with self._lock:
            self._running[number] = watched
            self._poll.register(number, _SPEAKS_OR_GOES)
        if cancelled:
            self._alarm.send(b"\x00")
        try:
            yield watched
        finally:
            with self._lock:
                del self._running[number]
                self._poll.unregister(number)

    def cancel(self, client: socket.socket) -> None:
        """Ends what a connection runs, if it runs anything."""
        with self._lock:
            for watched in self._running.values():
                if watched.client is client:
                    watched.cancelled = True
        self._alarm.send(b"\x00")

    def close(self) -> None:
        self._ended = True
        self._alarm.send(b"\x00")
        self._thread.join()
        self._poll.close()
        self._awake.close()
        self._alarm.close()

    def _watch(self) -> None:
        kills_due = False
        while not self._ended:
            for number, _ in self._poll.poll(_AGAIN_SECONDS if kills_due else None):
                if number == self._awake.fileno():
                    self._awake.recv(1 << 12)
                else:
                    self._hear(number)
            # The engine may not know a query yet when its client cancels it: told again until the query has ended.
            with self._lock:
                cancelled = [watched for watched in self._running.values() if watched.cancelled]
                for watched in cancelled:
                    self._kill(watched)
            kills_due = bool(cancelled)

    def _hear(self, number: int) -> None:
        with self._lock:
            watched = self._running.get(number)
            if watched is None:
                return
            try:
                first = watched.client.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT)
            except BlockingIOError:
                self._poll.modify(number, _SPEAKS_OR_GOES)
                return
            except OSError:
                first = b""
            if first in (b"", bytes((FromClient.CANCEL,))):
                watched.cancelled = True
            else:
                # The client has sent its next packet ahead; only its going matters now.
                self._poll.modify(number, _GOES)

    def _kill(self, watched: Watched) -> None:
        try:
            self._engine.kill(watched.tag)
        except RuntimeError as error:
            _logger.warning("could not end a query: %s", error)
