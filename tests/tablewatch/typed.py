"""The command `tablewatch` as people type it, in this process: a new one for each of so many would take minutes."""

import gc
import sys
from contextlib import redirect_stderr, redirect_stdout
from io import BytesIO, TextIOWrapper
from typing import NamedTuple

import pytest

from tablewatch.command import main


class Done(NamedTuple):
    """How a command ended and what it printed."""

    returncode: int
    stdout: bytes
    stderr: bytes


def typed(*words: str, stdin: bytes = b"", **settings: str) -> Done:
    """Run `tablewatch WORDS` under these settings of its environment."""
    printed, told = BytesIO(), BytesIO()
    given, out, err = (TextIOWrapper(each, write_through=True) for each in (BytesIO(stdin), printed, told))
    code = 0
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        patch.setattr(sys, "stdin", given)
        patch.setattr(sys, "argv", ["tablewatch", *words])
        for name, value in settings.items():
            patch.setenv(name, value)
        try:
            main()
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 0
        finally:
            gc.enable()  # the audit turns it off, for a process that ends with it
    return Done(code, printed.getvalue(), told.getvalue())
