"""How a worker reads: no further ahead than it can judge in a moment, and knowing when each record was fetched."""

import asyncio
import time
from collections.abc import Iterable, Mapping
from typing import Any

import faust
from aiokafka.consumer.fetcher import FetchResult
from faust.transport.consumer import Consumer
from faust.transport.drivers.aiokafka import AIOKafkaConsumerThread
from faust.transport.drivers.aiokafka import Consumer as KafkaConsumer
from faust.types import TP
from faust.types.tuples import ConsumerMessage
from mode.services import WaitResults

from streams.kafka_member import KafkaMember
from streams.tenure import OVER

POLLED_SECONDS = 0.15
"""About so much work is fetched at once. It waits while one and a half times as much is judged, and people hear of what
is in it after that: with a fifth of a second it was more than a second at times. The more is
judged together, the fewer rounds are looked at before they are over."""
IN_HAND = 1.5
"""While so much of that is in hand at most, as much again is fetched. What is fetched at once is seldom just as much: a
worker that had a little more of it in hand used to wait for the next when it had judged it."""
LEAST_POLLED, MOST_POLLED = 1 << 17, 1 << 22
"""In bytes, however slow or quick the work is."""
FIRST_PACE = 1 << 21
"""Bytes a second that are judged, while nothing has been."""
POLLED_RECORDS = 16
"""So many records are fetched at once of which nothing is known; packed ones have some ten thousand bytes each."""
MOST_RECORDS = 1_000
"""So many are fetched at once at most, however small they are."""
_PACE_SECONDS = 1.0
"""The pace is that of the last seconds' work: what was done so long before counts half."""
_LIKE_THE_LAST = 1 / 64
"""How much one record tells of the size of those to come."""
FETCH_WAIT_MS = 20
"""So long a broker keeps a fetch waiting for company. A client asks a broker one thing at a time, and leaves out of a
fetch what it has in hand: news of such a partition, and every other question, wait until the fetch ends."""
WORTH_FETCHING_BYTES = 1 << 16
"""A fetch with so much of all partitions together waits no longer. To be asked for, answered and handed over costs a
fetch the same however little is in it: one for every record or two, as soon as it came, was a sixth of a worker's
time at a thousand events a second."""
FETCHED_BYTES = 1 << 19
"""So much of a partition is asked for at once; a record that is larger comes all the same."""
STEPS = 8
"""In so many steps the topics of one partition are read abreast."""
_GLANCE_SECONDS = 0.002


class InHand(Consumer):  # type: ignore[misc]  # faust has no types
    """A consumer, of Kafka or the embedded log, that waits while enough is in hand.

    Faust bounds what it buffers by a number of records, which may have one event or hundreds, and sleeps for a second
    when that many are there. By its bytes it is known how long a backlog in hand will take.
    """

    in_hand = 0
    """Bytes that were handed to the agent and are not judged."""
    _in_hand_before = 0
    _fetched = 0.0
    _usual_size = FIRST_PACE * POLLED_SECONDS / POLLED_RECORDS
    _done = FIRST_PACE * _PACE_SECONDS
    _spent = _PACE_SECONDS

    @property
    def ours_until(self) -> float:
        """Until when the partitions are this worker's, by its clock."""
        found: float = self._thread.ours_until
        return found

    async def _getmany(self, active_partitions: set[TP] | None, timeout: float) -> Any:
        await self.await_room()
        records = await super()._getmany(active_partitions, timeout)
        self._fetched = time.monotonic()
        return records

    async def await_room(self) -> None:
        """Wait until more may be fetched."""
        while self.in_hand > IN_HAND * self.bytes_at_once and self.flow_active and not self.should_stop:
            await asyncio.sleep(_GLANCE_SECONDS)

    @property
    def bytes_at_once(self) -> int:
        """How much is fetched at once, and may be in hand before more is."""
        return max(LEAST_POLLED, min(MOST_POLLED, int(self._done / self._spent * POLLED_SECONDS)))

    @property
    def records_at_once(self) -> int:
        """How many records are fetched at once: small ones are many, or fetching them would take longer than judging
        them; of large ones few are work for a while."""
        return max(POLLED_RECORDS, min(MOST_RECORDS, int(self.bytes_at_once / max(1.0, self._usual_size))))

    async def wait_first(self, *awaited: Any, timeout: Any = None) -> WaitResults:
        """Wait for the first of several things. Faust hands every record on in a task of its own, beside three that
        would break it off for a rebalance or an end: where nothing holds the record up, it goes in one step."""
        if timeout is not None or len(awaited) < 2 or not self._is_flowing:
            return await super().wait_first(*awaited, timeout=timeout)
        handing_on, *others = awaited
        for other in others:
            other.close()
        return WaitResults([handing_on], [await handing_on], False)

    @property
    def _is_flowing(self) -> bool:
        return self.flow_active and self.app.flow_control.is_active() and not (self.should_stop or self.crashed)

    def _to_message(self, tp: TP, record: Any) -> ConsumerMessage:
        message = super()._to_message(tp, record)
        message.time_in = self._fetched
        size = len(message.value or b"")
        self.in_hand += size
        self._usual_size += _LIKE_THE_LAST * (size - self._usual_size)
        return message

    def judged(self, size: int, seconds: float) -> None:
        """So many bytes were judged, in so long."""
        self.in_hand = max(0, self.in_hand - size)
        fading = 0.5 ** (seconds / _PACE_SECONDS)
        self._done = self._done * fading + size
        self._spent = self._spent * fading + seconds

    def correct(self, *, idle: bool) -> None:
        """Called now and then. What is in hand of an agent that is ``idle``, and was so before, was dropped by Faust on
        the way: it comes again."""
        if idle and self.in_hand == self._in_hand_before:
            self.in_hand = 0
        self._in_hand_before = self.in_hand


