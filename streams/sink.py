"""From the judge to the store: verdicts and findings first, then the records, whose presence marks them as done."""

import asyncio
import logging
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import faust

from schemas.records import AnyEvent
from store.connect import Patience, Store
from store.errors import QueryRefused, StoreError
from store.read.folding import events_named
from streams import metrics, outputs
from streams.batch import Ack, Batch
from streams.desk import TableDesk
from streams.folding import Folded, Wanted, fold
from streams.news import News
from streams.partition import PartitionJudge
from streams.scribe import Scribe
from streams.tenure import NoLongerOurs
from streams.turns import Turn, Turns
from streams.watermark import Reach
from streams.writing import write

logger = logging.getLogger(__name__)

T = TypeVar("T")

BACKLOG_EVENTS = 160_000
"""So many events may be judged and not yet stored, half a minute of 5,000 a second; beyond it, reading waits."""
TOGETHER_EVENTS = 40_000
"""So many events are stored at once, at most: the process that writes them holds them, too."""
MOST_HELD = 20_000
"""So many stored records of a partition wait at most to be acknowledged; read again, they would be skipped."""
LINGER_SECONDS = 1.0
"""So long a little waits for company: an insert into all tables and their views takes the store a sixth of a second,
however little it is."""
CATCHING_UP_SECONDS = 5.0
"""So long what is stored waits for company while a worker catches up, or until there is as much as is stored at once:
people were told, and an insert costs the store as much for a few events as for many."""
_GLANCE_SECONDS = 0.05
FIRST_PAUSE = 0.05
LONGEST_PAUSE = 2.0


