"""The parts of the demo: each a process of its own, with its log in the data folder, stopped in good order."""

import random
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from tablewatch.commands.demo_keeper import STOP_SECONDS, Keeper

ANSWER_SECONDS = 300.0
"""On a machine with much else to do, all parts together may take more than a minute to begin."""
OWN_PORTS = range(20_000, 30_000)
_IN_USE = re.compile(r"^The folder (.+) is in use by process (\d+)", re.MULTILINE)
"""As the embedded store says it (store/embedded/folder.py)."""


class Part:
    """A command of ours as a process; told to stop at the end, and waited for."""

    def __init__(self, environment: dict[str, str], keeper: Keeper, *command: str) -> None:
        self.name = command[0]
        self.log = Path(environment["TABLEWATCH_DATA"]) / f"{self.name}.log"
        with self.log.open("ab") as file:
            self._log_before = file.tell()
            self._process = subprocess.Popen(
                [sys.executable, "-c", "from tablewatch.command import main; main()", *command],
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=file,
                # Ctrl-C at the terminal is for the demo, which stops its parts in their order.
                start_new_session=True,
            )
        self.number = self._process.pid
        """Of its process."""
        keeper.keep(self.number)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.terminate()
        try:
            self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    @property
    def ended(self) -> bool:
        """Whether it has ended by itself."""
        return self._process.poll() is not None

    @property
    def ending(self) -> str:
        """How it has ended, and what its log can say of that."""
        code = self._process.wait()
        if code < 0:
            return f"was killed ({_signal(-code)}); {self.log} says what it did before"
        return f"has ended by itself with {code}; {self.log} says why"

    @property
    def in_use(self) -> tuple[str, int] | None:
        """The folder that it could not have, by its log, and the process that has it."""
        with self.log.open("rb") as file:
            file.seek(self._log_before)
            found = _IN_USE.search(file.read().decode(errors="replace"))
        return None if found is None else (found[1], int(found[2]))


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def await_answer(port: int, part: Part, ending: threading.Event) -> bool:
    """Wait until the console answers; False where it does not: it has ended, nobody waits any more, or it takes so long
    that something is wrong."""
    deadline = time.monotonic() + ANSWER_SECONDS
    while not part.ended and time.monotonic() < deadline and not ending.wait(0.2):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=2):
                return True
        except (urllib.error.URLError, OSError):
            continue
    return False


def free_port() -> int:
    """A port of this machine that nobody uses just now. It is none of those that a system gives to whoever connects
    somewhere (from 32768 on Linux): such a one may be taken until the part that it is for has begun."""
    for port in random.sample(OWN_PORTS, 200):
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise OSError("no port of this machine is free")
