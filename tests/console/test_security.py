"""What every answer carries, how faults look from outside, and that the page's own files keep to its policy."""

import re
import subprocess
import sys
import zipfile
from importlib.resources import files
from pathlib import Path

import pytest

from console.auth.roles import Role
from console.server.assets import assets
from console.server.security import CONTENT_SECURITY_POLICY, LARGEST_BODY
from tests.console.house import ConsoleServer

pytestmark = pytest.mark.xdist_group("console")

SCRIPTS = [(folder, name) for folder in ("public", "app") for name in assets(folder) if name.endswith(".js")]


@pytest.mark.parametrize(
    "path",
    ["/", "/api/v1/floor", "/public/base.css", "/static/app.js", "/nowhere", "/api/v1/tables/nowhere", "/healthz"],
)
def test_every_answer_carries_the_headers(console: ConsoleServer, path: str) -> None:
    roles: tuple[Role | None, ...] = (None, "auditor")
    for role in roles:
        with console.client(role) as client:
            headers = client.get(path).headers
        assert headers["content-security-policy"] == CONTENT_SECURITY_POLICY
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"
        assert headers["referrer-policy"] == "no-referrer"
        assert "server" not in headers
        assert "cache-control" in headers


def test_the_policy_lets_no_inline_script_and_nobody_elses_in() -> None:
    assert "unsafe" not in CONTENT_SECURITY_POLICY
    assert "http" not in CONTENT_SECURITY_POLICY
    assert "default-src 'none'" in CONTENT_SECURITY_POLICY


def test_a_large_body_is_refused_with_and_without_its_length(console: ConsoleServer) -> None:
    large = b'{"name": "' + b"x" * LARGEST_BODY + b'"}'
    with console.client(None) as client:
        assert client.post("/api/v1/session", content=large).status_code == 413
        assert client.post("/api/v1/session", content=iter([large[:1000], large[1000:]])).status_code == 413


def test_a_fault_shows_no_trace(console: ConsoleServer, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(**_: object) -> None:
        raise RuntimeError("secret of the house")

    with console.client("auditor") as client:
        monkeypatch.setattr(type(console.parts.live), "snapshot", lambda *_, **__: broken())
        answer = client.get("/api/v1/floor")
    assert answer.status_code == 500
    assert answer.json()["detail"] == "a fault of the console: its log says more"
    assert "secret" not in answer.text


@pytest.mark.parametrize(
    "path", ["/static/../app.py", "/static/%2e%2e%2fapp.html", "/public/app.js", "/static/app.html%00"]
)
def test_only_the_files_of_the_page_are_served(console: ConsoleServer, path: str) -> None:
    with console.client("auditor") as client:
        assert client.get(path).status_code == 404


def test_a_file_is_not_sent_again_to_who_has_it(console: ConsoleServer) -> None:
    with console.client("auditor") as client:
        tag = client.get("/static/app.js").headers["etag"]
        assert client.get("/static/app.js", headers={"If-None-Match": tag}).status_code == 304


@pytest.mark.parametrize(("folder", "name"), SCRIPTS)
def test_a_script_writes_text_and_loads_nothing_from_elsewhere(folder: str, name: str) -> None:
    text = assets(folder)[name].content.decode()
    for forbidden in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function"):
        assert forbidden not in text
    addresses = re.findall(r"https?://[^\"'` ]+", text)
    assert [address for address in addresses if "www.w3.org" not in address] == []
    for imported in re.findall(r'(?m)^(?:import|export)\s[^;"]*from "([^"]+)"', text):
        if imported.startswith("/public/"):
            assert imported.removeprefix("/public/") in assets("public")
        else:
            assert imported.removeprefix("./") in assets("app")


@pytest.mark.parametrize("name", ["app/app.html", "public/sign-in.html", "public/problem.html"])
def test_a_page_has_nothing_inline(name: str) -> None:
    folder, _, file = name.partition("/")
    text = assets(folder)[file].content.decode()
    assert not re.search(r"<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)", text)
    for path in re.findall(r'(?:src|href)="(/[^"]+)"', text):
        if path != "/":
            place, _, wanted = path.lstrip("/").partition("/")
            assert wanted in assets("public" if place == "public" else "app")


def test_every_screen_has_its_module() -> None:
    text = assets("app")["screens.js"].content.decode()
    for module in re.findall(r'module: "\./([^"]+)"', text):
        assert module in assets("app")


def test_the_page_is_in_the_wheel(tmp_path: Path) -> None:
    source = Path(str(files("console"))).parent
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)],
        cwd=source, check=True, capture_output=True, timeout=120,
    )  # fmt: skip
    (wheel,) = tmp_path.glob("*.whl")
    packed = set(zipfile.ZipFile(wheel).namelist())
    for folder in ("public", "app"):
        for name in assets(folder):
            assert f"console/static/{folder}/{name}" in packed
