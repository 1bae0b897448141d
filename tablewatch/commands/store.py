"""`tablewatch store`: the schema of the store, its backups, legal holds, and what is past its retention."""

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated

import orjson
import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from replay.rounds import RoundGone, near_words, not_there
from store import backup as backups
from store.connect import Patience, Store, connect
from store.errors import StoreError, StoreUnavailable
from store.holds import all_holds, apply_holds, lift_hold, place_hold
from store.migrate import Migration, check
from store.migrate import migrate as apply_migrations
from store.migrate import status as migration_states
from store.read.rounds import nearby, revisions
from store.render import SchemaSettings
from store.rows.proof import Hold
from store.rows.verdicts import RoundKey
from store.tombstones import bury
from store.write.expectations import fill_expectations
from tablewatch.commands.listing import AsJson, listing, moment
from tablewatch.commands.services import UNREACHABLE, WRONG_USE, quiet_drivers, store_away
from tablewatch.commands.store_address import store_url
from tablewatch.commands.store_retention import NotSealedYet, print_statements, write_down_what_goes
from tablewatch.settings import InvalidSetting, judge_settings, number_of, value_of

FLAGGED = 1

_HELP = """Examples:

\b
  tablewatch store migrate
  tablewatch store status
  tablewatch store backup /backups/monday

The schema of the store, its backups and legal holds.
"""

app = typer.Typer(no_args_is_help=True, help=_HELP)

Folder = Annotated[Path, typer.Argument(help="The folder of the backup.", show_default=False)]
By = Annotated[str, typer.Option(help="Who says so; kept with it.")]


@app.command()
def migrate(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the statements and send none.")] = False,
    upto: Annotated[int | None, typer.Option(min=1, help="Stop after this number.")] = None,
    shorten_retention: Annotated[
        bool, typer.Option("--shorten-retention", help="Allow a retention with fewer years than the store has now.")
    ] = False,
) -> None:
    """Examples:

    \b
      tablewatch store migrate
      tablewatch store migrate --dry-run
      TABLEWATCH_RETENTION_YEARS=10 tablewatch store migrate
      TABLEWATCH_RETENTION_YEARS=5 tablewatch store migrate --shorten-retention --dry-run
      TABLEWATCH_CLUSTER=casino tablewatch store migrate --dry-run

    Brings the store's schema up to date, its retention to the years that are set, and the exact odds of every wager to
    the readings that are set. It may be run again at any time. Fewer years than before delete at once what is older:
    it is written down first, and, in a store that is sealed, waited for until that is sealed, too.
    """
    with _explained():
        store, settings = _store(), _schema_settings()
        if dry_run:
            print_statements(store, settings, upto, shorten=shorten_retention)
            return

        def told(migration: Migration) -> None:
            typer.echo(f"{migration} has landed")

        if shorten_retention:
            write_down_what_goes(store, settings)
        changed: list[int] = []
        applied = apply_migrations(
            store, settings, upto=upto, shorten=shorten_retention, told=told, told_retention=changed.append
        )
        filled = 0 if upto else fill_expectations(store, judge_settings().readings)
        for before in changed:
            typer.echo(f"Everything is kept for {settings.years} years now; it was {before}.")
        if not applied and not changed:
            typer.echo("The odds of the wagers are brought up to date." if filled else "The store is up to date.")


@app.command()
def status(as_json: AsJson = False) -> None:
    """Examples:

    \b
      tablewatch store status
      tablewatch store status --json

    Lists every migration and whether it has landed. Exit code 1 if one is pending, was edited, or is not known here.
    """
    with _explained():
        states = migration_states(_store())
    for state in states:
        if as_json:
            typer.echo(orjson.dumps(asdict(state)))
        else:
            typer.echo(f"{state.number:04d}_{state.name}  {state.state}  {state.landed}".rstrip())
    if any(state.state != "landed" for state in states):
        raise typer.Exit(FLAGGED)


@app.command()
def backup(folder: Folder) -> None:
    """Examples:

    \b
      tablewatch store backup /backups/2026-11-15

    Writes the whole store into a new folder: files in ClickHouse's Native format, and a manifest with their digests.
    Workers may go on writing meanwhile.
    """
    with _explained(folder), _bar("Backing up") as told:
        manifest = backups.backup(_store(), folder, told)
    _tell(manifest, f"is in {folder}")


