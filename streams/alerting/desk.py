"""The alert desk: reads an alert's steps from the store, applies what somebody does, writes the step.

Two writers at once: who wants to change the state claims the place that the step takes in the history, and the store
keeps one claim for a place, by the token of its insertion. Whoever came second waits for the first one's step and is
told of it. Should somebody die between claim and step, the next one waits a moment and claims the next turn. Should he
not have died but only slept, the life of the alert counts the first of both steps alone.

How consoles hear of steps: the store is the one truth, and no topic carries steps (consumers of `audit.alerts` get
findings and nothing else). A new alert comes by `audit.alerts`, with the finding's id as its own; the console at which
something was done knows of it at once; for what was done elsewhere and by the alert service, `DeskWatch` asks the store
every second or two, once for all browsers.
"""

import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass

from store.connect import Store
from store.read import alerts as read
from store.rows.alerts import Alert, AlertHistory, AlertStep
from store.write.alerts import claim_place, write_alert_steps, write_alerts
from store.write.lateness import LATE_MS, note_late
from streams.alerting.acts import Act, Refusal, SystemAct, decide
from streams.alerting.life import RAISED, SYSTEM, Life, life_of, raised_step

CLOSED_DAYS = 92
"""Of alerts raised in so many days the last closed ones are listed; older ones are found by their ids."""
_LOOKS = 80
"""So often an act looks whether somebody else's step has come, before its author is asked to look again."""
_PAUSE = 0.05
_DEAD_AFTER = 20
"""So many looks after which somebody who claimed a place and wrote nothing is taken for dead."""


@dataclass(frozen=True, slots=True)
class Done:
    """An act that the store has, and the alert after it."""

    steps: tuple[AlertStep, ...]
    """What the act added, now or when it was done before."""
    history: AlertHistory


def open_alerts(store: Store) -> list[AlertHistory]:
    """All alerts that somebody has to do something about, the first one first."""
    return read.open_alerts(store)


def closed_alerts(store: Store, most: int) -> list[AlertHistory]:
    """The alerts that were closed last, the last one first."""
    now = time.time_ns() // 1_000_000
    return read.closed_alerts(store, now - CLOSED_DAYS * 24 * 3_600_000, most)


def alerts_beginning(store: Store, start: str, most: int) -> list[AlertHistory]:
    """At most so many of the alerts, open or closed, whose ids begin so."""
    return read.alerts_beginning(store, start, most)


def alert_with_steps(store: Store, alert: str) -> AlertHistory | None:
    """One alert with everything that happened to it."""
    return read.alert(store, alert)


def perform(store: Store, alert: str, act: Act | SystemAct, known: Alert | None = None) -> Done | Refusal:
    """Do it, or say why not. ``known``: the alert as the topic told of it, in case the store does not have it yet.

    Raises StoreUnavailable when the store is away: then nothing is known to be done, and it may be tried again. What
    the service tries again is done once.
    """
    claim = _Claim(store, alert)
    for _ in range(_LOOKS):
        history = read.alert(store, alert)
        if history is None and known is not None:
            record_raised(store, [known])
            history = read.alert(store, alert)
        if history is None:
            return Refusal("There is no such alert.")
        decided = decide(history.steps, act, alert)
        if isinstance(decided, Refusal):
            return decided
        if all(step in history.steps for step in decided):
            return Done(decided, history)
        if not any(step.state for step in decided) or claim.holds(life_of(history.steps)):
            write_alert_steps(store, decided)
            history = read.alert(store, alert) or history
            standing = {step.id for step in life_of(history.steps).standing}
            if all(step.id in standing for step in decided):
                return Done(decided, history)
        time.sleep(_PAUSE)
    return Refusal("Others are at this alert just now. Look again.")


class _Claim:
    """One writer's claim to the next place in an alert's history."""

    def __init__(self, store: Store, alert: str) -> None:
        self._store = store
        self._alert = alert
        self._me = secrets.token_hex(8)
        self._other = (-1, -1)
        self._looks = 0

    def holds(self, life: Life) -> bool:
        """Whether the place is mine; claims it when it is nobody's, or when who had it has long said nothing."""
        claims = read.claimants(self._store, self._alert, life.place)
        turn = max(claims, default=-1)
        if (life.place, turn) != self._other:
            self._other, self._looks = (life.place, turn), 0
        self._looks += 1
        if turn < 0 or self._looks > _DEAD_AFTER:
            turn += 1
            at = life.last.at if life.last is not None else 0
            claim_place(self._store, self._alert, life.place, turn, at, self._me)
            claims = read.claimants(self._store, self._alert, life.place)
        return claims.get(turn) == self._me


def record_raised(store: Store, alerts: Sequence[Alert]) -> None:
    """Store alerts with their first step; storing them again changes nothing. Both have the time at which a worker told
    of the finding: where that is long ago (nobody ran to hear it), it is said beforehand."""
    late = [each.id for each in alerts if each.raised < time.time_ns() // 1_000_000 - LATE_MS]
    there = {history.alert.id for history in read.alerts_by_id(store, late)}
    new = [alert for alert in late if alert not in there]
    note_late(store, SYSTEM, {"alert": [(each,) for each in new], "alert-step": [(each, RAISED) for each in new]})
    write_alerts(store, alerts)
    write_alert_steps(store, [raised_step(each.id, each.raised * 1_000) for each in alerts])


class DeskWatch:
    """What has changed at the desk since it was last asked."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._marks: dict[str, int] = {}

    def poll(self) -> list[AlertHistory]:
        """Alerts that are new or have new steps, those that were closed meanwhile included; at first, all open ones."""
        marks = read.alert_marks(self._store, tuple(self._marks))
        changed = [name for name, mark in marks.items() if self._marks.get(name) != mark.steps]
        histories = read.alerts_by_id(self._store, changed)
        self._marks = {name: mark.steps for name, mark in marks.items() if mark.open}
        return histories
