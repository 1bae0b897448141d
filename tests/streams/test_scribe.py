"""The scribe writes what the worker would have written, asks it before anything counts, and ends with it."""

import gc
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from simulator.floor import simulate
from store.connect import Store, connect
from store.errors import QueryRefused, StoreUnreachable
from store.migrate import migrate
from store.read.progress import stored_events_count
from streams.intake import read_record
from streams.news import News
from streams.publish import publish
from streams.routing import Router
from streams.scribe import ENDED, NotWritten, Scribe
from streams.tenure import NoLongerOurs
from streams.topic_layout import INPUTS
from streams.writing import write
from tests.store.floor import LONG
from tests.streams.pipeline import PATIENCE_SECONDS, StoreProcess, stop
from tests.streams.stored import NOW_MS, Floor, look
from tests.streams.test_agents import check_against_audit, embedded_pipeline

TABLES = ("records", "events", "rejected", "rounds", "verdicts", "findings")
Judged = tuple[News, list[Any]]


def _yes() -> None:
    """An insert may end."""


@contextmanager
def scribe(store: Store, partitions: int = 1) -> Iterator[Scribe]:
    """One that writes to a store, and is let go of; this process looks for cycles as before."""
    thresholds = gc.get_threshold()
    begun = Scribe()
    try:
        begun.begin(store, partitions)
        yield begun
    finally:
        begun.close()
        gc.set_threshold(*thresholds)
        gc.unfreeze()


@pytest.fixture(scope="module")
def judged() -> Judged:
    """A floor of all ten games with faults, with bytes that are no event, with an event that came on the topic of
    others, and with one whose id comes again with another content."""
    lines = list(simulate(10, 6, 3, faults=0.5))
    floor, news = Floor(), News()
    records = [*floor.records(lines), *floor.records([b"no event", b'{"id":"e"}'])]
    stray = next(parcel for parcel in Router(1).route(lines[-1]))
    other = next(topic for topic in INPUTS if topic != stray.topic)
    records.append(read_record(other, 0, 10_000, NOW_MS, stray.raw, 1))
    again = next(line for line in lines if b"bet.placed" in line)
    records += Floor().records([again.replace(b'"amount":', b'"amount":1')])
    for number, record in enumerate(records):
        news.add(floor.judge.take(record, number, 0.0))
    news.add(look(floor.judge))
    assert news.verdicts and news.findings and news.refused
    assert {verdict.concluded.verdict.game for verdict in news.verdicts} > {"tiger", "dragon_tiger"}
    return news, records


def _rows(store: Store) -> dict[str, list[Any]]:
    return {name: sorted(store.query(f"SELECT * FROM {name}"), key=repr) for name in TABLES}


def test_what_a_scribe_writes_is_row_by_row_what_the_worker_would_have_written(
    store: Store, own_store: Store, judged: Judged
) -> None:
    news, records = judged
    write(own_store, news, records, NOW_MS)
    with scribe(store) as writing:
        writing.write(news, records, NOW_MS, _yes)
    assert _rows(store) == _rows(own_store)
    assert all(_rows(store).values())


def test_what_comes_twice_is_there_once(store: Store, judged: Judged) -> None:
    with scribe(store) as writing:
        writing.write(*judged, NOW_MS, _yes)
        once = _rows(store)
        writing.write(*judged, NOW_MS, _yes)
    assert _rows(store) == once


def test_the_worker_is_asked_before_the_end_of_every_insert(store: Store, judged: Judged) -> None:
    asked: list[list[str]] = []
    with scribe(store) as writing:
        writing.write(*judged, NOW_MS, lambda: asked.append([name for name, rows in _rows(store).items() if rows]))
    # Once for each of them, and before it is there: rejections are written with the findings and with the records.
    order = ["rounds", "verdicts", "findings", "rejected", "rejected", "events", "records"]
    assert asked == [[name for name in TABLES if name in order[:written]] for written in range(len(order))]


def test_an_insert_that_may_not_end_does_not_count_and_the_next_one_does(store: Store, judged: Judged) -> None:
    def no() -> None:
        raise NoLongerOurs

    with scribe(store) as writing:
        with pytest.raises(NoLongerOurs):
            writing.write(*judged, NOW_MS, no)
        assert not any(_rows(store).values())
        writing.write(*judged, NOW_MS, _yes)
    assert all(_rows(store).values())


