"""The Faust transport of the embedded log: pausing, seeking, sending, and what happens when the log has no room."""

import asyncio
import resource
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from pathlib import Path

import faust
import pytest
from faust.exceptions import ProducerSendError
from faust.types import TP

from schemas.topics import partition_of
from streams.broker_url import EmbeddedLog
from streams.embedded import consumer as embedded_consumer
from streams.embedded.log import Log, NewRecord, Place, Topic
from streams.embedded.retention import retain
from streams.faust_broker import faust_options

PARTITIONS = 2


class Worker:
    """A Faust app in this process that keeps what it reads."""

    def __init__(self, folder: Path, *topics: str, **options: int) -> None:
        self.read: list[tuple[int, int, bytes]] = []
        self.gate = asyncio.Event()
        self.gate.set()
        self.app = faust.App(
            "g",
            **faust_options(EmbeddedLog(folder)),
            stream_wait_empty=True,
            broker_commit_interval=0.05,
            broker_session_timeout=2.0,
            topic_allow_declare=False,
            topic_disable_leader=True,
            web_enabled=False,
            datadir=str(folder.parent / "faust"),
            **options,
        )
        raw = {"value_type": bytes, "value_serializer": "raw", "key_type": bytes, "key_serializer": "raw"}
        topic = self.app.topic(*(topics or ("t",)), **raw)

        @self.app.agent(topic)
        async def keep(stream: faust.StreamT[bytes]) -> None:
            async for batch in stream.noack_take(10, within=0.01):
                await self.gate.wait()
                for event in batch:
                    self.read.append((event.message.partition, event.message.offset, event.value))
                    event.ack()

        self.app.finalize()

    def has_read(self, count: int) -> bool:
        return len(self.read) >= count

    def values(self) -> list[bytes]:
        return [value for _, _, value in self.read]

    async def until(self, what: Callable[[], bool], seconds: float = 240.0) -> None:
        async with asyncio.timeout(seconds):
            while not what():
                await asyncio.sleep(0.01)


@asynccontextmanager
async def working(folder: Path, *topics: str, **options: int) -> AsyncIterator[Worker]:
    worker = Worker(folder, *topics, **options)
    await worker.app.start()
    try:
        await worker.until(lambda: bool(worker.app.consumer.assignment()) and not worker.app.rebalancing)
        yield worker
    finally:
        worker.gate.set()
        await worker.app.stop()


