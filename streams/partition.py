"""One partition number at a worker: the tables that speak there, and how far its three topics have been read."""

import logging
import math
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

from audit.beside_rounds import rejection
from audit.settings import MILLISECOND, JudgeSettings
from schemas.decoding import Rejected
from schemas.findings import Finding
from store.rows.raw import Record
from streams.agenda import Agenda
from streams.desk import TableDesk
from streams.intake import Share, event_times, reach_of, shares
from streams.metrics import FAILED
from streams.news import News, RaisedFinding
from streams.telling import LIVE, Telling
from streams.topic_layout import INPUTS
from streams.watermark import ALWAYS, IDLE_MICROSECONDS, NEVER, Reach, Watermark

logger = logging.getLogger(__name__)

IDLE_SECONDS = 600.0
"""A table that has not spoken for so long is let go."""
LONGEST_HOLD = 3_000_000
"""So long (microseconds) a table to which late facts keep coming is left alone at most."""
ABREAST = 2_000_000
"""Topics that are read within so much event time (microseconds) of each other are read abreast, as on a live floor."""
UNEVEN_WAITS = 1_000_000
"""So long (microseconds) what rests on a part of a round waits for a topic that is further behind and does not come
nearer; for one that does, three times as long at most, as for late facts."""
HELD_AGAIN_AFTER = 30_000_000
"""A device that is late all the time holds its table up once in so long (microseconds)."""


class _Hold(NamedTuple):
    """A table that is left alone because facts came of a time that had counted as known."""

    began: int
    until: int
    """By the worker's clock, as the time before it."""


class _Uneven(NamedTuple):
    """A table of which one topic is read further than another."""

    began: int
    until: int
    """By the worker's clock, as the time before it."""
    abreast_to: int
    """How far all topics were read when it was last found that they had been read on."""


