"""The ledger of changes: what was proposed, by whom and why, and what another person made of it; nothing is deleted."""

import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from console.auth.people import Person
from console.changes.subjects import InvalidValue, Subject
from console.database import Database

Decision = Literal["approved", "rejected", "withdrawn"]

SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS change (
    id TEXT PRIMARY KEY,
    subject TEXT NOT NULL,
    before TEXT NOT NULL,
    after TEXT NOT NULL,
    reason TEXT NOT NULL,
    proposed_by TEXT NOT NULL,
    proposed_at INTEGER NOT NULL,
    decision TEXT,
    decided_by TEXT,
    decided_at INTEGER,
    note TEXT
)
"""


class NotNow(Exception):
    """It is not the time or the person for this: the message says why."""


class NoSuchChange(LookupError):
    """There is no such change, or nothing of that name can be changed."""


@dataclass(frozen=True, slots=True)
class Change:
    """One proposal and what became of it."""

    id: str
    subject: str
    before: str
    after: str
    reason: str
    proposed_by: str
    proposed_at: int
    """Milliseconds since 1970, as decided_at is."""
    decision: Decision | None
    """None: nobody has decided yet."""
    decided_by: str | None
    decided_at: int | None
    note: str | None


_COLUMNS: Final = "id, subject, before, after, reason, proposed_by, proposed_at, decision, decided_by, decided_at, note"


class Ledger:
    """Proposals over the subjects that can be changed here."""

    def __init__(
        self, database: Database, subjects: Sequence[Subject] = (), clock: Callable[[], float] = time.time
    ) -> None:
        self._database = database
        self._clock = clock
        self.subjects: Mapping[str, Subject] = {subject.name: subject for subject in subjects}
        with database.using() as db:
            db.execute(SCHEMA)

    def all(self, most: int = 500) -> list[Change]:
        """The latest first; those that wait for a second person before all others."""
        with self._database.using() as db:
            rows = db.execute(
                f"SELECT {_COLUMNS} FROM change ORDER BY decision IS NOT NULL, proposed_at DESC, id LIMIT ?", (most,)
            ).fetchall()
        return [Change(*row) for row in rows]

    def get(self, change: str) -> Change:
        """One change."""
        with self._database.using() as db:
            row = db.execute(f"SELECT {_COLUMNS} FROM change WHERE id = ?", (change,)).fetchone()
        if row is None:
            raise NoSuchChange("there is no such change")
        return Change(*row)

    def propose(self, subject: str, value: str, reason: str, by: Person) -> Change:
        """Nothing happens until another administrator approves it."""
        about = self._subject(subject)
        if locked := about.locked():
            raise NotNow(locked)
        about.check(value)
        before = about.current()
        if before == value:
            raise InvalidValue("it is so already")
        change = uuid.uuid4().hex
        with self._database.changing() as db:
            if db.execute("SELECT 1 FROM change WHERE subject = ? AND decision IS NULL", (subject,)).fetchone():
                raise NotNow("another change of this waits already: it is decided first")
            db.execute(
                "INSERT INTO change (id, subject, before, after, reason, proposed_by, proposed_at)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                (change, subject, before, value, reason, by.name, self._now()),
            )
        return self.get(change)

    def approve(self, change: str, by: Person, note: str = "") -> Change:
        """Makes the change. It takes somebody else, who was an administrator here before it was proposed."""
        waiting = self._waiting(change)
        if by.name == waiting.proposed_by:
            raise NotNow("nobody approves an own proposal: another administrator does")
        if not was_here(by, waiting):
            raise NotNow("whoever approves must have been here before the change was proposed")
        about = self._subject(waiting.subject)
        about.check(waiting.after)
        with self._database.changing():
            self._decide(waiting, "approved", by, note)
            now = about.current()
            if now not in (waiting.before, waiting.after):
                raise NotNow("it was changed elsewhere since this was proposed: propose it anew")
            if now != waiting.after:
                became = about.apply(waiting.after, f"{waiting.proposed_by} and {by.name}")
                # What was asked for may be an act: which key it made is to be known.
                with self._database.using() as db:
                    db.execute("UPDATE change SET after = ? WHERE id = ?", (became, waiting.id))
        return self.get(change)

    def reject(self, change: str, by: Person, note: str) -> Change:
        """It stays as it is, for a reason; whoever proposed it withdraws it instead."""
        waiting = self._waiting(change)
        if by.name == waiting.proposed_by:
            raise NotNow("an own proposal is withdrawn, not rejected")
        with self._database.changing():
            self._decide(waiting, "rejected", by, note)
        return self.get(change)

    def withdraw(self, change: str, by: Person) -> Change:
        """Whoever proposed it thinks better of it."""
        waiting = self._waiting(change)
        if by.name != waiting.proposed_by:
            raise NotNow("only who proposed it withdraws it; others reject it")
        with self._database.changing():
            self._decide(waiting, "withdrawn", by, "")
        return self.get(change)

    def _waiting(self, change: str) -> Change:
        found = self.get(change)
        if found.decision is not None:
            raise NotNow(f"{found.decided_by} was first: it is {found.decision}")
        return found

    def _decide(self, waiting: Change, decision: Decision, by: Person, note: str) -> None:
        with self._database.using() as db:
            done = db.execute(
                "UPDATE change SET decision = ?, decided_by = ?, decided_at = ?, note = ?"
                " WHERE id = ? AND decision IS NULL",
                (decision, by.name, self._now(), note, waiting.id),
            )
            if done.rowcount != 1:
                raise NotNow("somebody else was first: look again")

    def _subject(self, name: str) -> Subject:
        subject = self.subjects.get(name)
        if subject is None:
            raise NoSuchChange("nothing of that name can be changed here")
        return subject

    def _now(self) -> int:
        return int(self._clock() * 1000)


def was_here(person: Person, change: Change) -> bool:
    """Whether somebody was here before a change was proposed: nobody is added to approve it."""
    return person.made * 1000 < change.proposed_at
