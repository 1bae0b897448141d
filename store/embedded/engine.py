"""The engine: chdb on one data folder, and sessions on it that run in parallel, one to a connection."""

from __future__ import annotations

import errno
import itertools
from collections.abc import Callable, Generator, Iterator, Mapping, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from xml.sax.saxutils import escape

import chdb

from store.embedded import deduplication, faults
from store.embedded.blocks import Column
from store.embedded.faults import FolderUnusable, ServerError
from store.embedded.folder import unusable
from store.embedded.insertion import Insertion
from store.embedded.packets import Progress, Setting
from store.embedded.statements import Insert, Statement, assignments, quote, quote_name

CONFIGURATION: Final = """<clickhouse>
    <backups>
        <allowed_path>{backups}</allowed_path>
    </backups>
    <merge_tree>
        <fsync_after_insert>1</fsync_after_insert>
        <fsync_part_directory>1</fsync_part_directory>
        <min_rows_to_fsync_after_merge>1</min_rows_to_fsync_after_merge>
        <min_compressed_bytes_to_fsync_after_merge>1</min_compressed_bytes_to_fsync_after_merge>
        <min_parts_to_merge_at_once>10</min_parts_to_merge_at_once>
        <merge_selector_enable_heuristic_to_remove_small_parts_at_right>0</merge_selector_enable_heuristic_to_remove_small_parts_at_right>
    </merge_tree>
</clickhouse>
"""
"""An insert that was acknowledged, and a merge whose sources are gone, have reached the disk. A small floor writes a
few rows a second: the engine would put each insert, by itself, into the one part of the month, which takes half of a
processor at 120,000 rows; so ten parts are merged, all of them. BACKUP ... TO File() writes below the data folder and
nowhere else."""
_SESSION_SETTINGS: Final = {"async_insert": "0", "implicit_select": "0", "allow_introspection_functions": "0"}
"""Asynchronous inserts, on by default in 26.9, would be acknowledged into a buffer, and batches of several clients
mixed. The other two are a local tool's defaults, put back to a server's."""
_TAG_SETTING: Final = "send_logs_source_regexp"
"""A query cannot be given its id, so that it is found again, to be killed, by a setting that has no effect here."""
_PLAIN_TYPES: Final = "SETTINGS print_pretty_type_names = 0"
_NOT_STREAMABLE: Final = "Streaming query is not supported"
_STREAMED: Final = frozenset({"SELECT", "WITH", "(", "FROM"})


