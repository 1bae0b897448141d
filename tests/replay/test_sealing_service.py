"""The service that seals: it waits for a key and for the store, tells how it is, and can be stopped."""

import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from store.connect import Store, connect
from store.migrate import migrate
from store.read.checkpoints import checkpoints
from store.rows.proof import AccessEntry
from store.write.proof import write_access
from tablewatch.commands import chain
from tests.replay.commands import typed
from tests.replay.evidence import kept_in
from tests.store.floor import LONG
from tests.streams.pipeline import StoreProcess


@contextmanager
def _sealing(*options: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """`chain run` at work, and the address on which it tells how it is."""
    command = [sys.executable, "-c", "from tablewatch.command import main; main()", "chain", "run", "--port", "0"]
    service = subprocess.Popen([*command, *options], stderr=subprocess.PIPE, text=True)
    try:
        assert service.stderr is not None
        port = next(found[1] for line in service.stderr if (found := re.search(r"metrics on port (\d+)", line)))
        yield service, f"http://127.0.0.1:{port}"
    finally:
        service.kill()
        service.communicate(timeout=120)


def test_the_service_seals_what_comes_and_ends_with_0_on_sigterm(floor: str, own_store: Store, tmp_path: Path) -> None:
    typed("keys", "make")
    with _sealing("--every", "0.2", "--no-publish") as (service, _):
        file = tmp_path / "data" / "checkpoints.txt"
        assert _until(lambda: len(kept_in(file)) == 1)
        assert typed("chain", "checkpoint").exit_code == 2, "one process seals a store"
        now = time.time_ns() // 1_000
        write_access(own_store, [AccessEntry(id="e1", at=now, who="x", role="", action="replay show")])
        assert _until(lambda: len(kept_in(file)) == 2)
        service.send_signal(signal.SIGTERM)
        assert service.wait(120) == 0
    assert typed("replay", "verify", "--chain").exit_code == 0


def test_the_service_waits_for_a_key_and_tells_how_it_is(floor: str, own_store: Store) -> None:
    with _sealing("--every", "0.2", "--no-publish", "--await-key") as (service, address):
        assert _until(lambda: "run: tablewatch keys make" in httpx.get(f"{address}/readyz").text)
        assert httpx.get(f"{address}/readyz").status_code == 503
        assert httpx.get(f"{address}/healthz").status_code == 200
        assert checkpoints(own_store, "main") == []
        assert typed("keys", "make").exit_code == 0
        assert _until(lambda: httpx.get(f"{address}/readyz").status_code == 200)
        (made,) = checkpoints(own_store, "main")
        told = httpx.get(f"{address}/metrics").text
        assert f"tablewatch_sealed_leaves {float(made.size)}" in told
        assert "tablewatch_seal_unsent 0.0" in told
        service.send_signal(signal.SIGTERM)
        assert service.wait(120) == 0


def test_a_service_that_waits_for_a_key_can_be_stopped(floor: str) -> None:
    with _sealing("--await-key") as (service, address):
        assert _until(lambda: "run: tablewatch keys make" in httpx.get(f"{address}/readyz").text)
        service.send_signal(signal.SIGTERM)
        assert service.wait(120) == 0


def test_a_service_whose_store_is_away_waits_for_it_and_can_be_stopped(
    floor: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    typed("keys", "make")
    monkeypatch.setenv("TABLEWATCH_CLICKHOUSE_URL", "clickhouse://default@127.0.0.1:1/tablewatch")
    with _sealing("--no-publish") as (service, address):
        assert _until(lambda: "cannot be reached" in httpx.get(f"{address}/readyz").text)
        service.send_signal(signal.SIGTERM)
        assert service.wait(120) == 0


def test_a_service_whose_store_went_away_can_be_stopped(
    floor: str, own_store: Store, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    typed("keys", "make")
    server = StoreProcess(tmp_path / "clickhouse")
    server.start()
    try:
        migrate(connect(server.url), LONG)
        monkeypatch.setenv("TABLEWATCH_CLICKHOUSE_URL", server.url)
        with _sealing("--every", "0.2", "--no-publish") as (service, address):
            assert _until(lambda: httpx.get(f"{address}/readyz").status_code == 200)
            server.stop(signal.SIGKILL)
            assert _until(lambda: httpx.get(f"{address}/readyz").status_code == 503)
            service.send_signal(signal.SIGTERM)
            assert service.wait(120) == 0
    finally:
        server.stop(signal.SIGKILL)


def test_without_a_key_and_nobody_asked_to_wait_it_ends(floor: str) -> None:
    ended = typed("chain", "run", "--no-publish")
    assert ended.exit_code == 2
    assert "tablewatch keys make" in ended.output


def test_a_look_that_lasts_too_long_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    sealing = chain._Service(10.0, tmp_path / "checkpoints.txt", to_topic=False)
    assert sealing.lacks == "nothing was sealed since the start"
    sealing._why = None
    assert sealing.lacks is None
    now = time.monotonic()
    monkeypatch.setattr(chain.time, "monotonic", lambda: now + 100)
    assert sealing.lacks == "nothing was sealed for 100 seconds"


def _until(holds: Callable[[], bool], seconds: float = 240.0) -> bool:
    """Whether it comes to hold in good time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if holds():
            return True
        time.sleep(0.1)
    return False
