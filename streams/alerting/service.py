"""The alert service: reads `audit.alerts`, tells people, records every step; until it is stopped."""

import logging
import sqlite3
import threading
import time
from collections.abc import Callable
from pathlib import Path

from schemas.findings import SEVERITIES
from schemas.topics import ALERTS
from store.connect import Store
from store.errors import StoreError
from store.read.alerts import alerts_between
from streams.alerting import measures
from streams.alerting.delivery import unusable
from streams.alerting.intake import RECALL_MS, Intake
from streams.alerting.journal import Journal
from streams.alerting.places import Places
from streams.alerting.recording import IMPATIENT, Recorder
from streams.alerting.rules import Routing
from streams.alerting.schedule import SelfTests
from streams.alerting.sending import Sender
from streams.alerting.standstill import Standstills
from streams.broker_url import Broker, BrokerUnavailable
from streams.feed import Feed, FeedRecord

logger = logging.getLogger(__name__)

POLL_SECONDS = 0.2
AT_ONCE = 200
"""Records between two looks at what is to be sent."""
AWAY_PAUSE = 1.0
LOOK_BACK_MS = 3_600_000
"""Without a journal, alerts of the last hour are looked at again; those that the store knows to be told are not."""
KEEP_MS = 30 * 24 * 3_600_000
FORGET_SECONDS = 3600.0
FINISH_SECONDS = 10.0


class AlertService:
    """All parts of the alert service of one site."""

    def __init__(
        self,
        broker: Broker,
        store: Store,
        routing: Routing,
        folder: Path,
        *,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.journal = Journal(folder)
        self._broker = broker
        self._store = store
        self._clock = clock
        self._routing = routing
        # Looking for the place of an unknown table must not hold a critical alert up while the store is away.
        places = Places(store.patient(IMPATIENT), self.journal)
        self.self_tests = SelfTests(broker, self.journal, routing, clock=clock)
        self.standstills = Standstills(broker, self.journal, routing)
        self.intake = Intake(self.journal, routing, places, self.self_tests.heard)
        self.recorder = Recorder(store, self.journal, self.intake, places)
        self.sender = Sender(self.journal, routing, clock=clock, on_owed=self.recorder.wake)
        self._stop = threading.Event()
        self._serving = False

    @property
    def ready(self) -> bool:
        """Whether people are told and what was done is recorded."""
        return self._serving and self.recorder.alive

    def stop(self) -> None:
        """Ask it to end."""
        self._stop.set()

    def run(self) -> None:
        """Serve until stopped; then finish the messages on their way and write what the store takes."""
        # Looking at the addresses loads what sends to them: the first alert must not wait for it.
        for fault in unusable(self._routing):
            logger.error("%s", fault)
        repeated = self.journal.after_restart()
        if repeated:
            logger.warning("%d messages were on their way when the last service ended; they are sent again", repeated)
        try:
            with self._feed() as feed:
                self.intake.take_up_routing()
                self.recorder.start()
                self._serving = True
                self._serve(feed)
        finally:
            self._serving = False
            self.sender.stop()
            self.recorder.stop(FINISH_SECONDS)
            self.self_tests.stop()
            self.standstills.stop()
            self.journal.close()

    def _feed(self) -> Feed:
        positions = self.journal.positions()
        if not positions:
            self._recall()
        while True:
            try:
                start = self._now_ms() - LOOK_BACK_MS
                return Feed(self._broker, (ALERTS.name,), start=start, positions=positions)
            except BrokerUnavailable as error:
                logger.warning("the broker is away: %s", error)
                if self._stop.wait(AWAY_PAUSE):
                    raise

    def _recall(self) -> None:
        """What the store knows of the last day: alerts, who was told of them, and what is still to be told. What is
        older wakes nobody."""
        now = self._now_ms()
        try:
            known = alerts_between(self._store, now - RECALL_MS, now + 3_600_000)
        except StoreError as error:
            logger.warning("there is no journal and no store: some may be told of an alert again: %s", error)
            return
        with self.journal.transaction():
            self.intake.recall(known, now)

    def _serve(self, feed: Feed) -> None:
        forgot = time.monotonic()
        untaken: list[FeedRecord] = []
        while not self._stop.is_set():
            untaken += self._poll(feed)
            now = self._now_ms()
            try:
                self._take(untaken, feed, now)
                if time.monotonic() - forgot > FORGET_SECONDS:
                    forgot = time.monotonic()
                    self.journal.forget(now - KEEP_MS)
            except sqlite3.Error as error:
                # A full disk, mostly: nothing is forgotten, and it is tried until there is room again.
                logger.error("the journal cannot be written: %s", error)
                self._stop.wait(AWAY_PAUSE)
                continue
            if untaken:
                self.recorder.wake()
                untaken = []
            self.sender.dispatch()
            self._measure()

    def _poll(self, feed: Feed) -> list[FeedRecord]:
        try:
            return feed.poll(POLL_SECONDS, max_records=AT_ONCE)
        except BrokerUnavailable as error:
            logger.warning("the broker is away: %s", error)
            self._stop.wait(AWAY_PAUSE)
            return []

    def _take(self, records: list[FeedRecord], feed: Feed, now: int) -> None:
        """Everything that is to be planned at this moment, and the place read to, in one transaction."""
        with self.journal.transaction():
            if records:
                self.intake.take(records, now)
                self.journal.move_on(feed.positions)
            self.intake.escalate(now)
            self.self_tests.tick(self.intake, now)
            self.standstills.tick(self.intake, now)
            self.intake.release(now)

    def _measure(self) -> None:
        counts = self.journal.open_by_severity()
        for severity in SEVERITIES:
            measures.OPEN.labels(severity).set(counts.get(severity, 0))

    def _now_ms(self) -> int:
        return round(self._clock() * 1000)