def configuration(folder: Path) -> str:
    """The engine's configuration file for a data folder."""
    return CONFIGURATION.format(backups=escape(str(folder / "backups")))


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a result: blocks in Native format, and what was read for it."""

    native: bytes
    rows: int
    read: Progress


class Engine:
    """chdb, opened on a folder that this process has locked."""

    def __init__(self, folder: Path, database: str) -> None:
        self._path = str(folder / "clickhouse")
        try:
            settings = folder / "engine.xml"
            settings.write_text(configuration(folder))
            deduplication.mend(folder / "clickhouse")
        except OSError as error:
            raise unusable(folder, error) from None
        try:
            self._root = chdb.connect(f"{self._path}?config-file={settings}")
            self._root.query(f"CREATE DATABASE IF NOT EXISTS {quote_name(database)}")
        except RuntimeError as error:
            reason = ServerError.from_engine(error)
            if reason.code == faults.NOT_ENOUGH_SPACE or "No space left on device" in reason.message:
                raise unusable(folder, OSError(errno.ENOSPC, reason.message)) from None
            raise FolderUnusable(f"The engine cannot open {folder}: {reason.message}") from None
        self.database = database
        version, self.time_zone = self._rows("SELECT version(), timezone()")[0]
        major, minor, patch = (int(part) for part in version.split(".")[:3])
        self.version = (major, minor, patch)
        self.setting_types = dict(self._rows("SELECT name, type FROM system.settings"))
        self._tags = itertools.count(1)

    def _rows(self, sql: str) -> list[list[str]]:
        return _tsv(self._root.query(sql, "TSV").bytes())

    def session(self, database: str) -> Session:
        """A session of its own, in that database."""
        return Session(self, self._path, f"connection-{next(self._tags)}", database or self.database)

    def kill(self, tag: str) -> None:
        """Ends what the session of that tag is running, without waiting for it."""
        self._root.query(f"KILL QUERY WHERE Settings[{quote(_TAG_SETTING)}] = {quote(tag)} ASYNC")

    def close(self) -> None:
        self._root.close()


class Session:
    """One client's view: its current database, its SETs, one statement at a time. Used by one thread."""

    def __init__(self, engine: Engine, path: str, tag: str, database: str) -> None:
        self.tag = tag
        self._engine = engine
        self._path = path
        self._applied: Mapping[str, str | None] = {}
        """The settings of the last query; None: it is not known whether the value was taken."""
        self._said: dict[str, str] = {}
        self.parameters: dict[str, str] = {}
        """What stands for ``{name:Type}`` in the statement in hand, as the engine reads it: with backslashes."""
        self._handle = self._open(database)

    def _open(self, database: str) -> Any:
        handle = chdb.connect(self._path)
        try:
            handle.query(_set({**_SESSION_SETTINGS, _TAG_SETTING: quote(self.tag)}))
            handle.query(f"USE {quote_name(database)}")
        except RuntimeError as error:
            handle.close()
            raise ServerError.from_engine(error) from None
        return handle

    def close(self) -> None:
        self._handle.close()

    def apply(self, settings: tuple[Setting, ...]) -> None:
        """Puts the settings of one query in force, over the session's own SETs and in place of the last query's."""
        wanted: dict[str, str] = {}
        for setting in settings:
            if setting.name == _TAG_SETTING:
                continue
            if setting.name in self._engine.setting_types:
                wanted[setting.name] = setting.value
            elif setting.important:
                raise ServerError(
                    faults.UNKNOWN_SETTING,
                    f"DB::Exception: Unknown setting '{setting.name}'. (UNKNOWN_SETTING)",
                )
        if wanted == self._applied:
            return
        gone = self._applied.keys() - wanted.keys()
        if gone:
            self._forget(gone)
        changes = {name: quote(value) for name, value in wanted.items() if self._applied.get(name) != value}
        if changes:
            # Where one value is refused, those before it have been taken and those behind it have not.
            self._applied = dict.fromkeys(wanted)
            self._run(_set(changes))
        self._applied = wanted

    def _forget(self, names: Set[str]) -> None:
        """Takes back settings of the last query: what the session's own SETs said of them is in force again. The others
        stay, as every SET takes the engine as long as a small question."""
        own = {**_SESSION_SETTINGS, **self._said}
        back = {name: own.get(name, "DEFAULT") for name in names}
        self._applied = {name: value for name, value in self._applied.items() if name not in names}
        try:
            self._handle.query(_set(back))
        except RuntimeError:
            # A query that was read-only leaves a session that can take nothing back.
            self._applied = {}
            database = self._run("SELECT currentDatabase()", "TSVRaw").bytes().decode().strip()
            self._handle.close()
            self._handle = self._open(database)
            if self._said:
                self._run(_set(self._said))

    def _run(self, sql: str, form: str = "Native") -> Any:
        try:
            return self._handle.query(sql, form, params=self.parameters or None)
        except RuntimeError as error:
            raise ServerError.from_engine(error) from None

    def run(self, statement: Statement, on_progress: Callable[[Progress], None]) -> Generator[Chunk, None, None]:
        """Runs a statement and gives its result in pieces; those of a SELECT are made as they are asked for."""
        if statement.keyword == "SET":
            if self._applied:
                self._forget(self._applied.keys())
            self._run(statement.text)
            self._said |= assignments(statement.text)
            return
        self._handle.set_progress_callback(lambda report: on_progress(_progress(report)))
        try:
            if statement.keyword in _STREAMED:
                yield from self._streamed(statement.text)
            else:
                yield from self._whole(statement.text)
        finally:
            self._handle.set_progress_callback(None)

    def _streamed(self, sql: str) -> Iterator[Chunk]:
        try:
            stream = self._handle.send_query(sql, "Native", params=self.parameters or None)
            try:
                while (piece := stream.fetch()) is not None:
                    yield _chunk(piece)
            finally:
                stream.close()
        except RuntimeError as error:
            if _NOT_STREAMABLE not in str(error):
                raise ServerError.from_engine(error) from None
            yield from self._whole(sql)

    def _whole(self, sql: str) -> Iterator[Chunk]:
        result = self._run(sql)
        yield _chunk(result)

    def header(self, statement: Statement) -> list[Column]:
        """Names and types of a result that has no rows, which Native leaves out."""
        if statement.keyword in _STREAMED:
            described = _tsv(self._run(f"DESCRIBE TABLE ({statement.text}\n) {_PLAIN_TYPES}", "TSV").bytes())
            return [Column(row[0], row[1]) for row in described]
        rows = _tsv(self._run(statement.text, "TSVWithNamesAndTypes").bytes())
        return [Column(name, kind) for name, kind in zip(rows[0], rows[1], strict=True)] if len(rows) >= 2 else []

    def columns(self, insert: Insert) -> list[Column]:
        """The columns that an INSERT expects, in its order."""
        described = _tsv(self._run(f"DESCRIBE TABLE {insert.target} {_PLAIN_TYPES}", "TSV").bytes())
        if insert.columns is None:
            return [Column(row[0], row[1]) for row in described if row[2] in ("", "DEFAULT")]
        types = {row[0]: row[1] for row in described}
        missing = [name for name in insert.columns if name not in types]
        if missing:
            raise ServerError(
                faults.NO_SUCH_COLUMN_IN_TABLE,
                f"DB::Exception: No such column {missing[0]} in table {insert.target}. (NO_SUCH_COLUMN_IN_TABLE)",
            )
        return [Column(name, types[name]) for name in insert.columns]

    def has_table(self, database: str, table: str) -> bool:
        found = self._run(f"EXISTS TABLE {quote_name(database)}.{quote_name(table)}", "TSV")
        return bool(found.bytes().strip() == b"1")

    def insert(self, insert: Insert) -> Insertion:
        """Begins an INSERT that is fed with Native blocks."""
        return Insertion(insert, self._run)


def _set(settings: Mapping[str, str]) -> str:
    """A SET with values as they are to be written."""
    return "SET " + ", ".join(f"{name} = {value}" for name, value in settings.items())


def _progress(report: dict[str, int]) -> Progress:
    return Progress(
        report["read_rows"],
        report["read_bytes"],
        report["total_rows_to_read"],
        report["written_rows"],
        report["written_bytes"],
    )


def _chunk(result: Any) -> Chunk:
    read = Progress(
        result.storage_rows_read(),
        result.storage_bytes_read(),
        0,
        result.rows_written(),
        result.bytes_written(),
    )
    return Chunk(result.bytes(), result.rows_read(), read)


def _tsv(raw: bytes) -> list[list[str]]:
    return [
        [
            cell.replace("\\\\", "\0").replace("\\n", "\n").replace("\\t", "\t").replace("\\'", "'").replace("\0", "\\")
            for cell in line.split("\t")
        ]
        for line in raw.decode().split("\n")
        if line
    ]