@app.command()
def restore(folder: Folder) -> None:
    """Examples:

    \b
      tablewatch store restore /backups/2026-11-15
      TABLEWATCH_CLICKHOUSE_URL=clickhouse://user:password@host:9000/drill tablewatch store restore /backups/2026-11-15

    Verifies every file of a backup and puts it into an empty store, which is then brought up to date. A damaged backup
    is refused, with the name of the file. What came after the backup is read again from the broker, as far back as that
    keeps it, after `tablewatch topics rewind`.
    """
    with _explained(folder), _bar("Restoring") as told:
        manifest = backups.restore(_store(), folder, _restored_settings(folder), told)
    _tell(manifest, f"came back from {folder}")


@app.command()
def verify(folder: Folder) -> None:
    """Examples:

    \b
      tablewatch store verify /backups/2026-11-15

    Reads every file of a backup and holds it against its digest.
    """
    with _explained(folder), _bar("Verifying") as told:
        manifest = backups.verify(folder, told)
    _tell(manifest, f"in {folder} is as it was written")


@app.command()
def hold(
    name: Annotated[str, typer.Argument(help="Name of the hold, e.g. the case number.", show_default=False)],
    places: Annotated[list[str], typer.Argument(help="TABLE/SHOE or TABLE/SHOE/ROUND.", show_default=False)],
    reason: Annotated[str, typer.Option(help="Why; kept with the hold.", show_default=False)],
    by: By,
) -> None:
    """Examples:

    \b
      tablewatch store hold "case 7" BT12/S004/31 --reason "complaint of a player" --by otto
      tablewatch store hold "case 8" BT12/S004 BT12/S005 --reason "inquiry" --by otto

    Keeps rounds beyond their retention until the hold is lifted. A round is held with its whole shoe. What
    comes later of a shoe is held, too. Where nothing of a round or shoe that is named is stored, no hold is placed and
    the exit code is 1: it may be mistyped, or was removed. A hold stays as it was placed: its name is not used for the
    same round again, also when it was lifted.
    """
    now = time.time_ns() // 1_000_000
    holds = [_hold(name, place, reason, by, now) for place in places]
    with _explained():
        store = _store()
        check(store)
        absent = list(_not_stored(store, holds))
        if absent:
            for words in absent:
                typer.echo(words, err=True)
            typer.echo(f"No hold was placed: {name} is not in force for {', '.join(places)}.", err=True)
            raise typer.Exit(FLAGGED)
        place_hold(store, holds, _schema_settings())
    typer.echo(f"{name} is in force for {', '.join(places)}.")


