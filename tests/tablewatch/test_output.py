"""Whoever reads what a command prints may stop reading; a connection that breaks is another matter."""

import errno
import subprocess
import sys
from pathlib import Path

import pytest
import typer

from tablewatch.commands.lazily import Command, lazily

STARTED = [sys.executable, "-c", "from tablewatch.command import main; main()"]


@pytest.mark.parametrize(
    "command",
    [
        ["odds", "dragon_tiger"],
        ["rules", "tiger"],
        ["settle", "--games"],
        ["simulate", "--tables", "2", "--rounds", "30"],
        ["audit", "--help"],
    ],
    ids=lambda command: " ".join(command[:2]),
)
def test_whoever_reads_may_stop_reading(command: list[str]) -> None:
    with subprocess.Popen([*STARTED, *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0


@pytest.mark.parametrize(
    "command",
    [
        ["odds", "dragon_tiger"],
        ["rules", "tiger"],
        ["settle"],
        ["simulate", "--tables", "2", "--rounds", "30"],
        ["audit"],
        ["audit", "--strict"],
        ["--help"],
    ],
    ids=" ".join,
)
def test_output_that_cannot_be_written_is_told_in_one_line(command: list[str], tmp_path: Path) -> None:
    events = tmp_path / "events.jsonl"
    if command[0] == "audit":
        made = subprocess.run([*STARTED, "simulate", "--tables", "1", "--rounds", "9"], capture_output=True, check=True)
        events.write_bytes(made.stdout)
        command = [*command, str(events)]
    given = b'{"id": 1, "game": "dragon_tiger", "decks": 8, "cards": ["9H", "2S"], "stake": "5"}\n'
    with Path("/dev/full").open("wb") as full:
        ended = subprocess.run([*STARTED, *command], input=given, stdout=full, stderr=subprocess.PIPE, check=False)
    assert ended.stderr == b"The output cannot be written: No space left on device.\n"
    assert ended.returncode == 2


def test_a_command_that_acts_does_not_say_that_it_did_all_when_nobody_read_to_the_end(tmp_path: Path) -> None:
    command = [*STARTED, "topics", "create", "--data", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.close()
    assert process.returncode == 1


def test_a_command_without_standard_output_does_its_work() -> None:
    ended = subprocess.run(
        ["sh", "-c", '"$@" >&-', "sh", *STARTED, "settle", "--games"], capture_output=True, check=False
    )
    assert b"Traceback" not in ended.stderr


def broken() -> None:
    """A connection to a service breaks."""
    raise BrokenPipeError(errno.EPIPE, "of a connection")


def test_a_connection_that_breaks_is_not_taken_for_a_reader_who_stopped() -> None:
    code = f"from {__name__} import app; app()"
    ended = subprocess.run([sys.executable, "-c", code, "broken"], capture_output=True, check=False)
    assert ended.returncode != 0


app = typer.Typer(cls=lazily({"broken": Command(f"{__name__}:broken", "Breaks.")}))


@app.callback()
def _some() -> None: ...
