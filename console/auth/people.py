"""The people who may sign in: kept in the console's file, locked for a while after failures."""

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from console.auth import passwords
from console.auth.roles import ROLES, Role
from console.database import Database

FAILURES: Final = 5
"""So many wrong passwords in a row lock a person out."""
LOCK_SECONDS: Final = 15 * 60

_NAME: Final = re.compile(r"[a-z0-9][a-z0-9._-]{1,63}")

Clock = Callable[[], float]


class InvalidPerson(ValueError):
    """Nobody can be added, or changed, as asked: correct it."""


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who may sign in."""

    name: str
    role: Role
    made: int
    """Seconds since 1970."""
    disabled: int | None
    """Since when the person may not sign in; None: may."""
    locked_until: int
    """After too many failures nobody signs in under this name before this; seconds since 1970."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why somebody may not sign in; the reason is for the log, not for whoever asks."""

    reason: str


def differences(before: Person, after: Person, *, password: bool = False) -> dict[str, Any]:
    """What is different of a person, as the access log tells it: by what it was, and what it is. Of a password only
    that it is another one."""
    found: dict[str, Any] = {}
    if before.role != after.role:
        found["role"] = {"from": before.role, "to": after.role}
    if (before.disabled is None) != (after.disabled is None):
        found["may_sign_in"] = {"from": _yes(before.disabled is None), "to": _yes(after.disabled is None)}
    if password:
        found |= {"password": "another"}
    return found


def _yes(said: bool) -> str:
    return "yes" if said else "no"


class People:
    """All who may sign in."""

    def __init__(self, database: Database, clock: Clock = time.time) -> None:
        self._database = database
        self._clock = clock

    def add(self, name: str, role: str, password: str) -> Person:
        """A new person; the name is written in small letters."""
        if not _NAME.fullmatch(name):
            raise InvalidPerson(
                f"{name!r} is no name here: one has 2 to 64 small letters, digits, dots, dashes or underscores"
            )
        role = _role(role)
        passwords.check_strength(name, password)
        kept = passwords.hash_of(password)
        with self._database.changing() as db:
            if db.execute("SELECT 1 FROM person WHERE name = ?", (name,)).fetchone():
                raise InvalidPerson(f"{name} is there already: whoever else it is takes another name")
            db.execute(
                "INSERT INTO person (name, role, hash, made) VALUES (?, ?, ?, ?)", (name, role, kept, self._now())
            )
        return self.get(name)

    def all(self) -> list[Person]:
        """Everybody, by name."""
        with self._database.using() as db:
            rows = db.execute(f"SELECT {_COLUMNS} FROM person ORDER BY name").fetchall()
        return [Person(*row) for row in rows]

    def get(self, name: str) -> Person:
        """One person by name."""
        with self._database.using() as db:
            row = db.execute(f"SELECT {_COLUMNS} FROM person WHERE name = ?", (name,)).fetchone()
        if row is None:
            raise InvalidPerson(f"there is no {name}: `tablewatch console users list` tells who there is")
        return Person(*row)

    def change_role(self, name: str, role: str) -> Person:
        """Another role, from now on; sessions go on with it."""
        return self._change(name, "role = ?", _role(role))

    def change_password(self, name: str, password: str) -> Person:
        """Another password: all sessions of the person end, and a lock is taken off."""
        passwords.check_strength(name, password)
        changed = self._change(name, "hash = ?, failures = 0, locked_until = 0", passwords.hash_of(password))
        self._end_sessions(name)
        return changed

    def disable(self, name: str) -> Person:
        """The person may not sign in any more; the sessions end. People are not deleted: logs name them."""
        changed = self._change(name, "disabled = coalesce(disabled, ?)", self._now())
        self._end_sessions(name)
        return changed

    def enable(self, name: str) -> Person:
        """The person may sign in again."""
        return self._change(name, "disabled = ?, failures = 0, locked_until = 0", None)

    async def sign_in(self, name: str, password: str) -> Person | Refusal:
        """The person, if name and password are right; every refusal takes as long as any other."""
        with self._database.using() as db:
            row = db.execute("SELECT hash, disabled, locked_until FROM person WHERE name = ?", (name,)).fetchone()
        kept, disabled, locked_until = row or (None, None, 0)
        right = await passwords.is_right_in_turn(kept, password)
        if kept is None:
            return Refusal("no such name")
        if locked_until > self._clock():
            return Refusal("locked after failures")
        if not right:
            self._fail(name)
            return Refusal("wrong password")
        if disabled is not None:
            return Refusal("disabled")
        return self._change(name, "failures = ?", 0)

    def _fail(self, name: str) -> None:
        with self._database.changing() as db:
            db.execute("UPDATE person SET failures = failures + 1 WHERE name = ?", (name,))
            db.execute(
                "UPDATE person SET failures = 0, locked_until = ? WHERE name = ? AND failures >= ?",
                (self._now() + LOCK_SECONDS, name, FAILURES),
            )

    def _change(self, name: str, assignment: str, value: Any) -> Person:
        with self._database.changing() as db:
            db.execute(f"UPDATE person SET {assignment} WHERE name = ?", (value, name))
        return self.get(name)

    def _end_sessions(self, name: str) -> None:
        with self._database.changing() as db:
            db.execute("DELETE FROM session WHERE name = ?", (name,))

    def _now(self) -> int:
        return int(self._clock())


_COLUMNS: Final = "name, role, made, disabled, locked_until"


def _role(text: str) -> Role:
    for role in ROLES:
        if role == text:
            return role
    raise InvalidPerson(f"{text!r} is no role: choose one of {', '.join(ROLES)}")
