"""The consumer of the embedded transport: hands the records that its reader fetches to Faust's conductor, in order."""

from collections.abc import AsyncIterator
from typing import Any

from faust.transport.consumer import ThreadDelegateConsumer
from faust.types import TP, ConsumerMessage, Message
from mode import get_logger
from mode.utils.times import Seconds

from streams.embedded.log import StoredRecord
from streams.embedded.producer import CREATE_TIME
from streams.embedded.reader import Fetched, Reader

logger = get_logger(__name__)


class Consumer(ThreadDelegateConsumer):  # type: ignore[misc]  # faust has no types
    """Faust's consumer on the embedded log."""

    logger = logger
    _thread: Reader

    def _new_consumer_thread(self) -> Reader:
        return Reader(self, loop=self.loop, beacon=self.beacon)

    def _new_topicpartition(self, topic: str, partition: int) -> TP:
        return TP(topic, partition)

    def note_read_offset(self, tp: TP, offset: int | None) -> None:
        """From here on records count as new."""
        self._read_offset[tp] = offset

    async def on_partitions_revoked(self, revoked: set[TP]) -> None:
        """Commit before letting go: Faust forgets here what was acknowledged since the last commit, and would read it
        again."""
        await self.commit()
        await super().on_partitions_revoked(revoked)

    def _to_message(self, tp: TP, record: StoredRecord) -> ConsumerMessage:
        return ConsumerMessage(
            tp.topic,
            tp.partition,
            record.offset,
            record.time_ms / 1000,
            CREATE_TIME,
            list(record.headers),
            record.key,
            record.value,
            None,
            len(record.key or b""),
            len(record.value or b""),
            tp,
            generation_id=self.app.consumer_generation_id,
        )

    async def getmany(self, timeout: float) -> AsyncIterator[tuple[TP, Message]]:
        """Fetch records and hand them over one by one.

        Faust's own version forgets records that were fetched before their partition was paused, and later commits past
        them. Here the position moves with each record handed over, and whatever was not is fetched again.
        """
        fetched, active = await self._wait_next_records(timeout)
        if not isinstance(fetched, Fetched) or self.should_stop:
            return
        generation = self.app.consumer_generation_id
        held_back: set[TP] = set()
        for tp, record in self.scheduler.iterate(fetched.records):
            if not self.flow_active or self.app.consumer_generation_id != generation:
                return
            position = fetched.positions[tp]
            paused = not (active is None or tp in active or tp in self._buffered_partitions)
            if tp in held_back or paused or not self._thread.stands_at(tp, position):
                held_back.add(tp)
                continue
            self.app.monitor.track_tp_end_offset(tp, self._thread.highwater(tp))
            yield tp, self._to_message(tp, record)
            position.offset, position.time_ms = record.offset + 1, record.time_ms

    async def create_topic(
        self, topic: str, partitions: int, replication: int, *, retention: Seconds | None = None, **_: Any
    ) -> None:
        """Declare a topic, where the application may."""
        if self.app.conf.topic_allow_declare:
            await self._thread.create_topic(topic, partitions, replication, retention=retention)
        else:
            self.log.warning("Topic creation is off: %s is not created", topic)
