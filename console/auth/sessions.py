"""Sessions: a random token in a cookie, its hash in the console's file, an end after a shift or without a page."""

import hashlib
import hmac
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass

from console.auth.roles import Role
from console.database import Database

TOUCH_SECONDS = 15
"""How often it is written down that a session is in use."""


@dataclass(frozen=True, slots=True)
class Session:
    """Somebody who is signed in."""

    name: str
    role: Role
    expires: int
    """Seconds since 1970."""
    digest: bytes
    """SHA-256 of the token, by which the session is known."""
    csrf: str
    """What every request that changes something must carry in its header X-CSRF-Token."""


class Sessions:
    """Who is signed in."""

    def __init__(
        self,
        database: Database,
        *,
        hours: float = 12.0,
        idle_minutes: float = 60.0,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._database = database
        self._life = int(hours * 3600)
        self._idle = int(idle_minutes * 60)
        self._clock = clock

    def begin(self, name: str, address: str) -> str:
        """The token of a new session; what is kept is its hash."""
        token = secrets.token_urlsafe(32)
        now = int(self._clock())
        with self._database.changing() as db:
            db.execute("DELETE FROM session WHERE made < ? OR seen < ?", (now - self._life, now - self._idle))
            db.execute(
                "INSERT INTO session (digest, name, made, seen, address) VALUES (?, ?, ?, ?, ?)",
                (_digest(token), name, now, now, address),
            )
        return token

    def find(self, token: str) -> Session | None:
        """The session of a token, if it goes on; being asked for keeps it from idling out."""
        if not token or len(token) > 128:
            return None
        return self._find(_digest(token), _csrf(token))

    def alive(self, session: Session) -> bool:
        """Whether a session still goes on with the same role: for answers that last, such as a stream."""
        found = self._find(session.digest, session.csrf)
        return found is not None and found.role == session.role

    def end(self, session: Session) -> None:
        """Sign out."""
        with self._database.changing() as db:
            db.execute("DELETE FROM session WHERE digest = ?", (session.digest,))

    def _find(self, digest: bytes, csrf: str) -> Session | None:
        now = int(self._clock())
        with self._database.using() as db:
            row = db.execute(
                "SELECT s.name, p.role, s.made, s.seen FROM session s JOIN person p ON p.name = s.name"
                " WHERE s.digest = ? AND p.disabled IS NULL",
                (digest,),
            ).fetchone()
            if row is None:
                return None
            name, role, made, seen = row
            if now >= made + self._life or now >= seen + self._idle:
                db.execute("DELETE FROM session WHERE digest = ?", (digest,))
                return None
            if now - seen >= TOUCH_SECONDS:
                db.execute("UPDATE session SET seen = ? WHERE digest = ?", (now, digest))
        return Session(name, role, made + self._life, digest, csrf)


def same(given: str, wanted: str) -> bool:
    """Compares without telling by the time it takes how much was right."""
    return hmac.compare_digest(given.encode(), wanted.encode())


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()


def _csrf(token: str) -> str:
    return hmac.new(token.encode(), b"csrf", hashlib.sha256).hexdigest()
