"""Whose turn it is to write: a lock between processes that wakes its next holder at once.

SQLite lets one writer in and makes the others poll with growing naps (up to 100 ms each). Waiting in the kernel for a
file lock instead keeps appends of several processes within a millisecond or two, and a killed holder releases it.
"""

import fcntl
from pathlib import Path
from types import TracebackType


class Turn:
    """Held around each write transaction; one object per connection, since the lock belongs to the open file."""

    def __init__(self, folder: Path) -> None:
        self._file = (folder / "writer.lock").open("ab")

    def __enter__(self) -> None:
        fcntl.flock(self._file, fcntl.LOCK_EX)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        fcntl.flock(self._file, fcntl.LOCK_UN)

    def close(self) -> None:
        self._file.close()
