"""Messages from their plan to their end: planned once, held back, on their way, sent; and what each address has had.

A message is marked before it is sent and after. What was on its way when the process was killed is sent again: one
message for each address at most, because no address is sent two at a time. So is what a fault left on its way.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import orjson

from store.rows.alerts import Alert
from streams.alerting.holding import NEVER_HELD
from streams.alerting.journal_file import JournalFile
from streams.alerting.message import Kind


@dataclass(frozen=True, slots=True)
class Planned:
    """A message to one address about one alert."""

    id: str
    """The same for the same alert, occasion and address, so that it is planned once."""
    alert: str
    person: str
    line: int
    """0: the person's addresses in their order; from 1: his copies."""
    kind: Kind
    severity: str
    why: str
    made_ms: int
    due_ms: int
    held: bool
    """It waits for company until it is due."""
    group: str = ""
    """What it belongs together with."""


@dataclass(frozen=True, slots=True)
class Parcel:
    """What is sent to one address as one message."""

    numbers: tuple[int, ...]
    ids: tuple[str, ...]
    alerts: tuple[Alert, ...]
    person: str
    line: int
    kind: Kind
    why: str
    attempts: int
    """How often the youngest of it was tried before."""
    repeat: bool
    """It may have arrived already."""
    made_ms: int


