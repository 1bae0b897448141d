"""The embedded server as a child process: started, waited for, stopped."""

from __future__ import annotations

import os
import secrets
import selectors
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import IO, Final
from urllib.parse import quote

from store.embedded.faults import CannotStart

START_SECONDS: Final = 60.0
STOP_SECONDS: Final = 60.0


class EmbeddedClickHouse:
    """A server that lives as long as the `with` block, and no longer than the process that started it.

    >>> with EmbeddedClickHouse(folder) as server:
    ...     client = Client.from_url(server.url)
    """

    def __init__(
        self,
        data: Path,
        host: str = "127.0.0.1",
        port: int = 0,
        user: str = "tablewatch",
        password: str | None = None,
        database: str = "tablewatch",
    ) -> None:
        self.data = data
        self.host = host
        self.port = port
        """The port asked for, and from the start on the port taken."""
        self.user = user
        self.password = secrets.token_urlsafe(16) if password is None else password
        self.database = database
        self._process: subprocess.Popen[bytes] | None = None
        self._errors: IO[bytes] | None = None

    @property
    def url(self) -> str:
        """Where clients find it: clickhouse://user:password@host:port/database."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return (
            f"clickhouse://{quote(self.user, safe='')}:{quote(self.password, safe='')}"
            f"@{host}:{self.port}/{quote(self.database, safe='')}"
        )

    @property
    def pid(self) -> int:
        return self._running().pid

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            raise RuntimeError("the embedded server has not been started")
        return self._process

    def __enter__(self) -> EmbeddedClickHouse:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def start(self) -> None:
        """Starts it and waits until it answers; raises CannotStart with the reason that it gives."""
        # The URL goes by the environment: a command line can be read by every user of the machine.
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the server
        process = subprocess.Popen(
            [sys.executable, "-m", "store.embedded", "--data", str(self.data), "--with-parent"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env={**os.environ, "TABLEWATCH_CLICKHOUSE_URL": self.url},
        )
        self._process = process
        line = _first_line(process, START_SECONDS)
        if not line.startswith(b"ready "):
            process.kill()
            process.wait()
            reason = self.log().strip().splitlines()
            self._release()
            raise CannotStart(reason[-1] if reason else f"the server did not answer within {START_SECONDS:.0f} s")
        self.port = int(line.split()[1])

    def log(self) -> str:
        """What the server has written to its standard error."""
        if self._errors is None:
            return ""
        self._errors.seek(0)
        return self._errors.read().decode(errors="replace")

    def kill(self) -> None:
        """Ends it as a power cut would: SIGKILL."""
        process = self._running()
        process.kill()
        process.wait()
        self._release()

    def stop(self) -> None:
        """Lets it finish the queries in hand and waits for its end."""
        if self._process is None:
            return
        process = self._process
        process.terminate()
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        self._release()

    def _release(self) -> None:
        if self._process is not None:
            for stream in (self._process.stdin, self._process.stdout):
                if stream is not None:
                    stream.close()
        if self._errors is not None:
            self._errors.close()
            self._errors = None
        self._process = None


def _first_line(process: subprocess.Popen[bytes], seconds: float) -> bytes:
    assert process.stdout is not None
    until = time.monotonic() + seconds
    line = b""
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while not line.endswith(b"\n") and (left := until - time.monotonic()) > 0:
            if not selector.select(left):
                break
            piece = os.read(process.stdout.fileno(), 1 << 10)
            if not piece:
                break
            line += piece
    return line
