"""Brings the store's schema up to date: numbered SQL files, each applied once, in order, and never edited afterwards.

The store keeps the number and the checksum of every migration that landed. A statement can be sent again after a
crash in the middle of a migration: all of them bear it.
"""

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal

from store.connect import Store
from store.errors import MigrationEdited, SchemaTooNew, SchemaTooOld
from store.render import SchemaSettings, statements
from store.retention import apply_retention, retention_years

State = Literal["landed", "pending", "edited", "unknown"]


@dataclass(frozen=True, slots=True)
class Migration:
    """One numbered file."""

    number: int
    name: str
    sql: str

    @property
    def checksum(self) -> str:
        """SHA-256 of the file as written, so that settings make no difference."""
        return hashlib.sha256(self.sql.encode()).hexdigest()

    def __str__(self) -> str:
        return f"{self.number:04d}_{self.name}"


@dataclass(frozen=True, slots=True)
class MigrationState:
    """How a migration stands in one store."""

    number: int
    name: str
    state: State
    """``edited``: landed with another content; ``unknown``: landed by a newer version."""
    landed: str
    """When, as ClickHouse prints it; empty while pending."""


@cache
def migrations() -> tuple[Migration, ...]:
    """All migrations that this version knows, in order."""
    found = []
    for file in files("store").joinpath("migrations").iterdir():
        if matched := re.fullmatch(r"(\d{4})_(\w+)\.sql", file.name):
            found.append(Migration(int(matched[1]), matched[2], file.read_text("utf-8")))
    found.sort(key=lambda migration: migration.number)
    if [migration.number for migration in found] != list(range(1, len(found) + 1)):
        raise ValueError("migrations are numbered from 1 without a hole")
    return tuple(found)


def status(store: Store) -> list[MigrationState]:
    """Every migration that this version or the store knows, and how it stands."""
    landed = {number: (name, checksum, when) for number, name, checksum, when in _landed(store)}
    known = {migration.number: migration for migration in migrations()}
    states: list[MigrationState] = []
    for number in sorted(known.keys() | landed.keys()):
        name, checksum, when = landed.get(number, ("", "", ""))
        if number not in known:
            states.append(MigrationState(number, name, "unknown", when))
        elif number not in landed:
            states.append(MigrationState(number, known[number].name, "pending", ""))
        else:
            state: State = "landed" if checksum == known[number].checksum else "edited"
            states.append(MigrationState(number, known[number].name, state, when))
    return states


def check(store: Store) -> None:
    """Passes when the store has exactly the schema of this version; otherwise raises what is to be done."""
    states = status(store)
    _refuse_strangers(states)
    pending = [state for state in states if state.state == "pending"]
    if pending:
        names = ", ".join(f"{state.number:04d}_{state.name}" for state in pending)
        raise SchemaTooOld(f"the store at {store.address} lacks {names}; run: tablewatch store migrate")


def plan(store: Store, settings: SchemaSettings, upto: int | None = None) -> list[tuple[Migration, list[str]]]:
    """The migrations that are still to come, with their statements as they would be sent."""
    states = status(store)
    _refuse_strangers(states)
    pending = {state.number for state in states if state.state == "pending"}
    return [
        (migration, statements(migration.sql, settings))
        for migration in migrations()
        if migration.number in pending and (upto is None or migration.number <= upto)
    ]


def migrate(
    store: Store,
    settings: SchemaSettings,
    *,
    upto: int | None = None,
    shorten: bool = False,
    told: Callable[[Migration], None] = lambda _migration: None,
    told_retention: Callable[[int], None] = lambda _before: None,
) -> list[Migration]:
    """Applies what is pending, up to a number if one is given, and the retention; gives back what was applied.
    ``told_retention`` hears how many years it was before, if it was changed."""
    _prepare(store, settings)
    before = retention_years(store)
    applied: list[Migration] = []
    for migration, wanted in plan(store, settings, upto):
        for statement in wanted:
            store.command(statement)
        store.insert(
            "migrations",
            {"number": [migration.number], "name": [migration.name], "checksum": [migration.checksum]},
        )
        applied.append(migration)
        told(migration)
    apply_retention(store, settings, by="migrate", shorten=shorten)
    if before is not None and before != settings.years:
        told_retention(before)
    return applied


def _prepare(store: Store, settings: SchemaSettings) -> None:
    """Makes the database and the table that remembers migrations. On a cluster every node has the same rows of it."""
    on_cluster = "" if settings.cluster is None else f"ON CLUSTER `{settings.cluster}`"
    store.beside_database().command(f"CREATE DATABASE IF NOT EXISTS `{store.address.database}` {on_cluster}")
    engine = (
        "ReplacingMergeTree"
        if settings.cluster is None
        else "ReplicatedReplacingMergeTree('/clickhouse/tables/all/{database}/{table}', '{replica}-{shard}')"
    )
    store.command(
        f"CREATE TABLE IF NOT EXISTS migrations {on_cluster} (number UInt32, name String, checksum String,"
        f" landed DateTime64(3, 'UTC') DEFAULT now64(3)) ENGINE = {engine} ORDER BY number"
    )


def _landed(store: Store) -> list[tuple[int, str, str, str]]:
    there = store.beside_database().query(
        "SELECT 1 FROM system.tables WHERE database = %(database)s AND name = 'migrations'",
        {"database": store.address.database},
    )
    if not there:
        return []
    rows = store.query("SELECT number, name, checksum, toString(landed) FROM migrations FINAL ORDER BY number")
    return [(number, name, checksum, landed) for number, name, checksum, landed in rows]


def _refuse_strangers(states: list[MigrationState]) -> None:
    for state in states:
        name = f"{state.number:04d}_{state.name}"
        if state.state == "unknown":
            raise SchemaTooNew(f"the store has migration {name}, which a newer version made: use that version")
        if state.state == "edited":
            raise MigrationEdited(
                f"migration {name} has landed with another content than its file has now: put the file back as it was, "
                f"and write what changes as a new migration"
            )
