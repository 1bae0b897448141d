"""Standard output that cannot be written is told apart from input that cannot be read: both are an ``OSError``."""

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final

CANNOT_WRITE: Final = 2


class OutputLost(Exception):
    """What a command prints cannot be written: make room, or print it to somewhere else."""


class _Output(io.FileIO):
    """Standard output. Whoever reads may stop reading, which is no fault."""

    def write(self, data: Any) -> int:
        try:
            return super().write(data) or 0
        except BrokenPipeError:
            raise
        except OSError as error:
            raise OutputLost(f"The output cannot be written: {error.strerror}.") from error


@contextmanager
def told_if_lost() -> Iterator[None]:
    """A command whose output cannot be written ends with 2, and one line that says why."""
    # Nobody may have given it one, or one that is no file.
    if not isinstance(getattr(sys.stdout, "buffer", None), io.BufferedWriter | io.FileIO):
        yield
        return
    sys.stdout = output = _watched(sys.stdout)
    try:
        try:
            yield
        finally:
            # Python would do so at its end, and could only complain. Of a reader who stopped it does as before.
            with suppress(BrokenPipeError):
                output.flush()
    except OutputLost as error:
        # What is left is not tried once more at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), output.fileno())
        sys.stderr.write(f"{error}\n")
        sys.exit(CANNOT_WRITE)


def _watched(stdout: Any) -> io.TextIOWrapper:
    raw = _Output(stdout.fileno(), "wb", closefd=False)
    return io.TextIOWrapper(
        io.BufferedWriter(raw),
        encoding=stdout.encoding,
        errors=stdout.errors,
        line_buffering=stdout.line_buffering,
        write_through=stdout.write_through,
    )
