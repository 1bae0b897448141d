"""The input agent: records in, judged at once, alerts out first, then to the store, and only then acknowledged."""

import asyncio
import logging
import math
import os
import sys
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import faust
from faust.types import TP

from audit.settings import JudgeSettings
from schemas.topics import partition_of
from store.connect import Store
from store.read.findings import last_ids
from store.read.progress import known_tables, last_offset, open_rounds, stored_offsets, table_modes
from streams import metrics, outputs
from streams.batch import Ack, Batch
from streams.collecting import collect_for, collect_seldom
from streams.intake import event_times, reach_of, read_record
from streams.news import News
from streams.partition import PartitionJudge
from streams.scribe import Scribe
from streams.sink import MOST_HELD, Sink
from streams.taking import take
from streams.telling import REMEMBERED, Telling
from streams.told_before import ToldSince, take_up, told_from
from streams.topic_layout import INPUTS
from streams.unsent_verdicts import stored_last

logger = logging.getLogger(__name__)

TICK_SECONDS = 0.25
BREATH_SECONDS = 0.02
"""So long others wait for their turn while a batch is judged."""
BREATH_TURNS = 4
"""Turns of the loop that they have then: to send a record and hear that the broker has it takes several."""
PASSED_OVER_SECONDS = 0.3
"""What was fetched so long ago, by a worker that catches up, waits no longer for the end of its round."""
BEHIND_SECONDS = 2.0
"""A worker that reads what came so long ago, and has more to read, is catching up."""
RELEASE_SECONDS = 10.0
"""In so long every table's turn comes once to let go of what is over: all of two thousand at once took a quarter of a
second, in which nobody was told anything."""
LOOK_BACK_MS = 14 * 24 * 3_600_000
"""Rounds without a verdict that were heard of since then are taken up again at once."""
STOP_SECONDS = 30.0
"""How long a worker that was told to stop waits for a store that is away."""
UNREACHABLE = 3
SWITCH_SECONDS = 0.0005
"""So long a thread keeps the interpreter while another wants it. Whenever the judge has waited for something, it waits
for that besides while the store's thread packs columns; ten times as long is Python's own choice."""
LOOKED_UP = 2 * MOST_HELD
"""So many records before the last that is stored are known to be stored or not when a partition is taken over."""
_FOR_EVER = 2**62


