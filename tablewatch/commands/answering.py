"""Answers /metrics, /healthz and /readyz of a service, for whoever measures and supervises it."""

import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from prometheus_client import CONTENT_TYPE_LATEST, generate_latest


def serve(
    port: int, ready: Callable[[], bool], host: str = "127.0.0.1", *, lacks: Callable[[], str | None] = lambda: None
) -> ThreadingHTTPServer:
    """Answers /metrics, /healthz and /readyz, on this machine alone unless told otherwise; port 0 takes a free one.
    ``lacks`` says in words what one that is not ready waits for."""

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path == "/metrics":
                self._send(200, generate_latest(), CONTENT_TYPE_LATEST)
            elif self.path == "/healthz":
                self._send(200, b"ok\n", "text/plain")
            elif self.path == "/readyz":
                reason = lacks()
                not_ready = "not ready" if reason is None else f"not ready: {reason}"
                self._send(*((200, b"ready\n") if ready() else (503, f"{not_ready}\n".encode())), "text/plain")
            else:
                self._send(404, b"/metrics, /healthz, /readyz\n", "text/plain")

        def _send(self, status: int, body: bytes, kind: str) -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Requests are not logged."""

    server = ThreadingHTTPServer((host, port), Answer)
    threading.Thread(target=server.serve_forever, name="metrics", daemon=True).start()
    return server
