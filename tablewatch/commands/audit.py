"""`tablewatch audit`: judge a file of events offline."""

import gc
import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from hashlib import sha256
from pathlib import Path
from typing import Annotated, BinaryIO

import typer

from audit.beside_rounds import findings_beside_rounds, without_repeats
from audit.intake import Intake
from audit.table import assemble, judge_table
from schemas.decoding import Decoded, Rejected, decode_lines
from schemas.findings import Finding, finding_json
from schemas.verdicts import verdict_json
from tablewatch.commands.lines import LONGEST, blocks_of_lines
from tablewatch.commands.progress import reading
from tablewatch.settings import InvalidSetting, judge_settings

FLAGGED = 1
WRONG_USE = 2


def audit(
    files: Annotated[
        list[Path] | None, typer.Argument(help="Files of events, one a line; standard input if none.")
    ] = None,
    findings: Annotated[
        bool, typer.Option("--findings", help="One finding a line, those of devices and shoes included.")
    ] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 if anything was found.")] = False,
) -> None:
    """Examples:

    \b
      tablewatch audit < events.jsonl > verdicts.jsonl
      tablewatch audit --findings monday.jsonl tuesday.jsonl
      tablewatch audit --strict events.jsonl > /dev/null && echo clean

    Judges a file of events offline: one verdict a round, of all facts of the files, in the order of table, shoe and
    round.

    Lines that break the contract are findings, too (--findings shows them); the rest is still judged. The exit code is
    0, with --strict 1 if anything was found, and 2 if a file cannot be read.
    """
    if not files and sys.stdin.isatty():
        typer.echo("Reading events from the terminal, one JSON object a line; Ctrl-D ends.", err=True)
    # Events and facts hold no cycles: looking for some among millions of them takes longer than judging does.
    gc.disable()
    try:
        settings = judge_settings()
        intake = _take_in(files or [])
        found = False
        out = sys.stdout.buffer
        beside = intake.rejections()
        for table, (events, places) in intake.tables().items():
            facts = assemble(table, events, places)
            beside.extend(findings_beside_rounds(facts, settings))
            for verdict in judge_table(facts, settings):
                found = found or bool(verdict.findings)
                if findings:
                    _write(out, verdict.findings)
                else:
                    out.write(verdict_json(verdict) + b"\n")
        beside = without_repeats(beside)
        if findings:
            _write(out, beside)
        out.flush()
    except BrokenPipeError:
        # Whoever reads has had enough. Python would complain once more when it flushes at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return
    except InvalidSetting as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(WRONG_USE) from error
    except OSError as error:
        typer.echo(f"{error.filename or 'Standard input'} cannot be read: {error.strerror}.", err=True)
        raise typer.Exit(WRONG_USE) from error
    if strict and (found or beside):
        raise typer.Exit(FLAGGED)


def _write(out: BinaryIO, findings: list[Finding] | tuple[Finding, ...]) -> None:
    out.writelines(finding_json(finding) + b"\n" for finding in findings)


def _take_in(files: list[Path]) -> Intake:
    intake = Intake()
    with ExitStack() as stack:
        streams: list[BinaryIO] = [stack.enter_context(path.open("rb")) for path in files]
        if not files:
            streams.append(sys.stdin.buffer)
        for stream in streams:
            first = 1
            for lines in _lines(stream, intake, first):
                decoded = decode_lines(lines)
                _take(intake, decoded, lines, first)
                first += len(lines)
    return intake


def _take(intake: Intake, decoded: Decoded, lines: list[bytes], first: int) -> None:
    places = decoded.places
    intake.take(decoded, lambda index: lines[places[index]].strip(), first)


def _lines(stream: BinaryIO, intake: Intake, first: int) -> Iterator[list[bytes]]:
    """The lines of a stream, block by block. One that is too long is refused unread, and stands as an empty line."""
    with reading(stream, "Auditing") as advance:
        for block, size in blocks_of_lines(stream):
            lines: list[bytes] = []
            for line in block:
                if line is None:
                    place = first + len(lines)
                    _refuse_length(intake, place)
                lines.append(line or b"")
            advance(size)
            if lines:
                yield lines
                first += len(lines)


def _refuse_length(intake: Intake, line: int) -> None:
    reason = f"the line is longer than {LONGEST >> 20} MiB"
    name = sha256(f"line {line}".encode()).digest()
    rejected = Rejected(
        raw=name, place=0, reason=reason, source=None, subject=None, sequence=None, id=None, type=None, time=None
    )
    intake.take(Decoded([], [], [rejected]), lambda _: b"", line)
