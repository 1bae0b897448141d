"""Sends what the journal has planned: one message at a time to each address, all of them side by side, with retries."""

import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from store.rows.alerts import AlertStep
from streams.alerting import measures
from streams.alerting.delivery import Outcome, deliver
from streams.alerting.journal import Journal
from streams.alerting.life import SYSTEM
from streams.alerting.message import text_of
from streams.alerting.outbox import Parcel
from streams.alerting.recipients import local_time
from streams.alerting.rules import Routing

logger = logging.getLogger(__name__)

FIRST_PAUSE = 1.0
LONGEST_PAUSE = 60.0
GIVE_UP_SECONDS = 24 * 3600.0
TOGETHER = 20
"""So many critical alerts that wait for one address go in one message, each told in full."""
MOST_THREADS = 64

_ACTIONS = {"raised": "sent", "escalated": "sent", "cleared": "told cleared", "test": "sent"}


def pause_after(attempts: int) -> float:
    """Seconds until the next try, when so many have failed."""
    return float(min(FIRST_PAUSE * 2 ** max(0, attempts - 1), LONGEST_PAUSE))


class Sender:
    """The threads that send. One message at a time to each address, so that a kill repeats one at most."""

    def __init__(
        self,
        journal: Journal,
        routing: Routing,
        *,
        clock: Callable[[], float] = time.time,
        on_owed: Callable[[], None] = lambda: None,
    ) -> None:
        self._journal = journal
        self._routing = routing
        self._clock = clock
        self._on_owed = on_owed
        lines = sum(1 + len(person.copies) for person in routing.people.values())
        self._threads = ThreadPoolExecutor(max(1, min(lines, MOST_THREADS)), thread_name_prefix="send")
        self._busy: set[tuple[str, int]] = set()
        self._lock = threading.Lock()
        self._stopping = False

    def dispatch(self) -> None:
        """Start sending to every address that has something and is not being sent to."""
        for line in self._journal.ready_lines(round(self._clock() * 1000)):
            with self._lock:
                if line in self._busy or self._stopping:
                    continue
                self._busy.add(line)
            self._threads.submit(self._drain, line)

    def stop(self) -> None:
        """Finish the messages that are on their way, begin no other."""
        self._stopping = True
        self._threads.shutdown(wait=True, cancel_futures=True)

    def _drain(self, line: tuple[str, int]) -> None:
        try:
            while not self._stopping:
                parcel = self._journal.next_parcel(*line, round(self._clock() * 1000), TOGETHER)
                if parcel is None:
                    return
                self._send(parcel)
        except Exception:  # the next dispatch tries again; what was on its way is sent again after a restart
            logger.exception("sending to %s failed", line[0])
        finally:
            with self._lock:
                self._busy.discard(line)

    def _send(self, parcel: Parcel) -> None:
        person = self._routing.people.get(parcel.person)
        if person is None:
            outcome, gone = Outcome(False, "", "the routing file does not name this person any more"), True
        else:
            urls = person.urls if parcel.line == 0 else person.copies[parcel.line - 1 : parcel.line]
            gone = not urls
            moments = [local_time(self._routing, alert, alert.time // 1000) for alert in parcel.alerts]
            outcome = deliver(urls, text_of(parcel.kind, parcel.alerts, moments, repeat=parcel.repeat))
        now = self._clock()
        with self._journal.transaction():
            if outcome.taken:
                self._journal.sent(parcel, round(now * 1000))
            elif gone or now - parcel.made_ms / 1000 > GIVE_UP_SECONDS:
                self._journal.given_up(parcel, round(now * 1000))
            else:
                self._journal.again(parcel, round((now + pause_after(parcel.attempts + 1)) * 1000))
            self._journal.owe_steps(self._steps(parcel, outcome, now))
        self._measure(parcel, outcome, now)
        self._on_owed()

    def _steps(self, parcel: Parcel, outcome: Outcome, now: float) -> list[AlertStep]:
        person = self._routing.people.get(parcel.person)
        name = (person.name if person is not None else "") or parcel.person
        action = _ACTIONS[parcel.kind] if outcome.taken else "failed"
        return [
            AlertStep(
                alert=alert.id,
                id=f"{action}.{message} {parcel.attempts}" if outcome.taken else f"failed.{message} {round(now * 1e6)}",
                at=round(now * 1e6),
                action=action,
                by=SYSTEM,
                recipient=f"{name} by {outcome.way}" if outcome.way else name,
                note=outcome.reason,
                detail={
                    "message": message,
                    "person": parcel.person,
                    "line": parcel.line,
                    "kind": parcel.kind,
                    "why": parcel.why,
                    "together": len(parcel.alerts),
                },
            )
            for message, alert in zip(parcel.ids, parcel.alerts, strict=True)
        ]

    def _measure(self, parcel: Parcel, outcome: Outcome, now: float) -> None:
        if not outcome.taken:
            measures.FAILED.labels(parcel.kind).inc()
            logger.warning(
                "%s could not be told of %d alerts by %s: %s",
                parcel.person, len(parcel.alerts), outcome.way, outcome.reason,
            )  # fmt: skip
            return
        measures.SENT.labels(parcel.kind, parcel.alerts[0].severity).inc()
        if parcel.kind == "raised":
            for alert in parcel.alerts:
                measures.DELIVERY_SECONDS.labels(alert.severity).observe(max(0.0, now - alert.time / 1e6))
