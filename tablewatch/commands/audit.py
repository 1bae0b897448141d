"""`tablewatch audit`: judge a file of events offline."""

import gc
import sys
from pathlib import Path
from typing import Annotated, BinaryIO

import typer

from tablewatch.auditing.filing import Filing
from tablewatch.auditing.judging import judge_filed
from tablewatch.auditing.spool import MEMORY, NoRoomError
from tablewatch.commands.lines import LONGEST, STANDARD_INPUT, LongLine, blocks_of_lines, opened
from tablewatch.commands.progress import reading, working
from tablewatch.commands.visible import visible
from tablewatch.settings import InvalidSetting, judge_settings, watch_settings

FLAGGED = 1
WRONG_USE = 2


def audit(
    files: Annotated[
        list[Path] | None, typer.Argument(help="Files of events, one a line; standard input if none, or for -.")
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

    Lines that break the contract are findings, too (--findings shows them); the rest is still judged. With --findings
    or --strict, the shoes that ended are watched for what only many rounds show, such as cards that come again as after
    a false shuffle; such findings have the basis "statistics" and change no verdict. A device's time that goes back by
    minutes in the files, and sequence numbers that it uses twice, which make many findings, are named on standard
    error.

    Files may be
    larger than memory: their lines are then sorted by table in a temporary file (in TMPDIR, as large as they are). The
    exit code is 0, with --strict 1 if anything was found, and 2 if a file cannot be read or there is no room for the
    temporary file.
    """
    if sys.stdin.isatty() and STANDARD_INPUT in (files or [STANDARD_INPUT]):
        typer.echo("Reading events from the terminal, one JSON object a line; Ctrl-D ends.", err=True)
    # Events and facts hold no cycles: looking for some among millions of them takes longer than judging does.
    gc.disable()
    try:
        settings, watch = judge_settings(), watch_settings()
        with Filing(MEMORY) as filing:
            file_all(filing, files or [])
            foreign = 0 if findings or any(True for _ in filing.spool) else filing.rejections.lines
            out = sys.stdout.buffer
            notes: list[str] = []
            with working("Judging") as tell:
                found = judge_filed(
                    filing, settings, out,
                    findings=findings, strict=strict, watch=watch, tell=tell, note=notes.append,
                )  # fmt: skip
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        # Of the output, which is no fault of what is read.
        raise
    except (InvalidSetting, NoRoomError) as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(WRONG_USE) from error
    except OSError as error:
        typer.echo(f"{error.filename or 'Standard input'} cannot be read: {error.strerror}.", err=True)
        raise typer.Exit(WRONG_USE) from error
    for note in notes:
        typer.echo(visible(note), err=True)
    if foreign:
        # Without a word, a file of something else would look like an evening without a round.
        typer.echo(f"No line of {foreign} is an event of the contract. --findings says why.", err=True)
    if strict and found:
        raise typer.Exit(FLAGGED)


def file_all(filing: Filing, files: list[Path]) -> None:
    """File the lines of these files, or of standard input."""
    with opened(files) as streams:
        for name, stream in streams:
            file_stream(filing, name, stream)


def file_stream(filing: Filing, name: str | None, stream: BinaryIO, longest: int = LONGEST) -> None:
    """File the lines of one stream, which has a name where there are others; those that are too long are refused
    unread."""
    filing.begin_file(name)
    refused: list[LongLine] = []
    with reading(stream, "Reading") as advance:
        for block, size in blocks_of_lines(stream, longest, refused):
            _file_block(filing, block, refused)
            advance(size)


def _file_block(filing: Filing, block: list[bytes | None], refused: list[LongLine]) -> None:
    """File the lines of one block, of which those that were refused are not there."""
    start = 0
    for long in refused:
        end = block.index(None, start)
        filing.take([line for line in block[start:end] if line is not None])
        filing.refuse(*long)
        start = end + 1
    refused.clear()
    filing.take([line for line in block[start:] if line is not None])
