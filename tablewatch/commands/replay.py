"""`tablewatch replay`: what was stored, as it was judged."""

import sys
from typing import Annotated

import orjson
import typer

from store.connect import connect
from store.read.rounds import RoundFilter, verdicts
from tablewatch.commands.services import explained
from tablewatch.commands.store_address import store_url

replay = typer.Typer(no_args_is_help=True, help="What was stored, as it was judged.")


@replay.callback()
def _group() -> None:
    """Keeps `list` a command of its own."""


@replay.command("list")
def list_rounds(
    table: Annotated[list[str] | None, typer.Option(help="Only rounds of this table; may be repeated.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One verdict a line, as `audit` prints them.")] = False,
) -> None:
    """Examples:

    \b
      tablewatch replay list
      tablewatch replay list --json | jq .digest

    The last verdict of each stored round, in the order of table, shoe and round; rounds still open are absent.
    """
    out = sys.stdout.buffer
    with explained():
        for verdict in verdicts(connect(store_url()), RoundFilter(tables=tuple(table or ()))):
            if as_json:
                out.write(verdict.json + b"\n")
            else:
                said = orjson.loads(verdict.json)
                codes = " ".join(finding["code"] for finding in said["findings"])
                out.write(f"{verdict.key} r{verdict.revision} {said['status']} {codes}".rstrip().encode() + b"\n")
    out.flush()