class PartitionJudge:
    """Judges what is said on one partition number of the input topics."""

    def __init__(
        self,
        number: int,
        settings: JudgeSettings,
        known: Iterable[str],
        ends: dict[str, int],
        telling: Telling | None = None,
    ) -> None:
        self.number = number
        self.settings = settings
        self.desks: dict[str, TableDesk] = {}
        self.watermark = Watermark(INPUTS)
        self.positions: dict[str, int] = {}
        """By topic: the offset that comes next."""
        self.read_to = Reach(NEVER, NEVER)
        """Of the record that was taken last."""
        self.stored_from: dict[str, int] = {}
        self.stored_offsets: dict[str, frozenset[int]] = {}
        """By topic: what the store had, from that offset on, when this worker took over."""
        self._known = set(known)
        """Tables that the store has heard of."""
        self._ends = ends
        """By topic: where it ended when this worker took over; nobody before it can have read more."""
        self._was_caught_up = False
        self._touched: set[str] = set()
        self._passed_over: set[str] = set()
        """Tables with something that the last look left to the next one."""
        self._fetched: dict[str, float] = {}
        """By table: when the first record was fetched of which not all was looked at, by the worker's clock."""
        self._uneven: dict[str, _Uneven] = {}
        """Tables that wait for a topic that is behind."""
        self._reach = Reach(NEVER, NEVER)
        """At the last look."""
        self._by_events = Agenda()
        """Tables that wait until the topics have been read up to an event time, and"""
        self._by_arrival = Agenda()
        """those that wait until what had arrived by a time is known, because their clocks are behind."""
        self._may_wait: set[str] = set()
        """Tables whose desks needed the store when they were last looked at."""
        self._late: set[str] = set()
        """Tables of which something came since the last look that is older than what had counted as known."""
        self._holds: dict[str, _Hold] = {}
        self._telling = Telling() if telling is None else telling
        self._unstored: deque[tuple[int, dict[str, Share]]] = deque()
        """By batch: what the store does not have yet, by table."""
        self._stored_batch = 0
        self._to_release: list[str] = []
        """Tables whose turn to let go of what is over is still to come."""

    @property
    def caught_up(self) -> bool:
        """Whether all that a worker before this one can have read has been read."""
        return all(self.positions.get(topic, 0) >= end for topic, end in self._ends.items())

    def left(self, topic: str, highwater: int | None) -> int:
        """How many records of a topic are left to read. A client that has not fetched a topic yet knows no highwater
        of it: where the topic ended when this worker took over holds until then."""
        end = max(highwater or 0, self._ends.get(topic, 0))
        return max(0, end - self.positions.get(topic, 0))

    @property
    def open_rounds(self) -> int:
        """Rounds that are held without a verdict."""
        return sum(
            held.verdict is None for desk in self.desks.values() if desk.live for held in desk.live.rounds.values()
        )

    def desk(self, table: str) -> TableDesk:
        """The desk of a table; one that the store has heard of must be read from there first."""
        desk = self.desks.get(table)
        if desk is None:
            desk = self.desks[table] = TableDesk(table, self.settings, fresh=table not in self._known)
            self._known.add(table)
            self._may_wait.add(table)
        return desk

    def take(self, record: Record, batch: int, now: float) -> News:
        """Hand a record's events to their tables; gives what is told at once of those that were refused. ``now`` is
        when it was fetched, by the worker's clock."""
        times = event_times(record.decoded.events)
        by_table = shares(record, times)
        self._unstored.append((batch, by_table))
        patience = self.settings.patience_ms * MILLISECOND
        late = min(self._reach) - patience
        for table, share in by_table.items():
            desk = self.desk(table)
            desk.heard = now
            self._fetched.setdefault(table, now)
            # Of a table whose clocks are behind, less is known.
            if share.times and share.latest <= late and share.latest + patience <= desk.clock.known_to(self._reach):
                self._late.add(table)
            if desk.live is None:
                desk.waits_since = now if desk.waits_since is None else desk.waits_since
                believed = share.arrival + self.settings.ahead_ms * MILLISECOND
                events = zip(share.events, share.times, strict=True)
                self._telling.hear(table, [event for event, time in events if time <= believed])
            desk.take(batch, share)
        self._touched.update(by_table)
        self.read_to = reach_of(record, times)
        self.watermark.read(record.topic, self.read_to)
        self.positions[record.topic] = max(self.positions.get(record.topic, 0), record.offset + 1)
        news = News()
        for rejected in record.decoded.rejected:
            news.add(self._reject(rejected, record, now))
        return news

    def take_up(self, record: Record, now: float) -> None:
        """A record comes that the store has, and nobody acknowledged: not all that it says may have been judged, also
        where all its rounds were (a shoe is held against its decks later). Its tables are read from the store. ``now``
        is when it was fetched, by the worker's clock."""
        for table, share in shares(record, event_times(record.decoded.events)).items():
            self._known.add(table)
            desk = self.desk(table)
            desk.heard = now
            desk.take_up(share)
            if desk.needs_store:
                self._may_wait.add(table)

    def _reject(self, rejected: Rejected, record: Record, fetched: float) -> News:
        where = f" ({record.topic}, partition {record.partition}, offset {record.offset})"
        finding = rejection(rejected.subject, rejected.raw, rejected.reason, where)
        if not self._telling.is_first(finding.id):
            return News()
        time, for_people = record.arrival * 1_000, self._for_people(finding)
        return News([RaisedFinding(finding, 1, time, for_people, fetched=fetched)])

    def _for_people(self, finding: Finding) -> bool:
        """Whether the table is in the mode that raises alerts: bytes that cannot be read are of no round."""
        table = finding.table
        if table is None:
            return True
        desk = self.desks.get(table)
        mode = None if desk is None else desk.mode
        return (mode or self._telling.modes.get(table, LIVE)) == LIVE

    def _once(self, raised: RaisedFinding) -> RaisedFinding:
        """A rejection of which people were told by another partition is stored, and not told again."""
        if raised.finding.code != "event-rejected" or self._telling.is_first(raised.finding.id):
            return raised
        return replace(raised, for_people=False)

    def is_overdue(self, fetched_before: float) -> bool:
        """Whether something that the last look left to the next one was fetched before this, by the worker's clock."""
        return any(self._fetched.get(table, math.inf) < fetched_before for table in self._passed_over)

    def look(self, now: int, *, patient_after: float = math.inf, again: bool = True) -> News:
        """What is new at tables that have spoken, or for which the topics have been read far enough. Where all that is
        new was fetched after this, by the worker's clock, what rests on a part of a round may wait for the next look at
        what was passed over so (``again``)."""
        reach = self._reach = self.watermark.reach(now)
        caught_up = self.caught_up
        touched, self._touched = self._touched, set()
        if again:
            touched |= self._passed_over
            self._passed_over = set()
        if caught_up and not self._was_caught_up:
            # What was held back because a worker before this one may have known more is said now.
            touched = set(self.desks)
            self._was_caught_up = True
        held = self._hold(now)
        touched |= self._due(reach)
        self._touched |= touched & held
        news = News()
        for table in sorted(touched - held):
            desk = self.desks[table]
            if desk.is_calm(NEVER if desk.next_at is None else desk.complete_to(reach)):
                # It may be less far behind than when it was noted.
                self._await(desk, reach)
                self._fetched.pop(table, None)
                continue
            try:
                abreast_to, fetched = self._abreast_to(desk, now), self._fetched.get(table)
                patient = (math.inf if fetched is None else fetched) > patient_after
                found = desk.look(desk.complete_to(reach), caught_up=caught_up, patient=patient, abreast_to=abreast_to)
                found.findings[:] = [replace(self._once(each), fetched=fetched) for each in found.findings]
                news.add(found)
                mode = desk.mode
                if mode is not None:
                    self._telling.modes[table] = mode
                if desk.live is not None and desk.live.passes_over:
                    self._passed_over.add(table)
                elif desk.live is not None:
                    self._fetched.pop(table, None)
                if desk.holds_much:
                    desk.release(desk.complete_to(reach))
            except Exception:  # a fault of ours at one table must not stop the others
                logger.exception("the judge failed", extra={"table": table})
                FAILED.inc()
            self._await(desk, reach)
            if desk.needs_store:
                self._may_wait.add(table)
        return news

    def _abreast_to(self, desk: TableDesk, now: int) -> int:
        """Up to when, by its own time, the topics tell of a table abreast. Minutes that were published at once are in
        records of minutes each: the settlements of a round are there, and the ruling behind them is in the next record
        of another topic."""
        abreast_to = self.watermark.abreast_to(now) + ABREAST
        uneven = self._uneven.pop(desk.table, None) or _Uneven(now, now + UNEVEN_WAITS, abreast_to)
        if abreast_to > uneven.abreast_to:
            uneven = _Uneven(uneven.began, min(now + UNEVEN_WAITS, uneven.began + LONGEST_HOLD), abreast_to)
        if not desk.clock.is_after(abreast_to) or now >= uneven.until:
            return ALWAYS
        self._uneven[desk.table] = uneven
        return abreast_to

    @property
    def looked_to(self) -> Reach:
        """How far what was taken has been judged with the last look, also what rests on absence. While the topics are
        read on, what no table waits for need not have arrived long ago."""
        reach = self._reach
        return reach if reach.events == ALWAYS or self._by_arrival else reach._replace(arrivals=ALWAYS)

    def _hold(self, now: int) -> set[str]:
        """The tables that are left alone for a moment. After a break (a broker gone, a device cut off) the topics bring
        their arrears one after the other: what the one has brought is not missing on the others yet."""
        for table in self._late:
            hold = self._holds.get(table)
            if hold is None or now >= hold.began + HELD_AGAIN_AFTER:
                self._holds[table] = _Hold(now, now + IDLE_MICROSECONDS)
            elif now < hold.until:
                until = min(now + IDLE_MICROSECONDS, hold.began + LONGEST_HOLD)
                self._holds[table] = hold._replace(until=until)
        self._late.clear()
        self._holds = {name: hold for name, hold in self._holds.items() if now < hold.began + HELD_AGAIN_AFTER}
        return {name for name, hold in self._holds.items() if now < hold.until}

    def is_holding(self, now: int) -> bool:
        """Whether a table is left alone for a moment that has something to be looked at."""
        return any(now < hold.until for hold in self._holds.values())

    def _due(self, reach: Reach) -> set[str]:
        """The tables that the topics have been read far enough for."""
        for table in self._by_events.due(reach.events):
            if table in self.desks:
                self._await(self.desks[table], reach)
        due: set[str] = set()
        for table in self._by_arrival.due(reach.arrivals):
            desk = self.desks.get(table)
            if desk is None or desk.next_at is None:
                continue
            if desk.next_at <= desk.complete_to(reach):
                due.add(table)
            else:
                self._await(desk, reach)
        return due

    def _await(self, desk: TableDesk, reach: Reach) -> None:
        """Note when a table is to be looked at again."""
        if desk.next_at is None:
            return
        if desk.next_at > reach.events:
            self._by_events.add(desk.next_at, desk.table)
        else:
            self._by_arrival.add(desk.clock.arrives_by(desk.next_at), desk.table)

    def waiting(self) -> list[TableDesk]:
        """Desks that need the store to go on."""
        if not self._may_wait:
            return []
        waiting = [self.desks[table] for table in self._may_wait if table in self.desks]
        waiting = [desk for desk in waiting if desk.needs_store]
        self._may_wait = {desk.table for desk in waiting}
        return waiting

    def unstored(self, table: str) -> Iterator[Share]:
        """What came about a table and is not in the store yet."""
        for _, by_table in self._unstored:
            share = by_table.get(table)
            if share is not None:
                yield share

    def stored(self, batch: int, news: News) -> None:
        """The store has all that came up to this batch, and what was told."""
        for raised in news.findings:
            desk = self.desks.get(raised.finding.table or "")
            if desk is not None:
                desk.stored(raised.finding.id, raised.version)
        for concluded, _ in news.verdicts:
            verdict = concluded.verdict
            desk = self.desks.get(verdict.table)
            if desk is not None:
                desk.stored((verdict.shoe, verdict.round), verdict.revision)
        for each in news.refused:
            desk = self.desks.get(each.rejected.subject or "")
            if desk is not None:
                desk.stored_refusal(each.key, each.rejected.place)
        self._stored_batch = max(self._stored_batch, batch)
        while self._unstored and self._unstored[0][0] <= batch:
            for table, share in self._unstored.popleft()[1].items():
                share.origin.put_by()
                desk = self.desks.get(table)
                if desk is None:
                    continue
                desk.readings.forget()
                if desk.needs_store:
                    desk.arrived.update((event.source, event.id) for event in share.events)

    def resumed(self, desk: TableDesk) -> None:
        """A desk was read from the store: it is looked at next."""
        self._touched.add(desk.table)

    def release(self, now: float, now_micros: int, share: float = 1.0) -> None:
        """Let go of rounds that are over and of tables that have nothing to say, at this share of its tables: those
        whose turn it is."""
        reach = self.watermark.reach(now_micros)
        for _ in range(math.ceil(len(self.desks) * share)):
            if not self._to_release:
                self._to_release = list(self.desks)
            table = self._to_release.pop() if self._to_release else ""
            desk = self.desks.get(table)
            if desk is None:
                continue
            desk.release(desk.complete_to(reach))
            is_stored = desk.last_batch <= self._stored_batch
            if (
                is_stored
                and desk.idle
                and now - desk.heard > IDLE_SECONDS
                and table not in self._touched | self._passed_over
            ):
                del self.desks[table]
                self._uneven.pop(table, None)
                self._fetched.pop(table, None)
