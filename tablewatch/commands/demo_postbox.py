"""Where the demo's messages to people go: a postbox on this machine, which writes them into a file."""

import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import orjson

ROUTES: Final = """# Whom the demo tells of alerts. Messages go into messages.log beside this file, and nowhere else.
time_zone = "Asia/Singapore"
otherwise = ["shift_manager"]

[people.mei]
roles = ["shift_manager"]
urls = ["json://127.0.0.1:{port}/mei"]

[people.tan]
roles = ["administrator"]
urls = ["json://127.0.0.1:{port}/tan"]

[[rules]]
severity = ["critical", "high"]
tell = ["shift_manager"]

[[escalation]]
severity = ["critical", "high"]
chain = [{{ after = "3m", tell = ["shift_manager"] }}, {{ after = "10m", tell = ["administrator"] }}]

[self_test]
# One that was due in the last six hours is made up for: whenever the demo is begun, one runs.
at = ["00:00", "06:00", "12:00", "18:00"]
"""

_OWN: Final = re.compile(r"//127\.0\.0\.1:(\d+)/")


def _listening(handler: type[BaseHTTPRequestHandler], port: int) -> ThreadingHTTPServer:
    """At the port of the last time, or at another where somebody has that now."""
    try:
        return ThreadingHTTPServer(("127.0.0.1", port), handler)
    except OSError:
        return ThreadingHTTPServer(("127.0.0.1", 0), handler)


class Postbox:
    """Takes messages as a webhook does, and writes each on one line."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "messages.log"
        self._lock = threading.Lock()
        taking = self._taking

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(min(int(self.headers.get("Content-Length", 0)), 1 << 20))
                taking(self.path, body)
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        routes = folder / "alert-routes.toml"
        # What was changed of it, from the console or by hand, holds when the demo is started again.
        text = routes.read_text("utf-8") if routes.exists() else ROUTES.format(port=0)
        before = _OWN.search(text)
        self._server = _listening(Handler, 0 if before is None else int(before[1]))
        after = _OWN.sub(f"//127.0.0.1:{self._server.server_port}/", text)
        if after != text:
            routes.write_text(after, encoding="utf-8")

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _taking(self, path: str, body: bytes) -> None:
        try:
            said = orjson.loads(body)
        except orjson.JSONDecodeError:
            said = {}
        line = {"to": path.strip("/"), "title": said.get("title"), "message": said.get("message")}
        with self._lock, self._file.open("ab") as file:
            file.write(orjson.dumps(line) + b"\n")
