"""Reads named topics, of Kafka or the embedded log, without a group: every reader sees all records, at its own place.

    with Feed(broker, ("audit.alerts", "audit.verdicts")) as feed:      # what comes from now on
        while running:
            for record in feed.poll(1.0):
                show(decode(record))
            keep(feed.positions)                                        # to go on from there: Feed(…, positions=kept)

    async for record in feed.stream():                                  # the same in an event loop
        …

`poll` waits until there is something, in about 5 ms of its writing on the embedded log. While the broker is away it
raises BrokerUnavailable (embedded log) or finds nothing (Kafka, whose client keeps trying); the feed stays good.
"""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Literal, Protocol, Self

from kafka import KafkaConsumer, TopicPartition
from kafka.errors import AuthorizationError, KafkaError
from pydantic import ValidationError

from schemas.decoding import Decoded, decode_record
from schemas.findings import Finding, parse_finding
from schemas.rejections import Rejection, parse_rejection
from schemas.topics import ALERTS, INPUT, REJECTED, VERDICTS
from schemas.verdicts import Verdict, parse_verdict
from streams.broker_url import Broker, BrokerUnavailable, EmbeddedLog, KafkaBroker, RightsMissing, TopicsMissing
from streams.embedded.layout import LogError
from streams.embedded.log import Log, Place, Span, StoredRecord
from streams.kafka_clients import opened
from streams.kafka_refusal import unavailable
from streams.kafka_topics import check_shown

logger = logging.getLogger(__name__)

Start = Literal["now", "beginning"] | int
"""Where to begin: at what comes from now on, at the oldest record, or at the first one made at this moment or later
(milliseconds since 1970)."""

Content = Decoded | Finding | Verdict | Rejection
"""What a record holds: the events of an input topic, a finding, a verdict, a rejection."""

_INPUTS = frozenset(topic.name for topic in INPUT)
_AWAY_PAUSE = 0.5


@dataclass(frozen=True, slots=True)
class FeedRecord:
    """One record as the broker has it."""

    topic: str
    partition: int
    offset: int
    time_ms: int
    """When it was written, in milliseconds since 1970."""
    key: bytes | None
    value: bytes
    headers: Mapping[str, bytes]


def decode(record: FeedRecord) -> Content | None:
    """What the record holds, by its topic; None for what cannot be read, or is of no topic of the contract."""
    if record.topic in _INPUTS:
        return decode_record(record.value)
    try:
        if record.topic == ALERTS.name:
            return parse_finding(record.value)
        if record.topic == VERDICTS.name:
            return parse_verdict(record.value)
        if record.topic == REJECTED.name:
            return parse_rejection(record.value)
    except (ValidationError, ValueError, KeyError, TypeError) as error:
        logger.warning("%s %d offset %d cannot be read: %s", record.topic, record.partition, record.offset, error)
    return None


class _Reader(Protocol):
    positions: dict[Place, int]

    def poll(self, seconds: float, max_records: int) -> list[FeedRecord]: ...

    def ends(self) -> dict[Place, int]: ...

    def close(self) -> None: ...


