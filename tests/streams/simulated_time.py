"""A worker in simulated time: agent, sink and judges as they are, on a real store; the pace of the topics, breaks
in it, and the moments at which workers are killed, or stand still for longer than their session, are a seed's.

In an hour of real kills a few hundred moments are met; here a scene of minutes takes seconds, and what it met can be
met again.
"""

import asyncio
import gc
import random
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import faust
import pytest

import streams.agent
import streams.sink
import streams.writing
from audit.settings import JudgeSettings
from schemas.decoding import decode_lines
from schemas.findings import Finding, parse_finding
from schemas.time import micros
from schemas.topics import ALERTS
from store.connect import Store
from streams.agent import Worker
from streams.feed import FeedRecord
from streams.outputs import Message
from streams.packing import Packer
from streams.routing import Router
from streams.tenure import OVER
from streams.topic_layout import INPUTS
from tests.streams.simulated_broker import PARTITION, App, Consumer, Record, Taken, Topics

PARTITIONS = 1
LONG_AFTER = 30 * 24 * 3_600.0
"""Seconds from the events to the time at which arrears of theirs come."""
_ROUNDS_AT_THE_END = 400


class Killed(BaseException):
    """The worker's process is gone."""


@dataclass(slots=True)
class Clock:
    """What the worker takes for the module ``time``."""

    now: float

    def time(self) -> float:
        return self.now

    def time_ns(self) -> int:
        return int(self.now * 1e9)

    def monotonic(self) -> float:
        return self.now

    perf_counter = time


@dataclass(slots=True)
class Halt:
    """A worker that stands still before one of its writes, and goes on when it is let."""

    writes_before: int
    reached: threading.Event = field(default_factory=threading.Event)
    going_on: threading.Event = field(default_factory=threading.Event)
    over: threading.Event = field(default_factory=threading.Event)
    """The write was done, or refused."""
    storing: "asyncio.Task[None] | None" = None


