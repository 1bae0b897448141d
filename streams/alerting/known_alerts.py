"""The alerts that the service has raised, and what it knows of their life: its own memory beside the store's."""

from dataclasses import dataclass
from typing import Any

import orjson

from store.rows.alerts import Alert
from streams.alerting.journal_file import JournalFile
from streams.alerting.life import OPEN, UNATTENDED


@dataclass(frozen=True, slots=True)
class KnownAlert:
    """An alert as the service knows it."""

    alert: Alert
    cleared: bool
    opening: int
    """0 when it is first raised, then one more each time."""
    state: str
    escalations: int
    opened_ms: int


class KnownAlerts(JournalFile):
    """The part of the journal that holds alerts."""

    def alert(self, name: str) -> KnownAlert | None:
        """One alert that was raised here."""
        found = self._alerts("id = ?", name)
        return found[0] if found else None

    def due_alerts(self, now_ms: int) -> list[KnownAlert]:
        """Alerts whose next escalation is due."""
        return self._alerts("due_ms IS NOT NULL AND due_ms <= ?", now_ms)

    def unattended_alerts(self) -> list[KnownAlert]:
        """Alerts that nobody has acknowledged."""
        marks = ", ".join("?" * len(UNATTENDED))
        return self._alerts(f"state IN ({marks})", *UNATTENDED)

    def calls_at(self, name: str, due_ms: int | None) -> None:
        """When its next escalation is due."""
        self._do("UPDATE alert SET due_ms = ? WHERE id = ?", due_ms, name)

    def _alerts(self, condition: str, *values: Any) -> list[KnownAlert]:
        rows = self._rows(
            f"SELECT body, cleared, opening, state, escalations, opened_ms FROM alert WHERE {condition}"
            " ORDER BY raised_ms, id",
            *values,
        )
        return [
            KnownAlert(Alert(**orjson.loads(body)), bool(cleared), opening, state, escalations, opened)
            for body, cleared, opening, state, escalations, opened in rows
        ]

    def add_alert(self, alert: Alert, opened_ms: int, due_ms: int | None) -> None:
        """A new alert."""
        self._do(
            "INSERT OR IGNORE INTO alert (id, body, severity, raised_ms, opened_ms, due_ms) VALUES (?, ?, ?, ?, ?, ?)",
            alert.id, orjson.dumps(alert), alert.severity, alert.raised, opened_ms, due_ms,
        )  # fmt: skip

    def recall_alert(self, known: KnownAlert, due_ms: int | None) -> None:
        """An alert as the store knows it."""
        alert = known.alert
        self._do(
            "INSERT INTO alert (id, body, severity, raised_ms, cleared, opening, state, escalations, opened_ms, due_ms)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            alert.id, orjson.dumps(alert), alert.severity, alert.raised, known.cleared, known.opening, known.state,
            known.escalations, known.opened_ms, due_ms,
        )  # fmt: skip

    def clear_alert(self, name: str) -> None:
        """Its finding is cleared."""
        state = "CASE WHEN state = 'resolved' THEN state ELSE 'cleared' END"
        self._do(f"UPDATE alert SET cleared = 1, due_ms = NULL, state = {state} WHERE id = ?", name)

    def reopen_alert(self, name: str, opened_ms: int, due_ms: int | None) -> None:
        """It begins anew."""
        self._do(
            "UPDATE alert SET cleared = 0, opening = opening + 1, state = 'reopened', escalations = 0,"
            " opened_ms = ?, due_ms = ? WHERE id = ?",
            opened_ms, due_ms, name,
        )  # fmt: skip

    def escalated(self, name: str, due_ms: int | None) -> None:
        """One step of its escalation is done."""
        self._do(
            "UPDATE alert SET escalations = escalations + 1, state = 'escalated', due_ms = ? WHERE id = ?", due_ms, name
        )

    def attended(self, name: str, state: str) -> None:
        """What people made of it: it calls nobody else."""
        self._do("UPDATE alert SET state = ?, due_ms = NULL WHERE id = ? AND state != ?", state, name, state)

    def open_by_severity(self) -> dict[str, int]:
        """How many alerts are open."""
        marks = ", ".join("?" * len(OPEN))
        rows = self._rows(f"SELECT severity, count(*) FROM alert WHERE state IN ({marks}) GROUP BY severity", *OPEN)
        return dict(rows)

    def forget(self, before_ms: int) -> None:
        """Let go of closed alerts raised before, and of what hangs on them."""
        marks = ", ".join("?" * len(OPEN))
        with self.transaction():
            old = f"SELECT id FROM alert WHERE raised_ms < ? AND state NOT IN ({marks})"
            self._do(
                f"DELETE FROM message WHERE alert IN ({old}) AND status NOT IN ('waiting', 'sending')", before_ms, *OPEN
            )
            self._do(
                f"DELETE FROM alert WHERE id IN ({old}) AND id NOT IN (SELECT alert FROM message)", before_ms, *OPEN
            )
            self._do("DELETE FROM told WHERE at_ms < ?", before_ms)
            self._do("DELETE FROM window WHERE until_ms < ?", before_ms)
