"""`tablewatch simulate`: tables that play by the rules and err on demand, as events on standard output."""

import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, BinaryIO

import typer
from rich.console import Console
from rich.progress import MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from games.rulebook import GAMES
from simulator.devices import Delivery
from simulator.faults.catalogue import CODES
from simulator.floor import START, deliveries
from simulator.truth import Fault, TruthSink
from tablewatch.settings import readings

DEFAULT_SHARE = 0.01
"""The share of rounds with a fault when only its code is named."""

_BLOCK = 1 << 18


def simulate(
    tables: Annotated[int, typer.Option(min=1, help="How many tables; the games take turns.")] = 40,
    rounds: Annotated[int, typer.Option(min=1, help="How many rounds each table plays.")] = 100,
    seed: Annotated[int, typer.Option(help="The same seed gives the same bytes.")] = 7,
    faults: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            max=1.0,
            help=f"The share of rounds in which something goes wrong. Default: 0, or {DEFAULT_SHARE} with --fault.",
        ),
    ] = None,
    fault: Annotated[
        list[str] | None, typer.Option(metavar="CODE", help="Only faults with this finding code; may be repeated.")
    ] = None,
    truth: Annotated[Path | None, typer.Option(help="Where to write each fault and its consequences, a line each.")] = (
        None
    ),
    start: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="When it begins, e.g. 2026-03-02T12:00:00Z, which is the default."),
    ] = None,
    game: Annotated[
        list[str] | None, typer.Option(metavar="GAME", help="Only tables of this game; may be repeated.")
    ] = None,
    speed: Annotated[
        float | None,
        typer.Option(min=0.001, help="Real time, so many times as fast; begins now unless told otherwise."),
    ] = None,
) -> None:
    """Examples:

    \b
      tablewatch simulate --tables 40 --rounds 100 --seed 7 > events.jsonl
      tablewatch simulate --faults 0.01 --truth truth.jsonl > events.jsonl
      tablewatch simulate --fault payout-wrong --fault late-bet --game dragon_tiger --truth truth.jsonl > events.jsonl
      tablewatch simulate --speed 1 | tablewatch publish

    Simulates tables of all ten games that play by the rules in full, and err where asked to. Rules that can be read in
    two ways are read as it is set (TABLEWATCH_READING_…).

    One event a line, in the order of arrival. --faults draws evenly from all codes whose basis is a rule; the
    statistical ones (shuffle-repeat, card-frequency, hold-out-of-range, player-over-expectation) only when --fault
    names them, and they need many rounds to show.
    """
    codes = _known(fault, CODES, "fault code") if fault else None
    games = _known(game, tuple(GAMES), "game") if game else None
    share = faults if faults is not None else (DEFAULT_SHARE if codes else 0.0)
    begin = _moment(start) if start else (datetime.now(UTC) if speed else START)
    injected = 0
    with ExitStack() as stack:
        write = _truth_file(truth, stack)

        def sink(fault: Fault) -> None:
            nonlocal injected
            injected += 1
            write(fault)

        floor = deliveries(tables, rounds, seed, share, codes, games, begin, sink, readings())
        _write(_paced(floor, speed) if speed else floor, sys.stdout.buffer, prompt=speed is not None)
    if share and not injected:
        typer.echo("No fault was injected: play more rounds, or choose games in which it can happen.", err=True)


def _known(names: Sequence[str], words: Sequence[str], what: str) -> list[str]:
    """The names, each of which must be one of the words."""
    for name in names:
        if name not in words:
            near = get_close_matches(name, words, n=1)
            hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(words)}."
            raise typer.BadParameter(f"there is no {what} {name!r}; {hint}")
    return list(dict.fromkeys(names))


def _moment(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise typer.BadParameter(f"--start {text!r} is no time; write it as 2026-03-02T12:00:00Z.") from None
    if moment.tzinfo is None:
        raise typer.BadParameter(f"--start {text!r} has no time zone; write it as 2026-03-02T12:00:00Z.")
    return moment


def _truth_file(path: Path | None, stack: ExitStack) -> TruthSink:
    if path is None:
        return lambda fault: None
    try:
        file = stack.enter_context(path.open("wb"))
    except OSError as error:
        raise typer.BadParameter(f"--truth {path}: {error.strerror}; name a file that can be written.") from None

    def write(fault: Fault) -> None:
        file.write(fault.line() + b"\n")

    return write


def _paced(floor: Iterable[Delivery], speed: float) -> Iterator[Delivery]:
    """Each line at its time of arrival, by the clock on the wall."""
    began = time.monotonic()
    first: int | None = None
    for at, line in floor:
        first = at if first is None else first
        ahead = (at - first) / 1000 / speed - (time.monotonic() - began)
        if ahead > 0:
            time.sleep(ahead)
        yield at, line


def _write(floor: Iterable[Delivery], out: BinaryIO, prompt: bool) -> None:
    """All lines, in large blocks, or each at once when somebody waits for it."""
    with ExitStack() as stack:
        progress = None
        if sys.stderr.isatty():
            columns = (SpinnerColumn(), TextColumn("Simulating"), MofNCompleteColumn(), TextColumn("events"))
            progress = Progress(*columns, TimeElapsedColumn(), console=Console(stderr=True), transient=True)
            stack.enter_context(progress)
            task = progress.add_task("events", total=None)
        block: list[bytes] = []
        size = 0
        for _, line in floor:
            block.append(line)
            size += len(line) + 1
            if prompt or size >= _BLOCK:
                out.write(b"\n".join(block) + b"\n")
                if progress is not None:
                    progress.advance(task, len(block))
                if prompt:
                    out.flush()
                block, size = [], 0
        if block:
            out.write(b"\n".join(block) + b"\n")
        out.flush()
