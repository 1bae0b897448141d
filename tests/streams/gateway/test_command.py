"""`tablewatch gateway`: tokens made, listed and revoked; a server that starts, serves and ends in good order."""

import os
import re
import signal
import socket
import ssl
import subprocess
import sys
from pathlib import Path

import httpx
import orjson
import pytest
from typer.main import get_command
from typer.testing import CliRunner

from streams.broker_url import EmbeddedLog
from streams.gateway.tokens import TokenFile
from tablewatch.commands.gateway import gateway
from tablewatch.settings import SETTINGS
from tests.services.certificate import self_signed
from tests.streams.gateway.floor import ONE, READER, Floor, card, until

RUN = CliRunner()
READER_12 = ["reader-12", "--table", "BT12", "--source", READER, "--kind", "card-reader"]


def test_a_token_is_printed_once_listed_without_its_secret_and_revoked(tmp_path: Path) -> None:
    where = ["--data", str(tmp_path)]
    assert RUN.invoke(gateway, ["token", "list", *where]).stdout.startswith("No device has a token. ")
    assert RUN.invoke(gateway, ["token", "list", "--json", *where]).stdout == ""
    made = RUN.invoke(gateway, ["token", "add", *READER_12, *where])
    assert made.exit_code == 0, made.output
    token = made.stdout.strip()
    listed = RUN.invoke(gateway, ["token", "list", *where])
    heads, row = listed.stdout.splitlines()
    assert re.fullmatch(r"id +device +may send +tables +sources +token", heads)
    assert re.match(r"\w+  reader-12  card-reader  BT12    /tables/BT12/reader  since ", row)
    assert [heads.index(head) for head in ("device", "tables")] == [row.index(cell) for cell in ("reader-12", "BT12  ")]
    assert token not in listed.stdout
    (shown,) = map(orjson.loads, RUN.invoke(gateway, ["token", "list", "--json", *where]).stdout.splitlines())
    assert "digest" not in shown
    assert "card.drawn.v1" in shown["types"]
    assert RUN.invoke(gateway, ["token", "add", *READER_12, *where]).exit_code == 2
    assert RUN.invoke(gateway, ["token", "revoke", "reader-12", *where]).exit_code == 0
    assert "revoked" in RUN.invoke(gateway, ["token", "list", *where]).stdout
    assert RUN.invoke(gateway, ["token", "revoke", "reader-12", *where]).exit_code == 2
    again = RUN.invoke(gateway, ["token", "add", *READER_12, "--type", "card.drawn.v1", "--json", *where])
    assert orjson.loads(again.stdout)["token"] != token


def test_a_garbled_file_of_tokens_is_said_and_nothing_starts(tmp_path: Path) -> None:
    (tmp_path / "gateway-tokens.json").write_text("{nonsense")
    for arguments in (["token", "list"], ["token", "add", *READER_12], ["token", "revoke", "x"], ["--port", "0"]):
        ended = RUN.invoke(gateway, [*arguments, "--data", str(tmp_path)])
        assert ended.exit_code == 2
        assert "gateway-tokens.json cannot be understood: not JSON" in ended.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--host", "::"], "Tokens must not travel in the open"),
        (["--host", "casino.example"], "Tokens must not travel in the open"),
        (["--broker", "http://x"], "no broker"),
        (["--certificate", __file__], "--key (TABLEWATCH_GATEWAY_KEY) belong together"),
        (["--certificate", __file__, "--key", __file__], "cannot be used for TLS"),
    ],
)
def test_wrong_use_is_said(tmp_path: Path, arguments: list[str], words: str) -> None:
    ended = RUN.invoke(gateway, [*arguments, "--data", str(tmp_path)])
    assert ended.exit_code == 2
    assert words in ended.stderr


def test_every_setting_of_the_gateway_is_listed() -> None:
    listed = {f"TABLEWATCH_{setting.name}" for setting in SETTINGS}
    used = {str(option.envvar) for option in get_command(gateway).params if getattr(option, "envvar", None)}
    assert used >= {"TABLEWATCH_GATEWAY_HOST", "TABLEWATCH_GATEWAY_PORT", "TABLEWATCH_GATEWAY_PATIENCE"}
    assert used <= listed


def test_a_port_that_is_taken_is_said(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        ended = RUN.invoke(gateway, ["--port", str(taken.getsockname()[1]), "--data", str(tmp_path)])
    assert ended.exit_code == 2
    assert "cannot be used: Address already in use. " in ended.stderr
    assert "TABLEWATCH_GATEWAY_PORT" in ended.stderr


def test_a_host_that_is_not_this_machine_s_is_said(tmp_path: Path) -> None:
    ended = RUN.invoke(gateway, ["--host", "192.0.2.1", "--plain", "--port", "0", "--data", str(tmp_path)])
    assert ended.exit_code == 2
    assert "192.0.2.1 port 0 cannot be used" in ended.stderr
    assert "TABLEWATCH_GATEWAY_HOST" in ended.stderr


def test_the_server_starts_serves_with_tls_and_ends_with_0_on_sigterm(tmp_path: Path) -> None:
    tokens = TokenFile(tmp_path / "gateway-tokens.json")
    _, token = tokens.add("reader-12", "card-reader", ["BT12"], [READER])
    pem, key = self_signed(tmp_path, "gateway")
    log = tmp_path / "stderr"
    code = "from tablewatch.commands.gateway import gateway; gateway()"
    with log.open("wb") as stderr:
        process = subprocess.Popen(
            [sys.executable, "-c", code, "--port", "0", "--data", tmp_path, "--certificate", pem, "--key", key],
            stderr=stderr,
            env={name: value for name, value in os.environ.items() if not name.startswith("TABLEWATCH_")},
        )
    try:

        def lines() -> list[dict[str, str]]:
            return [orjson.loads(line) for line in log.read_bytes().splitlines() if line.endswith(b"}")]

        def said() -> list[str]:
            return [line["message"] for line in lines() if "listening on" in line["message"]]

        until(lambda: bool(said()) or process.poll() is not None)
        port = int(said()[0].rpartition(":")[2])
        floor = Floor(
            f"https://127.0.0.1:{port}", tokens, EmbeddedLog(tmp_path / "log"), ssl.create_default_context(cafile=pem)
        )

        def ready() -> bool:
            try:
                return floor.ready()
            except httpx.TransportError:
                return False

        until(ready)
        raw = orjson.dumps(card())
        assert floor.post(token, raw, ONE).status_code == 202
        assert floor.raws("table.cards") == [raw]
        process.send_signal(signal.SIGTERM)
        assert process.wait(120) == 0
    finally:
        process.kill()
        process.wait()
    assert token not in log.read_text()
