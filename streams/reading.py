"""How a worker reads: no further ahead than it can judge in a moment, and knowing when each record was fetched."""

import asyncio
import time
from typing import Any

import faust
from faust.sensors import Monitor
from faust.transport.consumer import Consumer
from faust.types import TP
from faust.types.tuples import ConsumerMessage, Message

MOST_IN_HAND = 2 << 20
"""So many bytes are fetched and not yet judged before more is fetched: a quarter of a second's work."""
POLLED_RECORDS = 48
"""So many records are fetched at once, at most; packed ones have some ten thousand bytes each."""
_GLANCE_SECONDS = 0.002


class Measured(Monitor):  # type: ignore[misc]  # faust has no types
    """Faust's own figures; they leave the time of the fetch alone."""

    def on_message_in(self, tp: TP, offset: int, message: Message) -> None:
        """A record goes to its stream."""
        fetched = message.time_in
        super().on_message_in(tp, offset, message)
        message.time_in = fetched if fetched is not None else message.time_in


class InHand(Consumer):  # type: ignore[misc]  # faust has no types
    """A consumer, of Kafka or the embedded log, that waits while enough is in hand.

    Faust bounds what it buffers by a number of records, which may have one event or hundreds, and sleeps for a second
    when that many are there. By its bytes it is known how long a backlog in hand will take.
    """

    in_hand = 0
    """Bytes that were handed to the agent and are not judged."""
    _fetched = 0.0

    async def _getmany(self, active_partitions: set[TP] | None, timeout: float) -> Any:
        while self.in_hand > MOST_IN_HAND and self.flow_active and not self.should_stop:
            await asyncio.sleep(_GLANCE_SECONDS)
        records = await super()._getmany(active_partitions, timeout)
        self._fetched = time.monotonic()
        return records

    def _to_message(self, tp: TP, record: Any) -> ConsumerMessage:
        message = super()._to_message(tp, record)
        message.time_in = self._fetched
        self.in_hand += len(message.value or b"")
        return message

    def judged(self, bytes_: int, *, all_: bool) -> None:
        """So much was judged; ``all_``: nothing is left that was handed over, also of what Faust dropped on the way."""
        self.in_hand = 0 if all_ else self.in_hand - bytes_


class App(faust.App):  # type: ignore[misc]  # faust has no types
    """Faust's app, with such a consumer of its transport."""

    def _new_consumer(self) -> Consumer:
        kind = self.transport.Consumer
        self.transport.Consumer = type(f"InHand{kind.__name__}", (InHand, kind), {})
        return super()._new_consumer()
