"""Group membership on the embedded log: who reads which partitions, and how they move when a worker comes or dies.

A group has a generation, a number that grows with every change of its members. A member that sees a new one finishes
what it has in hand, commits, and says that it has let go (`let_go`); when all have, the partitions of the new
generation are theirs. Each member holds a lock on a file of its own and writes its last beat there: the lock tells at
once that a process has died, the beat that one hangs. Beats are no transactions, so a full disk expels nobody.
"""

import fcntl
import json
import os
import struct
import time
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from streams.embedded.log import Log, Place

_BEAT = struct.Struct("<q")


@dataclass(frozen=True, slots=True)
class Seat:
    """One member of the group."""

    id: str
    synced: int
    """The newest generation for which it has let go of what it had before."""
    topics: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class View:
    """The group as one moment shows it."""

    generation: int
    seats: tuple[Seat, ...]
    """In the order of joining."""

    @property
    def settled(self) -> bool:
        """Whether every member has let go, so that the partitions of this generation may be taken."""
        return all(seat.synced == self.generation for seat in self.seats)

    def has(self, member: str) -> bool:
        return any(seat.id == member for seat in self.seats)


def assign(view: View, partitions: Mapping[str, int], member: str) -> set[Place]:
    """The partitions of the member: by number, so that partition 3 of all topics is read by the same one."""
    mine: set[Place] = set()
    for topic, count in partitions.items():
        readers = [seat.id for seat in view.seats if topic in seat.topics]
        mine.update(Place(topic, n) for n in range(count) if readers and readers[n % len(readers)] == member)
    return mine


class Membership:
    """One worker's place in a group; a new object for every joining."""

    def __init__(self, log: Log, group: str, topics: Sequence[str]) -> None:
        self.topics = tuple(topics)
        self.id = f"{os.getpid()}-{uuid.uuid4().hex[:12]}"
        self.group = group
        self._log = log
        self._folder = log.folder / "members"
        self._folder.mkdir(exist_ok=True)
        self._path = self._folder / self.id
        self._file = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX)
            self.beat()
            with log.writing() as db:
                db.execute(
                    "INSERT INTO team (name, generation) VALUES (?, 1)"
                    " ON CONFLICT (name) DO UPDATE SET generation = generation + 1",
                    (group,),
                )
                db.execute(
                    "INSERT INTO member (team, id, synced, topics) VALUES (?, ?, 0, ?)",
                    (group, self.id, json.dumps(sorted(topics))),
                )
        except BaseException:
            self._put_down()
            raise

    def beat(self) -> None:
        """Say that this worker is alive; to be called several times within the session timeout."""
        os.pwrite(self._file, _BEAT.pack(time.monotonic_ns()), 0)

    def let_go(self, generation: int) -> None:
        """Say that nothing of an earlier generation is in this worker's hands any more."""
        with self._log.writing() as db:
            db.execute("UPDATE member SET synced = ? WHERE id = ? AND synced < ?", (generation, self.id, generation))

    def leave(self) -> None:
        """Give the partitions up at once."""
        try:
            remove(self._log, self.group, [self.id])
        finally:
            self._put_down()

    def _put_down(self) -> None:
        self._path.unlink(missing_ok=True)
        os.close(self._file)

    def dead(self, view: View, session_seconds: float) -> list[str]:
        """Members whose process has ended, or that have not beaten within the session timeout."""
        return [
            seat.id for seat in view.seats if seat.id != self.id and not _alive(self._folder / seat.id, session_seconds)
        ]


def look(log: Log, group: str) -> View:
    """The group now."""
    with log.reading() as db:
        db.execute("BEGIN")
        try:
            row = db.execute("SELECT generation FROM team WHERE name = ?", (group,)).fetchone()
            seats = db.execute(
                "SELECT id, synced, topics FROM member WHERE team = ? ORDER BY seat", (group,)
            ).fetchall()
        finally:
            db.execute("COMMIT")
    return View(
        0 if row is None else row[0],
        tuple(Seat(identity, synced, tuple(json.loads(topics))) for identity, synced, topics in seats),
    )


def count_alive(log: Log, view: View, session_seconds: float) -> int:
    """How many of its members are at work."""
    return sum(_alive(log.folder / "members" / seat.id, session_seconds) for seat in view.seats)


def remove(log: Log, group: str, members: Sequence[str]) -> None:
    """Take members out of the group, whose partitions then move to the others."""
    with log.writing() as db:
        gone = sum(
            db.execute("DELETE FROM member WHERE team = ? AND id = ?", (group, member)).rowcount for member in members
        )
        if gone:
            db.execute("UPDATE team SET generation = generation + 1 WHERE name = ?", (group,))
    for member in members:
        (log.folder / "members" / member).unlink(missing_ok=True)


def _alive(path: Path, session_seconds: float) -> bool:
    try:
        file = os.open(path, os.O_RDWR)
    except FileNotFoundError:
        return False
    try:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            # Monotonic time is one clock for all processes of a machine, and no one can set it. A beat read while it
            # is being written is whole: eight bytes at the start of a page.
            beat = os.pread(file, _BEAT.size, 0)
            return len(beat) == _BEAT.size and time.monotonic_ns() - _BEAT.unpack(beat)[0] < session_seconds * 1e9
        return False
    finally:
        os.close(file)
