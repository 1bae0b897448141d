"""Another retention: what it would change; where fewer years are kept, what goes is written down and sealed first."""

import time
from collections.abc import Sequence
from typing import Final

import typer

from replay.chain.note import TREE
from replay.chain.verify import sealed_tombstones
from store.connect import Store
from store.errors import StoreError
from store.holds import apply_holds
from store.migrate import Migration, check, plan
from store.read.checkpoints import signed_size
from store.render import SchemaSettings
from store.retention import retention_statements, retention_years, rows_past
from store.tombstones import bury, tombstones

SEALED_SECONDS: Final = 60.0
"""So long a sealing that is at work is waited for; it seals every ten seconds unless it is told otherwise."""
_GLANCE_SECONDS: Final = 1.0


class NotSealedYet(StoreError):
    """What would go is written down, and nobody could yet prove that it went by rule."""


def print_statements(store: Store, settings: SchemaSettings, upto: int | None, *, shorten: bool) -> None:
    """All that `store migrate` would send, of the retention too, and what that would delete."""
    planned = plan(store, settings, upto)
    is_empty = _is_empty(planned)
    before = None if is_empty else retention_years(store)
    retention = {} if is_empty else retention_statements(store, settings, shorten=shorten)
    if not planned and not retention:
        typer.echo("-- Every migration has landed already.")
    for migration, wanted in planned:
        typer.echo(f"-- {migration}")
        for statement in wanted:
            typer.echo(f"{statement};\n")
    if before is not None and before != settings.years:
        typer.echo(f"-- Everything would be kept for {settings.years} years; it is {before}.")
    if before is not None and settings.years < before:
        gone = rows_past(store, settings.years)
        listed = ", ".join(f"{table} {rows:,}" for table, rows in gone.items())
        typer.echo(
            f"-- Written down, and then deleted, would be rows of: {listed}." if gone else "-- No row is that old."
        )
    for statement in retention.values():
        typer.echo(f"{statement};")


def write_down_what_goes(store: Store, settings: SchemaSettings) -> None:
    """Before fewer years are put in force: what is past them is deleted at once then. Where the store is sealed, a
    check believes what is written down only when it is sealed, too."""
    if _is_empty(plan(store, settings)):
        return
    check(store)
    before = retention_years(store)
    if before is None or settings.years >= before:
        return
    # What came in for a round under a legal hold since the last sweep stays.
    apply_holds(store, settings)
    stones = bury(store, _now(), "migrate", settings.years)
    if stones:
        rows = sum(stone.rows for stone in stones)
        typer.echo(f"{rows:,} rows are past {settings.years} years, and were written down.")
    if stones and signed_size(store, TREE):
        typer.echo(f"Waiting until that is sealed, for {SEALED_SECONDS:.0f} seconds at most …")
    until = time.monotonic() + SEALED_SECONDS
    while (left := _unsealed(store, settings.years)) and signed_size(store, TREE):
        if time.monotonic() >= until:
            raise NotSealedYet(
                f"Nothing was deleted, and everything is still kept for {before} years: {left:,} notes of what would go"
                " are not sealed yet, and `replay verify --chain` would take it for tampering. Run `tablewatch chain"
                " checkpoint`, or begin `tablewatch chain run` again, and then this once more."
            )
        time.sleep(_GLANCE_SECONDS)


def _is_empty(planned: Sequence[tuple[Migration, list[str]]]) -> bool:
    return bool(planned) and planned[0][0].number == 1


def _unsealed(store: Store, years: int) -> int:
    sealed = set(sealed_tombstones(store))
    return sum(stone.years == years and stone not in sealed for stone in tombstones(store))


def _now() -> int:
    return time.time_ns() // 1_000_000
