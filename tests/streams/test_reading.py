"""A worker fetches no more than it can judge in a moment, whatever Faust does with the records on the way."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from aiokafka import AIOKafkaConsumer
from aiokafka.consumer.fetcher import FetchError, FetchResult
from aiokafka.consumer.subscription_state import Assignment
from aiokafka.errors import KafkaError
from faust.types import TP

from streams.app import make_app
from streams.broker_url import EmbeddedLog, parse_broker
from streams.embedded.log import StoredRecord
from streams.reading import (
    FETCH_WAIT_MS,
    FETCHED_BYTES,
    FIRST_PACE,
    LEAST_POLLED,
    MOST_POLLED,
    MOST_RECORDS,
    POLLED_RECORDS,
    POLLED_SECONDS,
    WORTH_FETCHING_BYTES,
    InHand,
    left_to_read,
    oldest_partition,
)
from streams.topics import create


def _consumer(folder: Path) -> InHand:
    broker = EmbeddedLog(folder / "log")
    create(broker)
    consumer = make_app(broker, datadir=str(folder)).consumer
    assert isinstance(consumer, InHand)
    return consumer


def _record(size: int) -> StoredRecord:
    return StoredRecord(0, 0, None, (), b"x" * size)


async def _waits(consumer: InHand) -> bool:
    """Whether a fetch waits for what is in hand."""
    consumer.flow_active = True
    room = asyncio.create_task(consumer.await_room())
    await asyncio.sleep(0.02)
    waits = not room.done()
    room.cancel()
    return waits


def test_a_fetch_waits_while_enough_is_in_hand(tmp_path: Path) -> None:
    async def run() -> list[bool]:
        consumer = _consumer(tmp_path)
        seen = [await _waits(consumer)]
        # What is judged, and what is fetched meanwhile.
        messages = [consumer._to_message(TP("table.cards", 0), _record(consumer.bytes_at_once)) for _ in range(2)]
        seen.append(await _waits(consumer))
        consumer.judged(len(messages[0].value or b""), POLLED_SECONDS)
        return [*seen, await _waits(consumer)]

    assert asyncio.run(run()) == [False, True, False]


def test_a_worker_need_not_wait_for_what_comes_after_what_it_judges(tmp_path: Path) -> None:
    async def run() -> bool:
        consumer = _consumer(tmp_path)
        consumer._to_message(TP("table.cards", 0), _record(int(1.2 * consumer.bytes_at_once)))
        return await _waits(consumer)

    assert not asyncio.run(run())


def test_what_faust_dropped_on_the_way_holds_nothing_up_for_good(tmp_path: Path) -> None:
    async def run() -> list[bool]:
        consumer = _consumer(tmp_path)
        consumer._to_message(TP("table.cards", 0), _record(2 * consumer.bytes_at_once))
        consumer.correct(idle=False)
        seen = [await _waits(consumer)]
        consumer.correct(idle=True)
        return [*seen, await _waits(consumer)]

    assert asyncio.run(run()) == [True, False]


def test_small_records_are_fetched_many_at_once_and_large_ones_few(tmp_path: Path) -> None:
    async def run() -> list[int]:
        consumer = _consumer(tmp_path)
        seen = [consumer.records_at_once]
        for size in (250, 5_000, 900_000):
            for _ in range(600):
                consumer._to_message(TP("table.cards", 0), _record(size))
            seen.append(consumer.records_at_once)
        return seen

    unknown, tiny, small, large = asyncio.run(run())
    assert unknown == large == POLLED_RECORDS
    assert tiny == MOST_RECORDS
    assert 0.9 < small * 5_000 / (FIRST_PACE * POLLED_SECONDS) < 1.1


def test_as_much_is_fetched_at_once_as_is_judged_in_a_moment(tmp_path: Path) -> None:
    """A machine that is busy, or rounds that take longer to judge: what is fetched waits no longer for it."""

    async def run(pace: int) -> int:
        consumer = _consumer(tmp_path / str(pace))
        for _ in range(40):
            consumer.judged(pace // 4, 0.25)
        return consumer.bytes_at_once

    slow, usual, quick = (asyncio.run(run(pace)) for pace in (100_000, 4_000_000, 90_000_000))
    assert slow == LEAST_POLLED
    assert 0.99 < usual / (4_000_000 * POLLED_SECONDS) <= 1.0
    assert quick == MOST_POLLED


def test_a_record_is_handed_on_in_one_step_while_nothing_holds_it_up(tmp_path: Path) -> None:
    async def hand_on(handed: list[int], number: int) -> None:
        handed.append(number)

    async def run() -> tuple[list[int], int]:
        consumer = _consumer(tmp_path)
        consumer.app.flow_control.resume()
        handed: list[int] = []
        consumer.resume_flow()
        started: set[int] = set()

        def start(loop: asyncio.AbstractEventLoop, work: Any, **named: Any) -> asyncio.Task[Any]:
            started.add(id(work))
            return asyncio.Task(work, loop=loop, **named)

        asyncio.get_running_loop().set_task_factory(start)
        await consumer.wait_first(hand_on(handed, 1), consumer.suspend_flow.wait())
        return handed, len(started)

    assert asyncio.run(run()) == ([1], 0)


def test_a_rebalance_breaks_off_the_handing_on_of_a_record(tmp_path: Path) -> None:
    async def never(begun: list[int]) -> None:
        begun.append(1)
        await asyncio.sleep(60)

    async def run() -> list[int]:
        consumer = _consumer(tmp_path)
        consumer.stop_flow()
        begun: list[int] = []
        await asyncio.wait_for(consumer.wait_first(never(begun), consumer.suspend_flow.wait()), 10)
        return begun

    assert asyncio.run(run()) == [1]


def test_of_what_is_at_hand_the_partition_comes_first_that_was_read_least_far_in_time() -> None:
    bets, cards = (TP(topic, 0) for topic in ("table.bets", "table.cards"))
    other = TP("table.cards", 1)
    assert oldest_partition([bets, cards, other], {bets: 2_000, cards: 1_000, other: 1_500}) == 0
    assert oldest_partition([bets, other], {bets: 2_000, cards: 1_000, other: 1_500}) == 1
    assert oldest_partition([bets, other, TP("table.floor", 2)], {bets: 2_000, other: 1_500}) == 2, "never read"
    assert oldest_partition([], {}) is None


def test_how_much_is_left_to_read_is_known_with_the_first_fetch() -> None:
    """The topics of a backlog are read abreast from then on, and not only after a batch that was as large as may be."""
    bets, cards, floor, settlements = (TP(topic, 0) for topic in ("bets", "cards", "floor", "settlements"))

    async def run() -> int:
        assignment = Assignment({bets, cards, floor})
        for tp, position, highwater in ((bets, 100, 5_000), (cards, 40, 40)):
            state = assignment.state_value(tp)
            state.await_reset(-1)
            state.reset_to(position)
            state.highwater = highwater
        fetched = {
            tp: FetchResult(tp, assignment=assignment, partition_records=iter(()), backoff=0.0)
            for tp in (bets, cards, floor, settlements)
        }
        failed = {TP("bets", 1): FetchError(error=KafkaError(), backoff=0.0)}
        return left_to_read({**fetched, **failed})

    # Of floor no position is known yet, of settlements nothing any more.
    assert asyncio.run(run()) == 4_900


def test_a_fetch_from_kafka_waits_a_moment_for_company(tmp_path: Path) -> None:
    names = ("_fetch_min_bytes", "_fetch_max_wait_ms", "_max_partition_fetch_bytes")

    async def run() -> tuple[list[bool], list[int]]:
        app = make_app(parse_broker("kafka://127.0.0.1:1"), datadir=str(tmp_path))
        fetching = app.consumer._thread._create_worker_consumer(app.transport)
        # The client has such settings by these names still.
        return [name in vars(AIOKafkaConsumer()) for name in names], [getattr(fetching, name) for name in names]

    assert asyncio.run(run()) == ([True] * 3, [WORTH_FETCHING_BYTES, FETCH_WAIT_MS, FETCHED_BYTES])


def test_a_worker_leaves_no_folder_where_it_is_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Faust makes one for its tables before anything else; where it may not, the worker would not start."""
    started = tmp_path / "started"
    started.mkdir()
    monkeypatch.chdir(started)
    create(EmbeddedLog(tmp_path / "log"))

    async def start() -> None:
        app = make_app(EmbeddedLog(tmp_path / "log"))
        await app.on_first_start()

    asyncio.run(start())
    assert list(started.iterdir()) == []
