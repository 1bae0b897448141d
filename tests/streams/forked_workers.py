"""Workers that are at work sooner: each is forked from a process that has read all of the code, and is a process that
can be killed as any other. What starts anew, its group, store and log, it starts itself."""

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Mapping
from functools import cache
from multiprocessing.context import ForkServerContext, ForkServerProcess
from pathlib import Path
from typing import Protocol

READ_BEFORE = ["tablewatch.command", "tablewatch.commands.worker", "uvloop"]


class WorkerProcess(Protocol):
    """A worker, as `subprocess` has it."""

    def poll(self) -> int | None: ...

    def wait(self, timeout: float | None = None) -> int: ...

    def send_signal(self, number: int, /) -> None: ...

    def kill(self) -> None: ...


class ForkedWorker:
    """A worker's process, asked as one that `subprocess` started."""

    def __init__(self, process: ForkServerProcess) -> None:
        self._process = process

    def poll(self) -> int | None:
        """Its exit code; None while it runs."""
        return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end; its exit code."""
        self._process.join(timeout)
        code = self._process.exitcode
        if code is None:
            raise TimeoutError(f"the worker did not end in {timeout} s")
        return code

    def send_signal(self, number: int) -> None:
        """Send it a signal."""
        if self._process.is_alive() and self._process.pid is not None:
            os.kill(self._process.pid, number)

    def kill(self) -> None:
        """kill -9."""
        self.send_signal(signal.SIGKILL)


class Nest:
    """The process that has read the code."""

    def __init__(self) -> None:
        self._context: ForkServerContext = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload(READ_BEFORE)

    def start(self, environment: Mapping[str, str], log: Path) -> ForkedWorker:
        """A worker that writes what it says to the end of a file."""
        process = self._context.Process(target=_work, args=(dict(environment), str(log)), daemon=True)
        process.start()
        return ForkedWorker(process)


@cache
def nest() -> Nest:
    """The one of this process: `multiprocessing` has one for all."""
    return Nest()


def _work(environment: dict[str, str], log: str) -> None:
    threading.Thread(target=_end_with_parent, daemon=True).start()
    os.environ.clear()
    os.environ.update(environment)
    file = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.dup2(file, sys.stdout.fileno())
    os.dup2(file, sys.stderr.fileno())
    sys.argv = ["tablewatch", "worker"]
    from tablewatch.command import main  # of the environment that was set just now

    main()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