def test_a_store_that_is_away_is_told_and_written_to_once_it_is_there(tmp_path: Path, judged: Judged) -> None:
    server = StoreProcess(tmp_path / "clickhouse")
    server.start()
    store = connect(server.url)
    migrate(store, LONG)
    with scribe(store) as writing:
        server.stop(signal.SIGKILL)
        for _ in range(2):
            with pytest.raises(StoreUnreachable, match="cannot be reached"):
                writing.write(*judged, NOW_MS, _yes)
        server.start()
        writing.write(*judged, NOW_MS, _yes)
    assert all(_rows(store).values())
    server.stop()


def test_what_the_store_refuses_is_told_with_its_code(own_store: Store, judged: Judged) -> None:
    own_store.command("ALTER TABLE verdicts ADD CONSTRAINT none CHECK round > 1000000")
    with scribe(own_store) as writing, pytest.raises(QueryRefused, match="none") as refused:
        writing.write(*judged, NOW_MS, _yes)
    assert refused.value.code == 469


def test_a_fault_of_ours_is_told_with_its_place_and_ends_nothing(store: Store, judged: Judged) -> None:
    news, records = judged
    broken = News(verdicts=[news.verdicts[0]._replace(json=b"{}")])
    with scribe(store) as writing:
        with pytest.raises(NotWritten, match="verdict_again"):
            writing.write(broken, [], NOW_MS, _yes)
        writing.write(news, records, NOW_MS, _yes)
    assert all(_rows(store).values())


def test_a_scribe_leaves_a_busy_processor_to_its_worker(store: Store, judged: Judged) -> None:
    with scribe(store) as writing:
        writing.write(*judged, NOW_MS, _yes)
        own = os.getpriority(os.PRIO_PROCESS, 0)
        assert os.getpriority(os.PRIO_PROCESS, writing.pid) == min(own + 10, 19)


def test_signals_to_the_whole_group_do_not_end_a_scribe_before_its_worker(store: Store, judged: Judged) -> None:
    with scribe(store) as writing:
        for number in (signal.SIGINT, signal.SIGTERM):
            os.kill(writing.pid, number)
        writing.write(*judged, NOW_MS, _yes)
    assert all(_rows(store).values())


_KILLED_WHILE_ASKED = """
import os, signal, sys
from store.connect import connect
from streams.intake import read_record
from streams.news import News
from streams.scribe import Scribe
scribe = Scribe()
print(scribe.pid, flush=True)
scribe.begin(connect(sys.argv[1]), 1)
raw = sys.stdin.buffer.read()
record = read_record("table.bets", 0, 0, 1_900_000_000_000, raw, 1)
scribe.write(News(), [record], 1, lambda: os.kill(os.getpid(), signal.SIGKILL))
"""


def test_of_a_worker_that_is_killed_before_an_insert_ends_nothing_counts_and_no_scribe_stays(store: Store) -> None:
    address = store.address
    url = f"clickhouse://{address.user}:{address.password}@{address.host}:{address.port}/{address.database}"
    worker = subprocess.Popen(
        [sys.executable, "-c", _KILLED_WHILE_ASKED, url], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    # Its end of the pipe is the scribe's too: this returns when both are gone.
    said, _ = worker.communicate(b"no event", timeout=PATIENCE_SECONDS)
    assert worker.returncode == -signal.SIGKILL
    _await(lambda: not _runs(int(said)))
    assert not any(_rows(store).values())


def test_a_worker_whose_scribe_is_killed_ends_and_the_next_one_stores_all_of_it_once(tmp_path: Path) -> None:
    lines = list(simulate(4, 40, 8, faults=0.2))
    half = len(lines) // 2
    with embedded_pipeline(tmp_path, StoreProcess(tmp_path / "clickhouse")) as running:
        publish(lines[:half], running.broker, max_events=20)
        first = running.start_worker_command()
        _await(lambda: stored_events_count(running.store) > 0)
        [written_by] = Path(f"/proc/{first.pid}/task/{first.pid}/children").read_text().split()
        os.kill(int(written_by), signal.SIGKILL)
        publish(lines[half:], running.broker, max_events=20)
        assert first.wait(PATIENCE_SECONDS) == ENDED
        assert "the process that writes to the store is gone" in (tmp_path / "worker.log").read_text()
        second = running.start_worker()
        running.await_done()
        check_against_audit(running, lines)
        assert stop(second) == 0


def _runs(pid: int) -> bool:
    with suppress(ProcessLookupError):
        os.kill(pid, 0)
        return True
    return False


def _await(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.05)
