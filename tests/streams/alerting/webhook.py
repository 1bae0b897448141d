"""A real HTTP server that takes messages as apprise's json:// sends them, and can be taken away and brought back."""

import json
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

PATIENCE_SECONDS = 240.0
"""For a loaded machine; nothing is asserted about it."""


class Webhook:
    """Keeps what it was sent, by the path it was sent to."""

    def __init__(self) -> None:
        self.port = 0
        self.got: list[tuple[str, dict[str, Any]]] = []
        self.on_message: Callable[[str, dict[str, Any]], int] = lambda _path, _message: 200
        """Gives the answer's status; called when a message has arrived and before it is answered."""
        self._server: ThreadingHTTPServer | None = None
        self.up()

    def up(self) -> None:
        """Begin to listen, at the port that it had before if it had one."""
        outer = self

        class Answer(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                status = outer.on_message(self.path, message)
                if status == 200:
                    outer.got.append((self.path, message))
                self.send_response(status)
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:
                """Requests are not logged."""

        self._server = ThreadingHTTPServer(("127.0.0.1", self.port), Answer)
        self.port = self._server.server_port
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def down(self) -> None:
        """Stop listening: whoever sends is refused."""
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    def url(self, path: str) -> str:
        """The address of one person."""
        return f"json://127.0.0.1:{self.port}/{path}"

    def messages(self, path: str) -> list[dict[str, Any]]:
        """What one person got."""
        return [message for where, message in self.got if where == f"/{path}"]

    def titles(self, path: str) -> list[str]:
        """The titles of what one person got."""
        return [message["title"] for message in self.messages(path)]


def until(there: Callable[[], object], what: str = "") -> None:
    """Wait until something is so."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not there():
        assert time.monotonic() < deadline, what or "it did not come"
        time.sleep(0.02)
