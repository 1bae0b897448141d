"""Faults of the pipeline: killed workers, a store that goes away, two workers; nothing is lost and nothing doubled."""

import random
import signal
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from schemas.decoding import decode_lines
from schemas.findings import parse_finding
from simulator.floor import simulate
from store.read.events import table_events
from store.read.rounds import revisions
from store.rows.raw import Record
from store.rows.verdicts import RoundKey
from store.write.raw import event_columns
from streams.embedded.log import Log
from streams.publish import publish
from tests.streams.pipeline import Pipeline, StoreProcess, await_takeover, offline, stop, took_over
from tests.streams.test_agents import check_against_audit, embedded_pipeline


@pytest.fixture
def server(tmp_path: Path) -> StoreProcess:
    return StoreProcess(tmp_path / "clickhouse")


@pytest.fixture
def running(tmp_path: Path, server: StoreProcess) -> Iterator[Pipeline]:
    with embedded_pipeline(tmp_path, server) as started:
        yield started


def test_killed_workers_lose_nothing_and_double_nothing(running: Pipeline) -> None:
    rng = random.Random(11)
    lines = list(simulate(4, 12, 11, faults=0.15))
    kills = 4
    sent = 0
    for _ in range(kills):
        taken_over = took_over(running)
        worker = running.start_worker()
        part = lines[sent : sent + len(lines) // kills + 1]
        publish(part, running.broker, max_events=10)
        sent += len(part)
        await_takeover(running, taken_over)
        time.sleep(rng.random() * 1.5)
        worker.kill()
        worker.wait()
    worker = running.start_worker()
    running.await_done()
    check_against_audit(running, lines)
    verdicts, _ = offline(lines)
    for key in verdicts:
        told = revisions(running.store, RoundKey(*key))
        assert len({each.digest for each in told if each.revision == 1}) == 1, key
    told_of = Counter(parse_finding(raw).id for raw in alerts(running) if not parse_finding(raw).cleared)
    assert all(count <= 1 + kills for count in told_of.values()), told_of
    assert stop(worker) == 0


def test_while_the_store_is_away_alerts_go_out_and_nothing_is_lost(running: Pipeline, server: StoreProcess) -> None:
    lines = list(simulate(3, 8, 5, faults=0.4))
    worker = running.start_worker()
    publish(lines[:200], running.broker, max_events=10)
    running.await_done()
    told = len(alerts(running))
    server.stop(signal.SIGKILL)
    publish(lines[200:], running.broker, max_events=10)
    deadline = time.monotonic() + 60
    while len(alerts(running)) == told:
        assert time.monotonic() < deadline, "no alert came while the store was away"
        time.sleep(0.1)
    server.start()
    running.await_done()
    check_against_audit(running, lines)
    assert stop(worker) == 0


def test_one_of_two_workers_is_killed_and_the_other_goes_on(running: Pipeline) -> None:
    lines = list(simulate(4, 8, 6, faults=0.1))
    first, second = running.start_worker(), running.start_worker()
    publish(lines[:400], running.broker, max_events=10)
    running.await_done()
    first.kill()
    first.wait()
    publish(lines[400:], running.broker, max_events=10)
    running.await_done()
    check_against_audit(running, lines)
    assert stop(second) == 0


def alerts(running: Pipeline) -> list[bytes]:
    """All that was sent to audit.alerts."""
    with Log(running.folder / "log") as log:
        return [
            record.value or b""
            for place, span in log.spans().items()
            if place.topic == "audit.alerts"
            for record in log.read(place.topic, place.partition, span.first, max_records=10_000, max_bytes=1 << 26)
        ]


def test_events_of_a_record_that_is_not_stored_yet_are_not_read(running: Pipeline) -> None:
    """A worker that dies between the events and their record leaves events that count for nothing until it comes."""
    lines = list(simulate(1, 4, 8))
    first, rest = lines[:100], lines[100:]
    worker = running.start_worker()
    publish(first, running.broker)
    running.await_done()
    worker.kill()
    worker.wait()
    decoded = decode_lines(rest)
    half = Record("table.bets", 0, 1_000, 0, b"[]", decoded)
    running.store.insert("events", event_columns([half]))
    table = decoded.events[0].subject
    assert len(list(table_events(running.store, table, 0, 2**52))) == len(decode_lines(first).events)
