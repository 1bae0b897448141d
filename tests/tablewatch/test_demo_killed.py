"""A demo whose own process dies, or whose terminal is closed, leaves nothing behind that the next one would meet."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from threading import Event

import pytest
from typer.testing import CliRunner

from tablewatch.command import app
from tablewatch.commands.demo import _until_signalled

PATIENCE_SECONDS = 120
COMMAND = (sys.executable, "-c", "from tablewatch.command import main; main()")

pytestmark = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="whose process it is, /proc says")


def await_that(holds: Callable[[], bool]) -> None:
    until = time.monotonic() + PATIENCE_SECONDS
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.1)


def processes_of(folder: Path) -> set[int]:
    """Those that were started with this data folder, and have not ended."""
    named = f"TABLEWATCH_DATA={folder}".encode()
    found = set()
    for each in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            # What a process has that has ended, and was not waited for, is empty.
            if named in (each / "environ").read_bytes().split(b"\0"):
                found.add(int(each.name))
    return found


@pytest.fixture
def demo(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    environment = {**os.environ, "TABLEWATCH_DATA": str(tmp_path)}
    # Where the tests were started with `nohup`, a demo would go on when its terminal is closed.
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    with (tmp_path / "printed").open("wb") as printed:
        started = subprocess.Popen(
            [*COMMAND, "demo", "--tables", "2", "--port", "0"], env=environment, stdout=printed, stderr=printed
        )
    signal.signal(signal.SIGHUP, before)
    await_that(lambda: b"Ctrl-C" in (tmp_path / "printed").read_bytes() or started.poll() is not None)
    try:
        yield started
    finally:
        started.kill()
        started.wait()
        for each in processes_of(tmp_path):
            os.kill(each, signal.SIGKILL)


@pytest.mark.timeout(600)
@pytest.mark.parametrize(("number", "code"), [(signal.SIGKILL, -9), (signal.SIGHUP, 0)])
def test_a_demo_that_is_killed_or_whose_terminal_is_closed_leaves_no_process(
    demo: subprocess.Popen[bytes], tmp_path: Path, number: signal.Signals, code: int
) -> None:
    assert len(processes_of(tmp_path)) > 6
    demo.send_signal(number)
    assert demo.wait(PATIENCE_SECONDS) == code
    await_that(lambda: processes_of(tmp_path) == set())
    assert "Traceback" not in (tmp_path / "clickhouse.log").read_text()
    assert "Traceback" not in (tmp_path / "worker.log").read_text()


def test_a_folder_that_another_process_has_is_said_with_its_number_and_what_to_do(tmp_path: Path) -> None:
    url = "clickhouse://default@127.0.0.1:0/tablewatch"
    environment = {**os.environ, "TABLEWATCH_DATA": str(tmp_path), "TABLEWATCH_CLICKHOUSE_URL": url}
    left = subprocess.Popen(
        [sys.executable, "-m", "store.embedded", "--data", str(tmp_path / "clickhouse"), "--with-parent"],
        env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    try:
        assert left.stdout is not None
        assert left.stdout.readline().startswith(b"ready ")
        refused = CliRunner().invoke(app, ["demo", "--port", "0"], env={"TABLEWATCH_DATA": str(tmp_path)})
    finally:
        left.communicate()
    assert refused.exit_code == 3
    assert refused.stderr == (
        f"{tmp_path}/clickhouse is in use by process {left.pid}, which may be left from a demo that was killed. If it"
        f" does not end by itself in a minute, end it (kill {left.pid}), or name another folder in TABLEWATCH_DATA.\n"
    )


_KEPT = """
import os, subprocess, sys, time
from tablewatch.commands.demo_keeper import Keeper

code = '''
import os, signal, sys, time
def say(word):
    os.write(1, word.encode() + bytes([10]))
def end(*_):
    time.sleep(float(sys.argv[2]))
    say(sys.argv[1])
    sys.exit()
signal.signal(signal.SIGTERM, end)
say("begun")
time.sleep(1000)
'''
with Keeper() as keeper:
    for name, seconds in (("store", "0"), ("worker", "1"), ("console", "0.3")):
        part = subprocess.Popen([sys.executable, "-c", code, name, seconds], start_new_session=True)
        keeper.keep(part.pid)
    os.write(1, b"all" + bytes([10]))
    time.sleep(1000)
"""


def test_the_parts_of_a_demo_that_was_killed_end_in_order_and_the_store_last() -> None:
    demo = subprocess.Popen([sys.executable, "-c", _KEPT], stdout=subprocess.PIPE, text=True)
    assert demo.stdout is not None
    try:
        begun = [demo.stdout.readline().strip() for _ in range(4)]
        assert sorted(begun) == ["all", "begun", "begun", "begun"]
    finally:
        demo.kill()
        demo.wait()
    assert demo.stdout.read().split() == ["console", "worker", "store"]


@pytest.mark.parametrize(("before", "ended"), [(signal.SIG_DFL, True), (signal.SIG_IGN, False)])
def test_a_closed_terminal_ends_a_demo_that_was_not_started_to_outlive_it(
    before: signal.Handlers, *, ended: bool
) -> None:
    kept = signal.signal(signal.SIGHUP, before)
    try:
        with _until_signalled() as ending:
            assert isinstance(ending, Event)
            signal.raise_signal(signal.SIGHUP)
            assert ending.wait(5 if ended else 0.2) is ended
    finally:
        signal.signal(signal.SIGHUP, kept)