@dataclass(slots=True)
class Scene:
    """Tables that speak, and one worker after the other."""

    store: Store
    rng: random.Random
    clock: Clock
    topics: Topics = field(default_factory=Topics)
    alerts: list[FeedRecord] = field(default_factory=list)
    """What went out to people, in order."""
    published: dict[str, list[bytes]] = field(default_factory=dict)
    """By topic: what else went out, in order."""
    kills: int = 0
    fuse: int | None = None
    """So many more writes to the store until the worker is killed in one."""
    halts: bool = False
    """Whether workers stand still now and then for longer than their session."""
    halt: Halt | None = None
    """The one that is to stand still in storing."""
    halted: list[Halt] = field(default_factory=list)
    """Those that do, and whose partition another one has."""
    worker: Worker = field(init=False)
    cut_off: dict[str, list[bytes]] = field(default_factory=dict)
    """By topic whose devices are cut off: what waits there."""

    def __post_init__(self) -> None:
        self.start()

    def start(self) -> None:
        """A worker begins where the last acknowledgement was."""
        app: Any = App(self.topics)
        self.worker = Worker(app, self.store, JudgeSettings(), PARTITIONS, self.told_since)

    def told_since(self, since: int) -> list[FeedRecord]:
        return [record for record in self.alerts if record.time_ms >= since]

    @property
    def told(self) -> list[Finding]:
        """What people were told, in order."""
        return [parse_finding(record.value) for record in self.alerts]

    @property
    def consumer(self) -> Consumer:
        found: Any = self.worker.app.consumer
        assert isinstance(found, Consumer)
        return found

    def kill(self) -> None:
        """The worker is gone, with all that it held, and another one begins."""
        self.kills += 1
        self.fuse = None
        if self.rng.random() < 0.5:
            self.topics.commit()
        self.start()

    async def stand_still(self) -> None:
        """The worker stands still in the middle of storing, until its partition is another's."""
        self.fuse = None
        halt = self.halt = Halt(self.rng.randint(0, 3))
        consumer = self.consumer
        halt.storing = asyncio.create_task(self.store_some())
        while not (halt.storing.done() or halt.reached.is_set()):
            await asyncio.sleep(0.001)
        self.halt = None
        if halt.storing.done():
            halt.storing.result()
            return
        consumer.ours_until = OVER
        self.halted.append(halt)
        self.kill()

    async def go_on(self) -> None:
        """The first that stands still goes on with what it was about to write."""
        halt = self.halted.pop(0)
        halt.going_on.set()
        await asyncio.to_thread(halt.over.wait)
        assert halt.storing is not None
        halt.storing.cancel()

    def before_write(self) -> Halt | None:
        halt = self.halt
        if halt is not None:
            halt.writes_before -= 1
            if halt.writes_before < 0:
                self.halt = None
                halt.reached.set()
                halt.going_on.wait()
                return halt
        if self.fuse is not None:
            self.fuse -= 1
            if self.fuse < 0:
                raise Killed
        return None

    def publish(self, lines: Sequence[bytes]) -> None:
        """Devices speak; where they are cut off, it waits with them."""
        router, packer = Router(PARTITIONS), Packer(self.rng.choice((1, 5, 20, 100)))
        records = [record for line in lines for parcel in router.route(line) for record in packer.add(parcel)]
        for record in [*records, *packer.drain()]:
            if record.topic in self.cut_off:
                self.cut_off[record.topic].append(record.value)
            else:
                self.topics.append(record.topic, record.value, self.clock.now)

    def join(self, topic: str) -> None:
        """What waited comes."""
        for value in self.cut_off.pop(topic, []):
            self.topics.append(topic, value, self.clock.now)

    async def read(self) -> None:
        """Some of the topics are read, and judged."""
        records: list[Record] = []
        for topic in self.rng.sample(INPUTS, self.rng.randint(1, len(INPUTS))):
            records += self.consumer.fetch(topic, self.rng.choice((1, 3, 50)), self.clock.now)
        if records:
            await self.judge(records)

    async def judge(self, records: Sequence[Record]) -> None:
        batch, _ = await self.worker._process([Taken(each) for each in records])
        await self.worker.sink.put(batch)

    async def store_some(self) -> None:
        """What is in hand is stored, and tables are read from there that must be."""
        sink = self.worker.sink
        batches = sink._take()
        sink._size -= sum(batch.events for batch in batches)
        if batches or sink.unsent or sink._next_turns():
            await sink._store(batches)

    async def rebalance(self) -> None:
        """The partition is taken away and given back: what was not acknowledged comes again."""
        await self.worker._on_revoked()
        self.worker.sink.leave_to_the_next()
        self.topics.commit()
        app: Any = self.worker.app
        app.consumer = Consumer(self.topics)

    async def act(self) -> None:
        """Something happens, at random."""
        if self.halts and self.rng.random() < 0.06:
            await (self.go_on() if self.halted else self.stand_still())
            return
        chance = self.rng.random()
        try:
            if chance < 0.40:
                await self.read()
            elif chance < 0.70:
                await self.worker.tick()
            elif chance < 0.94:
                await self.store_some()
            elif chance < 0.96:
                self.fuse = self.rng.randint(0, 6)
            elif chance < 0.98:
                self.kill()
            else:
                await self.rebalance()
        except Killed:
            self.kill()

    async def finish(self) -> None:
        """All is read, judged, stored and acknowledged, and then nothing comes for a while."""
        self.fuse = None
        while self.halted:
            await self.go_on()
        for topic in INPUTS:
            self.join(topic)
        quiet = 0
        for _ in range(_ROUNDS_AT_THE_END):
            self.clock.now += 0.25
            records = [record for topic in INPUTS for record in self.consumer.fetch(topic, 50, self.clock.now)]
            if records:
                await self.judge(records)
            await self.worker.tick()
            await self.store_some()
            quiet = quiet + 1 if self.topics.is_done and not records else 0
            if quiet == 40:
                return
        raise AssertionError(f"not acknowledged to the end: {self.topics.committed}")

    async def play(self, lines: Sequence[bytes], *, live: bool) -> None:
        """Tables say this while all kinds of things happen. ``live``: as it happens; else as arrears of long ago."""
        place = 0
        while place < len(lines):
            some = lines[place : place + self.rng.choice((1, 4, 15, 60))]
            place += len(some)
            if live:
                times = [micros(event.time) / 1e6 for event in decode_lines(some).events]
                self.clock.now = max([self.clock.now, *times])
            if self.rng.random() < 0.15:
                topic = self.rng.choice(INPUTS)
                if topic in self.cut_off:
                    self.join(topic)
                else:
                    self.cut_off[topic] = []
            self.publish(some)
            for _ in range(self.rng.randint(0, 4)):
                self.clock.now += self.rng.choice((0.01, 0.1, 0.3, 1.1, 4.0) if not live else (0.01, 0.05, 0.1))
                await self.act()
        await self.finish()


@contextmanager
def scene(store: Store, seed: int, began: float, *, halts: bool = False) -> Iterator[Scene]:
    """A scene whose clock begins at a time; clock and outputs of the worker are the scene's."""
    clock = Clock(began)
    with pytest.MonkeyPatch.context() as patch:
        interval, thresholds = sys.getswitchinterval(), gc.get_threshold()
        for module in (streams.agent, streams.sink):
            patch.setattr(module, "time", clock)
        played = Scene(store, random.Random(seed), clock, halts=halts)

        async def send(_: faust.App, messages: Sequence[Message]) -> None:
            for each in messages:
                if each.topic == ALERTS.name:
                    now, headers = int(clock.now * 1_000), dict(each.headers)
                    place = len(played.alerts)
                    played.alerts.append(FeedRecord(each.topic, PARTITION, place, now, each.key, each.value, headers))
                else:
                    played.published.setdefault(each.topic, []).append(each.value)

        patch.setattr("streams.outputs.send", send)
        for name in ("write_verdicts", "write_findings", "write_rejections", "write_records"):
            patch.setattr(streams.writing, name, _fused(getattr(streams.writing, name), played))
        try:
            yield played
        finally:
            gc.set_threshold(*thresholds)
            gc.unfreeze()
            sys.setswitchinterval(interval)


def _fused(write: Callable[..., None], played: Scene) -> Callable[..., None]:
    def fused(*arguments: Any) -> None:
        halt = played.before_write()
        try:
            write(*arguments)
        finally:
            if halt is not None:
                halt.over.set()

    return fused
