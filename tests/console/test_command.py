"""`tablewatch console`, as people type it: who may sign in, where it listens, and TLS."""

import asyncio
import getpass
import os
import re
import signal
import socket
import ssl
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import httpx
import orjson
import pytest

from console.access import AccessLog
from console.auth.oidc import Outsider
from console.auth.outsiders import Outsiders
from console.auth.people import FAILURES, People, Refusal
from console.database import Database
from store.connect import Store
from tests.console.house import NOWHERE, PASSWORD
from tests.services.certificate import self_signed
from tests.streams.pipeline import PATIENCE_SECONDS
from tests.tablewatch.typed import typed

COMMAND = [sys.executable, "-c", "from tablewatch.command import main; main()", "console"]


class Said(NamedTuple):
    """How `tablewatch console` ended, and what it printed."""

    returncode: int
    stdout: str
    stderr: str


def run(folder: Path, *words: str, given: str = "") -> Said:
    done = typed("console", *words, stdin=given.encode(), TABLEWATCH_DATA=str(folder))
    return Said(done.returncode, done.stdout.decode(), done.stderr.decode())


@contextmanager
def serving(folder: Path, **settings: str) -> Iterator[str]:
    """A console that runs without broker and store; its address."""
    with serving_and_measured(folder, **settings) as (url, _):
        yield url


