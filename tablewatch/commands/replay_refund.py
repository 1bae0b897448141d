"""`tablewatch replay refund`: what has to go back to whom if rounds are void, as a sheet to print and sign."""

import sys
from collections.abc import Sequence
from typing import Annotated, Any

import orjson
import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from games.rulebook import WAGERS
from replay.refund import GROUNDS, Refund, RefundLine, refund, refund_json
from replay.rounds import RoundNotFound, not_there
from replay.unplaced import unplaced_money
from replay.void_ruling import ruled_ground
from schemas.money import amount_words, signed_words
from schemas.verdicts import Verdict
from store.connect import Store
from store.read.rounds import RoundFilter, currencies, currencies_of, opened_at, read_verdict, verdict, verdicts
from store.rows.verdicts import RoundKey
from tablewatch.commands import replay_filters as filters
from tablewatch.commands.replay_paper import by_number, sheet
from tablewatch.commands.replay_store import named_round, note, stored
from tablewatch.commands.visible import visible


def refund_rounds(
    rounds: Annotated[
        list[str] | None, typer.Argument(metavar="TABLE/SHOE/ROUND…", help="The rounds that are void.")
    ] = None,
    from_round: Annotated[
        str | None,
        typer.Option("--from-round", metavar="TABLE/SHOE/ROUND", help="This round and all later ones of its table."),
    ] = None,
    table: filters.Tables = None,
    from_time: filters.FromTime = None,
    to_time: filters.ToTime = None,
    ground: Annotated[
        str | None,
        typer.Option(
            "--ground",
            help=f"Why they are void: {', '.join(GROUNDS)}. By default what their void ruling says, else decision.",
            show_default=False,
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The refund as one JSON object, in minor units.")] = False,
) -> None:
    """Examples:

    \b
      tablewatch replay refund BT12/S4/17
      tablewatch replay refund BT12/S4/17 BT12/S4/18 --ground foreign-card
      tablewatch replay refund --from-round BT12/S4/17 --to-time 2026-01-31T23:00Z
      tablewatch replay refund --table BT12 --from-time 2026-01-31T20:00Z --json

    What has to go back to whom if this round, or all rounds from a fault's first moment on, are void: money per bet and
    player, with the clauses of each rule document. Rounds that are not judged yet are not in it.

    Printed, it is a sheet to sign. Exit code 2 if a round is not there or nothing is meant.
    """
    if ground is not None and ground not in GROUNDS:
        raise typer.BadParameter(f"--ground: there is no ground {ground!r}; there are {', '.join(GROUNDS)}.")
    keys = [named_round(name) for name in rounds or ()]
    first = None if from_round is None else named_round(from_round)
    ranged = from_time is not None or to_time is not None or bool(table)
    if keys and (first is not None or ranged):
        raise typer.BadParameter("Name the rounds, or say from when on; not both.")
    if first is not None and (table or from_time is not None):
        raise typer.BadParameter("--from-round says table and time; leave out --table and --from-time.")
    if not keys and first is None and from_time is None:
        raise typer.BadParameter("Which rounds? Name them, or say --from-round, or --from-time (and --table).")
    with stored() as store:
        if keys:
            found = [_verdict(store, key) for key in dict.fromkeys(keys)]
        else:
            wanted = filters.filter_of(table, from_time=from_time, to_time=to_time)
            if first is not None:
                start = opened_at(store, first)
                if start is None:
                    raise not_there(store, first, "judged round")
                wanted = RoundFilter(tables=(first.table,), start=start, end=wanted.end)
            found = [read_verdict(each) for each in verdicts(store, wanted)]
            if not found:
                raise RoundNotFound("No judged round was opened in that time.")
        result = refund(
            found, ground or ruled_ground(store, found), _currency(store, found), unplaced_money(store, found)
        )
        note(store, "refund", result.rounds, ground=result.ground)
        if as_json:
            sys.stdout.buffer.write(orjson.dumps(refund_json(result)) + b"\n")
            sys.stdout.buffer.flush()
        else:
            print_refund(sheet(), result)


def _verdict(store: Store, key: Any) -> Verdict:
    found = verdict(store, key)
    if found is None:
        raise not_there(store, key, "judged round")
    return read_verdict(found)


def _currency(store: Store, found: Sequence[Verdict]) -> str | None:
    """The one currency of these rounds; amounts of several cannot be summed up on one sheet."""
    named = currencies(store, sorted({each.table for each in found}))
    if len(named) > 1:
        # A table may have been set up in another one since.
        keys = [RoundKey(each.table, each.shoe, each.round) for each in found]
        named = set(currencies_of(store, keys).values())
    if len(named) > 1:
        raise typer.BadParameter(f"These rounds were played in {', '.join(sorted(named))}: draw a sheet for each.")
    return next(iter(named), None)


def print_refund(console: Console, found: Refund) -> None:
    """The sheet."""
    count, currency = len(found.rounds), found.currency
    listed = str(found.rounds[0]) if count == 1 else f"{count} rounds, {found.rounds[0]} to {found.rounds[-1]}"
    console.print(Text.assemble(("Refund sheet", "bold"), f"  {listed}"))
    console.print(f"If void: {GROUNDS[found.ground]}." + (f" Amounts in {currency}." if currency else ""))
    for basis in found.bases:
        cited = "" if basis.clause is None else f" {basis.clause}"
        rounds = "1 round" if basis.rounds == 1 else f"{basis.rounds} rounds"
        console.print(
            Text(f"{rounds} by {basis.document}{cited} (in force from {basis.in_force}): {basis.words}.", "dim")
        )
    if found.already_void:
        console.print(Text(f"Already void: {', '.join(map(str, found.already_void))}.", "yellow"))
    if found.unknown:
        console.print(Text(f"Game not known: {', '.join(map(str, found.unknown))}.", "yellow"))
    if found.without_events:
        console.print(
            Text(
                f"The events of {', '.join(map(str, found.without_events))} are gone: money that moved on a bet without"
                " a placing on record cannot be told.",
                "yellow",
            )
        )
    console.print()
    if not found.lines:
        console.print("No money moved and no stake lies on the layout: nothing has to go back.")
        return
    console.print(_players_table(found))
    console.print()
    for key in found.rounds:
        lines = sorted((line for line in found.lines if line.key == key), key=lambda line: by_number(line.bet))
        if lines:
            console.print(Text(visible(str(key)), "bold"))
            console.print(_bets_table(lines, found.currency))
            console.print()
    house = found.to_players - found.from_players
    console.print(
        Text(
            f"The house returns {amount_words(found.to_players, currency)}, players return"
            f" {amount_words(found.from_players, currency)}: {amount_words(abs(house), currency)} net"
            f" {'to players' if house >= 0 else 'to the house'}.",
            "bold",
        )
    )
    console.print("\nPrepared by ________________   Approved by ________________   Date ____________")


def _players_table(found: Refund) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 1), header_style="dim")
    for name in ("Player", "Rounds", "Bets", "To player", "From player", "Net", "On layout"):
        table.add_column(name, justify="left" if name == "Player" else "right", no_wrap=name != "Player")
    for each in found.players:
        table.add_row(
            visible(each.who), str(each.rounds), str(each.bets), amount_words(each.to_player, found.currency),
            amount_words(each.from_player, found.currency), Text(signed_words(each.net, found.currency), "bold"),
            amount_words(each.on_layout, found.currency) if each.on_layout else "",
        )  # fmt: skip
    return table


def _bets_table(lines: Sequence[RefundLine], currency: str | None) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 1), header_style="dim")
    table.add_column("Bet", min_width=4)
    table.add_column("Player", min_width=14)
    table.add_column("Wager", min_width=12)
    for name in ("Stake", "To player", "From player", "On layout"):
        table.add_column(name, justify="right", no_wrap=True, min_width=9)
    for line in lines:
        place = "" if line.position is None else f" @{line.position}"
        wager = "no placing on record" if line.wager is None else WAGERS[line.wager]
        stake = "unknown" if line.wager is None else amount_words(line.stake, currency)
        moves = (line.to_player, line.from_player, line.on_layout)
        table.add_row(
            visible(line.bet), visible(f"{line.player or 'unknown'}{place}"), wager,
            stake, *(amount_words(each, currency) if each else "" for each in moves),
        )  # fmt: skip
    return table
