"""The producer of the embedded transport: many sends, one transaction; a send is done when its record is on disk."""

import asyncio
import queue
import threading
from collections.abc import Awaitable, Iterable, Mapping
from itertools import count
from typing import Any, cast

from faust.exceptions import ImproperlyConfigured, NotReady, ProducerSendError
from faust.transport import base
from faust.types import TP, HeadersArg, RecordMetadata
from mode.utils.times import Seconds, want_seconds

from schemas.topics import murmur2
from streams.embedded.layout import LogError
from streams.embedded.log import Log, NewRecord, Place, Topic

BATCH_RECORDS = 1000
BATCH_BYTES = 8 << 20

CREATE_TIME = 0
"""Kafka's timestamp type of a record whose time was set by its producer."""


class Writer(threading.Thread):
    """Appends what was put into its queue, as much as has gathered while the last batch was being written."""

    def __init__(self, log: Log, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(name="tablelog-writer", daemon=True)
        self._log = log
        self._loop = loop
        self._queue: queue.SimpleQueue[tuple[NewRecord, asyncio.Future[RecordMetadata]] | None] = queue.SimpleQueue()

    def put(self, record: NewRecord, done: "asyncio.Future[RecordMetadata]") -> None:
        self._queue.put((record, done))

    def end(self) -> None:
        """Write what is in the queue, then end."""
        self._queue.put(None)

    def run(self) -> None:
        ending = False
        while not ending:
            item = self._queue.get()
            batch: list[tuple[NewRecord, asyncio.Future[RecordMetadata]]] = []
            size = 0
            while item is not None:
                batch.append(item)
                size += len(item[0].value or b"")
                if len(batch) >= BATCH_RECORDS or size >= BATCH_BYTES:
                    break
                try:
                    item = self._queue.get_nowait()
                except queue.Empty:
                    break
            ending = item is None
            if batch:
                self._write(batch)

    def _write(self, batch: "list[tuple[NewRecord, asyncio.Future[RecordMetadata]]]") -> None:
        offsets: list[int] = []
        failure: Exception | None = None
        try:
            offsets = self._log.append([record for record, _ in batch])
        except LogError as error:
            failure = ProducerSendError(f"the log did not take the record: {error}")
            failure.__cause__ = error
        except Exception as error:  # the thread must answer every send, whatever went wrong
            failure = error
        self._loop.call_soon_threadsafe(_answer, batch, offsets, failure)


def _answer(
    batch: "list[tuple[NewRecord, asyncio.Future[RecordMetadata]]]", offsets: list[int], failure: Exception | None
) -> None:
    for place, (record, done) in enumerate(batch):
        if done.done():
            continue
        if failure is not None:
            done.set_exception(failure)
        else:
            tp = TP(record.topic, record.partition)
            stamp = None if record.time_ms is None else record.time_ms / 1000
            done.set_result(RecordMetadata(tp.topic, tp.partition, tp, offsets[place], stamp, CREATE_TIME))


class Producer(base.Producer):  # type: ignore[misc]  # faust has no types
    """Faust's producer on the embedded log."""

    def __post_init__(self) -> None:
        self._log: Log | None = None
        self._writer: Writer | None = None
        self._counts: dict[str, int] = {}
        self._turns = count()
        self._pending: set[asyncio.Future[RecordMetadata]] = set()

    def create_threaded_producer(self) -> None:
        raise ImproperlyConfigured("the embedded log has a writer thread of its own: leave producer_threaded off")

    async def on_start(self) -> None:
        await super().on_start()
        self._log = self.transport.open_log()
        self._writer = Writer(self._log, asyncio.get_running_loop())
        self._writer.start()

    async def on_stop(self) -> None:
        await super().on_stop()
        writer, self._writer = self._writer, None
        log, self._log = self._log, None
        if writer is not None and log is not None:
            writer.end()
            await asyncio.get_running_loop().run_in_executor(None, writer.join)
            log.close()

    async def send(
        self,
        topic: str,
        key: bytes | None,
        value: bytes | None,
        partition: int | None,
        timestamp: float | None,
        headers: HeadersArg | None,
        *,
        transactional_id: str | None = None,
    ) -> Awaitable[RecordMetadata]:
        """Queue the record; the answer comes when it is on disk."""
        if transactional_id is not None:
            raise ProducerSendError("the embedded log has no transactions")
        writer, log = self._writer, self._log
        if writer is None or log is None:
            raise NotReady("Producer service not yet started")
        where = self._choose(topic, key) if partition is None else partition
        try:
            log.partition_id(Place(topic, where))
        except LogError as error:
            raise ProducerSendError(f"Error while sending: {error}") from error
        record = NewRecord(
            topic, where, value, key, _header_list(headers), None if timestamp is None else int(timestamp * 1000)
        )
        done: asyncio.Future[RecordMetadata] = asyncio.get_running_loop().create_future()
        self._pending.add(done)
        done.add_done_callback(self._pending.discard)
        writer.put(record, done)
        return done

    async def send_and_wait(self, *record: Any, **named: Any) -> RecordMetadata:
        """Write the record, told as to ``send``, and give its place."""
        return await (await self.send(*record, **named))

    async def flush(self) -> None:
        """Wait until everything sent so far is on disk (or has failed, which its sender is told)."""
        await self.buffer.flush()
        if self._pending:
            await asyncio.wait(set(self._pending))

    async def create_topic(
        self, topic: str, partitions: int, replication: int, *, retention: Seconds | None = None, **_: Any
    ) -> None:
        """Declare a topic; replicas and Kafka's other options have no meaning in one folder."""
        if self._log is None:
            raise NotReady("Producer service not yet started")
        declare(self._log, topic, partitions, retention)

    def key_partition(self, topic: str, key: bytes) -> TP:
        """The partition that records of this key go to."""
        return TP(topic, self._choose(topic, key))

    def supports_headers(self) -> bool:
        return True

    def _choose(self, topic: str, key: bytes | None) -> int:
        if self._log is None:
            raise NotReady("Producer service not yet started")
        partitions = self._counts.get(topic)
        if partitions is None:
            known = self._log.topics().get(topic)
            if known is None:
                raise ProducerSendError(f"there is no topic {topic}")
            partitions = self._counts[topic] = known.partitions
        # What Kafka's own clients do with a key, so that a table's records lie in the same partition on both brokers.
        return next(self._turns) % partitions if key is None else (murmur2(key) & 0x7FFFFFFF) % partitions


def declare(log: Log, topic: str, partitions: int, retention: Seconds | None) -> None:
    """Make a topic as Faust asks for it, unless it is there."""
    if topic not in log.topics():
        log.create_topic(Topic(topic, partitions, int(want_seconds(retention) * 1000) if retention else None))


def _header_list(headers: HeadersArg | None) -> list[tuple[str, bytes]]:
    if not headers:
        return []
    pairs = cast("Iterable[tuple[str, bytes]]", headers.items() if isinstance(headers, Mapping) else headers)
    return [(name, bytes(value)) for name, value in pairs]
