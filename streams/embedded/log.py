"""The durable log: topics of numbered partitions, appended and read by several processes at once, in one SQLite folder.

A record is on disk when `append` returns (WAL, synchronous=FULL), so a killed process or a power cut loses nothing that
was acknowledged, and a batch is there whole or not at all. Readers see other processes' records through `changed`,
which costs a few microseconds and is meant to be asked every few milliseconds.
"""

import json
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Self

from streams.embedded.layout import (
    OFFSET_BITS,
    OFFSET_MASK,
    LogUnavailable,
    MemberExpelled,
    TopicDiffers,
    UnknownTopic,
    connect,
    explain,
)
from streams.embedded.turn import Turn

Headers = Sequence[tuple[str, bytes]]

POLL_SECONDS = 0.005
"""How often a waiting reader asks for news of other processes, on a log that is written to;"""
QUIET_POLL_SECONDS = 0.025
"""and on one that has been quiet for a while: to be awake 200 times a second costs 3 % of a processor for nothing."""


def wall_ms() -> int:
    """Milliseconds since 1970 by the clock of this machine."""
    return time.time_ns() // 1_000_000


class Place(NamedTuple):
    """One partition of a topic."""

    topic: str
    partition: int


@dataclass(frozen=True, slots=True)
class NewRecord:
    """A record to append."""

    topic: str
    partition: int
    value: bytes | None
    key: bytes | None = None
    headers: Headers = ()
    time_ms: int | None = None
    """When it was made; null: when it is appended."""