@contextmanager
def unwritable() -> Iterator[None]:
    """No file of this process may grow beyond a few bytes: what a full disk looks like to a writer."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (16, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.fixture
def log(tmp_path: Path) -> Log:
    made = Log(tmp_path / "log")
    made.create_topic(Topic("t", PARTITIONS))
    return made


def send(log: Log, partition: int, *values: bytes) -> None:
    log.append([NewRecord("t", partition, value) for value in values])


def test_a_paused_partition_waits_and_loses_nothing(log: Log) -> None:
    async def body() -> None:
        async with working(log.folder) as worker:
            send(log, 0, b"a0")
            await worker.until(lambda: len(worker.read) == 1)
            consumer = worker.app.consumer
            consumer.pause_partitions({TP("t", 0)})
            send(log, 0, *(b"a%d" % n for n in range(1, 50)))
            send(log, 1, b"b0")
            await worker.until(lambda: b"b0" in worker.values())
            await asyncio.sleep(0.1)
            assert b"a1" not in worker.values()
            consumer.resume_partitions({TP("t", 0)})
            await worker.until(lambda: len(worker.read) == 51)
            assert [value for partition, _, value in worker.read if partition == 0] == [b"a%d" % n for n in range(50)]

    asyncio.run(body())


def test_pausing_in_the_midst_of_a_fetch_loses_nothing(log: Log) -> None:
    async def body() -> None:
        async with working(log.folder) as worker:
            consumer = worker.app.consumer
            for round_ in range(5):
                start = round_ * 200
                send(log, 0, *(b"%d" % n for n in range(start, start + 200)))
                await worker.until(partial(worker.has_read, start + 1))
                consumer.pause_partitions({TP("t", 0)})
                await asyncio.sleep(0.01)
                consumer.resume_partitions({TP("t", 0)})
                await worker.until(partial(worker.has_read, start + 200))
            assert worker.values() == [b"%d" % n for n in range(1000)]
        assert log.committed("g") == {Place("t", 0): 1000}

    asyncio.run(body())


def test_a_seek_back_reads_again_and_a_seek_forward_skips(log: Log) -> None:
    async def body() -> None:
        send(log, 0, *(b"%d" % n for n in range(20)))
        async with working(log.folder) as worker:
            await worker.until(lambda: len(worker.read) == 20)
            await worker.app.consumer.seek(TP("t", 0), 15)
            await worker.until(lambda: len(worker.read) == 25)
            assert worker.values()[20:] == [b"%d" % n for n in range(15, 20)]
            await worker.app.consumer.seek(TP("t", 0), 22)
            send(log, 0, *(b"%d" % n for n in range(20, 25)))
            await worker.until(lambda: len(worker.read) == 28)
            assert worker.values()[25:] == [b"22", b"23", b"24"]
            assert await worker.app.consumer.position(TP("t", 0)) == 25

    asyncio.run(body())


def test_over_a_backlog_the_topics_of_a_partition_are_read_abreast_and_no_partition_waits_for_another(
    tmp_path: Path,
) -> None:
    """A topic with few records is not read hours ahead of one with many: every round of it would be held open."""
    log = Log(tmp_path / "log")
    often, seldom, at_once, partitions = 1, 8, 40, 2
    for name in ("bets", "cards"):
        log.create_topic(Topic(name, partitions))
    for name, step in (("bets", often), ("cards", seldom)):
        made = [(time, number) for time in range(0, 800, step) for number in range(partitions)]
        log.append([NewRecord(name, number, b"%s %d" % (name.encode(), time), time_ms=time) for time, number in made])

    async def body() -> list[tuple[int, int, bytes]]:
        async with working(log.folder, "bets", "cards", broker_max_poll_records=at_once) as worker:
            await worker.until(lambda: len(worker.read) == sum(span.next for span in log.spans().values()))
            return worker.read

    reached = {(number, name): 0 for number in range(partitions) for name in (b"bets", b"cards")}
    for number, _, value in asyncio.run(body()):
        said, at = value.split()
        reached[number, said] = int(at)
        assert max(reached.values()) - min(reached.values()) <= 4 * at_once, reached


def test_sent_records_are_on_disk_with_key_headers_and_time(log: Log) -> None:
    log.create_topic(Topic("out", 8))

    async def body() -> None:
        async with working(log.folder) as worker:
            out = worker.app.topic("out", value_serializer="raw", key_serializer="raw")
            sent = [
                await out.send(key=b"BT12", value=b"%d" % n, headers={"n": b"%d" % n}, timestamp=1700000000.5)
                for n in range(50)
            ]
            places = [await one for one in sent]
            # murmur2 of BT12 among 8, as Kafka's own clients have it.
            assert {place.partition for place in places} == {partition_of("BT12", 8)}
            assert [place.offset for place in places] == list(range(50))
            await worker.app.producer.flush()

    asyncio.run(body())
    stored = log.read("out", partition_of("BT12", 8), 0)
    assert [record.value for record in stored] == [b"%d" % n for n in range(50)]
    assert (stored[7].key, stored[7].headers, stored[7].time_ms) == (b"BT12", (("n", b"7"),), 1700000000500)


def test_a_send_to_no_topic_fails_and_hurts_no_other(log: Log) -> None:
    log.create_topic(Topic("out", 1))

    async def body() -> None:
        async with working(log.folder) as worker:
            producer = worker.app.producer
            good = await producer.send("out", None, b"good", 0, None, None)
            with pytest.raises(ProducerSendError, match="no topic nowhere"):
                await producer.send("nowhere", None, b"bad", None, None, None)
            with pytest.raises(ProducerSendError, match="partition 7 of topic out"):
                await producer.send("out", None, b"bad", 7, None, None)
            with pytest.raises(ProducerSendError, match="no transactions"):
                await producer.send_and_wait("out", None, b"bad", 0, None, None, transactional_id="t")
            assert (await good).offset == 0

    asyncio.run(body())
    assert [record.value for record in log.read("out", 0, 0)] == [b"good"]


def test_a_log_that_cannot_be_written_fails_sends_keeps_the_worker_and_commits_later(log: Log) -> None:
    log.create_topic(Topic("out", 1))

    async def body() -> None:
        async with working(log.folder) as worker:
            send(log, 0, b"before")
            await worker.until(lambda: log.committed("g") == {Place("t", 0): 1})
            worker.gate.clear()
            send(log, 0, b"while full")
            await asyncio.sleep(0.1)
            with unwritable():
                with pytest.raises(ProducerSendError, match="cannot be used"):
                    await (await worker.app.producer.send("out", None, b"x", 0, None, None))
                worker.gate.set()
                await worker.until(lambda: worker.values() == [b"before", b"while full"])
                await asyncio.sleep(0.3)
                assert log.committed("g") == {Place("t", 0): 1}
            # Nothing more is read: the commit that is owed is made by itself.
            await worker.until(lambda: log.committed("g") == {Place("t", 0): 2})
            assert (await (await worker.app.producer.send("out", None, b"y", 0, None, None))).offset == 0

    asyncio.run(body())


def test_a_topic_made_later_is_taken_up(tmp_path: Path) -> None:
    late = Log(tmp_path / "log")

    async def body() -> None:
        worker = Worker(late.folder)
        await worker.app.start()
        await asyncio.sleep(1.5)
        assert worker.app.consumer.assignment() == set()
        late.create_topic(Topic("t", 1))
        send(late, 0, b"at last")
        await worker.until(lambda: worker.values() == [b"at last"])
        await worker.app.stop()

    asyncio.run(body())


def test_records_that_went_unread_are_skipped_and_said_so(log: Log, caplog: pytest.LogCaptureFixture) -> None:
    async def body() -> None:
        send(log, 0, *(b"%d" % n for n in range(10)))
        log.commit("g", {Place("t", 0): 2})
        log.create_topic(Topic("t", PARTITIONS, retention_bytes=5))
        retain(log, even_unread=True)
        async with working(log.folder) as worker:
            await worker.until(lambda: len(worker.read) == 5)
            assert worker.values() == [b"5", b"6", b"7", b"8", b"9"]
        assert log.committed("g") == {Place("t", 0): 10}

    asyncio.run(body())
    assert "3 records went by retention before they were read" in caplog.text


def test_the_app_takes_the_transport_from_its_entry_point(log: Log) -> None:
    assert Worker(log.folder).app.transport.Consumer is embedded_consumer.Consumer
