"""The reading side of a worker on the embedded log: fetches its partitions, commits, and takes part in the group.

It runs in a thread of its own, as Faust's Kafka consumer does, so that a long judgement in the main loop stops neither
its beats nor its answers to a rebalance.
"""

import asyncio
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from faust.exceptions import ConsumerNotStarted, ImproperlyConfigured
from faust.transport.consumer import ConsumerThread
from faust.types import TP
from mode import Service
from mode.utils.times import Seconds

from schemas.topics import murmur2
from streams.embedded.group import Membership, View, assign, look, remove
from streams.embedded.layout import LogError, MemberExpelled
from streams.embedded.log import Log, Place, Span, StoredRecord
from streams.embedded.producer import declare
from streams.embedded.retention import Removed, retain
from streams.tenure import Tenure

GROUP_POLL_SECONDS = 0.05
"""How often a member looks whether the group has changed."""

FETCH_BYTES = 16 << 20
"""Bytes of one fetch over all partitions; a single larger record still comes through."""

STEPS = 8
"""In so many steps the topics of one partition number are read abreast."""

RETENTION_SECONDS = 60.0


@dataclass(slots=True)
class Position:
    """Where reading of a partition goes on; a seek puts a new one in its place, and what was fetched before is void."""

    offset: int
    time_ms: int = 0
    """The time of the last record that was handed over; 0 while none was."""


@dataclass(slots=True)
class Room:
    """How much more one fetch may bring."""

    records: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Fetched:
    """What one fetch found, and the positions to move when it is handed over."""

    records: dict[TP, list[StoredRecord]] = field(default_factory=dict)
    positions: dict[TP, Position] = field(default_factory=dict)


