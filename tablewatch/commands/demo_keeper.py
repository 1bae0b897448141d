"""What ends the parts of a demo whose own process was killed: a process beside it, which hears of that by a pipe.

On every system, and whatever becomes of the demo: the write end of the pipe is the demo's alone, and is closed with it.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from types import TracebackType
from typing import Self

STOP_SECONDS = 60.0
LOOK_SECONDS = 0.1
_GONE = (ProcessLookupError, PermissionError)
"""What is said of a process that has ended, or whose number another one has since."""


class Keeper:
    """Ends the processes that it was told of when this process is gone. Where it still is, it ends them itself."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", "from tablewatch.commands.demo_keeper import main; main()"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            # What ends a whole group, as a closed terminal does, is not for it.
            start_new_session=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.communicate()

    def keep(self, process: int) -> None:
        """Watch over one more. The first one is ended last: the others may have something to write to it."""
        if self._process.stdin is not None:
            with suppress(BrokenPipeError):
                self._process.stdin.write(f"{process}\n".encode())
                self._process.stdin.flush()


def main() -> None:
    """Read numbers of processes until whoever writes them is gone, and end them."""
    processes = [int(line) for line in sys.stdin]
    _end(processes[1:])
    _end(processes[:1])


def _end(processes: Iterable[int]) -> None:
    left = [each for each in processes if _sent(each, signal.SIGTERM)]
    deadline = time.monotonic() + STOP_SECONDS
    while left and time.monotonic() < deadline:
        time.sleep(LOOK_SECONDS)
        left = [each for each in left if _sent(each, 0)]
    for each in left:
        _sent(each, signal.SIGKILL)


def _sent(process: int, number: int) -> bool:
    """Whether the process is there to be sent the signal; 0 only asks."""
    try:
        os.kill(process, number)
    except _GONE:
        return False
    return True
