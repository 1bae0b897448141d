"""`tablewatch replay show`: one round as a story, at once, step by step, or in the pace it happened."""

import sys
from collections.abc import Sequence
from typing import Annotated

import orjson
import typer

from replay.rounds import load_round
from replay.story import Story, story_json
from schemas.verdicts import Verdict
from store.read.rounds import read_verdict
from store.rows.verdicts import StoredVerdict
from tablewatch.commands.replay_paper import print_story, sheet, time_words
from tablewatch.commands.replay_store import FLAGGED, Round, named_round, note, stored
from tablewatch.commands.replay_walk import pace, walk
from tablewatch.commands.visible import visible


def show(
    round: Round,
    step: Annotated[bool, typer.Option("--step", help="Walk through it with the arrow keys.")] = False,
    speed: Annotated[
        float | None,
        typer.Option("--speed", min=0.001, help="Tell it in the pace it happened: 1 as it was, 10 ten times as fast."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The story as one JSON object.")] = False,
) -> None:
    """Examples:

    \b
      tablewatch replay show BT12/S4/17
      tablewatch replay show BT12/S4/17 --step
      tablewatch replay show BT12/S4/17 --speed 1
      tablewatch replay show BT12/S4/17 --json | jq '.moments[].words'

    One round as a story: bets, closing, the cards one by one into their hands with running totals and the Table of
    Play's reason for each, display, settlements due and made, rulings, and every finding at the moment it arose.

    Exit code 1 if event rows of the round are gone (where some are left, the others are shown from its records), or its
    verdict, 2 if there is no such round (the near ones are named), 3 if the store cannot be reached.
    """
    key = named_round(round)
    if (step or speed is not None) and as_json:
        raise typer.BadParameter("--json gives all of it at once; leave out --step and --speed.")
    if step and not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise typer.BadParameter("--step needs a terminal; leave it out, or take --json.")
    with stored() as store:
        found = load_round(store, key)
        note(store, "show", [key])
        story, verdicts = found.story(), [read_verdict(each) for each in found.revisions]
        if found.lacks is not None:
            typer.echo(found.lacks, err=True)
        if as_json:
            said = {**story_json(story), "revisions": [_revision(each) for each in found.revisions]}
            said["event_rows_gone"] = found.without_rows
            said["left_out"] = [each._asdict() for each in found.left_out]
            sys.stdout.buffer.write(orjson.dumps(said) + b"\n")
            sys.stdout.buffer.flush()
        elif step:
            walk(story)
        elif speed is not None:
            pace(sheet(), story, speed)
        else:
            _print(story, found.revisions, verdicts, found.leaves_out)
    if found.lacks is not None:
        raise typer.Exit(FLAGGED)


def _print(
    story: Story, revisions: Sequence[StoredVerdict], verdicts: Sequence[Verdict], leaves_out: str | None
) -> None:
    console = sheet()
    print_story(console, story)
    if leaves_out is not None:
        console.print()
        console.print(visible(leaves_out), style="yellow")
    if len(revisions) > 1:
        console.print()
        console.print("Revisions:", style="dim")
        for each, verdict in zip(revisions, verdicts, strict=True):
            codes = ", ".join(finding.code for finding in verdict.findings) or "no finding"
            at = time_words(each.judged * 1_000, seconds=True)
            console.print(f"  {each.revision}  {at} UTC  judge {each.judge}  {verdict.status}: {codes}", style="dim")


def _revision(each: StoredVerdict) -> dict[str, object]:
    return {
        "revision": each.revision,
        "digest": each.digest,
        "judge": each.judge,
        "judged": each.judged,
        "verdict": orjson.Fragment(each.json),
    }
