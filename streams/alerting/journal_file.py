"""The SQLite file of the alert service: one process has it, its threads share it, a transaction is whole or nothing."""

import fcntl
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

JOURNAL: Final = "journal.db"
LOCK: Final = "lock"
"""Held by the service as long as it lives."""
_TRIES: Final = 10
_PAUSE_SECONDS: Final = 0.05

_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS position (topic TEXT, partition INTEGER, next INTEGER, PRIMARY KEY (topic, partition));
CREATE TABLE IF NOT EXISTS alert (
    id TEXT PRIMARY KEY, body BLOB, severity TEXT, raised_ms INTEGER,
    cleared INTEGER DEFAULT 0, opening INTEGER DEFAULT 0, state TEXT DEFAULT 'raised',
    escalations INTEGER DEFAULT 0, opened_ms INTEGER, due_ms INTEGER);
CREATE INDEX IF NOT EXISTS alert_due ON alert (due_ms) WHERE due_ms IS NOT NULL;
CREATE TABLE IF NOT EXISTS message (
    number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT UNIQUE, alert TEXT, person TEXT, line INTEGER, kind TEXT,
    severity TEXT, why TEXT, made_ms INTEGER, due_ms INTEGER, status TEXT, attempts INTEGER DEFAULT 0,
    parcel INTEGER DEFAULT 0, repeat INTEGER DEFAULT 0, done_ms INTEGER, name TEXT DEFAULT '');
CREATE INDEX IF NOT EXISTS message_status ON message (status, due_ms);
CREATE INDEX IF NOT EXISTS message_alert ON message (alert);
CREATE TABLE IF NOT EXISTS window (
    person TEXT, line INTEGER, name TEXT, until_ms INTEGER, PRIMARY KEY (person, line, name));
CREATE TABLE IF NOT EXISTS told (person TEXT, line INTEGER, at_ms INTEGER);
CREATE INDEX IF NOT EXISTS told_by ON told (person, line, at_ms);
CREATE TABLE IF NOT EXISTS pending (number INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT, failed INTEGER, body BLOB);
CREATE TABLE IF NOT EXISTS place (name TEXT PRIMARY KEY, body BLOB);
CREATE TABLE IF NOT EXISTS mark (name TEXT PRIMARY KEY, value TEXT);
"""


class JournalInUse(Exception):
    """Another alert service is at work with this data folder: there is one for a site."""


class JournalFile:
    """The open file. Threads share it; one process has it."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._lock_file = (folder / LOCK).open("w")
        for left in reversed(range(_TRIES)):
            try:
                fcntl.flock(self._lock_file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except OSError as error:
                # One who only looks whether a service is at work has it for a moment.
                if left:
                    time.sleep(_PAUSE_SECONDS)
                    continue
                self._lock_file.close()
                raise JournalInUse(f"another alert service is at work in {folder}") from error
        self._lock = threading.RLock()
        self._db = sqlite3.connect(folder / JOURNAL, check_same_thread=False, isolation_level=None)
        self._db.execute("PRAGMA journal_mode = WAL")
        # A killed process loses nothing so. A power cut may take the last moment back, whole: the place in the topic
        # with what was planned from there, so that an alert is told again rather than not at all.
        self._db.execute("PRAGMA synchronous = NORMAL")
        self._db.executescript(_SCHEMA)
        self._depth = 0

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._db.close()
            self._lock_file.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All of it or nothing; may be nested."""
        with self._lock:
            if self._depth:
                yield
                return
            self._db.execute("BEGIN IMMEDIATE")
            self._depth += 1
            try:
                yield
                self._db.execute("COMMIT")
            except BaseException:
                # A full disk may have rolled it back already.
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise
            finally:
                self._depth -= 1

    @contextmanager
    def part(self) -> Iterator[None]:
        """A part of a transaction that can fail alone."""
        with self._lock:
            self._db.execute("SAVEPOINT part")
            try:
                yield
            except BaseException:
                self._db.execute("ROLLBACK TO part")
                raise
            finally:
                self._db.execute("RELEASE part")

    def _rows(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        with self._lock:
            return self._db.execute(sql, values).fetchall()

    def _do(self, sql: str, *values: Any) -> int:
        with self._lock:
            return self._db.execute(sql, values).rowcount
