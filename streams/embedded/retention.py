"""Retention of the embedded log: the oldest records go by age and size, but not before those they are kept for."""

import json
from dataclasses import dataclass

from streams.embedded.layout import OFFSET_BITS, OFFSET_MASK
from streams.embedded.log import Log, Place, wall_ms

BATCH = 500
"""Records removed per transaction, so that appends get their turn in between."""


@dataclass(frozen=True, slots=True)
class Removed:
    """What retention took out of a partition."""

    place: Place
    records: int
    bytes: int


@dataclass(frozen=True, slots=True)
class _Policy:
    number: int
    place: Place
    age_ms: int | None
    size: int | None
    keep_for: tuple[str, ...]


def retain(log: Log, *, now_ms: int | None = None, even_unread: bool = False) -> list[Removed]:
    """Remove what each topic's retention lets go; `even_unread` also what its groups have not committed yet."""
    now = wall_ms() if now_ms is None else now_ms
    removed = [_retain(log, policy, now, even_unread) for policy in _policies(log)]
    return [one for one in removed if one.records]


def _policies(log: Log) -> list[_Policy]:
    with log.reading() as db:
        rows = db.execute(
            "SELECT p.id, t.name, p.number, t.retention_ms, t.retention_bytes, t.keep_for"
            " FROM partition p JOIN topic t ON t.id = p.topic"
            " WHERE t.retention_ms IS NOT NULL OR t.retention_bytes IS NOT NULL"
        ).fetchall()
    return [
        _Policy(number, Place(name, part), age, size, tuple(json.loads(keep)))
        for number, name, part, age, size, keep in rows
    ]


def _retain(log: Log, policy: _Policy, now: int, even_unread: bool) -> Removed:
    records = size = 0
    while True:
        gone, freed = _remove_batch(log, policy, now, even_unread)
        records += gone
        size += freed
        if gone < BATCH:
            return Removed(policy.place, records, size)


def _remove_batch(log: Log, policy: _Policy, now: int, even_unread: bool) -> tuple[int, int]:
    base = policy.number << OFFSET_BITS
    with log.writing() as db:
        first, next_, held = db.execute(
            "SELECT first, next, bytes FROM partition WHERE id = ?", (policy.number,)
        ).fetchone()
        limit = next_
        if not even_unread:
            for group in policy.keep_for:
                row = db.execute(
                    "SELECT next FROM committed WHERE team = ? AND partition = ?", (group, policy.number)
                ).fetchone()
                limit = min(limit, 0 if row is None else row[0])
        oldest = db.execute(
            "SELECT id, time, length(ifnull(value, '')) + length(ifnull(key, '')) FROM record"
            " WHERE id >= ? AND id < ? ORDER BY id LIMIT ?",
            (base | first, base | max(limit, first), BATCH),
        ).fetchall()
        freed = gone = 0
        for identity, made, size in oldest:
            expired = policy.age_ms is not None and made < now - policy.age_ms
            too_large = policy.size is not None and held - freed > policy.size
            if not expired and not too_large:
                break
            gone += 1
            freed += size
            first = (identity & OFFSET_MASK) + 1
        if gone:
            db.execute("DELETE FROM record WHERE id >= ? AND id < ?", (base, base | first))
            db.execute("UPDATE partition SET first = ?, bytes = bytes - ? WHERE id = ?", (first, freed, policy.number))
    return gone, freed
