"""A worker that is told to stop."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import orjson
import pytest

from simulator.floor import simulate
from streams.publish import publish
from tests.streams.pipeline import PATIENCE_SECONDS, StoreProcess, alerts, stop
from tests.streams.test_agents import check_against_audit, embedded_pipeline


def test_a_worker_stops_in_time_while_the_store_is_away_and_nothing_is_lost(tmp_path: Path) -> None:
    server = StoreProcess(tmp_path / "clickhouse")
    lines = list(simulate(2, 16, 3, faults=0.5))
    half = len(lines) // 2
    with embedded_pipeline(tmp_path, server) as running:
        running.environment["TABLEWATCH_STOP_SECONDS"] = "2"
        worker = running.start_worker_command()
        publish(lines[:half], running.broker)
        running.await_done()
        for line in (running.folder / "worker.log").read_bytes().splitlines():
            assert isinstance(orjson.loads(line), dict)
        told = len(alerts(running))
        server.stop(signal.SIGKILL)
        publish(lines[half:], running.broker)
        deadline = time.monotonic() + PATIENCE_SECONDS
        while len(alerts(running)) == told:
            assert time.monotonic() < deadline
            time.sleep(0.1)
        assert stop(worker) == 3
        assert "judged again at the next start" in (running.folder / "worker.log").read_text()
        server.start()
        worker = running.start_worker_command()
        running.await_done()
        check_against_audit(running, lines)
        assert stop(worker) == 0


@pytest.mark.parametrize("name", ["STOP_SECONDS", "SESSION_SECONDS"])
def test_a_worker_does_not_start_with_a_time_that_is_none(tmp_path: Path, name: str) -> None:
    """It would judge, and could not be stopped."""
    # A process of its own: a worker makes a copy of itself first of all.
    done = subprocess.run(
        [sys.executable, "-c", "from tablewatch.command import main; main()", "worker"],
        env={**os.environ, f"TABLEWATCH_{name}": "x", "TABLEWATCH_DATA": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 2
    assert f"TABLEWATCH_{name} must be a whole number of 0 or more, not 'x'." in done.stderr


def test_a_worker_that_still_waits_for_its_store_ends_with_0_when_it_is_told_to(tmp_path: Path) -> None:
    with embedded_pipeline(tmp_path, StoreProcess(tmp_path / "clickhouse")) as running:
        running.environment["TABLEWATCH_CLICKHOUSE_URL"] = "clickhouse://default@127.0.0.1:1/tablewatch"
        worker = running.start_worker_command()
        deadline = time.monotonic() + PATIENCE_SECONDS
        while "waiting up to" not in (running.folder / "worker.log").read_text():
            assert time.monotonic() < deadline
            time.sleep(0.1)
        assert stop(worker) == 0
