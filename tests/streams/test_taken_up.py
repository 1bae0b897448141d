"""What was stored and not judged when a worker ended is taken up by the next one, also where no round is open."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from store.read.findings import FindingFilter, findings
from store.read.progress import stored_events_count
from streams.publish import publish
from tests.audit.case import TABLE, Case
from tests.streams.pipeline import PATIENCE_SECONDS, Pipeline, StoreProcess, stop
from tests.streams.stored import BET, as_table
from tests.streams.test_agents import embedded_pipeline


def _await(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.1)


def _codes(running: Pipeline) -> list[str]:
    return [state.finding.code for state in findings(running.store, FindingFilter())]


@pytest.mark.parametrize("killed", [True, False], ids=["killed", "stopped"])
def test_a_shoe_that_is_short_is_told_of_by_the_next_worker(tmp_path: Path, killed: bool) -> None:
    """Whether it balances is judged when the topics are known to bring nothing more of it; the worker ends before, and
    the table has nothing else to say."""
    case = Case().round(**BET)
    before = as_table(case.events(), TABLE)
    lines = as_table(case.end_shoe([]).events(), TABLE)
    with embedded_pipeline(tmp_path, StoreProcess(tmp_path / "clickhouse")) as running:
        publish(before, running.broker)
        first = running.start_worker()
        running.await_done()
        assert stop(first) == 0
        running.environment["TABLEWATCH_PATIENCE_MS"] = "600000"
        second = running.start_worker()
        publish(lines[len(before) :], running.broker)
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
