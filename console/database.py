"""The console's own file: people, sessions and what still has to reach the access log; SQLite, its owner's alone."""

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

NAME: Final = "console.sqlite3"

_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS person (
    name TEXT PRIMARY KEY,
    role TEXT NOT NULL,
    hash TEXT NOT NULL,
    made INTEGER NOT NULL,
    disabled INTEGER,
    failures INTEGER NOT NULL DEFAULT 0,
    locked_until INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE IF NOT EXISTS session (
    digest BLOB PRIMARY KEY,
    name TEXT NOT NULL REFERENCES person(name),
    made INTEGER NOT NULL,
    seen INTEGER NOT NULL,
    address TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS outsider (
    issuer TEXT NOT NULL,
    subject TEXT NOT NULL,
    name TEXT NOT NULL UNIQUE REFERENCES person(name),
    PRIMARY KEY (issuer, subject)
);
CREATE TABLE IF NOT EXISTS access_spool (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    entry BLOB NOT NULL
);
"""


class DatabaseUnusable(Exception):
    """The console's file cannot be opened or written: set it right, or take it from a backup."""


class Database:
    """The open file; threads may share it."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / NAME
        self._lock = threading.RLock()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            # Made before SQLite does, so that there is no moment in which others can read it.
            self.path.touch(mode=0o600, exist_ok=True)
            self._connection = sqlite3.connect(self.path, check_same_thread=False, isolation_level=None, timeout=10.0)
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = FULL")
            self._connection.execute("PRAGMA foreign_keys = ON")
            self._connection.executescript(_SCHEMA)
        except (OSError, sqlite3.Error) as error:
            raise DatabaseUnusable(f"{self.path} cannot be used: {error}") from error

    @contextmanager
    def using(self) -> Iterator[sqlite3.Connection]:
        """The connection, for one statement or a few that need no transaction."""
        with self._lock:
            try:
                yield self._connection
            except sqlite3.Error as error:
                raise DatabaseUnusable(f"{self.path} cannot be used: {error}") from error

    @contextmanager
    def changing(self) -> Iterator[sqlite3.Connection]:
        """A transaction: on disk when the block ends, undone when it raises."""
        with self.using() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()
