"""`tablewatch replay reaudit`: stored rounds held against the rulebook inside the engine, in bulk."""

import sys
import time
from typing import Annotated, Any

import orjson
import typer
from rich.console import Console

from replay.reaudit.reaudit import Reaudited, reaudit
from store.read.rounds import RoundFilter
from tablewatch.commands import replay_filters as filters
from tablewatch.commands.replay_store import FLAGGED, note, stored
from tablewatch.commands.visible import visible
from tablewatch.settings import judge_settings


@filters.filtered
def reaudit_rounds(
    wanted: RoundFilter,
    outcomes: Annotated[
        bool, typer.Option("--outcomes", help="Outcomes alone, without the settlement of bets.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="The result as one JSON object.")] = False,
) -> None:
    """Examples:

    \b
      tablewatch replay reaudit
      tablewatch replay reaudit --table BT12 --from-time 2026-01-31
      TABLEWATCH_READING_SMALL_TIGER=layout tablewatch replay reaudit --game dragon_tiger_baccarat

    Recomputes outcome, totals, naturals, pairs and the settlement of every bet inside the engine, by SQL that is read
    out of the rulebook, and holds them against what is stored: millions of rounds a second. The judge is asked about
    what differs. On a cluster every shard does its own part.

    Exit code 1 if a round differs, 2 for a wrong filter, 3 if the store cannot be reached.
    """
    with stored() as store:
        note(store, "reaudit", **filters.asked_for(wanted))
        began = time.perf_counter()
        with Console(stderr=True).status("Re-auditing …") as bar:
            result = reaudit(
                store,
                wanted,
                readings=judge_settings().readings,
                settlement=not outcomes,
                told=lambda title: bar.update(f"Re-auditing {title}"),
            )
        took = time.perf_counter() - began
        if as_json:
            sys.stdout.buffer.write(orjson.dumps(reaudit_json(result)) + b"\n")
            sys.stdout.buffer.flush()
        else:
            _print(result, took)
    if result.differing:
        raise typer.Exit(FLAGGED)


def reaudit_json(result: Reaudited) -> dict[str, Any]:
    """The result as JSON."""
    return {
        "rounds": result.rows,
        "bets": result.bets,
        "games": result.games,
        "in_doubt": result.in_doubt,
        "unknown": result.unknown,
        "differing": result.differing,
        "differences": [
            {
                "round": str(each.key),
                "revision": each.revision,
                "parts": list(each.parts),
                "explanation": each.explanation,
                "judge_agrees": each.judge_agrees,
            }
            for each in result.listed
        ],
    }


def _print(result: Reaudited, took: float) -> None:
    for each in result.listed:
        words = each.explanation or "the judge was not asked: there are too many"
        typer.echo(visible(f"{each.key} r{each.revision} differs in {', '.join(each.parts)}: {words}"))
    if result.differing > len(result.listed):
        typer.echo(f"… and {result.differing - len(result.listed):,} more.")
    if not result.rows and not result.unknown:
        typer.echo("No stored round is meant by this: nothing was recomputed.")
        return
    typer.echo(
        f"{result.rows:,} rounds and {result.bets:,} bets of {len(result.games)} games in {took:.1f} s:"
        f" {result.differing:,} differ{'s' * (result.differing == 1)};"
        f" of {result.in_doubt:,} it is not clear what was dealt,"
        f" of {result.unknown:,} not even the game is known."
    )
