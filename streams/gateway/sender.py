"""Sending: events of many requests packed by partition, a few milliseconds at a time, until the broker has them.

One thread takes what has come, packs it, sends it and waits for the acknowledgement of all of it; meanwhile the next
lot gathers. What came first is sent first, so that a source that waits for its answers, or sends its events in one
batch, keeps their order. When the broker is away, what waits is given up at once: its devices have it still, and send
it again.
"""

import logging
import queue
import threading
import time
from collections import defaultdict, deque
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from schemas.topics import partition_of
from streams.broker_url import Broker, BrokerUnavailable, EmbeddedLog, RightsMissing, TopicsMissing
from streams.gateway import metrics
from streams.outlets import Outlet, open_outlet
from streams.packing import MAX_BYTES, MAX_EVENTS, PackedRecord, Packer
from streams.routing import Parcel
from streams.topics import Layout, check, create

LOT_BYTES: Final = 4 << 20
"""A lot of this size waits for no company."""

_FIRST_PAUSE: Final = 0.25
_LONGEST_PAUSE: Final = 5.0

logger = logging.getLogger(__name__)


class TooLarge(Exception):
    """The broker takes no record of this size: send smaller events."""


class Outgoing(NamedTuple):
    """An event that may be sent."""

    topic: str
    table: str
    raw: bytes


@dataclass(frozen=True, slots=True, eq=False)
class _Delivery:
    """The events of one request."""

    events: Sequence[Outgoing]
    size: int
    answer: Future[None] = field(default_factory=Future)
    came: float = field(default_factory=time.monotonic)


class Sender:
    """The way of the gateway into the broker; opens it again when it was away."""

    def __init__(
        self,
        broker: Broker,
        *,
        linger_seconds: float = 0.005,
        patience_seconds: float = 10.0,
        max_events: int = MAX_EVENTS,
        max_bytes: int = MAX_BYTES,
        layout: Layout | None = None,
    ) -> None:
        """`patience_seconds`: how long the broker may take to acknowledge; `layout`: of the topics of a new log."""
        self._broker = broker
        self._linger = linger_seconds
        self._patience = patience_seconds
        self._max_events = max_events
        self._max_bytes = max_bytes
        self._layout = layout
        self._waiting: queue.SimpleQueue[_Delivery | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._away: str | None = "the broker was not asked yet"
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name="gateway-sender", daemon=True)

    def start(self) -> None:
        """Begin to send."""
        self._thread.start()

    @property
    def away(self) -> str | None:
        """Why nothing can be sent now; null if it can."""
        return self._away

    def submit(self, events: Sequence[Outgoing]) -> Future[None]:
        """Send the events; the future is done when the broker has acknowledged all of them.

        It ends with BrokerUnavailable when that is not known to have happened (they may be there: what is sent twice
        counts once), and with TooLarge. Raises BrokerUnavailable at once while the broker is away.
        """
        delivery = _Delivery(events, sum(len(event.raw) for event in events))
        # With the lock, nothing is put into the queue after it was given up.
        with self._lock:
            if self._away is not None:
                raise BrokerUnavailable(self._away)
            self._waiting.put(delivery)
        return delivery.answer

    def close(self) -> None:
        """Send what waits, then end."""
        with self._lock:
            self._ending.set()
            if self._away is None:
                self._away = "the gateway is ending"
            self._waiting.put(None)
        self._thread.join(self._patience + 10.0)

    def _run(self) -> None:
        pause = _FIRST_PAUSE
        while not self._ending.is_set():
            try:
                self._prepare()
                with open_outlet(self._broker, patience_seconds=self._patience) as outlet:
                    self._found()
                    pause = _FIRST_PAUSE
                    self._pump(outlet)
            except (BrokerUnavailable, RightsMissing, TopicsMissing) as error:
                self._lost(str(error))
            except Exception:
                # Without this thread no event would ever leave; a fault of its own is a broker that is away.
                logger.exception("sending failed")
                self._lost("sending failed: see the gateway's log")
            self._ending.wait(pause)
            pause = min(pause * 2, _LONGEST_PAUSE)
        self._give_up("the gateway is ending")

    def _prepare(self) -> None:
        """A new embedded log gets its topics."""
        if isinstance(self._broker, EmbeddedLog):
            missing = any(difference.actual == "missing" for difference in check(self._broker))
            if missing:
                create(self._broker, self._layout)

    def _found(self) -> None:
        with self._lock:
            if self._ending.is_set():
                return
            self._away = None
        metrics.AWAY.set(0)
        logger.info("sending to %s", self._broker)

    def _lost(self, reason: str) -> None:
        with self._lock:
            changed, self._away = self._away != reason, reason
        metrics.AWAY.set(1)
        if changed:
            logger.warning("nothing can be sent: %s", reason)
        self._give_up(reason)

    def _give_up(self, reason: str) -> None:
        while True:
            try:
                delivery = self._waiting.get_nowait()
            except queue.Empty:
                return
            if delivery is not None and delivery.answer.set_running_or_notify_cancel():
                delivery.answer.set_exception(BrokerUnavailable(reason))

    def _pump(self, outlet: Outlet) -> None:
        """Lot after lot, until this ends or the broker is away."""
        more = True
        while more:
            lot, more = self._gather()
            if not lot:
                continue
            try:
                self._send(lot, outlet)
            except BaseException as error:
                for delivery in lot:
                    if not delivery.answer.done():
                        delivery.answer.set_exception(BrokerUnavailable(str(error)))
                raise

    def _gather(self) -> tuple[list[_Delivery], bool]:
        """What came until the linger was over or the lot was full, and whether there will be more."""
        lot: list[_Delivery] = []
        size = 0
        until = 0.0
        while size < LOT_BYTES:
            left = until - time.monotonic()
            try:
                delivery = self._waiting.get(timeout=max(left, 0.0) if lot else None)
            except queue.Empty:
                break
            if delivery is None:
                return lot, False
            if not delivery.answer.set_running_or_notify_cancel():
                continue
            if not lot:
                until = time.monotonic() + self._linger
            lot.append(delivery)
            size += delivery.size
        return lot, True

    def _send(self, lot: list[_Delivery], outlet: Outlet) -> None:
        packer = Packer(self._max_events, self._max_bytes)
        owners: dict[tuple[str, int], deque[_Delivery]] = defaultdict(deque)
        sent: list[tuple[PackedRecord, list[_Delivery]]] = []

        def send(record: PackedRecord) -> None:
            line = owners[record.topic, record.partition]
            sent.append((record, [line.popleft() for _ in range(record.events)]))
            outlet.send(record)

        for delivery in lot:
            for topic, table, raw in delivery.events:
                partition = partition_of(table, outlet.partitions)
                # In line before any record goes out: one may end with this event, or just before it.
                full = packer.add(Parcel(topic, partition, raw))
                owners[topic, partition].append(delivery)
                for record in full:
                    send(record)
        for record in packer.drain():
            send(record)
        outlet.finish()
        never = {id(record) for record in outlet.refused}
        outlet.refused.clear()
        now = time.monotonic()
        for record, senders in sent:
            if id(record) in never:
                for delivery in senders:
                    if not delivery.answer.done():
                        delivery.answer.set_exception(
                            TooLarge(f"the broker takes no record of {len(record.value)} bytes")
                        )
            else:
                metrics.RECORDS.inc()
                metrics.EVENTS.labels(record.topic).inc(record.events)
        for delivery in lot:
            if not delivery.answer.done():
                delivery.answer.set_result(None)
                metrics.ACKNOWLEDGED_SECONDS.observe(now - delivery.came)
