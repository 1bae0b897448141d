"""Backup and restore over the wire, so that they work on any ClickHouse: Native files, and a manifest with digests.

What materialized views derive is left out and made anew. Records go first into a backup and come last out of it: a
record in the store is the mark that its events, verdicts and findings are there too, also while workers go on writing.
"""

import hashlib
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from store.connect import Store
from store.errors import BackupDamaged, MigrationEdited, SchemaTooNew, StoreNotEmpty
from store.migrate import check, migrate, migrations
from store.native_file import Column, NativeWriter, read_native
from store.render import SchemaSettings
from store.retention import retention_years

FORMAT = 1
MANIFEST = "manifest.json"

_FIRST = ("records", "verdicts")
_MADE = re.compile(r"CREATE TABLE IF NOT EXISTS (\w+)")
_ROWS_PER_FILE = 2_000_000
_ROWS_AT_ONCE = 65_536
_BYTES_AT_ONCE = 16_000_000


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a backup or a restore is."""

    table: str
    done: int
    """Rows."""
    total: int
    """Rows; a little less than the truth where workers go on writing."""


@dataclass(frozen=True, slots=True)
class BackupFile:
    """One file of a backup."""

    name: str
    table: str
    rows: int
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a backup holds."""

    format: int
    schema: int
    """Number of the last migration."""
    migrations: dict[str, str]
    """Checksum of each migration, by its name."""
    retention_years: int
    columns: dict[str, list[str]]
    """The columns of each table, in the order of its files."""
    files: tuple[BackupFile, ...]


Told = Callable[[Progress], None]


def backup(store: Store, folder: Path, told: Told = lambda _progress: None) -> Manifest:
    """Writes the whole store into an empty or new folder; the manifest comes last and makes it a backup."""
    check(store)
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()):
        raise StoreNotEmpty(f"{folder} is not empty: a backup needs a folder of its own")
    columns: dict[str, list[str]] = {}
    files: list[BackupFile] = []
    for table in _tables(store):
        expressions = _expressions(store, table)
        columns[table] = list(expressions)
        files += _dump(store, table, expressions, folder, told)
    manifest = Manifest(
        format=FORMAT,
        schema=migrations()[-1].number,
        migrations={str(migration): migration.checksum for migration in migrations()},
        retention_years=retention_years(store) or SchemaSettings().years,
        columns=columns,
        files=tuple(files),
    )
    unfinished = folder / f"{MANIFEST}.part"
    unfinished.write_text(_sealed(manifest), "utf-8")
    unfinished.rename(folder / MANIFEST)
    return manifest


def verify(folder: Path, told: Told = lambda _progress: None) -> Manifest:
    """Reads every file of a backup; raises BackupDamaged with the name of the first that is not as it was written."""
    manifest = read_manifest(folder)
    for number, file in enumerate(manifest.files):
        path = folder / file.name
        if not path.is_file():
            raise BackupDamaged(f"{path} is missing")
        size = path.stat().st_size
        if size != file.bytes:
            raise BackupDamaged(f"{path} has {size} bytes, not {file.bytes}")
        if _sha256(path) != file.sha256:
            raise BackupDamaged(f"{path} is not as it was written: its SHA-256 differs")
        told(Progress(file.table, number + 1, len(manifest.files)))
    return manifest


def restore(
    store: Store, folder: Path, settings: SchemaSettings | None = None, told: Told = lambda _progress: None
) -> Manifest:
    """Puts a backup into an empty store, and brings it up to date; nothing is touched before every file is verified."""
    manifest = verify(folder)
    _refuse_strange_schema(manifest)
    settings = settings or SchemaSettings(years=manifest.retention_years)
    migrate(store, settings, upto=manifest.schema)
    for table in manifest.columns:
        if table != "retentions" and store.query(f"SELECT 1 FROM `{table}` LIMIT 1"):
            raise StoreNotEmpty(f"{table} in the store at {store.address} has rows: restore into an empty database")
    done = dict.fromkeys(manifest.columns, 0)
    for file in reversed(manifest.files):
        total = sum(each.rows for each in manifest.files if each.table == file.table)
        for number, block in enumerate(read_native(folder / file.name)):
            named = dict(zip(manifest.columns[file.table], block, strict=True))
            store.insert(file.table, named, token=f"restore:{file.sha256}:{number}")
            done[file.table] += len(block[0])
            told(Progress(file.table, done[file.table], total))
    migrate(store, settings)
    return manifest


