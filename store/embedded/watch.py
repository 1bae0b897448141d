"""Hears a client that cancels, or goes, while its query runs, and has the engine end that query."""

from __future__ import annotations

import logging
import select
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from store.embedded.engine import Engine
from store.embedded.packets import FromClient

_AGAIN_SECONDS: Final = 0.05
_logger: Final = logging.getLogger(__name__)


class Watched:
    """A query under way."""

    def __init__(self, client: socket.socket, tag: str) -> None:
        self.client = client
        self.tag = tag
        self.cancelled = False


class CancelWatch:
    """One thread for all connections; it sleeps until a client speaks in the middle of its query."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._poll = select.epoll()
        self._lock = threading.Lock()
        self._running: dict[int, Watched] = {}
        self._owners: dict[int, Watched] = {}
        self._ended = False
        self._awake, self._wake = socket.socketpair()
        self._poll.register(self._awake.fileno(), select.EPOLLIN)
        self._thread = threading.Thread(target=self._watch, name="cancel-watch", daemon=True)
        self._thread.start()

    @contextmanager
    def watching(self, owner: object, client: socket.socket, tag: str) -> Iterator[Watched]:
        """For the time of a query. When it is left, no late kill can reach the next query of the connection."""
        watched = Watched(client, tag)
        number = client.fileno()
        with self._lock:
            self._running[number] = watched
            self._owners[id(owner)] = watched
            self._poll.register(number, select.EPOLLIN | select.EPOLLRDHUP | select.EPOLLONESHOT)
        try:
            yield watched
        finally:
            with self._lock:
                del self._running[number]
                del self._owners[id(owner)]
                self._poll.unregister(number)

    def cancel(self, owner: object) -> None:
        """Ends what a connection runs, if it runs anything."""
        with self._lock:
            watched = self._owners.get(id(owner))
            if watched is not None:
                watched.cancelled = True
        self._wake.send(b"\x00")

    def close(self) -> None:
        self._ended = True
        self._wake.send(b"\x00")
        self._thread.join()
        self._poll.close()
        self._awake.close()
        self._wake.close()

    def _watch(self) -> None:
        while not self._ended:
            waiting = any(watched.cancelled for watched in list(self._running.values()))
            events = self._poll.poll(_AGAIN_SECONDS if waiting else -1)
            for number, _ in events:
                if number == self._awake.fileno():
                    self._awake.recv(1 << 12)
                else:
                    self._heard(number)
            # A query may not be known to the engine yet when its client cancels it: told again until it has ended.
            with self._lock:
                for watched in self._running.values():
                    if watched.cancelled:
                        self._kill(watched)

    def _heard(self, number: int) -> None:
        with self._lock:
            watched = self._running.get(number)
            if watched is None:
                return
            try:
                first = watched.client.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT)
            except BlockingIOError:
                first = None
            except OSError:
                first = b""
            if first == b"" or first == bytes((FromClient.CANCEL,)):
                watched.cancelled = True
            elif first is None:
                self._poll.modify(number, select.EPOLLIN | select.EPOLLRDHUP | select.EPOLLONESHOT)
            else:
                # The client has sent its next packet ahead; only its going matters now.
                self._poll.modify(number, select.EPOLLRDHUP | select.EPOLLONESHOT)

    def _kill(self, watched: Watched) -> None:
        try:
            self._engine.kill(watched.tag)
        except RuntimeError as error:
            _logger.warning("could not end a query: %s", error)
