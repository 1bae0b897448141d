"""A data folder that cannot be made or used is said in one line, by every command that writes to it."""

import resource
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from replay.chain.keys import KeyNotWritten, KeyRing
from tests.tablewatch.typed import typed

PLACES = ("a file", pytest.param("/proc/nope", marks=pytest.mark.skipif(sys.platform != "linux", reason="no /proc")))
COMMANDS = {
    "demo": ("", 2),
    "clickhouse": ("/clickhouse", 3),
    "keys make": ("/keys/", 2),
    "topics create": ("/log", 2),
    "publish": ("/log", 2),
    "chain checkpoint": ("", 2),
    "console": ("/log", 2),
    "console users list": ("/console.sqlite3", 2),
    "gateway token add a --table B --source /b --kind card-reader": ("/gateway-tokens.json", 2),
    "doctor": ("/log", 3),
}
"""What of the folder is named, and the exit code."""


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_data_folder_that_cannot_be_used_is_said_in_one_line(tmp_path: Path, place: str, command: str) -> None:
    folder = tmp_path / "data" if place == "a file" else Path(place)
    if place == "a file":
        folder.touch()
    named, code = COMMANDS[command]
    done = typed(*command.split(), TABLEWATCH_DATA=str(folder))
    said = done.stderr.decode() + done.stdout.decode()
    (line,) = [each for each in said.splitlines() if f"{folder}{named}" in each]
    assert "cannot be" in line
    assert "TABLEWATCH_BROKER" not in line
    assert done.returncode == code
    if command != "doctor":
        assert said == f"{line}\n"


@contextmanager
def room_for(size: int) -> Iterator[None]:
    """No file may become longer, as on a disk that is nearly full."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("size", [10, 100])
def test_of_a_key_that_does_not_fit_on_the_disk_nothing_is_left(tmp_path: Path, size: int) -> None:
    """With room for nothing, and with room for its private half alone."""
    ring = KeyRing(tmp_path / "keys")
    with room_for(size), pytest.raises(KeyNotWritten, match=rf"^{tmp_path}/keys/\w+\.\w+ cannot be written: File too"):
        ring.make("otto")
    assert list((tmp_path / "keys").iterdir()) == []
    assert ring.make("otto") == ring.current()[0]
