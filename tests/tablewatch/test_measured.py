"""The port of a service's metrics."""

import socket

import httpx
import pytest
import typer

from tablewatch.commands.measured import measured


def test_a_metrics_port_that_is_taken_is_said_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(typer.Exit) as ended:
            measured("METRICS_PORT", port, lambda: True)
    assert ended.value.exit_code == 2
    why = "Address already in use. Set TABLEWATCH_METRICS_PORT to another (0: a free one)."
    assert capsys.readouterr().err == f"127.0.0.1 port {port} cannot be used for metrics: {why}\n"


def test_the_setting_names_the_port_unless_the_command_does(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        monkeypatch.setenv("TABLEWATCH_WATCHES_PORT", str(taken.getsockname()[1]))
        with pytest.raises(typer.Exit):
            measured("WATCHES_PORT", None, lambda: True)
        port = measured("WATCHES_PORT", 0, lambda: False, lambda: "the store is away")
    answer = httpx.get(f"http://127.0.0.1:{port}/readyz")
    assert (answer.status_code, answer.text) == (503, "not ready: the store is away\n")
