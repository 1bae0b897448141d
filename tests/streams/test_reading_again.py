"""After a restart tables are read from the store part by part: people hear of each at once, and storing goes on."""

import asyncio
import math
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from audit.intake import CONFLICT
from audit.settings import JudgeSettings
from schemas.findings import parse_finding
from store.connect import Store
from store.errors import QueryRefused
from store.read.rejections import rejections
from streams import folding, outputs, sink, writing
from streams.app import make_app
from streams.batch import Batch
from streams.folding import Folded, Wanted
from streams.partition import PartitionJudge
from streams.reading import InHand
from streams.sink import Sink
from streams.topic_layout import INPUTS
from tests.streams.pipeline import PATIENCE_SECONDS, Pipeline, StoreProcess
from tests.streams.stored import BET, LONG, PARTITION, SHORT_PAID, Floor, as_table, two_shoes
from tests.streams.test_agents import embedded_pipeline

TABLES = ["AA1", "BB1", "CC1"]
SILENT = "AA0"
Step = tuple[str, list[str]]


@pytest.fixture(autouse=True)
def _ours(monkeypatch: pytest.MonkeyPatch) -> None:
    """The partitions are ours for ever: there is no group here that would say so."""
    monkeypatch.setattr(InHand, "ours_until", math.inf)


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Pipeline]:
    with embedded_pipeline(tmp_path, StoreProcess(tmp_path / "clickhouse")) as started:
        yield started


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> list[Step]:
    """What the sink does, in its order: which tables it reads, tells people of, and stores records of."""
    done: list[Step] = []

    def fold(*given: Any) -> Any:
        folded = folding.fold(*given)
        done.append(("read", sorted(folded)))
        return folded

    async def send(app: Any, messages: Sequence[outputs.Message]) -> None:
        told = [parse_finding(each.value) for each in messages if each.topic == "audit.alerts"]
        if told:
            done.append(("told", sorted({finding.table or "" for finding in told})))
        await send_for_good(app, messages)

    def write(store: Any, news: Any, records: Any, now: int) -> None:
        write_for_good(store, news, records, now)
        done.append(("stored", sorted({event.subject for record in records for event in record.decoded.events})))

    send_for_good, write_for_good = outputs.send, writing.write
    monkeypatch.setattr(sink, "fold", fold)
    monkeypatch.setattr(outputs, "send", send)
    monkeypatch.setattr(sink, "write", write)
    return done


def _floor(running: Pipeline) -> tuple[PartitionJudge, Batch]:
    """Tables that were stored, a worker that begins with them, and what it has read: a settlement that is short at each
    of them but one, and at the last of them an id of a bet in the shoe before."""
    floor = Floor()
    stories = {table: two_shoes().round(**SHORT_PAID).events() for table in TABLES}
    placed = [event for event in stories[TABLES[-1]] if event["type"] == "bet.placed.v1"]
    placed[-1]["id"] = placed[0]["id"]
    before = [*as_table(two_shoes().round(**BET).events()[:-2], SILENT)]
    after: list[bytes] = []
    for table, events in stories.items():
        last = [event for event in events if event["data"].get("round") == LONG + 1]
        before += as_table([event for event in events if event not in last], table)
        after += as_table(last, table)
    floor.store(running.store, before)
    judge = floor.new_judge([SILENT, *TABLES])
    judge.desk(SILENT)
    for topic in INPUTS:
        # No topic goes on: what is found of a part of a round waits for none of them.
        judge.watermark.left_to_read(topic, 0, 0)
    batch = Batch(1, 0, floor.records(after))
    for record in batch.records:
        judge.take(record, batch.number, 0.0)
    return judge, batch


def _run(running: Pipeline, judge: PartitionJudge, batch: Batch, until: Callable[[], bool]) -> set[str]:
    """The tables that could not be read in the end."""

    async def store() -> set[str]:
        app = make_app(running.broker)
        await app.producer.start()
        try:
            storing = Sink(app, running.store, {PARTITION: judge})
            await storing.put(batch)
            running_sink = asyncio.create_task(storing.run())
            async with asyncio.timeout(PATIENCE_SECONDS):
                while not until():
                    await asyncio.sleep(0.05)
            running_sink.cancel()
            return storing.unread()
        finally:
            await app.producer.stop()

    return asyncio.run(store())


def test_people_hear_of_each_part_at_once_and_storing_goes_on_between_parts(
    running: Pipeline, steps: list[Step], monkeypatch: pytest.MonkeyPatch
) -> None:
    judge, batch = _floor(running)
    steps.clear()
    monkeypatch.setattr(folding, "EVENTS_TOGETHER", 1)
    _run(running, judge, batch, lambda: ("read", [SILENT]) in steps)
    read = [table for step, tables in steps if step == "read" for table in tables]
    assert list(dict.fromkeys(read)) == [*TABLES, SILENT]
    for table in TABLES:
        assert steps[steps.index(("read", [table])) + 1] == ("told", [table])
    assert ("stored", TABLES) in steps[: steps.index(("read", [TABLES[1]]))]


def test_an_id_of_before_is_known_to_a_table_whose_news_were_stored_before_it_was_read(
    running: Pipeline, steps: list[Step], monkeypatch: pytest.MonkeyPatch
) -> None:
    judge, batch = _floor(running)
    steps.clear()
    monkeypatch.setattr(folding, "EVENTS_TOGETHER", 1)

    def refused() -> int:
        return sum(each.reason == CONFLICT for each in rejections(running.store, table=TABLES[-1]))

    _run(running, judge, batch, lambda: ("read", [TABLES[-1]]) in steps and refused() == 2)
    assert steps.index(("stored", TABLES)) < steps.index(("read", [TABLES[-1]]))


@pytest.mark.parametrize("fault", [ValueError("a fault of ours"), QueryRefused("what was asked is no question", 43)])
def test_a_table_that_cannot_be_read_keeps_no_other_from_being_read(
    running: Pipeline, steps: list[Step], monkeypatch: pytest.MonkeyPatch, fault: Exception
) -> None:
    judge, batch = _floor(running)
    steps.clear()
    fold = folding.fold

    def fails(store: Store, wanted: Sequence[Wanted], settings: JudgeSettings) -> dict[str, Folded]:
        if TABLES[0] in {each.table for each in wanted}:
            raise fault
        return fold(store, wanted, settings)

    monkeypatch.setattr(folding, "fold", fails)

    def others_were_read() -> bool:
        told = {table for step, tables in steps if step == "told" for table in tables}
        return told >= set(TABLES[1:]) and judge.desks[SILENT].live is not None

    assert _run(running, judge, batch, others_were_read) == {TABLES[0]}
    assert judge.desks[TABLES[0]].live is None
    assert ("told", [TABLES[0]]) not in steps