class Feed:
    """An open reader of topics. One thread at a time may use it."""

    def __init__(
        self,
        broker: Broker,
        topics: Sequence[str],
        *,
        start: Start = "now",
        positions: Mapping[Place, int] | None = None,
        connect_seconds: float = 10.0,
    ) -> None:
        """``positions`` (the next offset to read of a partition) go before ``start``, which is for all others."""
        reader: _Reader
        if isinstance(broker, EmbeddedLog):
            reader = _LogReader(broker, topics, start, positions or {})
        else:
            reader = _KafkaReader(broker, topics, start, positions or {}, connect_seconds)
        self._reader = reader
        self._closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def poll(self, seconds: float = 1.0, *, max_records: int = 500) -> list[FeedRecord]:
        """The next records, in order within each partition; none when nothing comes for so long."""
        return self._reader.poll(seconds, max_records)

    def rest(self, seconds: float = 30.0) -> list[FeedRecord]:
        """All that is left up to where the topics end now; BrokerUnavailable if it has not come after so long."""
        ends, deadline = self._reader.ends(), time.monotonic() + seconds
        found: list[FeedRecord] = []
        while any(self._reader.positions[place] < end for place, end in ends.items()):
            if time.monotonic() > deadline:
                topics = ", ".join(sorted({place.topic for place in ends}))
                raise BrokerUnavailable(f"what is left of {topics} did not come in {seconds:.0f} s")
            found += self.poll(1.0)
        return found

    @property
    def positions(self) -> dict[Place, int]:
        """The next offset to read of every partition."""
        return dict(self._reader.positions)

    async def stream(self, *, seconds: float = 1.0) -> AsyncIterator[FeedRecord]:
        """Records as they come, until the feed is closed; a broker that is away is waited for."""
        loop = asyncio.get_running_loop()
        with ThreadPoolExecutor(1, thread_name_prefix="feed") as thread:
            while not self._closed:
                try:
                    records = await loop.run_in_executor(thread, self._poll_unless_closed, seconds)
                except BrokerUnavailable as error:
                    logger.warning("the broker is away: %s", error)
                    await asyncio.sleep(_AWAY_PAUSE)
                    continue
                for record in records:
                    yield record

    def _poll_unless_closed(self, seconds: float) -> list[FeedRecord]:
        return [] if self._closed else self.poll(seconds)

    def stop(self) -> None:
        """End `stream` after its present wait; close the feed when it has ended."""
        self._closed = True

    def close(self) -> None:
        """Let go of the broker."""
        self._closed = True
        self._reader.close()


