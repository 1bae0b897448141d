"""``tablewatch settle``: rounds as JSON lines in, their exact settlement out."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, BinaryIO

import typer

from games.rulebook import GAMES, Game
from tablewatch.commands import progress
from tablewatch.commands.game_argument import Reading, chosen_rulebook
from tablewatch.commands.lines import LONGEST, STANDARD_INPUT, blocks_of_lines, opened
from tablewatch.commands.settle_line import BadLineError, answer, refusal


def settle(
    files: Annotated[
        list[Path] | None, typer.Argument(help="Files of rounds, one a line; standard input if none, or for -.")
    ] = None,
    games: Annotated[bool, typer.Option("--games", help="List the games, one per line, and stop.")] = False,
    reading: Reading = None,
) -> None:
    """Examples:

    \b
      tablewatch settle < rounds.jsonl > out.jsonl
      tablewatch settle --reading small_tiger=layout rounds.jsonl
      tablewatch settle --games
      echo '{"id": 1, "game": "tiger", "decks": 8, "cards": ["9H", "2C", "KS", "4D"], "stake": "5"}' | tablewatch settle

    Settles rounds from their cards: the net win or loss of the stake on every wager of the game. Rules that can be read
    in two ways are read as it is set (TABLEWATCH_READING_…), but for those named by --reading.

    One JSON object a line: "id", "game", "decks", "cards" in the order of the draws, "stake" as a decimal string. Each
    line is answered by one line, in the same order; blank lines are skipped. A line that cannot be answered gets the
    status "invalid" and the reason, the others are answered all the same, and the exit code is 2.
    """
    if games:
        typer.echo("\n".join(GAMES))
        return
    if sys.stdin.isatty() and STANDARD_INPUT in (files or [STANDARD_INPUT]):
        typer.echo("Reading rounds from the terminal, one JSON object a line; Ctrl-D ends.", err=True)
    rulebook = chosen_rulebook(reading)
    try:
        with opened(files or []) as streams:
            invalid = sum(answer_all(stream, sys.stdout.buffer, rulebook, name) for name, stream in streams)
    except BrokenPipeError:
        # Of the output, which is no fault of what is read.
        raise
    except OSError as error:
        typer.echo(f"{error.filename or 'Standard input'} cannot be read: {error.strerror}.", err=True)
        raise typer.Exit(2) from error
    if invalid:
        lines = "1 line" if invalid == 1 else f"{invalid} lines"
        typer.echo(f'{lines} could not be answered: see "error" in the output.', err=True)
        raise typer.Exit(2)


def answer_all(asked: BinaryIO, answered: BinaryIO, games: Mapping[str, Game] = GAMES, name: str | None = None) -> int:
    """Answer every line that is not blank, in its order; returns how many of them are invalid. ``name`` is that of the
    file, where there are others."""
    number = invalid = 0
    with progress.reading(asked, "Settling") as advance:
        for lines, size in blocks_of_lines(asked):
            answers: list[str] = []
            for line in lines:
                number += 1
                try:
                    if line is None:
                        raise BadLineError(f"longer than {LONGEST >> 20} MiB")
                    answers.append(answer(line, games))
                except BadLineError as error:
                    if line is not None and not line.strip():
                        continue
                    invalid += 1
                    answers.append(refusal(error, number, name))
            if answers:
                answers.append("")
                answered.write("\n".join(answers).encode())
                answered.flush()
            advance(size)
    return invalid
