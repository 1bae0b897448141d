"""`tablewatch alerts check`: who would be told of what, by the routing file."""

import time
from collections.abc import Callable
from dataclasses import asdict
from typing import Annotated

import orjson
import typer

from streams.alerting.preview import OTHER, PreviewRow, preview, quiet_hours
from tablewatch.commands.alerts_routes import chosen_routing, explained_routing
from tablewatch.commands.listing import listing


def check(as_json: Annotated[bool, typer.Option("--json", help="One JSON object a line.")] = False) -> None:
    """Examples:

    \b
      tablewatch alerts check
      tablewatch alerts check --json | jq 'select(.severity == "critical")'

    Reads the routing file and shows who would be told of what: every kind of alert that its rules tell apart, in each
    shift. A name in brackets is told after their quiet hours, which follow below. Every fault of the file is named;
    exit code 2 then.
    """
    with explained_routing():
        routing = chosen_routing()
    rows = preview(routing, time.time_ns() // 1_000_000)
    for row in rows:
        if as_json:
            typer.echo(orjson.dumps(asdict(row)).decode())
    if not as_json:
        typer.echo(_table(rows))
        for quiet in quiet_hours(routing):
            typer.echo(f"Quiet, but for what is critical: {quiet} ({routing.time_zone}).")


def _table(rows: list[PreviewRow]) -> str:
    """Columns in which the rows differ, aligned."""
    columns: list[tuple[str, Callable[[PreviewRow], str]]] = [
        ("severity", lambda row: row.severity),
        ("code", lambda row: row.code),
        ("pit", lambda row: row.pit),
        ("game", lambda row: row.game),
        ("table", lambda row: row.table),
        ("shift", lambda row: row.shift),
        ("told at once", lambda row: ", ".join(row.told)),
        ("nobody acknowledges", lambda row: "; ".join(row.then) or "-"),
    ]
    shown = [
        (head, value)
        for head, value in columns
        if head not in ("code", "pit", "game", "table") or {value(row) for row in rows} != {OTHER}
    ]
    return listing([head for head, _ in shown], [[value(row) for _, value in shown] for row in rows])
