"""`tablewatch demo`, as people start it: a fault of the floor becomes an alert, is acknowledged, replayed and bundled
by clicking; ended with Ctrl-C and started again, it goes on where it was."""

import os
import re
import signal
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Queue
from typing import Any

import httpx
import orjson
import pytest
from playwright.sync_api import Page, expect

from tests.console.browser.conftest import Visitor
from tests.console.house import await_that

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

COMMAND = [sys.executable, "-c", "from tablewatch.command import main; main()", "demo", "--port", "0"]


class Demo:
    """A running demo: what it printed, and how to end it."""

    def __init__(self, folder: Path) -> None:
        options = ["--tables", "4", "--faults", "0.5", "--seed", "5"]
        environment = {**os.environ, "TABLEWATCH_DATA": str(folder)}
        self.process = subprocess.Popen(
            [*COMMAND, *options], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        said: Queue[str] = Queue()
        self._lines: list[str] = []

        def listen() -> None:
            for line in self.process.stdout or ():
                said.put(line)

        threading.Thread(target=listen, daemon=True).start()
        while not any("Ctrl-C" in line for line in self._lines):
            self._lines.append(said.get(timeout=300))

    @property
    def printed(self) -> str:
        return "".join(self._lines)

    @property
    def url(self) -> str:
        found = re.search(r"http://127\.0\.0\.1:\d+", self.printed)
        assert found
        return found[0]

    @property
    def logins(self) -> dict[str, str]:
        return dict(re.findall(r"^  (\S+) +(\S+)$", self.printed, re.MULTILINE))

    def end(self) -> int:
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(120)


@contextmanager
def running(folder: Path) -> Iterator[Demo]:
    demo = Demo(folder)
    try:
        yield demo
    finally:
        if demo.process.poll() is None:
            demo.end()


def signed_in(visitor: Visitor, demo: Demo, name: str, path: str) -> Page:
    context = visitor.browser.new_context(base_url=demo.url, accept_downloads=True)
    context.set_default_timeout(60_000)
    visitor.contexts.append(context)
    page = context.new_page()
    page.goto(path)
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(demo.logins[name])
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("navigation", name="Screens")).to_be_visible()
    return page


def rounds(demo: Demo) -> dict[str, int]:
    """By table: how many rounds it has in its roads, and the round it is at."""
    with httpx.Client(base_url=demo.url, timeout=60) as client:
        client.post("/api/v1/session", json={"name": "auditor", "password": demo.logins["auditor"]})
        tables = client.get("/api/v1/floor").json()["tables"]
    return {name: len(row["beads"]) for name, row in tables.items()}


def approved(demo: Demo) -> dict[str, Any]:
    """A change that one administrator proposes and the second one approves."""
    told: dict[str, Any] = {}
    for name in ("administrator", "second-administrator"):
        with httpx.Client(base_url=demo.url, timeout=60) as client:
            who = client.post("/api/v1/session", json={"name": name, "password": demo.logins[name]}).json()
            client.headers["X-CSRF-Token"] = who["csrf"]
            if told:
                answer = client.post(f"/api/v1/changes/{told['id']}/approve", json={})
            else:
                given = {"subject": "TOLERANCE_MS", "value": "600", "reason": "Two sensors were changed."}
                answer = client.post("/api/v1/changes", json=given)
            assert answer.status_code in (200, 201), answer.text
            told = answer.json()
    return told


@pytest.mark.timeout(1200)
def test_a_fault_of_the_floor_is_acknowledged_replayed_and_bundled_and_the_demo_goes_on(
    visitor: Visitor, tmp_path: Path
) -> None:
    with running(tmp_path) as demo:
        assert set(demo.logins) == {
            "operator", "shift-manager", "auditor", "administrator", "second-administrator",
        }  # fmt: skip
        page = signed_in(visitor, demo, "shift-manager", "/")
        expect(page.locator("#summary")).to_contain_text("4 tables", timeout=120_000)
        expect(page.locator(".tile .sev:not(.none)").first).to_be_visible(timeout=120_000)
        page.get_by_role("link", name="Alert desk").click()
        page.get_by_label("Filter alerts").fill("payout")
        page.locator(".alert").first.click()
        page.get_by_role("button", name="Acknowledge").click()
        expect(page.locator(".alert-pane")).to_contain_text("Acknowledged by shift-manager")
        page.get_by_role("link", name=re.compile("round .*: replay")).click()
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        expect(page.locator("main")).to_contain_text("Moments")
        # A round is sealed some seconds after it was judged.
        expect(page.locator(".proof")).to_contain_text(re.compile("Proved|Not sealed"))
        while page.locator(".proof.warn").count():
            page.get_by_role("button", name="Prove again").click()
            page.wait_for_timeout(1000)
        expect(page.locator(".proof.good")).to_contain_text("Proved")
        with page.expect_download() as download:
            page.get_by_role("link", name=re.compile("bundle", re.IGNORECASE)).click()
        packed = zipfile.ZipFile(download.value.path()).namelist()
        assert any(name.endswith("verify.py") for name in packed)
        assert approved(demo)["decision"] == "approved"
        assert "tolerance_ms = 600" in (tmp_path / "tablewatch.toml").read_text()
        await_that(lambda: sum(rounds(demo).values()) > 0, "rounds are judged")
        before, logins = rounds(demo), demo.logins
        assert demo.end() == 0
    assert (tmp_path / "watches.log").exists()
    kept = orjson.loads((tmp_path / "demo.json").read_bytes())
    assert kept["sent"] > 0
    with running(tmp_path) as again:
        assert again.logins == logins
        await_that(
            lambda: set(rounds(again)) == set(before) and sum(rounds(again).values()) > 0, "the floor is there again"
        )
        page = signed_in(visitor, again, "shift-manager", "/desk")
        page.get_by_label("State").select_option("open")
        expect(page.locator("#total")).not_to_have_text("0 open")
        assert again.end() == 0
