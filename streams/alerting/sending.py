"""Sends what the journal has planned: one message at a time to each address, all of them side by side, with retries."""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from store.rows.alerts import AlertStep
from streams.alerting import measures
from streams.alerting.delivery import Outcome, deliver
from streams.alerting.journal import Journal
from streams.alerting.life import SYSTEM
from streams.alerting.message import Text, text_of
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
        self._stopping = threading.Event()

    def dispatch(self) -> None:
        """Start sending to every address that has something and is not being sent to."""
        # What is on its way though nobody sends it was left so by a fault.
        for line in [*self._journal.ready_lines(self._now_ms()), *self._journal.lines_on_their_way()]:
            with self._lock:
                if line in self._busy or self._stopping.is_set():
                    continue
                self._busy.add(line)
            self._threads.submit(self._drain, line)

    def stop(self) -> None:
        """Finish the messages that are on their way, begin no other."""
        self._stopping.set()
        self._threads.shutdown(wait=True, cancel_futures=True)

    def _drain(self, line: tuple[str, int]) -> None:
        try:
            self._put_back(line)
            while not self._stopping.is_set():
                parcel = self._journal.next_parcel(*line, self._now_ms(), TOGETHER)
                if parcel is None:
                    return
                self._send(parcel)
        except Exception:  # the next dispatch puts back what was on its way
            logger.exception("sending to %s failed", line[0])
            # A full disk, mostly, and it is still full in the next moment.
            self._stopping.wait(FIRST_PAUSE)
        finally:
            with self._lock:
                self._busy.discard(line)

    def _put_back(self, line: tuple[str, int]) -> None:
        """What a fault left on its way goes again; it may have arrived."""
        tries = self._journal.tries_on_their_way(*line)
        if tries:
            self._journal.apart(*line, self._now_ms() + round(pause_after(tries) * 1000), repeat=True)

    def _send(self, parcel: Parcel) -> None:
        person = self._routing.people.get(parcel.person)
        urls: Sequence[str] = ()
        if person is not None:
            urls = person.urls if parcel.line == 0 else person.copies[parcel.line - 1 : parcel.line]
        text = (
            self._text(parcel) if urls else Outcome(False, "", "the routing file does not name this address any more")
        )
        outcome = text if isinstance(text, Outcome) else deliver(urls, text)
        now = self._clock()
        later = round((now + pause_after(parcel.attempts + 1)) * 1000)
        with self._journal.transaction():
            if outcome.taken:
                self._journal.sent(parcel, round(now * 1000))
            elif not urls or now - parcel.made_ms / 1000 > GIVE_UP_SECONDS:
                self._journal.given_up(parcel, round(now * 1000))
            elif isinstance(text, Outcome):
                self._journal.apart(parcel.person, parcel.line, later, repeat=parcel.repeat)
            else:
                self._journal.again(parcel, later)
            self._journal.owe_steps(self._steps(parcel, outcome, now))
        self._measure(parcel, outcome, now)
        self._on_owed()

    def _text(self, parcel: Parcel) -> Text | Outcome:
        """What the person reads, or why there are no words for it: that is a failed try as any other."""
        try:
            moments = [local_time(self._routing, alert, alert.time // 1000) for alert in parcel.alerts]
            return text_of(parcel.kind, parcel.alerts, moments, repeat=parcel.repeat)
        except Exception as error:  # whatever an alert holds, it must not keep others from being told
            logger.exception("the message about %s cannot be made", ", ".join(alert.id for alert in parcel.alerts))
            return Outcome(False, "", f"{type(error).__name__}: {error}")

    def _now_ms(self) -> int:
        return round(self._clock() * 1000)

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
