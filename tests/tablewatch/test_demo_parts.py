"""The demo says where the console is when it is there, and not before."""

import fcntl
import os
import signal
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import orjson
import pytest
import typer
from typer.testing import CliRunner

from streams.broker_url import EmbeddedLog
from tablewatch.command import app
from tablewatch.commands import demo_parts
from tablewatch.commands.demo import _tell_of_end
from tablewatch.commands.demo_floor import DemoFloor
from tablewatch.commands.demo_keeper import Keeper
from tablewatch.commands.demo_parts import Part, await_answer, free_port


class _Answering(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: Any) -> None: ...


def _part(*, ended: bool = False) -> Any:
    return SimpleNamespace(ended=ended)


def test_a_console_that_answers_late_is_waited_for() -> None:
    port = free_port()
    served: list[HTTPServer] = []

    def serve() -> None:
        time.sleep(0.6)
        served.append(HTTPServer(("127.0.0.1", port), _Answering))
        served[0].handle_request()
        served[0].server_close()

    serving = threading.Thread(target=serve)
    serving.start()
    assert await_answer(port, _part(), threading.Event()) is True
    serving.join(120)


def test_a_console_that_has_ended_or_never_answers_is_not_said_to_be_there(monkeypatch: pytest.MonkeyPatch) -> None:
    assert await_answer(free_port(), _part(ended=True), threading.Event()) is False
    ending = threading.Event()
    ending.set()
    assert await_answer(free_port(), _part(), ending) is False
    monkeypatch.setattr(demo_parts, "ANSWER_SECONDS", 0.5)
    assert await_answer(free_port(), _part(), threading.Event()) is False


def test_a_free_port_is_none_that_somebody_listens_on_or_is_given_by_connecting() -> None:
    taken = [free_port() for _ in range(20)]
    assert all(port < 32_768 for port in taken)
    with HTTPServer(("127.0.0.1", taken[0]), _Answering), pytest.MonkeyPatch.context() as patch:
        patch.setattr(demo_parts, "OWN_PORTS", [taken[0]])
        patch.setattr("random.sample", lambda ports, _: ports)
        with pytest.raises(OSError, match="no port"):
            free_port()


def test_a_second_demo_in_the_same_folder_is_refused_and_leaves_the_first_alone(tmp_path: Path) -> None:
    (tmp_path / "environment").write_text("of the first")
    with (tmp_path / "demo.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        refused = CliRunner().invoke(app, ["demo", "--seconds", "1"], env={"TABLEWATCH_DATA": str(tmp_path)})
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert refused.stderr == f"A demo runs in {tmp_path}. End it, or name another folder in TABLEWATCH_DATA.\n"
    assert (tmp_path / "environment").read_text() == "of the first"


@pytest.mark.parametrize(
    ("command", "killed", "said"),
    [
        ("clickhouse", True, "The clickhouse was killed (SIGKILL); {log} says what it did before.\n"),
        ("clickhouses", False, "The clickhouses has ended by itself with 2; {log} says why.\n"),
    ],
)
def test_a_part_that_has_ended_is_said_with_its_signal_or_its_exit_code(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str, *, killed: bool, said: str
) -> None:
    with Keeper() as keeper, Part({**os.environ, "TABLEWATCH_DATA": str(tmp_path)}, keeper, command) as part:
        if killed:
            os.kill(part.number, signal.SIGKILL)
        while not part.ended:
            time.sleep(0.05)
        with pytest.raises(typer.Exit):
            _tell_of_end(part)
    assert capsys.readouterr().err == said.format(log=part.log)


def test_a_floor_that_goes_on_says_when_it_is_another_than_was_asked_for(tmp_path: Path) -> None:
    log = EmbeddedLog(tmp_path / "log")
    assert not DemoFloor(tmp_path, log, 40, 1, 0.03).other_than_asked
    kept = {"tables": 4, "seed": 7, "faults": 0.5, "start": "2026-03-01T10:00:00+00:00", "sent": 9}
    (tmp_path / "demo.json").write_bytes(orjson.dumps(kept))
    assert not DemoFloor(tmp_path, log, 4, 7, 0.5).other_than_asked
    floor = DemoFloor(tmp_path, log, 40, 1, 0.03)
    assert floor.other_than_asked
    assert str(floor) == "4 tables, seed 7 and faults in 0.5 of the rounds"
