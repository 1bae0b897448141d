"""The agents, from the broker to the store: what was sent is stored, and judged as `tablewatch audit` judges it."""

import asyncio
import random
from collections.abc import Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import orjson
import pytest

from schemas.decoding import decode_lines
from schemas.findings import Finding
from schemas.time import micros
from schemas.topics import ALERTS
from schemas.verdicts import Verdict
from simulator.floor import simulate
from store.connect import Store
from store.read.findings import FindingFilter, findings
from store.read.progress import stored_events_count
from store.read.rejections import rejections
from streams.alerting.raising import TIME_HEADER
from streams.app import make_app
from streams.broker_url import Broker, parse_broker
from streams.feed import Feed
from streams.publish import publish
from streams.topics import Layout, create
from tests.streams.pipeline import Pipeline, StoreProcess, offline, pipeline, stop


def embedded_pipeline(folder: Path, server: StoreProcess) -> AbstractContextManager[Pipeline]:
    """The pipeline on the embedded log."""
    return broker_pipeline(folder, f"tablelog://{folder}/log", server)


def broker_pipeline(folder: Path, url: str, server: StoreProcess) -> AbstractContextManager[Pipeline]:
    """The pipeline on the broker that a URL names, with two partitions."""
    broker: Broker = parse_broker(url)
    create(broker, Layout(partitions=2))
    return pipeline(folder, broker, server, url)


def _floor(seed: int) -> list[bytes]:
    """A few tables with faults, some events twice, and some a little out of their order."""
    rng = random.Random(seed)
    lines: list[bytes] = []
    for line in simulate(3, 10, seed, faults=0.15):
        lines.append(line)
        if rng.random() < 0.05:
            lines.append(rng.choice(lines[-20:]))
    return lines


def standing_of(
    store: Store, verdicts: Mapping[tuple[str, str, int], Verdict], found: Mapping[str, Finding]
) -> dict[str, str]:
    """The code of every finding that stands, by its id; of rounds those that an audit judges, which go on nowhere."""
    rounds = {(each.table, each.shoe, each.round) for each in found.values()} | verdicts.keys()
    return {
        finding.id: finding.code
        for finding in (state.finding for state in findings(store, FindingFilter()))
        if finding.round is None or (finding.table, finding.shoe, finding.round) in rounds
    }


def check_against_audit(running: Pipeline, lines: list[bytes]) -> None:
    """The store has what was sent, once; verdicts and findings are those of an audit of the same lines."""
    verdicts, found = offline(lines)
    listed = running.run("replay", "list", "--json")
    assert listed.returncode == 0, listed.stderr
    stored = {
        (each["table"], each["shoe"], each["round"]): each
        for each in (orjson.loads(line) for line in listed.stdout.splitlines())
    }
    assert list(stored) == sorted(stored)
    assert stored.keys() == verdicts.keys()
    assert {key: each["digest"] for key, each in stored.items()} == {k: v.digest for k, v in verdicts.items()}
    assert {key: each["status"] for key, each in stored.items()} == {k: v.status for k, v in verdicts.items()}
    states = findings(running.store, FindingFilter())
    standing = {state.finding.id: state.finding.code for state in states}
    assert len(standing) == len(states)
    assert standing_of(running.store, verdicts, found) == {name: finding.code for name, finding in found.items()}
    assert stored_events_count(running.store) == len(decode_lines(lines).events)


def test_what_was_sent_is_stored_and_judged_as_an_audit_judges_it(running: Pipeline) -> None:
    lines = _floor(3)
    worker = running.start_worker()
    publish(lines[: len(lines) // 2], running.broker, max_events=20)
    publish(lines[len(lines) // 2 :], running.broker, max_events=50)
    running.await_done()
    check_against_audit(running, lines)
    said = orjson.loads(running.run("doctor", "--json").stdout)
    assert said["lag"] == 0 and said["ok"], said
    assert _says_of_workers(said) == "1 at work"
    assert stop(worker) == 0
    assert _says_of_workers(orjson.loads(running.run("doctor", "--json").stdout)).startswith("none is at work")
    check_times_of_alerts(running, lines)


def _says_of_workers(said: dict[str, Any]) -> str:
    found: str = next(check["says"] for check in said["checks"] if check["name"] == "workers")
    return found


def check_times_of_alerts(running: Pipeline, lines: list[bytes]) -> None:
    """Each alert carries the table's own time, by which people know how late they hear of it."""
    times = [micros(event.time) for event in decode_lines(lines).events]
    with Feed(running.broker, [ALERTS.name], start="beginning") as feed:
        told = [dict(record.headers)[TIME_HEADER] for record in feed.poll(5.0)]
    assert told
    assert all(min(times) <= int(time) <= max(times) for time in told)


def test_bytes_that_are_no_events_are_kept_and_reported_and_stop_nothing(running: Pipeline) -> None:
    lines = _floor(4)
    poison = [b"not json", b"\xff\xfe\x00", b"[]", b'{"specversion":"1.0"}', b"[" * 5000, b'"' + b"x" * 1_000_000]
    mixed = [*lines[:50], *poison, *lines[50:]]
    publish(mixed, running.broker)
    worker = running.start_worker()
    running.await_done()
    check_against_audit(running, mixed)
    assert {refused.raw for refused in rejections(running.store)} >= set(poison)
    assert stop(worker) == 0


def test_a_worker_that_keeps_no_tables_does_not_wait_for_some_to_be_declared(
    running: Pipeline, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables = make_app(running.broker).tables
    waited: list[float] = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)

    async def nothing() -> None: ...

    monkeypatch.setattr(tables, "sleep", sleep)
    monkeypatch.setattr(tables, "_update_channels", nothing)
    monkeypatch.setattr(tables.recovery, "start", nothing)
    asyncio.run(tables.on_start())
    assert waited == []