class Outbox(JournalFile):
    """The part of the journal that holds messages."""

    def plan(self, messages: Iterable[Planned]) -> int:
        """Messages to send; those that were planned before are left as they are. How many are new."""
        new = 0
        for each in messages:
            new += self._do(
                "INSERT OR IGNORE INTO message"
                " (id, alert, person, line, kind, severity, why, made_ms, due_ms, status, name)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                each.id, each.alert, each.person, each.line, each.kind, each.severity, each.why, each.made_ms,
                each.due_ms, "held" if each.held else "waiting", each.group,
            )  # fmt: skip
        return new

    def remember_sent(self, name: str, alert: str, person: str, line: int, kind: str) -> None:
        """A message that the store knows to be sent."""
        self._do(
            "INSERT OR IGNORE INTO message (id, alert, person, line, kind, severity, why, made_ms, due_ms, status)"
            " VALUES (?, ?, ?, ?, ?, '', '', 0, 0, 'sent')",
            name, alert, person, line, kind,
        )  # fmt: skip

    def told_of(self, alert: str) -> list[tuple[str, int]]:
        """Persons and lines that have been told of an alert, or are being told at this moment."""
        return self._rows(
            "SELECT DISTINCT person, line FROM message WHERE alert = ? AND status IN ('sent', 'sending')"
            " AND kind IN ('raised', 'escalated') ORDER BY person, line",
            alert,
        )

    def drop(self, alert: str) -> int:
        """Messages about an alert that nobody needs any more, and that have not left; how many."""
        return self._do(
            "UPDATE message SET status = 'dropped' WHERE alert = ? AND status IN ('held', 'waiting')", alert
        )

    def held_for(self, now_ms: int) -> list[str]:
        """Persons for whom something was held whose time has come."""
        rows = self._rows("SELECT DISTINCT person FROM message WHERE status = 'held' AND due_ms <= ?", now_ms)
        return [person for (person,) in rows]

    def hold_on(self, person: str, now_ms: int, until_ms: int) -> int:
        """What is held for somebody and whose time has come waits until then; how many. Never what is critical."""
        return self._do(
            "UPDATE message SET due_ms = ? WHERE status = 'held' AND person = ? AND due_ms <= ? AND severity != ?",
            until_ms, person, now_ms, NEVER_HELD,
        )  # fmt: skip

    def release_held(self, now_ms: int, window_ms: int) -> int:
        """Let those go whose time has come, together for each address and kind; how many. Their groups go on: what
        belongs to them waits for another window, so that each is told of once in a window."""
        with self.transaction():
            self._do(
                "INSERT OR REPLACE INTO window SELECT DISTINCT person, line, name, ? FROM message"
                " WHERE status = 'held' AND due_ms <= ?",
                now_ms + window_ms, now_ms,
            )  # fmt: skip
            return self._do(
                "UPDATE message SET status = 'waiting', parcel = (SELECT max(other.number) FROM message AS other"
                " WHERE other.status = 'held' AND other.due_ms <= ? AND other.person = message.person"
                " AND other.line = message.line AND other.kind = message.kind)"
                " WHERE status = 'held' AND due_ms <= ?",
                now_ms, now_ms,
            )  # fmt: skip

    def ready_lines(self, now_ms: int) -> list[tuple[str, int]]:
        """Persons and lines with something to send."""
        return self._rows(
            "SELECT DISTINCT person, line FROM message WHERE status = 'waiting' AND due_ms <= ? ORDER BY person, line",
            now_ms,
        )

    def next_parcel(self, person: str, line: int, now_ms: int, most: int) -> Parcel | None:
        """What goes to this address next, marked as on its way. Critical first; critical ones that wait go together."""
        with self.transaction():
            head = self._rows(
                "SELECT number, kind, severity, parcel FROM message WHERE status = 'waiting' AND person = ?"
                " AND line = ? AND due_ms <= ? ORDER BY repeat DESC, severity != 'critical', number LIMIT 1",
                person, line, now_ms,
            )  # fmt: skip
            if not head:
                return None
            number, kind, severity, parcel = head[0]
            if parcel:
                condition, values = "parcel = ?", [parcel]
            elif severity == "critical":
                condition, values = "parcel = 0 AND message.severity = 'critical' AND kind = ?", [kind]
            else:
                condition, values = "message.number = ?", [number]
            rows = self._rows(
                "SELECT message.number, message.id, alert.body, message.attempts, message.repeat, message.made_ms,"
                " message.why FROM message JOIN alert ON alert.id = message.alert WHERE status = 'waiting'"
                f" AND person = ? AND line = ? AND {condition} ORDER BY message.number LIMIT ?",
                person, line, *values, 1_000_000 if parcel else most,
            )  # fmt: skip
            if not rows:
                self._do("UPDATE message SET status = 'dropped' WHERE number = ?", number)
                return None
            numbers = tuple(row[0] for row in rows)
            self._db.executemany(
                "UPDATE message SET status = 'sending', parcel = ?, attempts = attempts + 1 WHERE number = ?",
                [(parcel or number, each) for each in numbers],
            )
        return Parcel(
            numbers, tuple(row[1] for row in rows), tuple(Alert(**orjson.loads(row[2])) for row in rows), person, line,
            kind, rows[0][6], min(row[3] for row in rows), any(row[4] for row in rows), min(row[5] for row in rows),
        )  # fmt: skip

    def sent(self, parcel: Parcel, now_ms: int) -> None:
        """It was taken."""
        self._finish(parcel, "sent", now_ms)
        if parcel.alerts[0].severity != NEVER_HELD:
            # What is critical knows no limit, and takes nothing from the share of the rest.
            self._do("INSERT INTO told VALUES (?, ?, ?)", parcel.person, parcel.line, now_ms)

    def given_up(self, parcel: Parcel, now_ms: int) -> None:
        """It will not be tried again."""
        self._finish(parcel, "given up", now_ms)

    def _finish(self, parcel: Parcel, status: str, now_ms: int) -> None:
        with self._lock:
            self._db.executemany(
                "UPDATE message SET status = ?, done_ms = ?, repeat = 0 WHERE number = ?",
                [(status, now_ms, number) for number in parcel.numbers],
            )

    def again(self, parcel: Parcel, due_ms: int) -> None:
        """It was not taken; later, once more. Critical ones may then go together with younger ones."""
        with self._lock:
            self._db.executemany(
                "UPDATE message SET status = 'waiting', due_ms = ?, repeat = 0,"
                " parcel = CASE WHEN severity = 'critical' THEN 0 ELSE parcel END WHERE number = ?",
                [(due_ms, number) for number in parcel.numbers],
            )

    def lines_on_their_way(self) -> list[tuple[str, int]]:
        """Persons and lines of which something is marked as on its way."""
        return self._rows("SELECT DISTINCT person, line FROM message WHERE status = 'sending' ORDER BY person, line")

    def tries_on_their_way(self, person: str, line: int) -> int:
        """How often what is on its way to this address was tried, this time included; 0: nothing is."""
        rows = self._rows(
            "SELECT max(attempts) FROM message WHERE status = 'sending' AND person = ? AND line = ?", person, line
        )
        return rows[0][0] or 0

    def apart(self, person: str, line: int, due_ms: int, *, repeat: bool) -> None:
        """A fault kept what is on its way to this address from being sent: later, in smaller parcels, so that one that
        cannot be sent keeps no other back. Critical ones go one by one, the rest in halves: no flood from a digest."""
        with self.transaction():
            rows = self._rows(
                "SELECT number, severity FROM message WHERE status = 'sending' AND person = ? AND line = ?"
                " ORDER BY number",
                person, line,
            )  # fmt: skip
            critical = any(severity == NEVER_HELD for _, severity in rows)
            size = 1 if critical else max(1, (len(rows) + 1) // 2)
            self._db.executemany(
                "UPDATE message SET status = 'waiting', due_ms = ?, repeat = ?, parcel = ? WHERE number = ?",
                [(due_ms, repeat, rows[place - place % size][0], row[0]) for place, row in enumerate(rows)],
            )

    def after_restart(self) -> int:
        """What was on its way when the process ended goes again, as it was, and says so; how many messages."""
        rows = self._rows("SELECT DISTINCT person, line, parcel FROM message WHERE status = 'sending'")
        self._do("UPDATE message SET status = 'waiting', due_ms = 0, repeat = 1 WHERE status = 'sending'")
        return len(rows)

    def window(self, person: str, line: int, name: str) -> int | None:
        """When the window of a group of alerts ends for this address."""
        rows = self._rows("SELECT until_ms FROM window WHERE person = ? AND line = ? AND name = ?", person, line, name)
        return rows[0][0] if rows else None

    def open_window(self, person: str, line: int, name: str, until_ms: int) -> None:
        """From now on, what belongs to the group waits until then."""
        self._do("INSERT OR REPLACE INTO window VALUES (?, ?, ?, ?)", person, line, name, until_ms)

    def last_told(self, person: str, line: int, since_ms: int) -> list[int]:
        """When this address got messages that count, and when those that wait for it were planned."""
        told = self._rows("SELECT at_ms FROM told WHERE person = ? AND line = ? AND at_ms > ?", person, line, since_ms)
        waiting = self._rows(
            "SELECT min(made_ms) FROM message WHERE person = ? AND line = ? AND status IN ('waiting', 'sending')"
            " AND severity != 'critical' GROUP BY CASE WHEN parcel = 0 THEN -number ELSE parcel END",
            person, line,
        )  # fmt: skip
        return [moment for (moment,) in told + waiting]
