"""What was stored and not judged when a worker ended is taken up by the next one, also where no round is open."""

import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson
import pytest

from store.read.findings import FindingFilter, findings
from store.read.progress import stored_events_count
from streams.publish import publish
from tests.audit.case import Case
from tests.streams.pipeline import PATIENCE_SECONDS, Pipeline, StoreProcess, stop
from tests.streams.stored import BET
from tests.streams.test_agents import embedded_pipeline


def _await(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.1)


def _of_now(events: list[dict[str, Any]]) -> list[bytes]:
    """As if the last of them had happened just now: of what is long past, nobody waits for more."""
    times = [datetime.fromisoformat(event["time"]) for event in events]
    moved = datetime.now(UTC) - max(times)
    return [
        orjson.dumps(event | {"time": (time + moved).isoformat(timespec="milliseconds").replace("+00:00", "Z")})
        for event, time in zip(events, times, strict=True)
    ]


def _codes(running: Pipeline) -> list[str]:
    return [state.finding.code for state in findings(running.store, FindingFilter())]


@pytest.mark.parametrize("killed", [True, False], ids=["killed", "stopped"])
def test_a_shoe_that_is_short_is_told_of_by_the_next_worker(tmp_path: Path, killed: bool) -> None:
    """Whether it balances is judged when the topics are known to bring nothing more of it; the worker ends before, and
    the table has nothing else to say."""
    case = Case().round(**BET)
    before = len(case.events())
    lines = _of_now(case.end_shoe([]).events())
    with embedded_pipeline(tmp_path, StoreProcess(tmp_path / "clickhouse")) as running:
        publish(lines[:before], running.broker)
        first = running.start_worker()
        running.await_done()
        assert stop(first) == 0
        running.environment["TABLEWATCH_PATIENCE_MS"] = "600000"
        second = running.start_worker()
        publish(lines[before:], running.broker)
        _await(lambda: stored_events_count(running.store) == len(lines))
        assert "shoe-short" not in _codes(running)
        if killed:
            second.kill()
            second.wait()
        else:
            assert stop(second) == 0
        del running.environment["TABLEWATCH_PATIENCE_MS"]
        third = running.start_worker()
        running.await_done()
        _await(lambda: "shoe-short" in _codes(running))
        assert stop(third) == 0
