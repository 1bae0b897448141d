"""An INSERT under way: Native blocks go through a pipe into a query that reads the pipe as its file.

chdb has an interface for streaming inserts, but where the engine refuses the rows themselves (a constraint, a view, a
full disk) it reports them as written. An INSERT from a file reports every error, and is done when the rows are on the
disk.
"""

from __future__ import annotations

import fcntl
import os
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

from store.embedded import faults
from store.embedded.faults import ServerError
from store.embedded.packets import Progress
from store.embedded.statements import Insert

_PIPE: Final = 1 << 20
_HALF_A_BLOCK: Final = b"\x01"
"""A number of columns and then nothing: the engine takes it for a file that was cut off, and writes none of it."""


class Insertion:
    """Fed by the thread of its connection; the query runs on a thread of its own."""

    def __init__(self, insert: Insert, run: Callable[[str], Any]) -> None:
        self._reading, self._writing = os.pipe()
        with suppress(PermissionError):  # this user has many pipes already: a small one does as well
            fcntl.fcntl(self._writing, fcntl.F_SETPIPE_SZ, _PIPE)
        self._between_blocks = True
        self._outcome: Progress | ServerError = ServerError(
            faults.UNKNOWN_EXCEPTION, "DB::Exception: the engine has not finished the insert"
        )
        sql = f"{insert.statement} FROM INFILE '/proc/self/fd/{self._reading}' {insert.settings} FORMAT Native"
        self._thread = threading.Thread(target=self._run, args=(run, sql), name="insert", daemon=True)
        self._thread.start()

    def _run(self, run: Callable[[str], Any], sql: str) -> None:
        try:
            done = run(sql)
            self._outcome = Progress(written_rows=done.rows_written(), written_bytes=done.bytes_written())
        except ServerError as error:
            self._outcome = error
        finally:
            # Whoever still writes learns by a broken pipe that nobody reads.
            os.close(self._reading)

    def append(self, native: bytes) -> None:
        """Some bytes of a block; raises what the engine has against it, or against those before."""
        self._between_blocks = False
        left = memoryview(native)
        try:
            while left:
                left = left[os.write(self._writing, left) :]
        except BrokenPipeError:
            self._thread.join()
            if isinstance(self._outcome, ServerError):
                raise self._outcome from None
            raise ServerError(
                faults.UNKNOWN_EXCEPTION, "DB::Exception: the engine ended the insert before its data did"
            ) from None

    def end_block(self) -> None:
        """What was appended so far are whole blocks."""
        self._between_blocks = True

    def finish(self) -> Progress:
        """Commits. When it returns, the rows are on the disk."""
        self._end()
        if isinstance(self._outcome, ServerError):
            raise self._outcome
        return self._outcome

    def cancel(self) -> None:
        """Gives up what was not written yet. In the middle of a block the end alone says so; after a whole one, a torn
        one has to follow."""
        if self._between_blocks and self._writing >= 0:
            # An engine that reads no more has given the insert up by itself.
            with suppress(BrokenPipeError):
                os.write(self._writing, _HALF_A_BLOCK)
        self._end()

    def _end(self) -> None:
        if self._writing >= 0:
            os.close(self._writing)
            self._writing = -1
        self._thread.join()
