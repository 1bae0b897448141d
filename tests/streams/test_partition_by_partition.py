"""People hear of what is found at one partition while the next is judged, and all of it before anything is stored."""

import asyncio
import gc
import sys
import time
from collections.abc import Iterator, Sequence
from typing import Any

import faust
import pytest
from faust.types import TP

from audit.settings import JudgeSettings
from schemas.findings import parse_finding
from store.connect import Store
from streams.agent import Worker
from streams.outputs import Message
from streams.topic_layout import INPUTS
from tests.streams.simulated_broker import App, Consumer, Record, Taken, Topics

PARTITIONS = 3
TOPIC = INPUTS[0]


class _AllAssigned(Consumer):
    def assignment(self) -> set[TP]:
        return {TP(topic, partition) for topic in INPUTS for partition in range(PARTITIONS)}


@pytest.fixture
def worker(store: Store) -> Iterator[Worker]:
    interval, thresholds = sys.getswitchinterval(), gc.get_threshold()
    app: Any = App(Topics())
    app.consumer = _AllAssigned(Topics())
    yield Worker(app, store, JudgeSettings(), PARTITIONS, lambda _: [])
    gc.set_threshold(*thresholds)
    gc.unfreeze()
    sys.setswitchinterval(interval)


def test_people_hear_of_one_partition_while_the_next_is_judged(worker: Worker, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[tuple[str, list[int]]] = []
    """What was told, and which partitions had been read by then."""

    async def send(_: faust.App, messages: Sequence[Message]) -> None:
        read = [number for number, judge in sorted(worker.judges.items()) if judge.positions[TOPIC]]
        told.extend((parse_finding(each.value).message, read) for each in messages)

    monkeypatch.setattr("streams.outputs.send", send)
    now = time.time()
    # Twice in turn, as partitions are read abreast: what is of one belongs together.
    records = [
        Record(TOPIC, offset, now, b"no event %d of %d" % (offset, number), now, number)
        for offset in range(2)
        for number in (2, 0, 1)
    ]
    batch, _ = asyncio.run(worker._process([Taken(each) for each in records]))
    assert [read for _, read in told] == [[2], [2], [0, 2], [0, 2], [0, 1, 2], [0, 1, 2]]
    places = [f"partition {number}, offset {offset}" for number in (2, 0, 1) for offset in range(2)]
    assert all(place in message for place, (message, _) in zip(places, told, strict=True))
    assert [each.finding.code for each in batch.news.findings] == ["event-rejected"] * 6
    assert len(batch.records) == len(batch.acks) == 6