def _tables(store: Store) -> list[str]:
    """Every table of ours that holds what cannot be derived, those first that mark others as complete. A restore makes
    no others, and could not fill them."""
    rows = store.query("SELECT name, engine FROM system.tables WHERE database = currentDatabase() ORDER BY name")
    derived = {name.removesuffix("_feed") for name, engine in rows if engine == "MaterializedView"}
    distributed = [name for name, engine in rows if engine == "Distributed"]
    own = distributed or [name for name, engine in rows if engine.endswith("MergeTree")]
    ours = {name for migration in migrations() for name in _MADE.findall(migration.sql)}
    kept = [name for name in own if name in ours - derived]
    return sorted(kept, key=lambda name: (name not in _FIRST, name))


def _expressions(store: Store, table: str) -> dict[str, str]:
    """How to select each column of a table so that it can be inserted again: times as exact ticks."""
    rows = store.query(
        "SELECT name, type FROM system.columns WHERE database = currentDatabase() AND table = %(table)s"
        " AND default_kind NOT IN ('MATERIALIZED', 'ALIAS') ORDER BY position",
        {"table": table},
    )
    return {name: _exact(name, kind) for name, kind in rows}


def _exact(name: str, kind: str) -> str:
    if times := re.search(r"DateTime64\((\d)", kind):
        return f"toUnixTimestamp64{ {'3': 'Milli', '6': 'Micro'}[times[1]] }(`{name}`)"
    return f"`{name}`"


def _dump(store: Store, table: str, expressions: dict[str, str], folder: Path, told: Told) -> Iterator[BackupFile]:
    """Streams a table into files of a bounded number of rows."""
    select = ", ".join(f"{expression} AS `{name}_`" for name, expression in expressions.items())
    types = store.query(f"DESCRIBE (SELECT {select} FROM `{table}`)")
    columns: list[Column] = [(name, row[1]) for name, row in zip(expressions, types, strict=True)]
    total = int(store.query(f"SELECT count() FROM `{table}`")[0][0])
    done = rows = number = 0
    writer: NativeWriter | None = None
    path = folder / table
    at_once = _rows_at_once(store, table)
    for block in store.blocks(f"SELECT {select} FROM `{table}`", as_bytes=True, rows=at_once):
        if writer is None:
            number += 1
            path, rows = folder / f"{table}-{number:04d}.native.gz", 0
            writer = NativeWriter(path, columns)
        writer.write(block)
        rows += len(block[0])
        done += len(block[0])
        told(Progress(table, done, max(done, total)))
        if rows >= _ROWS_PER_FILE:
            writer.close()
            writer = None
            yield BackupFile(path.name, table, rows, path.stat().st_size, _sha256(path))
    if writer is not None:
        writer.close()
        yield BackupFile(path.name, table, rows, path.stat().st_size, _sha256(path))


def _rows_at_once(store: Store, table: str) -> int:
    """So many rows as fit into a bounded number of bytes: a record may be as long as a thousand events."""
    rows = store.query(f"SELECT count(), sum(byteSize(*)) FROM (SELECT * FROM `{table}` LIMIT 1000)")
    count, size = rows[0]
    return max(2, min(_ROWS_AT_ONCE, _BYTES_AT_ONCE * count // size)) if count else _ROWS_AT_ONCE


def _sealed(manifest: Manifest) -> str:
    """The manifest with a digest over itself."""
    body = asdict(manifest)
    return json.dumps(body | {"digest": _digest(body)}, indent=1, sort_keys=True) + "\n"


def _digest(body: dict[str, object]) -> str:
    return hashlib.sha256(json.dumps(body, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def read_manifest(folder: Path) -> Manifest:
    """What a backup says it holds; raises BackupDamaged when that was touched or never finished."""
    path = folder / MANIFEST
    try:
        body = json.loads(path.read_text("utf-8"))
        digest = body.pop("digest")
        if digest != _digest(body):
            raise BackupDamaged(f"{path} is not as it was written: its digest differs")
        if body["format"] != FORMAT:
            raise SchemaTooNew(f"{path} was written by a newer version (format {body['format']}): use that one")
        files = tuple(BackupFile(**file) for file in body.pop("files"))
        return Manifest(**body, files=files)
    except FileNotFoundError:
        raise BackupDamaged(f"{path} is missing: there is no finished backup in this folder") from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BackupDamaged(f"{path} cannot be read: {error}") from error


def _refuse_strange_schema(manifest: Manifest) -> None:
    known = {str(migration): migration.checksum for migration in migrations()}
    for name, checksum in manifest.migrations.items():
        if name not in known:
            raise SchemaTooNew(f"the backup has migration {name}, which a newer version made: use that version")
        if known[name] != checksum:
            raise MigrationEdited(f"migration {name} of the backup is not the one of this version")


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
