"""Partitions are dealt out anew, or a worker is to stop, while it waits for the store: it lets go, and goes on."""

import asyncio
import logging
import os
import time
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import pytest
from faust.types import TP

import streams.sink
from audit.settings import JudgeSettings
from store.connect import connect
from store.errors import StoreUnavailable
from store.rows.raw import Record
from streams import outputs
from streams.agent import Worker
from streams.batch import Ack
from streams.intake import read_record
from streams.news import News
from streams.partition import PartitionJudge
from streams.topic_layout import INPUTS
from streams.watermark import Reach
from tests.streams.simulated_broker import App, Consumer, Topics

PARTITIONS = 4
LONG = 20.0
"""Seconds; what is waited for comes in one or two."""


class Message:
    """One that Faust waits for until it is acknowledged or let go of."""

    def __init__(self, app: App) -> None:
        app.consumer.unacked.add(self)

    def ack(self, consumer: Consumer) -> None:
        consumer.unacked.discard(self)


def _record(offset: int = 0) -> Record:
    return read_record("table.bets", 0, offset, 1_900_000_000_000, b"no event", PARTITIONS)


def _worker(app: App, mine: set[int]) -> Worker:
    consumer: Any = app.consumer
    consumer.assignment = lambda: {TP(topic, number) for topic in INPUTS for number in mine}
    faust: Any = app
    return Worker(faust, connect("clickhouse://nobody@127.0.0.1:1/x"), JudgeSettings(), PARTITIONS, lambda _: [])


async def _until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(LONG):
        while not holds():
            await asyncio.sleep(0.05)


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Whether the store is away, what else is wrong with it, and what it was given."""
    state: dict[str, Any] = {"away": True, "fault": None, "written": []}

    def write(_store: object, _news: News, records: Sequence[Record], _now: int) -> None:
        if state["away"]:
            raise StoreUnavailable("away")
        if state["fault"] is not None:
            fault, state["fault"] = state["fault"], None
            raise fault
        state["worker"].sink._still_ours()
        state["written"] += [record.key.offset for record in records]

    async def taken(*_: object) -> None: ...

    monkeypatch.setattr(streams.sink, "write", write)
    monkeypatch.setattr(outputs, "send", taken)
    monkeypatch.setattr(streams.sink, "LONGEST_PAUSE", 0.1)
    return state


def _at_work(store: dict[str, Any], scene: Callable[[App, Worker], Awaitable[None]]) -> None:
    """Play a scene with a worker that has no partition and tables to look at, but owes something, so that it ticks."""

    async def play() -> None:
        app = App(Topics())
        store["worker"] = worker = _worker(app, set())
        app.consumer.ours_until = time.monotonic() + 3_600
        worker.sink._held[9] = deque([Ack(Message(app), 9, Reach(2**61, 2**61))])
        tasks = [asyncio.create_task(run()) for run in (worker._tick, worker._let_go, worker._run_sink)]
        try:
            await scene(app, worker)
        finally:
            for task in tasks:
                task.cancel()

    asyncio.run(play())


def _full(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams.sink, "BACKLOG_EVENTS", 1)


async def _hand_over(app: App, worker: Worker, offset: int = 0) -> None:
    batch = worker._batch()
    batch.records.append(_record(offset))
    batch.acks.append(Ack(Message(app), 0, Reach(0, 0)))
    batch.looked_to[0] = Reach(1, 1)
    await worker.sink.put(batch)


def test_a_worker_that_was_left_out_with_a_full_backlog_lets_go(
    store: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Faust waits for it without limit: nothing would be judged any more until somebody kills it."""
    _full(monkeypatch)

    async def scene(app: App, worker: Worker) -> None:
        await _hand_over(app, worker)
        await asyncio.sleep(0.6)
        app.rebalancing = True
        app.consumer.ours_until = time.monotonic() - 1
        store["away"] = False
        await _until(lambda: not app.consumer.unacked)
        assert store["written"] == []

    _at_work(store, scene)


def test_a_worker_with_a_full_backlog_that_is_to_stop_gives_up(
    store: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    _full(monkeypatch)
    asked: list[float] = []
    monkeypatch.setattr(Worker, "_give_up", lambda _, waited: asked.append(waited))

    async def scene(app: App, worker: Worker) -> None:
        await _hand_over(app, worker)
        await asyncio.sleep(0.6)
        app.should_stop = True
        await _until(lambda: len(asked) > 1)

    _at_work(store, scene)


@pytest.mark.parametrize(("what", "ends"), [("away", True), ("failing", True), (None, False)])
def test_a_worker_that_is_to_stop_ends_without_the_store_after_a_while(
    monkeypatch: pytest.MonkeyPatch, what: str | None, ends: bool
) -> None:
    ended: list[int] = []
    monkeypatch.setattr(os, "_exit", ended.append)
    monkeypatch.setattr(logging, "shutdown", lambda: None)
    worker = _worker(App(Topics()), set())
    if what is not None:
        setattr(worker.sink, what, True)
    worker._give_up(0.0)
    assert ended == []
    worker._give_up(3_600.0)
    assert bool(ended) is ends


def test_what_could_not_be_stored_for_a_fault_of_ours_is_stored_before_what_came_after_it(
    store: dict[str, Any],
) -> None:
    """Acknowledged behind it, the next one would be committed, and it would be lost."""
    store.update(away=False, fault=ValueError("a fault of ours"))

    async def scene(app: App, worker: Worker) -> None:
        await _hand_over(app, worker, 0)
        await _until(lambda: worker.sink.failing)
        assert worker.lacks == "what was judged cannot be stored, and nothing is acknowledged: the log says why"
        assert app.consumer.unacked
        await _hand_over(app, worker, 1)
        await _until(lambda: len(store["written"]) == 2)
        assert store["written"] == [0, 1]
        await _until(lambda: not worker.sink.failing)
        assert worker.sink._size == 0

    _at_work(store, scene)


def test_a_partition_that_went_to_another_worker_while_the_store_was_asked_has_no_judge_here() -> None:
    """The broker is asked only for what is assigned: at every tick it would answer with an error."""

    async def scene() -> None:
        app, mine = App(Topics()), set(range(PARTITIONS))
        worker: Any = _worker(app, mine)
        consumer: Any = app.consumer

        def highwater(tp: TP) -> int:
            assert tp.partition in mine, "Partition is not assigned"
            return 0

        async def take_over(partitions: list[int]) -> dict[int, PartitionJudge]:
            await asyncio.sleep(0.3)
            ends = dict.fromkeys(INPUTS, 0)
            return {each: PartitionJudge(each, worker.settings, (), ends, worker._telling) for each in partitions}

        consumer.highwater = highwater
        worker._take_over = take_over
        ticking = asyncio.create_task(worker.tick())
        await asyncio.sleep(0.1)
        app.rebalancing = True
        await worker._on_revoked()
        await asyncio.sleep(0.4)
        mine -= {1, 3}
        app.rebalancing = False
        await ticking
        for _ in range(2):
            await worker.tick()
            assert set(worker.judges) == {0, 2}
        assert not worker._has_more

    asyncio.run(scene())
