"""The folder of the embedded log: its SQLite schema, its version, and the errors that opening or writing it gives."""

import os
import sqlite3
from pathlib import Path

from streams.embedded.turn import Turn

FORMAT = 1
"""Version of the folder's layout; a folder with a higher one is refused."""

PAGE_SIZE = 16384
"""Packed records are tens of kilobytes: larger pages mean fewer overflow pages and fewer WAL frames per commit."""

SCHEMA = """
CREATE TABLE topic (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    partitions INTEGER NOT NULL,
    retention_ms INTEGER,
    retention_bytes INTEGER,
    keep_for TEXT NOT NULL DEFAULT '[]'
);
CREATE TABLE partition (
    id INTEGER PRIMARY KEY,
    topic INTEGER NOT NULL REFERENCES topic (id),
    number INTEGER NOT NULL,
    first INTEGER NOT NULL DEFAULT 0,
    next INTEGER NOT NULL DEFAULT 0,
    bytes INTEGER NOT NULL DEFAULT 0,
    UNIQUE (topic, number)
);
CREATE TABLE record (
    id INTEGER PRIMARY KEY,
    time INTEGER NOT NULL,
    key BLOB,
    headers BLOB,
    value BLOB
);
CREATE TABLE committed (
    team TEXT NOT NULL,
    partition INTEGER NOT NULL REFERENCES partition (id),
    next INTEGER NOT NULL,
    PRIMARY KEY (team, partition)
) WITHOUT ROWID;
CREATE TABLE team (
    name TEXT PRIMARY KEY,
    generation INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE member (
    seat INTEGER PRIMARY KEY AUTOINCREMENT,
    team TEXT NOT NULL,
    id TEXT NOT NULL UNIQUE,
    synced INTEGER NOT NULL,
    topics TEXT NOT NULL
);
"""
# A record's id is its partition's id and its offset in one integer, so that the table itself is ordered the way it is
# appended and read, without a second index. "team" is Kafka's consumer group; GROUP is a reserved word in SQL.

OFFSET_BITS = 40
OFFSET_MASK = (1 << OFFSET_BITS) - 1


class LogError(Exception):
    """The embedded log cannot do what was asked."""


class LogFull(LogError):
    """No room for more records: nothing of the batch was written; make space or shorten retention, send again."""


class LogTooNew(LogError):
    """The folder was written by a newer version of the software: install that version, the folder is left as it is."""


class LogUnavailable(LogError):
    """The folder cannot be opened, read or written now: wait and try again."""


class UnknownTopic(LogError):
    """No such topic, or no such partition of it: create the topics first."""


class TopicDiffers(LogError):
    """The topic exists with another number of partitions, which cannot change: tables would move between partitions."""


class MemberExpelled(LogError):
    """The member is no longer of its group: its partitions belong to others, and its commit does not count."""


def database(folder: Path) -> Path:
    """The SQLite file of a log folder."""
    return folder / "log.sqlite3"


def explain(error: sqlite3.Error, folder: Path) -> LogError:
    """The error of the log that an error of SQLite means."""
    code = getattr(error, "sqlite_errorcode", None)
    # The primary code is the low byte; when the disk is full, growing the WAL index reports a plain I/O error.
    primary = code & 0xFF if code is not None else None
    if primary == sqlite3.SQLITE_FULL or (primary == sqlite3.SQLITE_IOERR and _no_room(folder)):
        return LogFull(f"no room left for the log in {folder}: {error}")
    return LogUnavailable(f"the log in {folder} cannot be used: {error}")


def _no_room(folder: Path) -> bool:
    try:
        status = os.statvfs(folder)
    except OSError:
        return False
    return status.f_bavail * status.f_frsize < 1 << 20


def connect(folder: Path, turn: Turn, *, synchronous: str, max_bytes: int | None) -> sqlite3.Connection:
    """A connection to the folder's database, which is made when it is not there."""
    connection = sqlite3.connect(
        database(folder), isolation_level=None, check_same_thread=False, timeout=30.0, cached_statements=64
    )
    try:
        version = _version(connection)
        if version == 0:
            with turn:
                version = _create(connection)
        if version > FORMAT:
            raise LogTooNew(f"the log in {folder} has format {version}; this software reads up to {FORMAT}")
        connection.execute(f"PRAGMA synchronous = {synchronous}")
        connection.execute("PRAGMA journal_size_limit = 67108864")
        if max_bytes is not None:
            page_size = int(connection.execute("PRAGMA page_size").fetchone()[0])
            connection.execute(f"PRAGMA max_page_count = {max(1, max_bytes // page_size)}")
    except BaseException:
        connection.close()
        raise
    return connection


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _create(connection: sqlite3.Connection) -> int:
    # Another process may have made it while this one waited for its turn.
    version = _version(connection)
    if version != 0:
        return version
    connection.execute(f"PRAGMA page_size = {PAGE_SIZE}")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("BEGIN IMMEDIATE")
    try:
        for statement in SCHEMA.split(";"):
            if statement.strip():
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {FORMAT}")
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    return FORMAT