class _PromptThread(AIOKafkaConsumerThread):  # type: ignore[misc]  # faust has no types
    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._read_to: dict[TP, int] = {}
        """The time of the last record of a partition that was handed over, in milliseconds."""

    @property
    def ours_until(self) -> float:
        """Until when the partitions are this worker's, by its clock."""
        member = None if self._consumer is None else self._consumer._coordinator
        return member.tenure.until if isinstance(member, KafkaMember) else OVER

    def _create_worker_consumer(self, transport: Any) -> Any:
        consumer = super()._create_worker_consumer(transport)
        # Faust has no settings for them: its fetch waits for a second and a half, and ends with the first byte.
        consumer._fetch_max_wait_ms = FETCH_WAIT_MS
        consumer._fetch_min_bytes = WORTH_FETCHING_BYTES
        consumer._max_partition_fetch_bytes = FETCHED_BYTES
        return consumer

    async def getmany(self, active_partitions: set[TP] | None, timeout: float) -> Any:
        self._ensure_consumer()._max_poll_records = self.consumer.records_at_once
        return await super().getmany(active_partitions, timeout)

    async def _fetch_records(
        self,
        consumer: Any,
        active_partitions: set[TP] | None,
        timeout: float | None = None,
        max_records: int | None = None,
    ) -> Any:
        fetched: dict[TP, list[Any]] = {}
        if max_records and left_to_read(consumer._fetcher._records) > max_records:
            fetched = await self._fetch_abreast(consumer, active_partitions, max_records)
        if not fetched:
            fetched = await super()._fetch_records(consumer, active_partitions, timeout, max_records)
            self._note(fetched)
        return fetched

    async def _fetch_abreast(self, consumer: Any, wanted: set[TP] | None, left: int) -> dict[TP, list[Any]]:
        """So many records of what is at hand, at most: one partition number after the other, its topics abreast, so
        that its rounds come to an end and are judged once."""
        at_hand = consumer._fetcher._records
        fetched: dict[TP, list[Any]] = {}
        active = [tp for tp in at_hand if wanted is None or tp in wanted]
        while active and left > 0:
            number = oldest_partition(active, self._read_to)
            ready = {tp for tp in active if tp.partition == number}
            active = [tp for tp in active if tp.partition != number]
            step = max(1, left // STEPS)
            while ready and left > 0:
                first = min(ready, key=self._read_time)
                some = await super()._fetch_records(consumer, {first}, timeout=0, max_records=min(step, left))
                records = some.get(first, [])
                if records:
                    fetched.setdefault(first, []).extend(records)
                self._note(some)
                left -= len(records)
                if not records or first not in at_hand:
                    ready.remove(first)
        return fetched

    def _read_time(self, tp: TP) -> int:
        return self._read_to.get(tp, 0)

    def _note(self, fetched: Mapping[TP, Any]) -> None:
        for tp, records in fetched.items():
            self._read_to[tp] = records[-1].timestamp


def left_to_read(at_hand: Mapping[TP, Any]) -> int:
    """Records of the topics of which there is something at hand that are left to read."""
    fetches = ((tp, fetch) for tp, fetch in at_hand.items() if isinstance(fetch, FetchResult))
    states = (fetch._assignment.state_value(tp) for tp, fetch in fetches)
    known = (state for state in states if state is not None and state.has_valid_position)
    return sum(state.highwater - state.position for state in known if state.highwater is not None)


def oldest_partition(at_hand: Iterable[TP], read_to: Mapping[TP, int]) -> int | None:
    """The partition number that was read least far in time, of those of which there is something at hand. The client
    empties one fetch after the other: over a backlog it would read one topic to its end before the next, and hold every
    round of it open."""
    oldest = min(at_hand, key=lambda tp: read_to.get(tp, 0), default=None)
    return None if oldest is None else oldest.partition


class _PromptConsumer(KafkaConsumer):  # type: ignore[misc]  # faust has no types
    def _new_consumer_thread(self) -> AIOKafkaConsumerThread:
        return _PromptThread(self, loop=self.loop, beacon=self.beacon)


class App(faust.App):  # type: ignore[misc]  # faust has no types
    """Faust's app, with such a consumer of its transport."""

    def _create_directories(self) -> None:
        """It keeps no tables: their folder would stay empty wherever a worker was started, or could not be made."""

    def _new_consumer(self) -> Consumer:
        kind = self.transport.Consumer
        if issubclass(kind, KafkaConsumer):
            kind = _PromptConsumer
        self.transport.Consumer = type(f"InHand{kind.__name__}", (InHand, kind), {})
        return super()._new_consumer()
