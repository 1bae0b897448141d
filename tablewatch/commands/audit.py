"""`tablewatch audit`: judge a file of events offline."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, BinaryIO

import typer

from audit.beside_rounds import findings_beside_rounds, without_repeats
from audit.intake import Intake
from audit.settings import JudgeSettings
from audit.table import assemble, judge_table
from schemas.decoding import decode_lines
from schemas.findings import finding_json
from schemas.verdicts import verdict_json

EXAMPLES = """
[bold]Examples[/bold]

  tablewatch audit < events.jsonl > verdicts.jsonl

  tablewatch audit --findings events.jsonl | jq .message

  tablewatch audit --strict < events.jsonl > /dev/null && echo clean
"""

_BATCH = 1 << 22


def _batches(stream: BinaryIO) -> Iterator[list[bytes]]:
    while lines := stream.readlines(_BATCH):
        yield lines


def audit(
    files: Annotated[
        list[Path] | None, typer.Argument(help="Files of events, one a line; standard input if none.")
    ] = None,
    findings: Annotated[
        bool, typer.Option("--findings", help="One finding a line, those of devices and shoes too.")
    ] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 if anything was found.")] = False,
) -> None:
    """Judge a file of events: one verdict a round, in the order of table, shoe and round."""
    intake = Intake()
    for stream in [sys.stdin.buffer] if not files else (path.open("rb") for path in files):
        line = 1
        for lines in _batches(stream):
            decoded = decode_lines(lines)
            places = decoded.places
            intake.take(decoded, lambda index, lines=lines, places=places: lines[places[index]], line)
            line += len(lines)
    out = sys.stdout.buffer
    settings = JudgeSettings()
    found = False
    beside = intake.rejections()
    for table, (events, places) in intake.tables().items():
        facts = assemble(table, events, places)
        beside.extend(findings_beside_rounds(facts, settings))
        for verdict in judge_table(facts, settings):
            found = found or bool(verdict.findings)
            if findings:
                out.writelines(finding_json(finding) + b"\n" for finding in verdict.findings)
            else:
                out.write(verdict_json(verdict) + b"\n")
    beside = without_repeats(beside)
    if findings:
        out.writelines(finding_json(finding) + b"\n" for finding in beside)
    out.flush()
    if strict and (found or beside):
        raise typer.Exit(1)
