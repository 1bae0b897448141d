"""What people were told is stored, whatever became of the records that it rests on."""

import asyncio
import math
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

import streams.sink
from audit.settings import JudgeSettings
from schemas.topics import partition_of
from simulator.floor import simulate
from store.read.findings import FindingFilter, findings
from streams import outputs
from streams.app import make_app
from streams.batch import Batch
from streams.intake import read_record
from streams.news import News
from streams.partition import PartitionJudge
from streams.reading import InHand
from streams.routing import Router
from streams.sink import Sink
from streams.topic_layout import INPUTS
from streams.writing import write
from tests.streams.pipeline import PATIENCE_SECONDS, Pipeline, StoreProcess, alerts
from tests.streams.test_agents import embedded_pipeline

NOW_MS = 1_900_000_000_000
LONG_BEFORE_MS = NOW_MS - 60_000
"""What had come by then is known to be all."""
PARTITIONS = 2
OLD, NEW = 0, 1


@pytest.fixture(autouse=True)
def _ours(monkeypatch: pytest.MonkeyPatch) -> None:
    """The partitions are ours for ever: there is no group here that would say so."""
    monkeypatch.setattr(InHand, "ours_until", math.inf)


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Pipeline]:
    with embedded_pipeline(tmp_path, StoreProcess(tmp_path / "clickhouse")) as started:
        yield started


def _judge(lines: Sequence[bytes], *, known: bool) -> PartitionJudge:
    """The judge of a partition that has read these lines of one table, which the store has heard of or not."""
    [table] = {line.split(b'"subject":"')[1].split(b'"')[0].decode() for line in lines}
    number = partition_of(table, PARTITIONS)
    judge = PartitionJudge(number, JudgeSettings(), [table] if known else [], dict.fromkeys(INPUTS, 0))
    router = Router(PARTITIONS)
    for offset, line in enumerate(lines):
        for parcel in router.route(line):
            judge.take(read_record(parcel.topic, number, offset, LONG_BEFORE_MS, parcel.raw, PARTITIONS), 2, 0.0)
    for now in (NOW_MS - 1_000, NOW_MS):
        for topic in INPUTS:
            judge.watermark.left_to_read(topic, 0, now * 1_000)
    return judge


def _store_all(
    running: Pipeline, judges: dict[int, PartitionJudge], batch: Batch, *, tell: bool, begun_under: int = NEW
) -> None:
    """Hand a batch to a sink after partitions were dealt out anew, and wait until something is stored of it."""

    async def store() -> None:
        app = make_app(running.broker)
        await app.producer.start()
        try:
            sink = Sink(app, running.store, judges)
            sink.generation = begun_under
            if tell:
                await outputs.send(app, outputs.alerts(batch.news.findings))
            storing = asyncio.create_task(sink.run())
            await sink.put(batch)
            async with asyncio.timeout(PATIENCE_SECONDS):
                while not findings(running.store, FindingFilter(cleared=None)):
                    await asyncio.sleep(0.1)
            storing.cancel()
        finally:
            await app.producer.stop()

    asyncio.run(store())


def _check_all_told_is_stored(running: Pipeline) -> None:
    told = {finding.id for finding in alerts(running)}
    assert told
    assert {state.finding.id for state in findings(running.store, FindingFilter(cleared=None))} == told


def test_news_of_a_table_that_is_read_again_are_stored_when_only_old_batches_are_queued(running: Pipeline) -> None:
    judge = _judge(list(simulate(1, 6, 2, faults=1.0)), known=True)
    _store_all(running, {judge.number: judge}, Batch(1, OLD), tell=False)
    _check_all_told_is_stored(running)


def test_what_was_told_under_an_old_assignment_is_stored_though_its_records_come_again(running: Pipeline) -> None:
    batch = Batch(1, OLD)
    judge = _judge(list(simulate(1, 6, 2, faults=1.0)), known=False)
    batch.news.add(judge.look(NOW_MS * 1_000))
    assert batch.news.verdicts
    _store_all(running, {}, batch, tell=True)
    _check_all_told_is_stored(running)
    assert running.store.query("SELECT count() FROM verdicts") == [(0,)]


def test_what_was_being_stored_when_partitions_were_dealt_out_anew_is_not_stored_in_the_new_assignment(
    running: Pipeline, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker that stood still can be left out, and join again, between an insert's beginning and its end."""
    monkeypatch.setattr(Sink, "ours", property(_join_again))
    batch = Batch(1, OLD)
    batch.news.add(_judge(list(simulate(1, 6, 2, faults=1.0)), known=False).look(NOW_MS * 1_000))
    assert batch.news.verdicts
    _store_all(running, {}, batch, tell=True, begun_under=OLD)
    _check_all_told_is_stored(running)
    assert running.store.query("SELECT count() FROM verdicts") == [(0,)]


def test_what_was_told_before_is_stored_when_partitions_are_taken_over_that_were_dealt_out_anew(
    running: Pipeline,
) -> None:
    told = _judge(list(simulate(1, 6, 2, faults=1.0)), known=False).look(NOW_MS * 1_000)

    async def take_over() -> None:
        sink = Sink(make_app(running.broker), running.store, {})
        sink.generation = NEW
        async with asyncio.timeout(PATIENCE_SECONDS):
            await sink.ask(lambda: write(sink.store, News(told.findings), [], NOW_MS))

    asyncio.run(take_over())
    stored = {state.finding.id for state in findings(running.store, FindingFilter(cleared=None))}
    assert stored == {each.finding.id for each in told.findings}


def _join_again(sink: Sink) -> bool:
    sink.generation = NEW
    return True


def test_while_a_worker_catches_up_a_little_waits_for_company_and_no_longer(
    running: Pipeline, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams.sink, "LINGER_SECONDS", 0.0)
    monkeypatch.setattr(streams.sink, "CATCHING_UP_SECONDS", float("inf"))
    batch = Batch(1, OLD)
    batch.news.add(_judge(list(simulate(1, 6, 2, faults=1.0)), known=False).look(NOW_MS * 1_000))

    async def store() -> int:
        app = make_app(running.broker)
        await app.producer.start()
        sink = Sink(app, running.store, {})
        sink.catching_up = True
        storing = asyncio.create_task(sink.run())
        await sink.put(batch)
        await asyncio.sleep(0.5)
        early = len(findings(running.store, FindingFilter(cleared=None)))
        sink.catching_up = False
        async with asyncio.timeout(PATIENCE_SECONDS):
            while not findings(running.store, FindingFilter(cleared=None)):
                await asyncio.sleep(0.1)
        storing.cancel()
        await app.producer.stop()
        return early

    assert asyncio.run(store()) == 0