@app.command()
def lift(
    name: Annotated[str, typer.Argument(help="Name of the hold.", show_default=False)],
    by: By,
) -> None:
    """Examples:

    \b
      tablewatch store lift "case 7" --by otto

    Ends a legal hold: what no other hold covers may be deleted when its retention is over.
    """
    with _explained():
        store = _store()
        check(store)
        if not any(each.hold == name and each.lifted_by is None for each in all_holds(store)):
            typer.echo(f"No hold named {name!r} is in force.", err=True)
            raise typer.Exit(WRONG_USE)
        lift_hold(store, name, by, time.time_ns() // 1_000_000, _schema_settings())
    typer.echo(f"{name} is lifted.")


@app.command()
def holds(as_json: AsJson = False) -> None:
    """Examples:

    \b
      tablewatch store holds
      tablewatch store holds --json | jq 'select(.lifted == null)'

    Lists every legal hold that was ever placed.
    """
    with _explained():
        placed = all_holds(_store())
    if as_json:
        for each in placed:
            typer.echo(orjson.dumps(asdict(each)))
    elif placed:
        heads = ("hold", "on", "reason", "placed", "by", "lifted", "by")
        typer.echo(listing(heads, [_hold_row(each) for each in placed]))
    if not placed:
        typer.echo("No legal hold was ever placed.", err=True)


def _hold_row(hold: Hold) -> tuple[str, ...]:
    place = f"{hold.table}/{hold.shoe}" + ("" if hold.round is None else f"/{hold.round}")
    lifted = ("in force", "-") if hold.lifted is None else (moment(hold.lifted), hold.lifted_by or "-")
    return hold.hold, place, hold.reason, moment(hold.placed), hold.placed_by, *lifted


@app.command()
def sweep(by: By = "sweep") -> None:
    """Examples:

    \b
      tablewatch store sweep

    Marks what came in for rounds under a legal hold, and writes down what is past its retention. Run it daily: what
    ClickHouse deletes by time can then be told from tampering.
    """
    with _explained():
        store = _store()
        check(store)
        marked = apply_holds(store, _schema_settings())
        stones = bury(store, time.time_ns() // 1_000_000, by)
    kept, past = sum(marked.values()), sum(stone.rows for stone in stones)
    typer.echo(f"{kept} more rows kept for legal holds, {past} rows written down as past their retention.")


def _store() -> Store:
    return connect(store_url(), patience=Patience(total=3.0))


def _schema_settings() -> SchemaSettings:
    years, cluster = number_of("RETENTION_YEARS"), value_of("CLUSTER") or None
    name = "RETENTION_YEARS"
    try:
        kept = SchemaSettings(years=years)
        name = "CLUSTER"
        return replace(kept, cluster=cluster)
    except ValueError as error:
        raise InvalidSetting(f"TABLEWATCH_{name}: {error}.") from error


def _restored_settings(folder: Path) -> SchemaSettings:
    """A restore never keeps rows for fewer years than the store did that was backed up."""
    settings = _schema_settings()
    kept = backups.read_manifest(folder).retention_years
    return SchemaSettings(years=max(settings.years, kept), cluster=settings.cluster)


def _hold(name: str, place: str, reason: str, by: str, now: int) -> Hold:
    table, _, rest = place.partition("/")
    shoe, _, number = rest.partition("/")
    if not table or not shoe or (number and not number.isdigit()):
        raise typer.BadParameter(f"{place!r} should be TABLE/SHOE or TABLE/SHOE/ROUND.")
    return Hold(
        hold=name,
        table=table,
        shoe=shoe,
        round=int(number) if number else None,
        reason=reason,
        placed_by=by,
        placed=now,
    )


def _not_stored(store: Store, holds: Iterable[Hold]) -> Iterator[str]:
    """A sentence for each place of which nothing is there: a hold on it would keep nothing of what was meant."""
    for each in holds:
        key = RoundKey(each.table, each.shoe, each.round or 1)
        near = nearby(store, key)
        if each.round is None:
            if not near.rounds:
                yield f"Nothing of {each.table}/{each.shoe} is stored. {near_words(key, near)}"
        elif each.round not in near.rounds and not revisions(store, key):
            gone = not_there(store, key)
            if isinstance(gone, RoundGone):
                yield f"{gone}. To keep what is left of its shoe, hold {each.table}/{each.shoe}."
            else:
                yield f"Nothing of {key} is stored. {near_words(key, near)}"


def _tell(manifest: backups.Manifest, done: str) -> None:
    rows, size = sum(file.rows for file in manifest.files), sum(file.bytes for file in manifest.files)
    typer.echo(f"{rows} rows in {len(manifest.files)} files, {size} bytes: the backup {done}.")


@contextmanager
def _bar(what: str) -> Iterator[Callable[[backups.Progress], None]]:
    """A progress bar per table on stderr when a person is watching."""
    if not sys.stderr.isatty():
        yield lambda _progress: None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        tasks: dict[str, TaskID] = {}

        def told(progress: backups.Progress) -> None:
            if progress.table not in tasks:
                tasks[progress.table] = bar.add_task(f"{what} {progress.table}", total=progress.total)
            bar.update(tasks[progress.table], completed=progress.done, total=progress.total)

        yield told


@contextmanager
def _explained(folder: Path | None = None) -> Iterator[None]:
    """What is wrong, in one line and with an exit code. A full disk names no file: it is one of the folder then."""
    quiet_drivers()
    try:
        yield
    except BrokenPipeError:
        # Of the output, which is no fault of a file.
        raise
    except StoreUnavailable as error:
        typer.echo(store_away(error), err=True)
        raise typer.Exit(UNREACHABLE) from error
    except OSError as error:
        typer.echo(f"{error.filename or folder or 'A file'} cannot be used: {error.strerror or error}.", err=True)
        raise typer.Exit(WRONG_USE) from error
    except NotSealedYet as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(FLAGGED) from error
    except (StoreError, InvalidSetting) as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(WRONG_USE) from error
