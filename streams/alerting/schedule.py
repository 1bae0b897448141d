"""The daily self-test of the alert service: when it is due, what came of it, and the alarm when nothing did."""

import logging
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from schemas.findings import Finding
from streams.alerting import measures, self_test
from streams.alerting.intake import Intake
from streams.alerting.journal import Journal
from streams.alerting.rules import Routing
from streams.broker_url import Broker

logger = logging.getLogger(__name__)

LATE_SECONDS = 6 * 3600
"""A test that was due while the service was down is made up for this long."""
_MARK = "self-test"


@dataclass(slots=True)
class _Run:
    name: str
    begun_ms: int
    sent: Future[None]
    heard_ms: int | None = None


def due_at(routing: Routing, now_ms: int) -> int | None:
    """The last moment at which a self-test was due (milliseconds), if it is not too long ago."""
    zone = ZoneInfo(routing.time_zone)
    now = datetime.fromtimestamp(now_ms / 1000, zone)
    moments = [
        datetime.combine(now.date() - timedelta(days=back), at, zone) for at in routing.self_test.at for back in (0, 1)
    ]
    past = [moment for moment in moments if moment <= now and (now - moment).total_seconds() <= LATE_SECONDS]
    return round(max(past).timestamp() * 1000) if past else None


class SelfTests:
    """At most one run at a time."""

    def __init__(
        self, broker: Broker, journal: Journal, routing: Routing, *, clock: Callable[[], float] = time.time
    ) -> None:
        self._broker = broker
        self._journal = journal
        self._routing = routing
        self._clock = clock
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="self-test")
        self._run: _Run | None = None

    def heard(self, finding: Finding) -> None:
        """A finding of the reserved table came."""
        run = self._run
        if run is not None and run.heard_ms is None and self_test.answers(finding, run.name):
            run.heard_ms = round(self._clock() * 1000)

    def tick(self, intake: Intake, now_ms: int) -> None:
        """Begin a run that is due, or conclude the one that is under way."""
        if self._run is None:
            due = due_at(self._routing, now_ms)
            if due is not None and (self._journal.mark(_MARK) or "0") != str(due):
                self._journal.set_mark(_MARK, str(due))
                self._begin(now_ms)
            return
        run, allowed_ms = self._run, self._routing.self_test.within * 1000
        if run.heard_ms is not None:
            measures.SELF_TEST_SECONDS.set((run.heard_ms - run.begun_ms) / 1000)
            logger.info("the self-test's alert came after %.3f s", (run.heard_ms - run.begun_ms) / 1000)
            self._run = None
        elif now_ms - run.begun_ms > allowed_ms:
            measures.SELF_TEST_FAILED.inc()
            reason = f"its alert did not come within {self._routing.self_test.within} s"
            if run.sent.done() and run.sent.exception() is not None:
                reason = f"its events could not be sent: {run.sent.exception()}"
            logger.error("the self-test failed: %s", reason)
            intake.raise_alert(
                self_test.alarm(run.name, reason, now_ms), now_ms, self_test.administrators(self._routing)
            )
            self._run = None

    def _begin(self, now_ms: int) -> None:
        name = self_test.run_name(now_ms / 1000)
        patience = float(self._routing.self_test.within)
        sent = self._thread.submit(self_test.send_fault, self._broker, name, now_ms * 1000, patience)
        self._run = _Run(name, now_ms, sent)

    def stop(self) -> None:
        """A run that is under way is not waited for; the next service makes up for nothing that was begun."""
        self._thread.shutdown(wait=False, cancel_futures=True)
