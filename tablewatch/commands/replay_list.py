"""`tablewatch replay list` and `last`: stored rounds that meet a filter, as lines for people or for machines."""

import sys
from collections.abc import Iterable
from itertools import islice
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from replay.rounds import RoundNotFound, near_words
from schemas.findings import SEVERITY, STATISTICAL
from schemas.money import amount_words, signed_words
from store.connect import Store
from store.read.rounds import RoundFilter, last_summaries, nearby, summaries, verdict, verdicts
from store.rows.verdicts import RoundKey, RoundSummary, StoredVerdict
from tablewatch.commands import replay_filters as filters
from tablewatch.commands.replay_paper import SEVERITY_STYLE, STATUS_STYLE, sheet, time_words
from tablewatch.commands.replay_store import note, stored
from tablewatch.commands.visible import visible

OF_NO_ROUND = STATISTICAL | {
    "device-gap", "device-clock", "device-silent", "event-rejected", "decks-not-allowed", "shoe-short",
}  # fmt: skip
"""Findings that belong to no round's verdict, so that no round is found by them."""
SHOWN = 200
"""So many rounds are printed for people unless they ask for more."""

AsJson = Annotated[bool, typer.Option("--json", help="One verdict a line, as `audit` prints them.")]


@filters.filtered
def list_rounds(
    wanted: RoundFilter,
    limit: Annotated[
        int | None, typer.Option(min=0, help=f"So many rounds at most; 0: all. Without --json {SHOWN} unless told.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Examples:

    \b
      tablewatch replay list --table BT12 --status flagged
      tablewatch replay list --from-time 2026-01-31T20:00+08:00 --code payout-wrong
      tablewatch replay list --player P100200 --wager banker --limit 20
      tablewatch replay list --json | jq .digest

    The last verdict of each stored round, in the order of table, shoe and round; rounds still open are absent.

    A filter that cannot be meant is refused with exit code 2. Times without a zone are UTC.
    """
    with stored() as store:
        note(store, "list", limit=limit, **filters.asked_for(wanted))
        if as_json:
            write_verdicts(islice(verdicts(store, wanted), limit or None))
            return
        most = SHOWN if limit is None else limit
        found = list(islice(summaries(store, wanted), most + 1 if most else None))
        print_rounds(found[:most] if most else found)
        if most and len(found) > most:
            typer.echo(f"There are more; --limit {most * 5} shows more of them, --limit 0 all.")
        if not found:
            typer.echo(visible(nothing_meant(store, wanted)))


def nothing_meant(store: Store, wanted: RoundFilter) -> str:
    """What is said where no round meets the filter; a table or shoe that is not there is named, with those that are."""
    if wanted == RoundFilter():
        return "No round is stored yet."
    absent = []
    for table in wanted.tables:
        near = nearby(store, RoundKey(table, wanted.shoe or "", 1))
        if not near.rounds and (wanted.shoe is not None or not near.shoes):
            absent.append(near_words(RoundKey(table, wanted.shoe or "", 1), near))
    if wanted.code in OF_NO_ROUND:
        absent.append(
            f"A finding {wanted.code} is of a device, a shoe or many rounds: `tablewatch alerts list` has it."
        )
    return " ".join(["No stored round is meant by this.", *absent])


def last(
    table: Annotated[str, typer.Argument(help="The table, e.g. BT12.")],
    count: Annotated[int, typer.Argument(min=1, help="How many rounds.")] = 10,
    as_json: AsJson = False,
) -> None:
    """Examples:

    \b
      tablewatch replay last BT12
      tablewatch replay last BT12 25
      tablewatch replay last BT12 10 --json

    The last rounds of a table that were judged, the latest first.
    """
    with stored() as store:
        note(store, "last", asked_table=table, count=count)
        found = last_summaries(store, table, count)
        if as_json:
            read = (verdict(store, each.key) for each in found)
            write_verdicts(each for each in read if each is not None)
            return
        print_rounds(found)
        if not found:
            key = RoundKey(table, "", 1)
            raise RoundNotFound(f"No judged round of table {table} is stored. {near_words(key, nearby(store, key))}")


def write_verdicts(found: Iterable[StoredVerdict]) -> None:
    """One verdict a line, byte for byte as it is stored."""
    out = sys.stdout.buffer
    for each in found:
        out.write(each.json + b"\n")
    out.flush()


def print_rounds(found: Iterable[RoundSummary]) -> None:
    """Rounds as a table for people."""
    rounds = list(found)
    if not rounds:
        return
    console = sheet()
    wide = console.width >= 110
    table = Table(box=None, pad_edge=False, padding=(0, 1), header_style="dim")
    table.add_column("Round", no_wrap=True)
    table.add_column("Opened (UTC)", no_wrap=True, style="dim")
    if wide:
        table.add_column("Game", no_wrap=True)
    table.add_column("Outcome", no_wrap=wide)
    if wide:
        table.add_column("Handle", justify="right", no_wrap=True)
        table.add_column("House", justify="right", no_wrap=True)
    table.add_column("Status", no_wrap=True)
    table.add_column("Findings", min_width=22, overflow="fold")
    for each in rounds:
        opened = time_words(each.opened, seconds=True)
        row: list[str | Text] = [visible(str(each.key)), opened if wide else opened[5:]]
        if wide:
            row.append(each.game or "–")
        row.append(_outcome(each))
        if wide:
            row += [amount_words(each.handle, each.currency), signed_words(each.win, each.currency)]
        row += [Text(each.status, STATUS_STYLE[each.status]), _codes(each)]
        table.add_row(*row)
    console.print(table)


def _outcome(each: RoundSummary) -> str:
    shown = each.displayed_winner
    differs = f" (shown {shown})" if shown is not None and shown != each.winner else ""
    return f"{each.winner or '–'}{differs}"


def _codes(each: RoundSummary) -> Text:
    counted: dict[str, int] = {}
    for code in each.codes:
        counted[code] = counted.get(code, 0) + 1
    return Text(", ").join(
        Text(code if count == 1 else f"{code} ×{count}", SEVERITY_STYLE[SEVERITY[code]])
        for code, count in counted.items()
    )