class Sink:
    """Stores batches in their order, one after the other, for as long as it takes."""

    def __init__(
        self, app: faust.App, store: Store, judges: dict[int, PartitionJudge], scribe: Scribe | None = None
    ) -> None:
        self.app = app
        self._scribe = scribe
        """Writes in a process of its own; None: the store's thread does."""
        self.store = store.patient(Patience(total=0.0)).asking(self._still_ours)
        self.judges = judges
        self.generation = 0
        self._begun_under = 0
        """The generation in which what the store is being asked was begun."""
        self.away = False
        """Whether the store cannot be reached."""
        self.failing = False
        """Whether the last that was to be stored could not be, for another reason: a fault of ours."""
        self.catching_up = False
        """Whether there is more to read that came long ago."""
        self._queue: deque[Batch] = deque()
        self._held: dict[int, deque[Ack]] = {}
        """By partition, in the order of reading: stored, and not yet judged in all that rests on absence."""
        self._size = 0
        self.unsent: list[outputs.Message] = []
        """Verdicts of a worker before this one that may not have been sent: they go out before any is stored here."""
        self._turns = Turns(judges)
        self._changed = asyncio.Condition()
        # One thread: batches are stored in their order, and a desk is read when nothing is being written.
        self._thread = ThreadPoolExecutor(1, "store")

    async def put(self, batch: Batch) -> None:
        """Hand a batch over; one with records waits while the backlog is full."""
        async with self._changed:
            # What was found without new records takes no room in it. Whoever looks again must not stand still here.
            await self._changed.wait_for(lambda: not batch.records or self._size < BACKLOG_EVENTS)
            batch.since = time.monotonic()
            self._queue.append(batch)
            self._size += batch.events
            metrics.BACKLOG.set(self._size)
            self._changed.notify_all()

    async def send_again(self, messages: list[outputs.Message]) -> None:
        """Hand over what a worker before this one may not have sent."""
        async with self._changed:
            self.unsent += messages
            self._changed.notify_all()

    async def run(self) -> None:
        """Store what comes, and read what must be read again, a part of it after each that was stored."""
        while True:
            async with self._changed:
                await self._changed.wait_for(lambda: bool(self._queue or self.unsent or self._next_turns()))
            await self._await_company()
            async with self._changed:
                batches = self._take()
            try:
                await self._store(batches)
            except Exception:
                logger.exception("storing failed; it is tried again")
                metrics.FAILED.inc()
                self.failing = True
                # Never passed over: Faust would commit what is acknowledged behind it, and it would be lost. What was
                # read under an assignment that is over comes again to whoever has its partition now.
                kept = [batch for batch in batches if batch.generation == self.generation]
                self._queue.extendleft(reversed(kept))
                await self._let_go_of(batch for batch in batches if batch.generation != self.generation)
                await asyncio.sleep(LONGEST_PAUSE)
            else:
                self.failing = False
                await self._let_go_of(batches)

    async def _let_go_of(self, batches: Iterable[Batch]) -> None:
        async with self._changed:
            self._size -= sum(batch.events for batch in batches)
            metrics.BACKLOG.set(self._size)
            self._changed.notify_all()

    async def _await_company(self) -> None:
        """What an insert costs is per insert: a little is stored together with what comes soon."""
        while self._queue and not self._is_urgent():
            enough = TOGETHER_EVENTS if self.catching_up else TOGETHER_EVENTS // 2
            patience = CATCHING_UP_SECONDS if self.catching_up else LINGER_SECONDS
            if self._size >= enough:
                break
            if time.monotonic() - self._queue[0].since >= patience:
                break
            await asyncio.sleep(_GLANCE_SECONDS)

    def _is_urgent(self) -> bool:
        return bool(self._next_turns()) or self.app.should_stop or bool(self.app.rebalancing)

    def _take(self) -> list[Batch]:
        batches: list[Batch] = []
        size = 0
        while self._queue and (not batches or size + self._queue[0].events <= TOGETHER_EVENTS):
            batches.append(self._queue.popleft())
            size += batches[-1].events
        return batches

    async def _store(self, batches: list[Batch]) -> None:
        started = time.perf_counter()
        now = time.time_ns() // 1_000_000
        generation = self.generation
        old = [batch for batch in batches if batch.generation != generation]
        if old:
            # Before any table is read again: what it was told of under the old assignment is known then.
            await self.ask(lambda: self._write(old, now))
        again = Batch(0, generation)
        again.news.add(await self._read_again(self._next_turns()))
        if again.news:
            # With the others: where storing fails it is tried again, too.
            batches.append(again)
        new = [batch for batch in batches if batch.generation == generation]
        await self._send_before(new)
        written, news = await self.ask(lambda: self._write(new, now))
        await outputs.send(self.app, outputs.verdicts(news))
        for batch in written:
            for ack in batch.acks:
                self._held.setdefault(ack.partition, deque()).append(ack)
            for partition, looked_to in batch.looked_to.items():
                self._acknowledge(partition, looked_to)
        self._tell_desks(written, news)
        for each in news.verdicts:
            metrics.VERDICTS.labels(each.concluded.verdict.status).inc()
        metrics.STORE_SECONDS.observe(time.perf_counter() - started)

    async def _send_before(self, batches: Iterable[Batch]) -> None:
        """Send what a worker before this one may not have sent; once more is stored, nobody looks for it. What was
        refused stays refused whoever judges it, so that it is sent before it is stored, too."""
        while self.unsent:
            left = list(self.unsent)
            await outputs.send(self.app, left)
            del self.unsent[: len(left)]
        unsent = [batch for batch in batches if not batch.rejections_sent]
        await outputs.send(
            self.app, [each for batch in unsent for each in outputs.rejections(batch.news.refused, batch.records)]
        )
        for batch in unsent:
            batch.rejections_sent = True

    def _write(self, batches: Sequence[Batch], now: int) -> tuple[list[Batch], News]:
        """Write those batches that were read under the present assignment, and of the others what people were told:
        their records come again to whoever has the partition now, who may see it otherwise and must know of it then."""
        generation = self._begun_under
        current = [batch for batch in batches if batch.generation == generation]
        news = News()
        for batch in batches:
            news.add(batch.news if batch.generation == generation else News(batch.news.findings))
        records = [record for batch in current for record in batch.records]
        if news or records:
            if self._scribe is None:
                write(self.store, news, records, now)
            else:
                self._scribe.write(news, records, now, self._still_ours)
        return current, news

    @property
    def ours(self) -> bool:
        """Whether the partitions are this worker's for certain."""
        return bool(time.monotonic() < self.app.consumer.ours_until)

    def _still_ours(self) -> None:
        # One that was left out can be a member again before an insert that it had begun comes to its end.
        if not self.ours or self._begun_under != self.generation:
            raise NoLongerOurs

    @property
    def owes(self) -> bool:
        """Whether there are stored records that are not acknowledged."""
        return any(self._held.values())

    def _acknowledge(self, partition: int, looked_to: Reach) -> None:
        held = self._held.get(partition, deque())
        while held and (looked_to.covers(held[0].judged_at) or len(held) > MOST_HELD):
            held.popleft().message.ack(self.app.consumer)

    def leave_to_the_next(self) -> None:
        """Let go of what is stored and not yet judged in all that it says: it is not acknowledged, so that whoever has
        its partition next reads it again, and takes its tables up from the store. What may not be stored any more is
        let go of as well."""
        if not self.ours:
            self.app.consumer.unacked.clear()
        for held in self._held.values():
            while held:
                # Faust waits until nothing is left here.
                self.app.consumer.unacked.discard(held.popleft().message)

    def _tell_desks(self, batches: list[Batch], news: News) -> None:
        # A batch without records may have overtaken one with records.
        number = max((batch.number for batch in batches if batch.records), default=0)
        for judge in self.judges.values():
            judge.stored(number, news)

    def _next_turns(self) -> list[Turn]:
        return self._turns.next(time.monotonic())

    async def _read_again(self, turns: Sequence[Turn]) -> News:
        """Bring desks to where the store and what came since make them, as many as are read in one go; people are told
        of what is found at each."""
        news = News()
        try:
            folded = await self._fold(turns)
        except Exception:  # a fault of ours at one table must not keep the others from being read and stored
            if len(turns) == 1:
                self._could_not_read(turns[0].desk)
                return news
            for turn in turns:
                news.add(await self._read_again([turn]))
            return news
        for judge, desk in turns:
            if desk.table in folded:
                try:
                    desk.resume(folded.pop(desk.table), judge.unstored(desk.table))
                except Exception:  # as above
                    self._could_not_read(desk)
                    continue
                judge.resumed(desk)
                news.add(await self._tell_of(judge, desk))
        return news

    def _could_not_read(self, desk: TableDesk) -> None:
        logger.exception("the table could not be read again", extra={"table": desk.table})
        metrics.FAILED.inc()
        self._turns.leave_alone(desk, time.monotonic())

    def unread(self) -> set[str]:
        """The tables that could not be read from the store and wait for it: nothing of them is judged meanwhile."""
        return self._turns.unread()

    async def _fold(self, turns: Sequence[Turn]) -> dict[str, Folded]:
        late = await self._look_up_late(turns)
        wanted: list[Wanted] = []
        for judge, desk in turns:
            if desk.needs_store:
                desk.put_down()
                arriving = {(event.source, event.id) for share in judge.unstored(desk.table) for event in share.events}
                shoes = set(desk.reload)
                wanted.append(
                    Wanted(
                        desk.table, judge.number, shoes, late[desk.table], arriving, desk.arrived,
                        tuple(desk.taken_up), desk.read_since,
                    )
                )  # fmt: skip
        if not wanted:
            return {}
        settings = turns[0].desk.settings
        folded = await self.ask(lambda: fold(self.store, wanted, settings), raises=True)
        for table in folded:
            for event in late[table]:
                logger.info("a fact came late", extra={"table": table, "event": event.id})
        return folded

    async def _tell_of(self, judge: PartitionJudge, desk: TableDesk) -> News:
        """Look at a desk that was read again, and tell people of what is found."""
        now = time.time_ns() // 1_000
        news = judge.look(now)
        await outputs.send(self.app, outputs.alerts(news.findings))
        if desk.waits_since is not None:
            for _ in news.findings:
                metrics.FETCH_SECONDS.observe(time.monotonic() - desk.waits_since)
        desk.waits_since = None
        # All its shoes in play were read, and most of their rounds are over.
        desk.release(desk.complete_to(judge.watermark.reach(now)))
        # Others have their turn between two tables.
        await asyncio.sleep(0)
        return news

    async def _look_up_late(self, turns: Sequence[Turn]) -> dict[str, list[AnyEvent]]:
        """By table: the events from a time that is no longer held, or whose names were used then, that are no repeats
        of stored ones."""
        names = {desk.table: desk.names_to_look_up for _, desk in turns if desk.names_to_look_up}
        stored = await self.ask(lambda: events_named(self.store, names), raises=True) if names else {}
        return {
            desk.table: desk.looked_up(
                names.get(desk.table, set()), stored.get(desk.table, []), judge.unstored(desk.table)
            )
            for judge, desk in turns
        }

    async def ask(self, what: Callable[[], T], meanwhile: str = "", *, raises: bool = False) -> T:
        """Do something with the store in its thread, again and again until it works; ``meanwhile`` says what cannot be
        done until then. What the store refuses is a fault of ours: ``raises`` where the caller can go on without it."""
        pause = FIRST_PAUSE
        loop = asyncio.get_running_loop()
        while True:
            try:
                answer = await loop.run_in_executor(self._thread, self._begin, what)
            except NoLongerOurs:
                if pause == FIRST_PAUSE:
                    logger.warning("storing waits until the group has said that the partitions are still this worker's")
                await asyncio.sleep(pause)
                pause = min(pause * 2, LONGEST_PAUSE)
            except StoreError as error:
                if raises and isinstance(error, QueryRefused):
                    raise
                if not self.away or (meanwhile and pause == FIRST_PAUSE):
                    logger.warning("waiting for the store: %s", f"{error}; {meanwhile}" if meanwhile else error)
                self.away = True
                metrics.STORE_AWAY.set(1)
                await asyncio.sleep(pause)
                pause = min(pause * 2, LONGEST_PAUSE)
            else:
                if self.away:
                    logger.info("the store is back")
                self.away = False
                metrics.STORE_AWAY.set(0)
                return answer

    def _begin(self, what: Callable[[], T]) -> T:
        self._begun_under = self.generation
        return what()