class Worker:
    """All judges of a process, and what drives them."""

    def __init__(
        self,
        app: faust.App,
        store: Store,
        settings: JudgeSettings,
        partitions: int,
        told_since: ToldSince,
        scribe: Scribe | None = None,
    ) -> None:
        self.app = app
        self._told_since = told_since
        self.settings = settings
        self.partitions = partitions
        self.judges: dict[int, PartitionJudge] = {}
        self.sink = Sink(app, store, self.judges, scribe)
        self._telling = Telling()
        self._numbers = 0
        self._idle = True
        self._taking_over = asyncio.Lock()
        self._unjudged: set[int] = set()
        """Partitions that are being taken over."""
        self._looking = asyncio.Lock()
        """A batch is taken whole before its tables are looked at."""
        collect_seldom()
        sys.setswitchinterval(SWITCH_SECONDS)
        topic = app.topic(*INPUTS, key_type=bytes, value_type=bytes, key_serializer="raw", value_serializer="raw")
        app.agent(topic, name="judging")(self._agent)
        app.task(self._tick)
        app.task(self._let_go)
        app.task(self._run_sink)
        app.on_partitions_revoked.connect(self._on_revoked)

    @property
    def ready(self) -> bool:
        """Whether it has partitions and the store answers."""
        return self.lacks is None

    @property
    def lacks(self) -> str | None:
        """What keeps it from being ready, in words: it has no partitions, or the store does not answer."""
        if self._unjudged:
            numbers = ", ".join(map(str, sorted(self._unjudged)))
            return f"nothing is judged on partition {numbers} until the store has told what it has of it"
        if self.sink.away and self.app.rebalancing:
            return "the partitions are dealt out anew, and nothing is judged until the store has what is in hand"
        if self.sink.away:
            return "the store is away: judging and alerting go on, and nothing is acknowledged"
        if self.sink.failing:
            return "what was judged cannot be stored, and nothing is acknowledged: the log says why"
        if self.judges and not self.sink.ours:
            return "the group has not said in time that the partitions are still this worker's: until then it waits"
        return None if self.judges else "no partition is assigned yet"

    async def _agent(self, stream: Any) -> None:
        async for events in take(self.app, stream):
            self._idle = False
            size = sum(len(event.message.value or b"") for event in events)
            batch, took = await self._process(events)
            self.app.consumer.judged(size, took)
            await self.sink.put(batch)
            self._idle = True

    async def _run_sink(self) -> None:
        await self.sink.run()

    def _batch(self) -> Batch:
        self._numbers += 1
        return Batch(self._numbers, self.sink.generation)

    async def _process(self, events: list[Any]) -> tuple[Batch, float]:
        """Judge records and tell people of what is found; what is to be stored, and how long it took in seconds."""
        batch = self._batch()
        async with self._looking:
            began = time.monotonic()
            last_arrival, told = await self._judge(events, batch)
            took = time.monotonic() - began
            self.sink.catching_up = time.time() - last_arrival > BEHIND_SECONDS and self._has_more
            collect_for(catching_up=self.sink.catching_up)
            await asyncio.gather(*told)
        return batch, took

    async def _judge(self, events: list[Any], batch: Batch) -> tuple[float, list[asyncio.Task[None]]]:
        """Judge records, partition by partition: people hear of what is found at one while the next is judged. When the
        last of them arrived (seconds since 1970), and what is still being told."""
        by_partition: dict[int, list[Any]] = {}
        for event in events:
            by_partition.setdefault(event.message.partition, []).append(event)
        if self.sink.catching_up:
            # A partition that was passed over may be read again only when all the others were.
            for judge in self.judges.values():
                if judge.is_overdue(time.monotonic() - PASSED_OVER_SECONDS):
                    by_partition.setdefault(judge.number, [])
        told: list[asyncio.Task[None]] = []
        last_arrival, breath, looking = 0.0, time.monotonic(), 0.0
        for number, of_it in by_partition.items():
            judge = await self._judge_of(number)
            found, arrived, breath = await self._take(of_it, judge, batch, breath)
            # Otherwise another worker may have read more. If not, the next tick looks.
            if (arrived or not of_it) and self.sink.ours and batch.generation == self.sink.generation:
                began = time.monotonic()
                found.add(self._look(judge, batch))
                looking += time.monotonic() - began
            batch.news.add(found)
            last_arrival = max(last_arrival, arrived)
            if found.findings:
                told.append(asyncio.create_task(outputs.tell(self.app, found.findings, arrived)))
                breath = 0.0
            breath = await _breathe(breath)
        metrics.JUDGE_SECONDS.observe(looking)
        return last_arrival, told

    async def _take(
        self, events: list[Any], judge: PartitionJudge, batch: Batch, breath: float
    ) -> tuple[News, float, float]:
        """Take records of one partition in: what is told of at once, when the last of them arrived that the store does
        not have (0: none), and since when nobody else had a turn."""
        found, last_arrival = News(), 0.0
        came: Counter[str] = Counter()
        patience = self.settings.patience_ms * 1_000
        for event in events:
            message = event.message
            if message.offset < judge.stored_from[message.topic]:
                await self._ask_stored(judge, message.topic, message.offset)
            with metrics.DECODE_SECONDS.time():
                record = read_record(
                    message.topic, message.partition, message.offset, round(message.timestamp * 1000),
                    message.value or b"", self.partitions,
                )  # fmt: skip
            # The record has its bytes; the message waits until all that they say has been judged.
            message.value = None
            if message.offset in judge.stored_offsets[message.topic]:
                judge.positions[message.topic] = message.offset + 1
                judge.take_up(record, message.time_in)
                metrics.SKIPPED.inc()
                read_to = reach_of(record, event_times(record.decoded.events))
                batch.acks.append(Ack(message, judge.number, read_to.later(patience)))
                continue
            batch.records.append(record)
            last_arrival = message.timestamp
            came[message.topic] += len(record.decoded.events)
            metrics.REJECTED.inc(len(record.decoded.rejected))
            found.add(judge.take(record, batch.number, message.time_in))
            batch.acks.append(Ack(message, judge.number, judge.read_to.later(patience)))
            breath = await _breathe(breath)
        for topic, events_taken in came.items():
            metrics.EVENTS.labels(topic).inc(events_taken)
        return found, last_arrival, breath

    def _look(self, judge: PartitionJudge, batch: Batch, *, again: bool = True) -> News:
        """Look at tables of a partition. Over a backlog most rounds that go on are over in the next batch, which comes
        at once: to look at them twice took a twelfth of the judge's time."""
        now = time.time_ns() // 1_000
        for topic in INPUTS:
            judge.watermark.left_to_read(topic, self._left(judge, topic), now)
        patient_after = time.monotonic() - PASSED_OVER_SECONDS if self.sink.catching_up else math.inf
        news = judge.look(now, patient_after=patient_after, again=again)
        if not judge.waiting() and not judge.is_holding(now):
            batch.looked_to[judge.number] = judge.looked_to
        return news

    @property
    def _has_more(self) -> bool:
        return any(self._left(judge, topic) for judge in self.judges.values() for topic in INPUTS)

    def _left(self, judge: PartitionJudge, topic: str) -> int:
        """Records that are left to read."""
        return judge.left(topic, self.app.consumer.highwater(TP(topic, judge.number)))

    async def _tick(self) -> None:
        """Tick for ever."""
        counted = time.monotonic()
        while True:
            await asyncio.sleep(TICK_SECONDS)
            if self.app.rebalancing or self.app.should_stop:
                continue
            try:
                await self.tick()
                if time.monotonic() - counted > RELEASE_SECONDS:
                    counted = time.monotonic()
                    self._count()
            except Exception:  # the next tick tries again
                logger.exception("looking again failed")
                metrics.FAILED.inc()

    async def _let_go(self) -> None:
        """While partitions are dealt out anew, or the worker is to stop, let go of what others will read again. It has
        a task of its own: a tick may be waiting for the store then, and Faust waits for this."""
        asked: float | None = None
        while True:
            await asyncio.sleep(TICK_SECONDS)
            if self.app.rebalancing or self.app.should_stop:
                self.sink.leave_to_the_next()
            if self.app.should_stop:
                asked = asked or time.monotonic()
                self._give_up(time.monotonic() - asked)

    async def tick(self) -> None:
        """Look again as the topics are read on and as time goes by, and let go of what is over."""
        self.app.consumer.correct(idle=self._idle)
        generation, assigned = self.sink.generation, self._assigned()
        for partition in assigned:
            await self._judge_of(partition)
            if generation != self.sink.generation:
                # They were dealt out anew while the store was asked: these are no longer the ones.
                return
        if not self.sink.ours:
            # While it stood still, time went by in which nothing was read: that is no silence of a device.
            return
        batch = self._batch()
        async with self._looking:
            for judge in list(self.judges.values()):
                batch.news.add(self._look(judge, batch, again=not self.sink.catching_up))
                for topic in INPUTS:
                    metrics.LAG.labels(topic, str(judge.number)).set(self._left(judge, topic))
            if batch.news.findings:
                await outputs.tell(self.app, batch.news.findings)
        self.sink.catching_up = self.sink.catching_up and self._has_more
        collect_for(catching_up=self.sink.catching_up)
        # While the store is away nothing can be acknowledged or read from it.
        asks = not self.sink.away and (self.sink.owes or any(judge.waiting() for judge in self.judges.values()))
        if batch.news or asks:
            await self.sink.put(batch)
        for judge in self.judges.values():
            judge.release(time.monotonic(), time.time_ns() // 1_000, TICK_SECONDS / RELEASE_SECONDS)

    def _give_up(self, waited: float) -> None:
        """End without the store when it stays away or storing fails: what is not stored is not acknowledged, and is
        read again."""
        if (self.sink.away or self.sink.failing) and waited > STOP_SECONDS:
            logger.warning("ending without the store; what it lacks will be read again")
            logging.shutdown()
            os._exit(UNREACHABLE)

    def _count(self) -> None:
        metrics.TABLES.set(sum(len(judge.desks) for judge in self.judges.values()))
        metrics.UNREAD.set(len(self.sink.unread()))
        metrics.OPEN_ROUNDS.set(sum(judge.open_rounds for judge in self.judges.values()))

    async def _judge_of(self, partition: int) -> PartitionJudge:
        judge = self.judges.get(partition)
        if judge is not None:
            return judge
        async with self._taking_over:
            if partition not in self.judges:
                generation = self.sink.generation
                self._unjudged = {partition, *self._assigned()} - self.judges.keys()
                metrics.UNJUDGED.set(len(self._unjudged))
                try:
                    taken = await self._take_over(sorted(self._unjudged))
                finally:
                    self._unjudged = set()
                    metrics.UNJUDGED.set(0)
                if generation != self.sink.generation:
                    return taken[partition]
                # A judge of a partition that went to another worker meanwhile would ask the broker for what it has not.
                assigned = self._assigned()
                self.judges.update({number: judge for number, judge in taken.items() if number in assigned})
                return taken[partition]
            return self.judges[partition]

    def _assigned(self) -> set[int]:
        return {tp.partition for tp in self.app.consumer.assignment() if tp.topic in INPUTS}

    async def _take_over(self, partitions: list[int]) -> dict[int, PartitionJudge]:
        """Begin with partitions: what the store knows of them, and where their topics end now. The broker is asked of
        all together: it answers a client's question when it has answered the one before, which may be a fetch that
        waits for news."""
        tps = [TP(topic, partition) for partition in partitions for topic in INPUTS]
        ends = await self.app.consumer.highwaters(*tps)
        firsts = await self.app.consumer.earliest_offsets(*tps)
        store = self.sink.store
        # Without what the store has, a revision cannot be told from a first verdict.
        meanwhile = f"nothing is judged on partitions {partitions} until it is back"
        earliest = time.time_ns() // 1_000_000 - LOOK_BACK_MS
        # Where nothing was ever said, nothing was told: it would have to be looked for from the earliest on.
        heard = sorted({tp.partition for tp in tps if ends[tp] > firsts[tp]})
        records = []
        if heard:
            since = await self.sink.ask(lambda: told_from(store, heard, earliest), meanwhile)
            records = await asyncio.to_thread(self._told_since, since)
            unsent = await self.sink.ask(lambda: stored_last(store, since, heard, self.partitions), meanwhile)
            await self.sink.send_again(unsent)
        told = await self.sink.ask(
            lambda: take_up(store, records, lambda table: partition_of(table, self.partitions) in partitions), meanwhile
        )
        tables = await self.sink.ask(lambda: known_tables(store), meanwhile)
        judges = {partition: await self._begin(partition, ends, firsts, {*tables, *told}) for partition in partitions}
        for table in sorted(told):
            judges[partition_of(table, self.partitions)].desk(table).heard = time.monotonic()
        return judges

    async def _begin(
        self, partition: int, ends: Mapping[TP, int], firsts: Mapping[TP, int], tables: Iterable[str]
    ) -> PartitionJudge:
        """Begin with a partition; ``tables``: all that the store knows of."""
        tps = [TP(topic, partition) for topic in INPUTS]
        store = self.sink.store
        since = time.time_ns() // 1_000_000 - LOOK_BACK_MS
        meanwhile = f"nothing is judged on partition {partition} until it is back"
        unjudged = await self.sink.ask(lambda: open_rounds(store, partition, since), meanwhile)
        known = {table for table in tables if partition_of(table, self.partitions) == partition}
        known |= {span.key.table for span in unjudged}
        if not self._telling.recalled:
            told = await self.sink.ask(lambda: last_ids(store, "event-rejected", REMEMBERED))
            modes = await self.sink.ask(lambda: table_modes(store, self.settings.ahead_ms))
            self._telling.recall(told, modes)
        judge = PartitionJudge(partition, self.settings, known, {tp.topic: ends[tp] for tp in tps}, self._telling)
        stored = await self.sink.ask(lambda: {tp: last_offset(store, tp.topic, partition) for tp in tps})
        for tp in tps:
            # Not the client's own position: it runs ahead of what has been judged.
            last = stored[tp]
            judge.positions[tp.topic] = max(firsts[tp], 0 if last is None else last + 1)
            # What is read again lies a little before the last that is stored; while the store is away, it is known.
            await self._ask_stored(judge, tp.topic, max(firsts[tp], judge.positions[tp.topic] - LOOKED_UP))
        for table in sorted({span.key.table for span in unjudged}):
            judge.desk(table).heard = time.monotonic()
        logger.info("took over partition %d: %d tables, %d rounds open", partition, len(known), len(unjudged))
        return judge

    async def _ask_stored(self, judge: PartitionJudge, topic: str, first: int) -> None:
        """What the store has of a topic, from this offset on, when this worker comes to it."""
        store = self.sink.store
        found = await self.sink.ask(lambda: stored_offsets(store, topic, judge.number, first, _FOR_EVER))
        judge.stored_offsets[topic], judge.stored_from[topic] = found, first

    async def _on_revoked(self, *_: Any, **__: Any) -> None:
        """What was not stored is read again by whoever has the partition next."""
        self.sink.generation += 1
        self.judges.clear()
        # What is read again is told again unless the store knows of it.
        self._telling = Telling()
        self.app.consumer.in_hand = 0


async def _breathe(since: float) -> float:
    """Let others have their turn after a while of work; since when it goes on."""
    if time.monotonic() - since < BREATH_SECONDS:
        return since
    for _ in range(BREATH_TURNS):
        await asyncio.sleep(0)
    return time.monotonic()
