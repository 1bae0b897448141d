"""The watch service: sums up shoes as they end, watches them, and raises what many rounds show; until it is stopped."""

import logging
import threading
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

from audit.settings import JudgeSettings
from audit.watches.settings import WatchSettings
from store.connect import Patience, Store
from store.errors import StoreError, StoreUnavailable
from store.read.shoes import EndedShoe, ShoeKey, heard_months
from store.rows.verdicts import FindingState
from store.write.findings import write_findings
from store.write.shoes import write_shoes
from streams import metrics, outputs
from streams.broker_url import Broker, BrokerUnavailable
from streams.watching import measures
from streams.watching.book import Book
from streams.watching.due import Due
from streams.watching.entry import Entry
from streams.watching.fold import Folded, fold
from streams.watching.raising import news_of
from streams.watching.summing_up import sum_up
from streams.watching.telling import tell

logger = logging.getLogger(__name__)

LOOK_SECONDS = 5.0
"""Between two looks; a look that took long is followed by a longer rest, as the store has others to serve."""
GRACE_SECONDS = 10.0
"""A shoe is left alone so long after it was last heard of: by then all topics have been read past its end."""
AT_ONCE = 100
"""So many shoes are watched together; their entries are in memory."""
ROWS_AT_ONCE = 50
LONGEST_PAUSE = 30.0


@dataclass(frozen=True, slots=True)
class Done:
    """What a look came to."""

    shoes: int = 0
    """Summed up."""
    again: int = 0
    """Watched again, because one before them changed."""
    findings: int = 0
    """Raised, changed or cleared."""

    def __add__(self, other: "Done") -> "Done":
        return Done(self.shoes + other.shoes, self.again + other.again, self.findings + other.findings)


class WatchService:
    """Looks for shoes that have ended. All that it knows is in the store: it may be ended at any moment and started
    anywhere, and two at once double nothing."""

    def __init__(
        self,
        broker: Broker,
        store: Store,
        judge: JudgeSettings,
        settings: WatchSettings,
        *,
        grace_seconds: float = GRACE_SECONDS,
        patience_seconds: float | None = None,
    ) -> None:
        self._stop = threading.Event()
        self._broker = broker
        self._judge = judge
        self._settings = settings
        self._patience = patience_seconds
        waiting = Patience(total=patience_seconds, wait=self._stop.wait, told=_tell_away)
        self._store = store.patient(waiting)
        self._book = Book(self._store)
        self._due = Due(self._store, grace_seconds)
        self._failed: dict[ShoeKey, EndedShoe] = {}
        """Shoes that cannot be summed up as they were last heard of."""
        self.ready = False

    def stop(self) -> None:
        """Ask it to end."""
        self._stop.set()

    def run(self) -> None:
        """Look again and again until stopped; then finish what is in hand."""
        pause, begun = LOOK_SECONDS, False
        while not self._stop.is_set():
            started = time.monotonic()
            try:
                self.look(whole=not begun)
                begun, self.ready = True, True
                metrics.STORE_AWAY.set(0)
                pause = max(LOOK_SECONDS, 5 * (time.monotonic() - started))
            except (StoreError, BrokerUnavailable) as error:
                # Nothing is marked as done before all of it is: the next look takes it up again.
                if not self._stop.is_set():
                    logger.warning("the watches wait: %s", error)
                metrics.STORE_AWAY.set(int(isinstance(error, StoreUnavailable)))
                self._book.written()
                pause = min(pause * 2, LONGEST_PAUSE)
            measures.LOOK_SECONDS.observe(time.monotonic() - started)
            self._stop.wait(min(pause, LONGEST_PAUSE))
        self.ready = False

    def look(self, *, whole: bool) -> Done:
        """One look: at all that the store has, month by month, or at what is new lately."""
        measures.LAST.set_to_current_time()
        done = Done()
        if whole:
            for since, until in heard_months(self._store):
                done += self._watch_all(self._due.within(since, until))
        done += self._watch_all(self._due.lately())
        measures.WAITING.set(self._due.waiting)
        return done

    def _watch_all(self, due: Iterable[EndedShoe]) -> Done:
        left, done = iter(due), Done()
        while not self._stop.is_set() and (some := list(islice(left, AT_ONCE))):
            done += self._watch(some)
        return done

    def _watch(self, due: Sequence[EndedShoe]) -> Done:
        fresh = [entry for each in due if (entry := self._sum_up(each)) is not None]
        folded = fold(self._book, fresh, self._settings)
        news = news_of(self._store, folded)
        # A person hears first; then what was found is written, and last the summaries, which say that it is done.
        tell(self._broker, outputs.alerts(news), self._stop, self._patience)
        now = time.time_ns() // 1_000_000
        states = [
            FindingState(finding=each.finding, version=each.version, time=each.time, raised=now) for each in news
        ]  # fmt: skip
        write_findings(self._store, states)
        self._write(folded, now)
        for each in news:
            measures.FINDINGS.labels(each.finding.code).inc()
            logger.info("%s", each.finding.message, extra={"table": each.finding.table, "shoe": each.finding.shoe})
        done = Done(len(fresh), len(folded) - len(fresh), len(news))
        measures.SHOES.inc(done.shoes)
        measures.AGAIN.inc(done.again)
        return done

    def _sum_up(self, ended: EndedShoe) -> Entry | None:
        if self._failed.get(ended.key) == ended:
            return None
        try:
            return sum_up(self._store, ended, self._judge)
        except StoreError:
            raise
        except Exception:  # one shoe that cannot be summed up must not keep the others from being watched
            logger.exception("a shoe cannot be summed up", extra={"table": ended.key.table, "shoe": ended.key.shoe})
            metrics.FAILED.inc()
            self._failed[ended.key] = ended
            return None

    def _write(self, folded: Sequence[Folded], now: int) -> None:
        """The last shoe first: where this breaks off, all that stands on an unwritten one is there, and the next look
        goes no further than it has to."""
        latest_first = [each.entry.to_row(each.entry.version + 1, now) for each in reversed(folded)]
        for start in range(0, len(latest_first), ROWS_AT_ONCE):
            write_shoes(self._store, latest_first[start : start + ROWS_AT_ONCE])
        self._due.written((ShoeKey(row.table, row.shoe), row.summary["digest"]) for row in latest_first)
        self._book.written()


def _tell_away(error: StoreUnavailable, pause: float) -> None:
    metrics.STORE_AWAY.set(1)
    if pause >= 1:
        logger.warning("waiting for the store: %s", error)
