"""`tablewatch publish`: a file of events to their topics, packed, until the broker has acknowledged all."""

import select
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import asdict
from io import UnsupportedOperation
from pathlib import Path
from typing import Annotated, BinaryIO

import orjson
import typer

from schemas.decoding import MAX_EVENT_BYTES
from streams.broker_url import BrokerUnavailable, InvalidBrokerUrl, RightsMissing, TopicsMissing
from streams.outlets import FIRST_ANSWER_SECONDS
from streams.packing import MAX_BYTES, MAX_EVENTS
from streams.publish import publish as send
from tablewatch.commands.lines import LONGEST, blocks_of_lines
from tablewatch.commands.progress import reading
from tablewatch.commands.services import UNREACHABLE, WRONG_USE, broker_at, broker_away
from tablewatch.settings import InvalidSetting

LINGER_SECONDS = 0.005
"""So long events from a pipe wait for company in their record."""
SILENT_SECONDS = 2.0
"""After so long without an answer of the broker, it is said that it is waited for."""


def publish(
    file: Annotated[Path | None, typer.Argument(help="Events, one a line; standard input if none is named.")] = None,
    broker: Annotated[
        str | None,
        typer.Option(envvar="TABLEWATCH_BROKER", help="kafka://host:port, or tablelog:///folder; default: embedded."),
    ] = None,
    data: Annotated[Path, typer.Option(envvar="TABLEWATCH_DATA", help="The folder of all embedded parts.")] = Path(
        "data"
    ),
    pack: Annotated[int, typer.Option(min=1, help="Events of one partition in one record, at most.")] = MAX_EVENTS,
    pack_bytes: Annotated[int, typer.Option(min=1, help="Bytes of one record, at most.")] = MAX_BYTES,
    patience: Annotated[
        float, typer.Option(min=1, help="Seconds that the broker may be away; for its first answer 30 at most.")
    ] = 120.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print the counts as one JSON object.")] = False,
) -> None:
    """Examples:

    \b
      tablewatch publish events.jsonl
      tablewatch simulate --tables 40 --rounds 100 | tablewatch publish --json
      tablewatch publish --broker kafka://broker:9092 < events.jsonl

    Sends a file of events to their topics, packed; ends when the broker has acknowledged all.

    Lines that are no events are sent, too (to table.floor), and come out as rejected. Exit code 2 if a line was longer
    than a record may be and could not be sent, or where there is no such file or no such topic, 3 if the broker cannot
    be reached.
    """
    overlong = 0
    waiting = threading.Timer(SILENT_SECONDS, _say_waiting, (patience,))
    waiting.daemon = True

    def lines(stream: BinaryIO, advance: Callable[[int], None]) -> Iterator[bytes | None]:
        """They are asked for when the broker has answered."""
        nonlocal overlong
        waiting.cancel()
        for block, size in blocks_of_lines(stream):
            for line in block:
                if line is None:
                    overlong += 1
                else:
                    yield line
            if not _more_at_hand(stream):
                yield None
            advance(size)

    try:
        target = broker_at(broker, data)
        waiting.start()
        with (
            file.open("rb") if file else sys.stdin.buffer as stream,
            reading(stream, "Publishing") as advance,
        ):
            counts = send(
                lines(stream, advance), target, max_events=pack, max_bytes=pack_bytes, patience_seconds=patience
            )
    except (InvalidBrokerUrl, InvalidSetting, TopicsMissing, RightsMissing) as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(WRONG_USE) from error
    except OSError as error:
        typer.echo(f"{error.filename or 'Standard input'} cannot be read: {error.strerror}.", err=True)
        raise typer.Exit(WRONG_USE) from error
    except BrokerUnavailable as error:
        typer.echo(broker_away(error), err=True)
        raise typer.Exit(UNREACHABLE) from error
    finally:
        waiting.cancel()
    counts.refused += overlong
    counts.lines += overlong
    if as_json:
        typer.echo(orjson.dumps(asdict(counts)).decode())
    else:
        events, records = _counted(counts.events, "event"), _counted(counts.records, "record")
        typer.echo(f"{events} in {records} are on {target}.", err=True)
        if counts.unreadable:
            typer.echo(
                f"Sent, and sure to be rejected: {counts.unreadable}, which lack what an event has, or are larger than "
                f"{MAX_EVENT_BYTES} bytes.",
                err=True,
            )
    if counts.refused:
        typer.echo(f"Not sent: {_counted(counts.refused, 'line')} longer than {LONGEST >> 20} MiB.", err=True)
        raise typer.Exit(WRONG_USE)


def _counted(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"


def _say_waiting(patience: float) -> None:
    seconds = min(patience, FIRST_ANSWER_SECONDS)
    typer.echo(f"Waiting for the broker's first answer, {seconds:g} seconds at most …", err=True)


def _more_at_hand(stream: BinaryIO) -> bool:
    """Whether a pipe has more to read, or will within a few milliseconds; a file always has, until its end."""
    try:
        return bool(select.select([stream.fileno()], [], [], LINGER_SECONDS)[0])
    except (OSError, UnsupportedOperation):
        return True
