"""Sending records and waiting until the broker has them: one way for Kafka, one for the embedded log."""

import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from kafka import KafkaAdminClient, KafkaProducer
from kafka.errors import (
    AuthorizationError,
    KafkaConfigurationError,
    KafkaError,
    MessageSizeTooLargeError,
)

from schemas.decoding import MAX_RECORD_BYTES
from schemas.topics import INPUT
from streams.broker_url import Broker, BrokerUnavailable, EmbeddedLog, RightsMissing, TopicsMissing
from streams.embedded.layout import LogError
from streams.embedded.log import Log, NewRecord
from streams.kafka_clients import close, opened
from streams.kafka_refusal import unavailable
from streams.kafka_topics import described_topics
from streams.packing import PackedRecord
from streams.topic_layout import odd_one, odd_ones

IN_FLIGHT_BYTES = 32 << 20
"""So much may be on its way unacknowledged; beyond it, sending waits."""

FIRST_ANSWER_SECONDS = 30.0
"""So long the broker is asked for its first answer, at most: one that never gave any may not be there at all."""

LOG_BATCH_BYTES = 4 << 20

HEARD_SECONDS = 2.0
"""Topics that were just made may be unknown so long to one of several brokers."""

_TOO_LARGE = MAX_RECORD_BYTES + 60_000


class Outlet(Protocol):
    """Takes records in order; `finish` returns when all are acknowledged."""

    partitions: int
    """Of each input topic."""
    refused: list[PackedRecord]
    """Records that the broker will never take, for their size."""

    def send(self, record: PackedRecord) -> None: ...

    def hand_over(self) -> None:
        """Send at once what is still held back for company."""

    def finish(self) -> None: ...


@contextmanager
def open_outlet(broker: Broker, *, patience_seconds: float = 120.0) -> Iterator[Outlet]:
    """The way into the broker; `patience_seconds` is how long it may be away before this gives up."""
    if isinstance(broker, EmbeddedLog):
        try:
            with Log(broker.folder) as log:
                yield LogOutlet(log)
        except LogError as error:
            raise BrokerUnavailable(str(error)) from error
        return
    producer = None
    bootstrap_ms = int(min(patience_seconds, FIRST_ANSWER_SECONDS) * 1000)
    try:
        # A producer asks for each topic by itself until its patience ends, and does not tell a topic that is not there
        # from a broker that is not.
        with opened(KafkaAdminClient, **broker.client_options(), bootstrap_timeout_ms=bootstrap_ms) as admin:
            partitions = _partitions(admin, str(broker), patience_seconds)
        producer = opened(
            KafkaProducer,
            **broker.client_options(),
            acks="all",
            enable_idempotence=True,
            compression_type="lz4",
            linger_ms=5,
            batch_size=1 << 20,
            max_request_size=_TOO_LARGE,
            max_block_ms=int(patience_seconds * 1000),
            bootstrap_timeout_ms=bootstrap_ms,
            delivery_timeout_ms=int(patience_seconds * 1000),
            request_timeout_ms=int(min(patience_seconds / 2, 30.0) * 1000),
            allow_auto_create_topics=False,
        )
        yield KafkaOutlet(producer, partitions)
    except KafkaConfigurationError:
        # Ours to correct, and no fault of the broker.
        raise
    except AuthorizationError as error:
        raise RightsMissing(f"{broker} does not let {broker.user or 'an unknown user'} write: {error}") from error
    except (KafkaError, OSError) as error:
        raise unavailable(broker, error) from error
    finally:
        if producer is not None:
            close(producer, 5)


class LogOutlet:
    """Into the embedded log: a few megabytes a transaction."""

    def __init__(self, log: Log) -> None:
        self.refused: list[PackedRecord] = []
        self._log = log
        self._held: list[NewRecord] = []
        self._size = 0
        topics = log.topics()
        self.partitions = same_partitions(
            {topic.name: topics[topic.name].partitions for topic in INPUT if topic.name in topics}, str(log.folder)
        )

    def send(self, record: PackedRecord) -> None:
        self._held.append(NewRecord(record.topic, record.partition, record.value))
        self._size += len(record.value)
        if self._size >= LOG_BATCH_BYTES:
            self.hand_over()

    def hand_over(self) -> None:
        if self._held:
            self._log.append(self._held)
            self._held = []
            self._size = 0

    def finish(self) -> None:
        self.hand_over()


class KafkaOutlet:
    """Into Kafka: idempotent, acknowledged by all replicas in sync, in order within each partition."""

    def __init__(self, producer: KafkaProducer, partitions: int) -> None:
        self.partitions = partitions
        self.refused: list[PackedRecord] = []
        self._producer = producer
        self._on_the_way: deque[tuple[PackedRecord, Any]] = deque()
        self._size = 0
        for topic in INPUT:
            # Known from the start, so that it takes records also while the broker is away.
            producer.partitions_for(topic.name)

    def send(self, record: PackedRecord) -> None:
        if len(record.value) > MAX_RECORD_BYTES:
            self.refused.append(record)
            return
        answer = self._producer.send(record.topic, value=record.value, partition=record.partition)
        self._on_the_way.append((record, answer))
        self._size += len(record.value)
        while self._size > IN_FLIGHT_BYTES:
            self._await_oldest()

    def hand_over(self) -> None:
        """The producer sends by itself after its linger of a few milliseconds."""

    def finish(self) -> None:
        self._producer.flush()
        while self._on_the_way:
            self._await_oldest()

    def _await_oldest(self) -> None:
        record, answer = self._on_the_way.popleft()
        self._size -= len(record.value)
        try:
            answer.get()
        except MessageSizeTooLargeError:
            self.refused.append(record)


def same_partitions(counts: dict[str, int], where: str) -> int:
    """The number of partitions that all input topics have."""
    missing = [topic.name for topic in INPUT if topic.name not in counts]
    if missing:
        raise TopicsMissing(f"{where} does not have {', '.join(missing)}: run `tablewatch topics create`")
    if len(set(counts.values())) > 1:
        listed = ", ".join(f"{name} {count}" for name, count in counts.items())
        remedy = odd_one(*odd_ones(counts))
        raise TopicsMissing(f"the input topics of {where} have unequal numbers of partitions, {listed}; {remedy}")
    return next(iter(counts.values()))


def _partitions(admin: KafkaAdminClient, where: str, patience_seconds: float) -> int:
    """The same, of a Kafka broker. Topics that it does not know are missing; a leader, or a broker that goes away while
    it is asked, is waited for."""
    asked = time.monotonic()
    while True:
        waited = time.monotonic() - asked
        try:
            found = described_topics(admin, [topic.name for topic in INPUT])
        except KafkaError as error:
            if not error.retriable or waited > patience_seconds:
                raise
        else:
            if len(found) == len(INPUT) or waited > min(patience_seconds, HEARD_SECONDS):
                return same_partitions({name: len(topic["partitions"]) for name, topic in found.items()}, where)
        time.sleep(0.2)