@dataclass(frozen=True, slots=True)
class StoredRecord:
    """A record of the log."""

    offset: int
    time_ms: int
    key: bytes | None
    headers: tuple[tuple[str, bytes], ...]
    value: bytes | None


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic as the log keeps it."""

    name: str
    partitions: int
    retention_ms: int | None = None
    """Records older than this may go; null: never by age."""
    retention_bytes: int | None = None
    """The oldest records of a partition larger than this may go; null: never by size."""
    keep_for: tuple[str, ...] = ()
    """Groups that must have committed a record before it may go."""


@dataclass(frozen=True, slots=True)
class Span:
    """What a partition holds: offsets from `first` up to, not including, `next`."""

    first: int
    next: int
    bytes: int


class Log:
    """An open log folder. Safe to use from several threads; processes open it on their own."""

    def __init__(
        self,
        folder: str | Path,
        *,
        synchronous: str = "FULL",
        max_bytes: int | None = None,
        clock_ms: Callable[[], int] = wall_ms,
    ) -> None:
        self.folder = Path(folder)
        self._clock_ms = clock_ms
        self._lock = threading.RLock()
        self._ids: dict[Place, int] = {}
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._turn = Turn(self.folder)
        except OSError as error:
            raise LogUnavailable(f"the log in {self.folder} cannot be opened: {error}") from error
        try:
            # Two connections: a connection does not see its own commits in `data_version`, and a writer that waits
            # for its turn must not hold up the reader.
            self._writer = connect(self.folder, self._turn, synchronous=synchronous, max_bytes=max_bytes)
            self._reader = connect(self.folder, self._turn, synchronous=synchronous, max_bytes=max_bytes)
        except sqlite3.Error as error:
            raise explain(error, self.folder) from error
        self._reader_lock = threading.RLock()
        self._seen_version = -1
        self._news_at = 0.0
        """When something was last found to be written, by the monotonic clock."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the folder; what was appended stays."""
        with self._lock, self._reader_lock:
            self._reader.close()
            self._writer.close()
            self._turn.close()

    def create_topic(self, topic: Topic) -> bool:
        """Make the topic, or bring its retention up to date; true if it was not there before."""
        with self.writing() as db:
            row = db.execute("SELECT id, partitions FROM topic WHERE name = ?", (topic.name,)).fetchone()
            if row is not None and row[1] != topic.partitions:
                raise TopicDiffers(f"{topic.name} has {row[1]} partitions, not {topic.partitions}")
            settings = (topic.retention_ms, topic.retention_bytes, json.dumps(sorted(topic.keep_for)))
            if row is not None:
                db.execute(
                    "UPDATE topic SET retention_ms = ?, retention_bytes = ?, keep_for = ? WHERE id = ?",
                    (*settings, row[0]),
                )
                return False
            number = db.execute(
                "INSERT INTO topic (name, partitions, retention_ms, retention_bytes, keep_for) VALUES (?, ?, ?, ?, ?)",
                (topic.name, topic.partitions, *settings),
            ).lastrowid
            db.executemany(
                "INSERT INTO partition (topic, number) VALUES (?, ?)", [(number, n) for n in range(topic.partitions)]
            )
            # Workers that wait for this topic take it over with a new generation.
            db.execute("UPDATE team SET generation = generation + 1")
            return True

    def topics(self) -> dict[str, Topic]:
        """All topics by name."""
        with self.reading() as db:
            rows = db.execute(
                "SELECT name, partitions, retention_ms, retention_bytes, keep_for FROM topic ORDER BY name"
            ).fetchall()
        return {
            name: Topic(name, partitions, age, size, tuple(json.loads(keep)))
            for name, partitions, age, size, keep in rows
        }

    def spans(self) -> dict[Place, Span]:
        """What every partition holds."""
        with self.reading() as db:
            rows = db.execute(
                "SELECT t.name, p.number, p.first, p.next, p.bytes FROM partition p JOIN topic t ON t.id = p.topic"
            ).fetchall()
        return {Place(name, number): Span(first, next_, size) for name, number, first, next_, size in rows}

    def append(self, records: Sequence[NewRecord]) -> list[int]:
        """Write all of the records or none; gives their offsets when they are on disk."""
        now = self._clock_ms()
        offsets: list[int] = []
        rows: list[tuple[int, int, bytes | None, bytes | None, bytes | None]] = []
        ids = [self.partition_id(Place(record.topic, record.partition)) for record in records]
        with self.writing() as db:
            ends: dict[int, int] = {}
            grown: dict[int, int] = {}
            for record, number in zip(records, ids, strict=True):
                offset = ends.get(number)
                if offset is None:
                    offset = int(db.execute("SELECT next FROM partition WHERE id = ?", (number,)).fetchone()[0])
                ends[number] = offset + 1
                size = len(record.value or b"") + len(record.key or b"")
                grown[number] = grown.get(number, 0) + size
                made = now if record.time_ms is None else record.time_ms
                rows.append((number << OFFSET_BITS | offset, made, record.key, _pack(record.headers), record.value))
                offsets.append(offset)
            db.executemany("INSERT INTO record (id, time, key, headers, value) VALUES (?, ?, ?, ?, ?)", rows)
            db.executemany(
                "UPDATE partition SET next = ?, bytes = bytes + ? WHERE id = ?",
                [(end, grown[number], number) for number, end in ends.items()],
            )
        return offsets

    def read(
        self, topic: str, partition: int, offset: int, *, max_records: int = 500, max_bytes: int = 1 << 20
    ) -> list[StoredRecord]:
        """Records from `offset` on, in order: at least one if there is one, within the bounds otherwise."""
        number = self.partition_id(Place(topic, partition))
        start = number << OFFSET_BITS | max(offset, 0)
        found: list[StoredRecord] = []
        size = 0
        with self.reading() as db:
            rows = db.execute(
                "SELECT id, time, key, headers, value FROM record WHERE id >= ? AND id <= ? ORDER BY id LIMIT ?",
                (start, number << OFFSET_BITS | OFFSET_MASK, max_records),
            )
            for identity, made, key, headers, value in rows:
                size += len(value or b"")
                if found and size > max_bytes:
                    break
                found.append(StoredRecord(identity & OFFSET_MASK, made, key, _unpack(headers), value))
            rows.close()
        return found

    def count_before(self, place: Place, offset: int, moment: int) -> int:
        """How many records from `offset` on came before a moment, in milliseconds since 1970."""
        number = self.partition_id(place)
        with self.reading() as db:
            row = db.execute(
                "SELECT count(*) FROM record WHERE id >= ? AND id <= ? AND time < ?",
                (number << OFFSET_BITS | max(offset, 0), number << OFFSET_BITS | OFFSET_MASK, moment),
            ).fetchone()
        return int(row[0])

    def changed(self) -> bool:
        """Whether anything was written, by this process or another, since the last time this was asked."""
        with self.reading() as db:
            version = int(db.execute("PRAGMA data_version").fetchone()[0])
        news = version != self._seen_version
        self._seen_version = version
        if news:
            self._news_at = time.monotonic()
        return news

    @property
    def pause(self) -> float:
        """How long a reader that waits leaves the log alone before it asks again: an eighth of how long it was quiet,
        within bounds."""
        return min(max(POLL_SECONDS, (time.monotonic() - self._news_at) / 8), QUIET_POLL_SECONDS)

    def wait(self, seconds: float) -> bool:
        """Wait until something was written, for so long at most; true if there is news."""
        deadline = time.monotonic() + seconds
        while not self.changed():
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            time.sleep(min(self.pause, left))
        return True

    def commit(self, group: str, offsets: Mapping[Place, int], *, member: str | None = None) -> None:
        """Keep the next offset to read of each partition; refused for a member that is no longer of the group."""
        rows = [(group, self.partition_id(place), offset) for place, offset in offsets.items()]
        with self.writing() as db:
            if member is not None:
                known = db.execute("SELECT 1 FROM member WHERE team = ? AND id = ?", (group, member)).fetchone()
                if known is None:
                    raise MemberExpelled(f"{member} is no longer a member of {group}")
            db.executemany("INSERT OR REPLACE INTO committed (team, partition, next) VALUES (?, ?, ?)", rows)

    def committed(self, group: str) -> dict[Place, int]:
        """The next offset to read of each partition that the group has committed."""
        with self.reading() as db:
            rows = db.execute(
                "SELECT t.name, p.number, c.next FROM committed c JOIN partition p ON p.id = c.partition"
                " JOIN topic t ON t.id = p.topic WHERE c.team = ?",
                (group,),
            ).fetchall()
        return {Place(name, number): next_ for name, number, next_ in rows}

    def lag(self, group: str, topics: Sequence[str] | None = None) -> dict[Place, int]:
        """How many records the group has not committed, by partition of these topics (of all, if none are named)."""
        done = self.committed(group)
        return {
            place: span.next - min(max(done.get(place, 0), span.first), span.next)
            for place, span in self.spans().items()
            if topics is None or place.topic in topics
        }

    def partition_id(self, place: Place) -> int:
        """The number under which the partition's records are kept."""
        number = self._ids.get(place)
        if number is None:
            with self.reading() as db:
                row = db.execute(
                    "SELECT p.id FROM partition p JOIN topic t ON t.id = p.topic WHERE t.name = ? AND p.number = ?",
                    place,
                ).fetchone()
            if row is None:
                raise UnknownTopic(f"there is no partition {place.partition} of topic {place.topic} in {self.folder}")
            number = self._ids[place] = int(row[0])
        return number

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """The connection for reading."""
        with self._reader_lock:
            try:
                yield self._reader
            except sqlite3.Error as error:
                raise explain(error, self.folder) from error

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A write transaction: on disk when the block ends, undone when it raises."""
        with self._lock, self._turn:
            try:
                self._writer.execute("BEGIN IMMEDIATE")
                try:
                    yield self._writer
                    self._writer.execute("COMMIT")
                except BaseException:
                    # A full disk may have rolled the transaction back already.
                    if self._writer.in_transaction:
                        self._writer.execute("ROLLBACK")
                    raise
            except sqlite3.Error as error:
                raise explain(error, self.folder) from error


def _pack(headers: Headers) -> bytes | None:
    if not headers:
        return None
    return json.dumps([[name, value.hex()] for name, value in headers]).encode()


def _unpack(packed: bytes | None) -> tuple[tuple[str, bytes], ...]:
    if packed is None:
        return ()
    return tuple((name, bytes.fromhex(value)) for name, value in json.loads(packed))