class Reader(ConsumerThread):  # type: ignore[misc]  # faust has no types
    """The thread that talks to the log."""

    def __post_init__(self) -> None:
        self._tablelog: Log | None = None
        self._membership: Membership | None = None
        self._topics: tuple[str, ...] = ()
        self._generation = 0
        self._assigned: set[TP] = set()
        self._spans: dict[Place, Span] = {}
        self._owed: dict[TP, int] = {}
        self._first = 0
        self._positions: dict[TP, Position] = {}
        self._tenure = Tenure(self.app.conf.broker_session_timeout, self.app.conf.broker_rebalance_timeout)

    @property
    def ours_until(self) -> float:
        """Until when the partitions are this worker's, by its clock."""
        return self._tenure.until

    async def on_start(self) -> None:
        if self.app.client_only:
            raise ImproperlyConfigured("the embedded log serves workers and producers, not Faust's client-only mode")
        self._tablelog = self.transport.open_log()

    async def on_thread_stop(self) -> None:
        await super().on_thread_stop()
        log, self._tablelog = self._tablelog, None
        membership, self._membership = self._membership, None
        if log is None:
            return
        try:
            if membership is not None:
                if self._owed:
                    log.commit(membership.group, _places(self._owed), member=membership.id)
                membership.leave()
        except LogError as error:
            # The others take over all the same: the lock of this member ends with it, and what was not committed is
            # read again.
            self.log.warning("Left the group without a last commit: %s", error)
        finally:
            log.close()

    def close(self) -> None:
        """Nothing to do: the thread gives its place up when it stops."""

    def open_log(self) -> Log:
        """The log while the thread runs."""
        if self._tablelog is None:
            raise ConsumerNotStarted("Consumer thread not yet started")
        return self._tablelog

    async def subscribe(self, topics: Iterable[str]) -> None:
        """Take part in the group for these topics; partitions come with the next generation."""
        wanted = tuple(sorted(topics))
        missing = set(wanted) - set(self.open_log().topics())
        if missing:
            self.log.warning("These topics do not exist yet: %s", ", ".join(sorted(missing)))
        self._topics = wanted

    @Service.task  # type: ignore[untyped-decorator]  # mode has no types
    async def _beat(self) -> None:
        interval = min(1.0, self.app.conf.broker_session_timeout / 6)
        while not self.should_stop:
            membership = self._membership
            if membership is not None:
                beaten_at = time.monotonic()
                membership.beat()
                self._confirm(membership, beaten_at)
                if self._owed:
                    await self._commit({})
            await self.sleep(interval)

    def _confirm(self, membership: Membership, beaten_at: float) -> None:
        """Note that the group knows this member, if it does: one that stood still may have been expelled before it
        beat again."""
        try:
            view = look(self.open_log(), membership.group)
        except LogError as error:
            self.log.warning("The group cannot be looked at: %s", error)
            return
        if view.has(membership.id):
            self._tenure.confirm(beaten_at, dealing=view.generation != self._generation)

    @Service.task  # type: ignore[untyped-decorator]  # mode has no types
    async def _keep_retention(self) -> None:
        while not self.should_stop:
            await self.sleep(RETENTION_SECONDS)
            if self.should_stop:
                return
            try:
                removed = await asyncio.to_thread(_retain, self.open_log().folder)
            except LogError as error:
                self.log.warning("Retention has to wait: %s", error)
            else:
                for one in removed:
                    self.log.info("Retention removed %d records of %s", one.records, one.place)

    @Service.task  # type: ignore[untyped-decorator]  # mode has no types
    async def _take_part(self) -> None:
        waited = 0.0
        while not self.should_stop:
            try:
                waited = await self._step(waited)
            except LogError as error:
                self.log.warning("The group has to wait: %s", error)
                await self.sleep(1.0)
            await self.sleep(GROUP_POLL_SECONDS)

    async def _step(self, waited: float) -> float:
        """Follow the group one step; gives for how long this member has waited for the others to let go."""
        log = self.open_log()
        if not self._topics:
            return 0.0
        membership = self._membership
        if membership is None or membership.topics != self._topics:
            await self._release()
            if membership is not None:
                membership.leave()
            joined_at = time.monotonic()
            membership = self._membership = Membership(log, self.app.conf.id, self._topics)
            self._confirm(membership, joined_at)
        view = look(log, membership.group)
        if not view.has(membership.id):
            self.log.warning("Expelled from group %s, joining again", membership.group)
            await self._release()
            self._membership = None
            membership.leave()
            return 0.0
        dead = membership.dead(view, self.app.conf.broker_session_timeout)
        if dead:
            self.log.warning("Members of group %s have died: %s", membership.group, ", ".join(dead))
            remove(log, membership.group, dead)
            return 0.0
        if view.generation == self._generation:
            return 0.0
        await self._release()
        membership.let_go(view.generation)
        view = look(log, membership.group)
        if view.settled:
            await self._take(view, membership)
            return 0.0
        if waited > self.app.conf.broker_rebalance_timeout:
            slow = [seat.id for seat in view.seats if seat.synced < view.generation and seat.id != membership.id]
            self.log.warning("Members of group %s do not let go: %s", membership.group, ", ".join(slow))
            remove(log, membership.group, slow)
            return 0.0
        return waited + GROUP_POLL_SECONDS

    async def _release(self) -> None:
        """Finish what is in hand, commit it, and hold nothing."""
        if self._generation == 0:
            return
        self.app.on_rebalance_start()
        await self.on_partitions_revoked(set(self._assigned))
        self._assigned = set()
        self._positions = {}
        self._owed = {}
        self._generation = 0

    async def _take(self, view: View, membership: Membership) -> None:
        log = self.open_log()
        partitions = {name: topic.partitions for name, topic in log.topics().items() if name in self._topics}
        mine = {TP(*place) for place in assign(view, partitions, membership.id)}
        self._generation = view.generation
        self._assigned = mine
        self._positions = self._starts(mine)
        if not self.app.rebalancing:
            self.app.on_rebalance_start()
        self.app.consumer_generation_id = view.generation
        await self.on_partitions_assigned(set(mine), view.generation)

    def _starts(self, tps: Iterable[TP]) -> dict[TP, Position]:
        """Where reading goes on: at the committed offset, or where the setting says if there is none."""
        log = self.open_log()
        done = log.committed(self.app.conf.id)
        spans = self._spans = log.spans()
        latest = self.app.conf.consumer_auto_offset_reset == "latest"
        starts: dict[TP, Position] = {}
        for tp in tps:
            span = spans[tp]
            offset = done.get(tp, span.next if latest else span.first)
            if offset < span.first:
                self.log.error("%s: %d records went by retention before they were read", tp, span.first - offset)
            starts[tp] = Position(max(offset, span.first))
        return starts

    async def getmany(self, active_partitions: set[TP] | None, timeout: float) -> Fetched:
        """Wait for records of these partitions and give them, without moving on: handing over does that."""
        fetched: Fetched = await self.call_thread(self._getmany, active_partitions, timeout)
        return fetched

    async def _getmany(self, active: set[TP] | None, timeout: float) -> Fetched:
        log = self.open_log()
        loop = asyncio.get_running_loop()
        deadline = loop.time() + timeout
        while self.consumer.flow_active and not self.should_stop:
            if log.changed():
                self._spans = log.spans()
            fetched = self._read(log, active)
            if fetched.records or loop.time() >= deadline:
                return fetched
            await asyncio.sleep(log.pause)
        return Fetched()

    def _read(self, log: Log, active: set[TP] | None) -> Fetched:
        ready: dict[int, list[TP]] = {}
        for tp, position in list(self._positions.items()):
            if (active is None or tp in active) and position.offset < self._spans[tp].next:
                ready.setdefault(tp.partition, []).append(tp)
        fetched = Fetched()
        usual = self.app.conf.broker_max_poll_records or 500
        left = Room(getattr(self.consumer, "records_at_once", usual), FETCH_BYTES)
        # Each fetch begins with another partition and gives each its share, so that none starves behind a backlog.
        self._first += 1
        numbers = sorted(ready)
        share = max(1, left.records // max(1, len(numbers)))
        for place in range(len(numbers)):
            self._read_abreast(log, ready[numbers[(place + self._first) % len(numbers)]], share, left, fetched)
        return fetched

    def _read_abreast(self, log: Log, topics: list[TP], share: int, left: Room, fetched: Fetched) -> None:
        """A share of one partition number, always of the topic that was read least far in time: what a table says goes
        to several, and a round is held open until all of them were read up to its end."""
        positions = {tp: self._positions[tp] for tp in topics}
        offsets = {tp: position.offset for tp, position in positions.items()}
        times = {tp: position.time_ms for tp, position in positions.items()}
        step = max(1, share // STEPS)
        while topics and share > 0 and left.records > 0 and left.bytes > 0:
            tp = min(topics, key=lambda each: (times[each], each))
            found = log.read(
                tp.topic,
                tp.partition,
                offsets[tp],
                max_records=min(step, share, left.records),
                max_bytes=min(self.app.conf.consumer_max_fetch_size, left.bytes),
            )
            if found:
                fetched.records.setdefault(tp, []).extend(found)
                fetched.positions[tp] = positions[tp]
                offsets[tp], times[tp] = found[-1].offset + 1, found[-1].time_ms
                share -= len(found)
                left.records -= len(found)
                left.bytes -= sum(len(record.value or b"") for record in found)
            if not found or offsets[tp] >= self._spans[tp].next:
                topics.remove(tp)

    def stands_at(self, tp: TP, position: Position) -> bool:
        """Whether no seek and no rebalance has come since the position was read from."""
        return self._positions.get(tp) is position

    def seek(self, partition: TP, offset: int) -> None:
        self._positions[partition] = Position(offset)

    async def seek_wait(self, partitions: Mapping[TP, int]) -> None:
        for tp, offset in partitions.items():
            self.seek(tp, offset)
            self.consumer.note_read_offset(tp, offset)

    async def seek_to_committed(self) -> Mapping[TP, int]:
        starts: dict[TP, int] = await self.call_thread(self._seek_to_committed)
        return starts

    async def _seek_to_committed(self) -> dict[TP, int]:
        self._positions = self._starts(self._assigned)
        return {tp: position.offset for tp, position in self._positions.items()}

    async def seek_to_beginning(self, *partitions: TP) -> None:
        for tp, offset in (await self.earliest_offsets(*partitions)).items():
            self.seek(tp, offset)

    async def position(self, tp: TP) -> int | None:
        position = self._positions.get(tp)
        return None if position is None else position.offset

    def assignment(self) -> set[TP]:
        self.open_log()
        return set(self._assigned)

    def highwater(self, tp: TP) -> int:
        return self._spans[tp].next

    async def earliest_offsets(self, *partitions: TP) -> Mapping[TP, int]:
        spans = self.open_log().spans()
        return {tp: spans[tp].first for tp in partitions}

    async def highwaters(self, *partitions: TP) -> Mapping[TP, int]:
        spans = self.open_log().spans()
        return {tp: spans[tp].next for tp in partitions}

    def topic_partitions(self, topic: str) -> int | None:
        if self._tablelog is None:
            return None
        known = self._tablelog.topics().get(topic)
        return None if known is None else known.partitions

    async def commit(self, tps: Mapping[TP, int]) -> bool:
        return bool(await self.call_thread(self._commit, tps))

    async def _commit(self, offsets: Mapping[TP, int]) -> bool:
        membership = self._membership
        due = {tp: offset for tp, offset in {**self._owed, **offsets}.items() if tp in self._assigned}
        if membership is None or not due:
            return False
        try:
            self.open_log().commit(membership.group, _places(due), member=membership.id)
        except MemberExpelled as error:
            self.log.warning("Commit refused: %s", error)
            return False
        except LogError as error:
            # Faust takes an offset for committed once it was handed over here, so it is kept and tried again.
            self._owed = due
            self.log.error("Commit has to wait: %s", error)
            return False
        self._owed = {}
        return True

    async def create_topic(
        self, topic: str, partitions: int, replication: int, *, retention: Seconds | None = None, **_: Any
    ) -> None:
        declare(self.open_log(), topic, partitions, retention)

    def key_partition(self, topic: str, key: bytes | None, partition: int | None = None) -> int | None:
        count = self.topic_partitions(topic)
        if count is None or partition is not None or key is None:
            return partition
        return int((murmur2(key) & 0x7FFFFFFF) % count)


def _places(offsets: Mapping[TP, int]) -> dict[Place, int]:
    return {Place(*tp): offset for tp, offset in offsets.items()}


def _retain(folder: Path) -> list[Removed]:
    with Log(folder) as log:
        return retain(log)