@contextmanager
def serving_and_measured(folder: Path, **settings: str) -> Iterator[tuple[str, str]]:
    """The same; its address, and that of its metrics."""
    environment = {
        **os.environ, "TABLEWATCH_DATA": str(folder), "TABLEWATCH_CONSOLE_PORT": "0",
        "TABLEWATCH_CLICKHOUSE_URL": NOWHERE, **settings,
    }  # fmt: skip
    process = subprocess.Popen(COMMAND, env=environment, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        port = next(found[1] for line in process.stderr if (found := re.search(r"metrics on port (\d+)", line)))
        url = next(found[0] for line in process.stderr if (found := re.search(r"https?://[\d.]+:\d+", line)))
        yield url, f"http://127.0.0.1:{port}"
    finally:
        process.send_signal(signal.SIGTERM)
        assert process.wait(120) == 0


def test_somebody_of_the_provider_is_listed_as_such_and_gets_no_password_here(tmp_path: Path) -> None:
    database = Database(tmp_path)
    Outsiders(database, People(database)).welcome(Outsider("https://id.example", "1", "koh", "operator"))
    database.close()
    refused = run(tmp_path, "users", "password", "koh", "--password-from-input", given=PASSWORD + "\n")
    assert refused.returncode == 2
    assert "koh signs in with the house's provider, which keeps the password" in refused.stderr
    assert re.search(r"koh +operator +provider +since ", run(tmp_path, "users", "list").stdout)
    said = run(tmp_path, "users", "role", "koh", "auditor").stderr
    assert said == "koh is auditor now. At the next sign-in the provider's groups decide again.\n"


def test_somebody_who_is_locked_is_listed_as_such_and_until_when(tmp_path: Path) -> None:
    database = Database(tmp_path)
    people = People(database)
    people.add("mei", "auditor", PASSWORD)

    async def fail() -> None:
        for _ in range(FAILURES):
            assert isinstance(await people.sign_in("mei", "not it"), Refusal)

    asyncio.run(fail())
    database.close()
    listed = run(tmp_path, "users", "list").stdout
    assert re.search(r"mei +auditor +password +locked until 20.* UTC after wrong passwords\n", listed)


def test_without_a_terminal_nobody_is_asked_for_a_password_that_would_be_seen(tmp_path: Path) -> None:
    environment = {**os.environ, "TABLEWATCH_DATA": str(tmp_path)}
    done = subprocess.run(
        [*COMMAND, "users", "add", "mei", "--role", "auditor"],
        env=environment, input=f"{PASSWORD}\n{PASSWORD}\n", capture_output=True, text=True, timeout=120,
        start_new_session=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.startswith("There is no terminal") and "--password-from-input" in done.stderr
    assert "Warning" not in done.stderr
    assert run(tmp_path, "users", "list").stdout.startswith("Nobody may sign in yet. ")


def test_people_are_added_listed_changed_and_disabled(tmp_path: Path) -> None:
    assert run(tmp_path, "users", "list").stdout.startswith("Nobody may sign in yet. ")
    added = run(tmp_path, "users", "add", "mei", "--role", "auditor", "--password-from-input", given=PASSWORD + "\n")
    assert added.returncode == 0
    assert "mei may sign in as auditor" in added.stderr
    again = run(tmp_path, "users", "add", "mei", "--role", "auditor", "--password-from-input", given=PASSWORD + "\n")
    assert (again.returncode, again.stderr) == (2, "mei is there already: whoever else it is takes another name\n")
    weak = run(tmp_path, "users", "add", "lee", "--role", "auditor", "--password-from-input", given="short\n")
    assert (weak.returncode, weak.stdout) == (2, "")
    role = run(tmp_path, "users", "add", "lee", "--role", "king", "--password-from-input", given=PASSWORD + "\n")
    assert role.returncode == 2
    assert "choose one of operator" in role.stderr
    assert run(tmp_path, "users", "role", "mei", "operator").stderr == "mei is operator now.\n"
    disabled = run(tmp_path, "users", "disable", "mei")
    assert (disabled.returncode, disabled.stderr) == (0, "mei may sign in no more, and is signed out everywhere.\n")
    listed = run(tmp_path, "users", "list").stdout
    assert re.fullmatch(
        r"name  role +signs in by  may sign in\nmei   operator  password +disabled since .*UTC\n", listed
    )
    assert PASSWORD not in listed
    assert run(tmp_path, "users", "enable", "nobody").returncode == 2


def test_whoever_changes_people_by_command_is_in_the_access_log_once_a_console_runs(
    tmp_path: Path, store: Store
) -> None:
    for words in (["add", "mei", "--role", "auditor"], ["role", "mei", "operator"], ["password", "mei"]):
        given = [] if words[0] == "role" else ["--password-from-input"]
        assert run(tmp_path, "users", *words, *given, given=PASSWORD + "\n").returncode == 0
    for words in (["disable", "mei"], ["enable", "mei"]):
        assert run(tmp_path, "users", *words).returncode == 0
    assert run(tmp_path, "users", "role", "mei", "king").returncode == 2
    database = Database(tmp_path)
    assert AccessLog(database, store).carry_some() == 5
    database.close()
    rows = store.query("SELECT who, action, address, detail FROM access_log ORDER BY at")
    assert {who for who, *_ in rows} == {getpass.getuser()} and all(address for _, _, address, _ in rows)
    told = [(action, orjson.loads(detail)) for _, action, _, detail in rows]
    assert {detail.pop("system_user") for _, detail in told} == {getpass.getuser()}
    assert told == [
        ("added a person", {"name": "mei", "role": "auditor"}),
        ("changed a person", {"name": "mei", "role": {"from": "auditor", "to": "operator"}}),
        ("changed a person", {"name": "mei", "password": "another"}),
        ("changed a person", {"name": "mei", "may_sign_in": {"from": "yes", "to": "no"}}),
        ("changed a person", {"name": "mei", "may_sign_in": {"from": "no", "to": "yes"}}),
    ]


def test_a_password_that_has_the_name_in_it_is_refused_with_that_reason(tmp_path: Path) -> None:
    words = ("users", "add", "mei", "--role", "auditor", "--password-from-input")
    refused = run(tmp_path, *words, given="all-of-mein-own\n")
    assert (refused.returncode, "does not have the name in it" in refused.stderr) == (2, True)


def test_passwords_do_not_travel_in_the_open(tmp_path: Path) -> None:
    refused = run(tmp_path, "--host", "0.0.0.0")  # noqa: S104 - refused
    assert refused.returncode == 2
    assert "needs a certificate" in refused.stderr


def test_it_starts_without_broker_and_store_and_says_so(tmp_path: Path) -> None:
    run(tmp_path, "users", "add", "mei", "--role", "auditor", "--password-from-input", given=PASSWORD + "\n")
    with serving(tmp_path) as url, httpx.Client(base_url=url, timeout=PATIENCE_SECONDS) as client:
        assert client.get("/healthz").json() == {"status": "ok"}
        assert client.post("/api/v1/session", json={"name": "mei", "password": PASSWORD}).status_code == 200
        told = client.get("/api/v1/floor").json()
    assert told["tables"] == {}
    assert told["status"]["feed"]["state"] in ("starting", "away")


def test_metrics_have_a_port_of_their_own_and_name_nobody(tmp_path: Path) -> None:
    run(tmp_path, "users", "add", "mei", "--role", "auditor", "--password-from-input", given=PASSWORD + "\n")
    with (
        serving_and_measured(tmp_path) as (url, measured),
        httpx.Client(base_url=url, timeout=PATIENCE_SECONDS) as client,
    ):
        assert client.get("/metrics").status_code == 404
        assert client.post("/api/v1/session", json={"name": "mei", "password": "not the password"}).status_code == 401
        assert client.post("/api/v1/session", json={"name": "mei", "password": PASSWORD}).status_code == 200
        told = httpx.get(f"{measured}/metrics", timeout=PATIENCE_SECONDS).text
        # Neither the topics nor the store can be read.
        assert httpx.get(f"{measured}/readyz", timeout=PATIENCE_SECONDS).status_code == 503
    assert 'tablewatch_console_sign_ins_total{outcome="refused"} 1.0' in told
    assert 'tablewatch_console_sign_ins_total{outcome="signed in"} 1.0' in told
    assert 'tablewatch_console_requests_total{status="401"} 1.0' in told
    assert 'tablewatch_console_part_not_ok{part="store"} 1.0' in told
    assert "tablewatch_console_streams 0.0" in told
    assert "mei" not in told


@pytest.mark.parametrize("provider", [False, True])
def test_that_nobody_can_sign_in_is_said_unless_people_come_from_a_provider(tmp_path: Path, provider: bool) -> None:
    house = {
        "TABLEWATCH_OIDC_ISSUER": "https://login.casino.example",
        "TABLEWATCH_OIDC_CLIENT_ID": "tablewatch",
        "TABLEWATCH_OIDC_ADDRESS": "https://tablewatch.casino.example",
        "TABLEWATCH_OIDC_ROLES": "surveillance=operator",
    }
    environment = {
        **os.environ, "TABLEWATCH_DATA": str(tmp_path), "TABLEWATCH_CONSOLE_PORT": "0",
        "TABLEWATCH_CLICKHOUSE_URL": NOWHERE, **(house if provider else {}),
    }  # fmt: skip
    process = subprocess.Popen(COMMAND, env=environment, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        said = ""
        while "listening on" not in said:
            line = process.stderr.readline()
            assert line, said
            said += line
    finally:
        # At once: a signal that comes before it serves is not lost.
        process.send_signal(signal.SIGTERM)
        assert process.wait(120) == 0
    assert ("nobody can sign in yet" in said) is not provider


def test_a_metrics_port_that_is_taken_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        monkeypatch.setenv("TABLEWATCH_CONSOLE_METRICS_PORT", str(taken.getsockname()[1]))
        refused = run(tmp_path, "--port", "0")
    assert refused.returncode == 2
    assert "cannot be used for metrics" in refused.stderr


def test_with_tls_the_cookie_is_held_to_it(tmp_path: Path) -> None:
    certificate, key = self_signed(tmp_path, "console")
    run(tmp_path, "users", "add", "mei", "--role", "auditor", "--password-from-input", given=PASSWORD + "\n")
    trusted = ssl.create_default_context(cafile=str(certificate))
    settings = {"TABLEWATCH_CONSOLE_CERTIFICATE": str(certificate), "TABLEWATCH_CONSOLE_KEY": str(key)}
    with (
        serving(tmp_path, **settings) as url,
        httpx.Client(base_url=url, verify=trusted, timeout=PATIENCE_SECONDS) as client,
    ):
        assert url.startswith("https://")
        answer = client.post("/api/v1/session", json={"name": "mei", "password": PASSWORD})
        assert answer.headers["set-cookie"].startswith("__Host-tablewatch=")
        assert "secure" in answer.headers["set-cookie"].lower()
        assert "max-age" in answer.headers["strict-transport-security"]


@pytest.mark.parametrize("setting", ["TABLEWATCH_CONSOLE_CERTIFICATE", "TABLEWATCH_CONSOLE_KEY"])
def test_certificate_and_key_belong_together(tmp_path: Path, setting: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(setting, str(tmp_path / "one.pem"))
    refused = run(tmp_path)
    assert refused.returncode == 2
    assert "belong together" in refused.stderr
