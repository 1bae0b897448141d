"""The game that a person names on the command line, under the readings they choose."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from difflib import get_close_matches
from typing import Annotated

import typer

from games.readings import readings_of
from games.rulebook import GAMES, Game, rulebook
from tablewatch.settings import readings as readings_set

Reading = Annotated[
    list[str] | None,
    typer.Option(
        "--reading", metavar="NAME=CHOICE", help="Read an unclear rule otherwise than it is set, e.g. pair=literal."
    ),
]


def chosen_game(name: str, readings: Sequence[str] | None) -> Game:
    """The game of that name; ends the command with exit code 2 and what to do if there is none."""
    if name not in GAMES:
        near = get_close_matches(name, GAMES, n=1)
        hint = f"did you mean {near[0]}?" if near else f"the games are {', '.join(GAMES)}."
        raise typer.BadParameter(f"there is no game {name!r}; {hint}")
    return chosen_rulebook(readings)[name]


def chosen_rulebook(readings: Sequence[str] | None) -> Mapping[str, Game]:
    """All games, under the readings that are set, as rounds are judged, but for those that are named here; ends the
    command with exit code 2 where one cannot be."""
    chosen = asdict(readings_set())
    for reading in readings or ():
        what, equals, choice = reading.partition("=")
        if not equals:
            raise typer.BadParameter(f"--reading {reading!r}: write it as NAME=CHOICE, e.g. pair=literal.")
        chosen[what] = choice
    try:
        return rulebook(readings_of(chosen))
    except ValueError as error:
        raise typer.BadParameter(f"{error}.") from None
