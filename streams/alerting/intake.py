"""From a finding to the messages that are owed for it, planned in one transaction with the place read to."""

import logging
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from functools import partial

from schemas.findings import Finding
from store.rows.alerts import Alert, AlertHistory, AlertStep
from streams.alerting import measures, self_test
from streams.alerting.acts import SystemAct
from streams.alerting.holding import NEVER_HELD, Group, Hold, group_of, held
from streams.alerting.journal import Journal
from streams.alerting.known_alerts import KnownAlert
from streams.alerting.life import SYSTEM, UNATTENDED, Life, life_of, raised_step
from streams.alerting.message import Kind
from streams.alerting.outbox import Planned
from streams.alerting.places import Places
from streams.alerting.raising import alert_of, is_self_test, place_in
from streams.alerting.recipients import Recipient, quiet_until, recipients, stage_of, told_by
from streams.alerting.rules import Routing
from streams.feed import FeedRecord, decode

logger = logging.getLogger(__name__)

RECALL_MS = 24 * 3_600_000
"""What only the store knows of, and nobody was told of or has acknowledged, goes on if it was raised in this time."""


class Intake:
    """Plans who is told of what. It reads no clock: every call is given the moment."""

    def __init__(
        self, journal: Journal, routing: Routing, places: Places, on_self_test: Callable[[Finding], None] | None = None
    ) -> None:
        self._journal = journal
        self.routing = routing
        self._places = places
        self._on_self_test = on_self_test

    def take(self, records: Iterable[FeedRecord], now_ms: int) -> None:
        """Records of `audit.alerts`."""
        for record in records:
            finding = decode(record)
            if not isinstance(finding, Finding):
                measures.UNREADABLE.inc()
            elif is_self_test(finding):
                if self._on_self_test is not None:
                    self._on_self_test(finding)
            else:
                self._whole(finding.id, partial(self._take, finding, record, now_ms))

    def _whole(self, name: str, act: Callable[[], None]) -> None:
        """One finding that cannot be handled must not keep people from hearing of the others."""
        try:
            with self._journal.part():
                act()
        except sqlite3.Error:
            raise
        except Exception:  # one finding that cannot be told must not hold up those behind it
            measures.UNREADABLE.inc()
            logger.exception("finding %s could not be told", name)

    def _take(self, finding: Finding, record: FeedRecord, now_ms: int) -> None:
        known = self._journal.alert(finding.id)
        if finding.cleared:
            if known is not None and not known.cleared:
                self._clear(known, now_ms)
        elif known is None:
            place = place_in(record.headers) or self._places.of(finding.table)
            self.raise_alert(alert_of(finding, place, record.time_ms, record.headers), now_ms)
        elif known.cleared:
            self._raise_again(known, now_ms)
        elif finding.corrected and not _corrected(known.alert):
            self._note(known.alert.id, record, "a correction put the settlement right", now_ms)

    def recall(self, histories: Iterable[AlertHistory], now_ms: int) -> None:
        """Alerts as the store has them, when the journal is lost. What was sent is not sent again; what nobody was told
        of is told now, and what nobody has acknowledged goes on to the next role."""
        for history in histories:
            self._whole(history.alert.id, partial(self._recall, history, now_ms))

    def _recall(self, history: AlertHistory, now_ms: int) -> None:
        alert = history.alert
        life = life_of(history.steps or [raised_step(alert.id, alert.raised * 1000)])
        if self._journal.alert(alert.id) is not None:
            self.heard_from_desk(alert.id, life)
            return
        opened = [step for step in life.standing if step.state in ("raised", "reopened")]
        if not opened or life.state is None:
            return
        # Before it was ever reopened every message counts: the clocks of broker and service may differ.
        since = opened[-1].at if len(opened) > 1 else 0
        sent = [step for step in history.steps if step.action == "sent" and "message" in step.detail]
        # Whoever reopens an alert at the desk knows of it: that is told to nobody, as ever.
        untold = life.unattended and opened[-1].by == SYSTEM and not any(step.at >= since for step in sent)
        # Those who hear of it only now get their time to acknowledge it.
        opened_ms = now_ms if untold else opened[-1].at // 1000
        due_ms = self._next_stage_ms(alert, life.escalations, opened_ms) if life.unattended else None
        cleared, opening = life.state == "cleared", len(opened) - 1
        known = KnownAlert(alert, cleared, opening, life.state, life.escalations, opened_ms)
        self._journal.recall_alert(known, due_ms)
        for step in sent:
            said = step.detail
            self._journal.remember_sent(said["message"], alert.id, said["person"], said["line"], said["kind"])
        if untold:
            self._journal.owe_alert(alert)
            self._tell(alert, "raised", opening, self._to_tell(alert, now_ms), now_ms)

    def _to_tell(self, alert: Alert, now_ms: int) -> list[Recipient]:
        if alert.code == self_test.FAILED_CODE:
            return self_test.administrators(self.routing)
        return recipients(self.routing, alert, now_ms)

    def raise_alert(self, alert: Alert, now_ms: int, told: Sequence[Recipient] | None = None) -> None:
        """A new alert: to the store, and to those whom the rules name (or ``told``)."""
        self._journal.add_alert(alert, now_ms, self._next_stage_ms(alert, 0, now_ms))
        self._journal.owe_alert(alert)
        self._tell(alert, "raised", 0, told or recipients(self.routing, alert, now_ms), now_ms)

    def clear_alert(self, name: str, now_ms: int) -> None:
        """The ground of an alert is gone, which may be known already."""
        known = self._journal.alert(name)
        if known is not None and not known.cleared:
            self._clear(known, now_ms)

    def _raise_again(self, known: KnownAlert, now_ms: int) -> None:
        alert = known.alert
        self._journal.reopen_alert(alert.id, now_ms, self._next_stage_ms(alert, 0, now_ms))
        note, detail = "The finding stands again.", {"opening": known.opening + 1}
        self._journal.owe_act(alert.id, SystemAct(deed="raise again", at=now_ms * 1000, note=note, detail=detail))
        self._tell(alert, "raised", known.opening + 1, recipients(self.routing, alert, now_ms), now_ms)

    def _clear(self, known: KnownAlert, now_ms: int) -> None:
        """Those who were told are told; those who were not need not hear of either."""
        alert = known.alert
        told = self._journal.told_of(alert.id)
        dropped = self._journal.drop(alert.id)
        self._journal.clear_alert(alert.id)
        note = "A later fact took the ground away." + (f" {dropped} messages were not sent." if dropped else "")
        detail = {"opening": known.opening}
        self._journal.owe_act(alert.id, SystemAct(deed="clear", at=now_ms * 1000, note=note, detail=detail))
        for person, line in told:
            if person in self.routing.people:
                self._plan(alert, "cleared", known.opening, Recipient(person, "was told of it"), line, now_ms)

    def take_up_routing(self) -> None:
        """What nobody has acknowledged yet escalates by the routing in force, whenever it was raised: so the desk's
        clock has it, too."""
        with self._journal.transaction():
            for known in self._journal.unattended_alerts():
                due_ms = self._next_stage_ms(known.alert, known.escalations, known.opened_ms)
                self._journal.calls_at(known.alert.id, due_ms)

    def escalate(self, now_ms: int) -> None:
        """Alerts that nobody acknowledged in time go to the next role."""
        for known in self._journal.due_alerts(now_ms):
            alert = known.alert
            stage = stage_of(self.routing, alert.severity, known.escalations)
            if stage is None or known.state not in UNATTENDED:
                self._journal.attended(alert.id, known.state)
                continue
            self._journal.escalated(alert.id, self._next_stage_ms(alert, known.escalations + 1, known.opened_ms))
            act = SystemAct(
                deed="escalate",
                at=now_ms * 1000,
                role=", ".join(stage.tell),
                note=f"Nobody acknowledged within {stage.after} s.",
                detail={"opening": known.opening, "stage": known.escalations + 1},
            )
            self._journal.owe_act(alert.id, act)
            measures.ESCALATED.labels(alert.severity).inc()
            told = told_by(self.routing, stage, alert, now_ms)
            self._tell(alert, "escalated", known.opening, told, now_ms, known.escalations + 1)

    def release(self, now_ms: int) -> None:
        """Let go what was held back and whose time has come, but not into somebody's quiet hours."""
        for person in self._journal.held_for(now_ms):
            if person not in self.routing.people:
                continue
            # Of whatever severity: what is critical was never held.
            until = quiet_until(self.routing, person, "", now_ms, has_waited=True)
            if until is not None:
                measures.HELD.labels("quiet").inc(self._journal.hold_on(person, now_ms, until))
        self._journal.release_held(now_ms, self.routing.limits.window * 1000)

    def heard_from_store(self, history: AlertHistory, now_ms: int) -> None:
        """What people did about an alert; the alarm of a self-test by hand is heard of here first."""
        alert = history.alert
        if self_test.is_by_hand(alert) and alert.raised >= now_ms - RECALL_MS and self._journal.alert(alert.id) is None:
            with self._journal.transaction():
                self.recall([history], now_ms)
        self.heard_from_desk(alert.id, life_of(history.steps))

    def heard_from_desk(self, name: str, life: Life) -> None:
        """What people did about an alert, as the store has it."""
        known = self._journal.alert(name)
        if known is None or life.state is None or known.state == life.state:
            return
        if life.state in UNATTENDED:
            reopened_by_person = life.state == "reopened" and life.last is not None and life.last.by != SYSTEM
            if reopened_by_person and life.last is not None and known.state not in UNATTENDED:
                opened_ms = life.last.at // 1000
                self._journal.reopen_alert(name, opened_ms, self._next_stage_ms(known.alert, 0, opened_ms))
            return
        self._journal.attended(name, life.state)
        if life.state in ("resolved", "cleared"):
            self._journal.drop(name)

    def _next_stage_ms(self, alert: Alert, done: int, opened_ms: int) -> int | None:
        stage = stage_of(self.routing, alert.severity, done)
        return None if stage is None else opened_ms + stage.after * 1000

    def _tell(
        self, alert: Alert, kind: Kind, opening: int, told: Sequence[Recipient], now_ms: int, stage: int = 0
    ) -> None:
        for each in told:
            for line in range(1 + len(self.routing.people[each.person].copies)):
                self._plan(alert, kind, opening, each, line, now_ms, stage)

    def _plan(
        self, alert: Alert, kind: Kind, opening: int, to: Recipient, line: int, now_ms: int, stage: int = 0
    ) -> None:
        name = f"{kind}\x1f{group_of(alert)}"
        hold = None if alert.severity == NEVER_HELD else self._hold(alert, name, to.person, line, now_ms)
        planned = Planned(
            id=f"{alert.id} {opening} {kind} {stage} {to.person} {line}",
            alert=alert.id,
            person=to.person,
            line=line,
            kind=kind,
            severity=alert.severity,
            why=to.why,
            made_ms=now_ms,
            due_ms=now_ms if hold is None else hold.until_ms,
            held=hold is not None,
            group=name,
        )
        if not self._journal.plan([planned]):
            return
        if hold is not None:
            measures.HELD.labels(hold.why).inc()
            step = AlertStep(
                alert=alert.id,
                id=f"held.{planned.id}",
                at=now_ms * 1000,
                action="held back",
                by=SYSTEM,
                recipient=to.person,
                note=f"told together with others later: {hold.why}",
                detail={"until_ms": hold.until_ms, "message": planned.id},
            )
            self._journal.owe_steps([step])
        elif alert.severity != NEVER_HELD:
            self._journal.open_window(to.person, line, name, now_ms + self.routing.limits.window * 1000)

    def _hold(self, alert: Alert, name: str, person: str, line: int, now_ms: int) -> Hold | None:
        limits = self.routing.limits
        until = self._journal.window(person, line, name)
        return held(
            limits,
            alert.severity,
            None if until is None else Group(until),
            self._journal.last_told(person, line, now_ms - limits.per * 1000),
            quiet_until(self.routing, person, alert.severity, now_ms),
            now_ms,
        )

    def _note(self, alert: str, record: FeedRecord, note: str, now_ms: int) -> None:
        step = AlertStep(
            alert=alert,
            id=f"noted.{record.topic} {record.partition} {record.offset}",
            at=now_ms * 1000,
            action="noted",
            by=SYSTEM,
            note=note,
        )
        self._journal.owe_steps([step])


def _corrected(alert: Alert) -> bool:
    finding = alert.detail.get("finding")
    return isinstance(finding, dict) and finding.get("corrected") is True
