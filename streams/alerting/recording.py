"""Pays the store what the journal owes it, and hears from the store what people did; waits while the store is away."""

import logging
import threading
import time
from collections.abc import Callable

from store.connect import Patience, Store
from store.errors import StoreUnavailable
from store.rows.alerts import Alert, AlertStep
from store.write.alerts import write_alert_steps
from streams.alerting import measures
from streams.alerting.acts import Refusal, SystemAct
from streams.alerting.desk import DeskWatch, perform, record_raised
from streams.alerting.intake import Intake
from streams.alerting.journal import Journal, Owed
from streams.alerting.places import Places

logger = logging.getLogger(__name__)

AT_ONCE = 500
LOOK_SECONDS = 1.0
"""How often the desk is asked what people did."""
LONGEST_LOOK_PAUSE = 5.0
"""Between two of these looks at most."""
PLACES_SECONDS = 300.0
PAUSE_SECONDS = 1.0
LONGEST_PAUSE = 10.0
IMPATIENT = Patience(total=0.0)
"""Waiting is done here, where a stop is heard."""


class Recorder:
    """A thread between journal and store."""

    def __init__(self, store: Store, journal: Journal, intake: Intake, places: Places) -> None:
        self._store = store.patient(IMPATIENT)
        self._journal = journal
        self._intake = intake
        self._places = places
        self._watch = DeskWatch(self._store)
        self._wake = threading.Event()
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="record", daemon=True)
        self._look_at = self._refreshed = 0.0
        self.away = False

    @property
    def alive(self) -> bool:
        """Whether the thread is at work."""
        return self._thread.is_alive()

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def wake(self) -> None:
        """There is something to write."""
        self._wake.set()

    def stop(self, seconds: float) -> None:
        """Write what there is, for so long at most; the rest stays in the journal."""
        self._stopped.set()
        self._wake.set()
        self._thread.join(seconds)

    def _run(self) -> None:
        pause = PAUSE_SECONDS
        while True:
            away = not self._survives(self._work)
            if self._stopped.is_set():
                return
            self.away = not self._survives(self._bound if away else self._measure) or away
            if self.away:
                self._stopped.wait(pause)
                pause = min(pause * 2, LONGEST_PAUSE)
            else:
                pause = PAUSE_SECONDS
                self._wake.wait(LOOK_SECONDS)
            self._wake.clear()

    def _survives(self, part: Callable[[], None]) -> bool:
        """Whether it was done. Nobody starts this thread again: no fault of store, disk or row may end it."""
        try:
            part()
        except StoreUnavailable as error:
            if not self.away:
                logger.warning("steps wait for the store: %s", error)
            return False
        except Exception:  # a full disk raises other errors than a store that is away, and both pass
            logger.exception("recording failed")
            return False
        return True

    def _work(self) -> None:
        self.pay()
        now = time.monotonic()
        if now >= self._look_at:
            self.look()
            self._look_at = next_look(now, time.monotonic())
        if now - self._refreshed >= PLACES_SECONDS:
            self._refreshed = now
            self._places.refresh()

    def _measure(self) -> None:
        measures.OWED.set(self._journal.owed_count())

    def _bound(self) -> None:
        """While nothing can be written, what waits must not grow without end."""
        self._measure()
        let_go = self._journal.trim()
        if let_go:
            measures.LET_GO.inc(let_go)
            logger.error("the journal is full: %d rows for the store were let go", let_go)

    def pay(self) -> None:
        """Write all that is owed, in order. Raises StoreUnavailable; what is written twice, as after a kill between
        writing and crossing out, is there once: alerts and steps by their ids, acts by what they say."""
        while owed := self._journal.owed(AT_ONCE):
            self._write(owed)
            self._journal.paid(owed[-1].number)

    def _write(self, owed: list[Owed]) -> None:
        record_raised(self._store, [Alert(**each.body) for each in owed if each.kind == "alert"])
        write_alert_steps(self._store, [AlertStep(**each.body) for each in owed if each.kind == "step"])
        for each in owed:
            if each.kind == "act":
                act = SystemAct(**each.body["act"])
                known = self._journal.alert(each.body["alert"])
                answer = perform(self._store, each.body["alert"], act, None if known is None else known.alert)
                if isinstance(answer, Refusal):
                    logger.info("alert %s: not %sd: %s", each.body["alert"], act.deed, answer.reason)

    def look(self) -> None:
        """Take notice of what people did. Raises StoreUnavailable."""
        for history in self._watch.poll():
            self._intake.heard_from_store(history, time.time_ns() // 1_000_000)


def next_look(began: float, ended: float) -> float:
    """When the desk is asked again after a look from one time to the other. With thousands of open alerts it takes its
    time, and the store has others to serve; but what people did must be known before an alert escalates, also where the
    store hung and has come back."""
    return ended + min(LONGEST_LOOK_PAUSE, max(LOOK_SECONDS, 9 * (ended - began)))