class _LogReader:
    """The embedded log: partitions in turn, each from its own place."""

    def __init__(
        self, broker: EmbeddedLog, topics: Sequence[str], start: Start, positions: Mapping[Place, int]
    ) -> None:
        try:
            self._log = Log(broker.folder)
            spans = {place: span for place, span in self._log.spans().items() if place.topic in topics}
            _check_topics(topics, {place.topic for place in spans}, str(broker))
            self.positions = {
                place: positions[place] if place in positions else self._first(place, span, start)
                for place, span in sorted(spans.items())
            }
        except LogError as error:
            raise BrokerUnavailable(str(error)) from error

    def _first(self, place: Place, span: Span, start: Start) -> int:
        if start == "now":
            return span.next
        if start == "beginning":
            return span.first
        low, high = span.first, span.next
        while low < high:
            middle = (low + high) // 2
            found = self._log.read(*place, middle, max_records=1)
            if found and found[0].time_ms < start:
                low = max(found[0].offset, middle) + 1
            else:
                high = middle
        return low

    def poll(self, seconds: float, max_records: int) -> list[FeedRecord]:
        deadline = time.monotonic() + seconds
        try:
            while True:
                # Asked before reading, so that what is written meanwhile is news for the next time.
                self._log.changed()
                found = self._read(max_records)
                left = deadline - time.monotonic()
                if found or left <= 0:
                    return found
                self._log.wait(left)
        except LogError as error:
            raise BrokerUnavailable(str(error)) from error

    def _read(self, max_records: int) -> list[FeedRecord]:
        spans = self._log.spans()
        ready = [place for place, offset in self.positions.items() if offset < spans[place].next]
        share = max(1, max_records // max(1, len(ready)))
        found: list[FeedRecord] = []
        for place in ready:
            # What retention has taken is gone; reading goes on behind it.
            offset = max(self.positions[place], spans[place].first)
            records = self._log.read(*place, offset, max_records=share)
            self.positions[place] = records[-1].offset + 1 if records else spans[place].next
            found += [_of_log(place, record) for record in records]
        # Each poll begins with another partition, so that none starves behind a backlog.
        self.positions = {place: self.positions[place] for place in [*ready[1:], *self.positions]}
        return found

    def ends(self) -> dict[Place, int]:
        try:
            spans = self._log.spans()
        except LogError as error:
            raise BrokerUnavailable(str(error)) from error
        return {place: spans[place].next for place in self.positions}

    def close(self) -> None:
        self._log.close()


class _KafkaReader:
    """Kafka: all partitions, assigned by hand, so that no group and no rights on one are needed."""

    def __init__(
        self,
        broker: KafkaBroker,
        topics: Sequence[str],
        start: Start,
        positions: Mapping[Place, int],
        connect_seconds: float,
    ) -> None:
        self._broker = broker
        self._consumer = self._connected(connect_seconds)
        try:
            there = {topic: self._consumer.partitions_for_topic(topic) or set() for topic in topics}
            unseen = [topic for topic, numbers in there.items() if not numbers]
            if unseen:
                check_shown(broker, unseen)
            _check_topics(topics, {topic for topic in topics if topic not in unseen}, str(broker))
            places = [TopicPartition(topic, number) for topic, numbers in there.items() for number in sorted(numbers)]
            self._consumer.assign(places)
            starts = self._starts(places, start)
            self.positions = {Place(*tp): positions.get(Place(*tp), starts[tp]) for tp in places}
            for tp in places:
                self._consumer.seek(tp, self.positions[Place(*tp)])
        except AuthorizationError as error:
            self._consumer.close()
            raise RightsMissing(f"{broker} does not let {broker.user or 'an unknown user'} read: {error}") from error
        except (KafkaError, OSError) as error:
            self._consumer.close()
            raise unavailable(broker, error) from error
        except (BrokerUnavailable, RightsMissing, TopicsMissing):
            self._consumer.close()
            raise

    def _connected(self, connect_seconds: float) -> KafkaConsumer:
        try:
            return opened(
                KafkaConsumer,
                **self._broker.client_options(),
                group_id=None,
                enable_auto_commit=False,
                auto_offset_reset="earliest",
                fetch_max_wait_ms=100,
                bootstrap_timeout_ms=int(connect_seconds * 1000),
                allow_auto_create_topics=False,
            )
        except (KafkaError, OSError) as error:
            raise unavailable(self._broker, error) from error

    def _starts(self, places: list[TopicPartition], start: Start) -> dict[TopicPartition, int]:
        ends: dict[TopicPartition, int] = self._consumer.end_offsets(places)
        if start == "now":
            return ends
        if start == "beginning":
            firsts: dict[TopicPartition, int] = self._consumer.beginning_offsets(places)
            return firsts
        found = self._consumer.offsets_for_times(dict.fromkeys(places, start))
        return {tp: ends[tp] if found.get(tp) is None else found[tp].offset for tp in places}

    def poll(self, seconds: float, max_records: int) -> list[FeedRecord]:
        try:
            batches = self._consumer.poll(timeout_ms=int(seconds * 1000), max_records=max_records)
        except AuthorizationError as error:
            raise RightsMissing(f"{self._broker} does not let this user read: {error}") from error
        except (KafkaError, OSError) as error:
            raise BrokerUnavailable(f"{self._broker}: {error}") from error
        found: list[FeedRecord] = []
        for tp, records in batches.items():
            for record in records:
                found.append(
                    FeedRecord(
                        tp.topic,
                        tp.partition,
                        record.offset,
                        record.timestamp,
                        record.key,
                        record.value or b"",
                        dict(record.headers or ()),
                    )
                )
                self.positions[Place(*tp)] = record.offset + 1
        return found

    def ends(self) -> dict[Place, int]:
        try:
            found = self._consumer.end_offsets([TopicPartition(*place) for place in self.positions])
        except (KafkaError, OSError) as error:
            raise BrokerUnavailable(f"{self._broker}: {error}") from error
        return {Place(*tp): end for tp, end in found.items()}

    def close(self) -> None:
        self._consumer.close()


def _of_log(place: Place, record: StoredRecord) -> FeedRecord:
    return FeedRecord(
        place.topic,
        place.partition,
        record.offset,
        record.time_ms,
        record.key,
        record.value or b"",
        dict(record.headers),
    )


def _check_topics(topics: Sequence[str], there: set[str], where: str) -> None:
    missing = [topic for topic in topics if topic not in there]
    if missing:
        raise TopicsMissing(f"{where} does not have {', '.join(missing)}: run `tablewatch topics create`")
