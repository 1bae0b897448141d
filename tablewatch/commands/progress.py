"""A progress bar on stderr for a command that reads a stream or works for long; silent unless a person is watching."""

import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import UnsupportedOperation
from typing import BinaryIO

from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    Progress,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)


@contextmanager
def reading(stream: BinaryIO, what: str) -> Iterator[Callable[[int], None]]:
    """Shows how many bytes of the stream have been read; yields the function to call with each number more."""
    if not sys.stderr.isatty():
        yield lambda size: None
        return
    columns = (TextColumn(what), BarColumn(), DownloadColumn(), TransferSpeedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(what, total=_size(stream))
        yield lambda size: progress.advance(task, size)


@contextmanager
def working(what: str) -> Iterator[Callable[[float], None]]:
    """Shows how much of a known work is done; yields the function to call with the share that is done, from 0 to 1.

    Silent also where the output goes to a person's terminal: its lines show how far the work is, and a bar between
    them would only be in the way.
    """
    if not sys.stderr.isatty() or sys.stdout.isatty():
        yield lambda share: None
        return
    columns = (TextColumn(what), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(what, total=1.0)
        yield lambda share: progress.update(task, completed=share)


def _size(stream: BinaryIO) -> int | None:
    """The bytes that are left of a file; unknown for a pipe or a terminal."""
    try:
        status = os.fstat(stream.fileno())
        return status.st_size - stream.tell() if stat.S_ISREG(status.st_mode) else None
    except (UnsupportedOperation, OSError):
        return None
