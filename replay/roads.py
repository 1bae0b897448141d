"""The roads of a shoe: bead plate, big road and the three derived roads, as scoreboards at the table draw them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

ROWS: Final = 6
"""Every road has six rows; what does not fit below turns to the right."""

Colour = Literal["red", "blue"]
"""Of a derived road: red where the shoe repeats itself, blue where it does not."""

BIG_EYE_BOY: Final = 1
SMALL_ROAD: Final = 2
COCKROACH_PIG: Final = 3
"""How many columns back each derived road looks."""


@dataclass(frozen=True, slots=True)
class Bead:
    """The outcome of one round."""

    round: int
    winner: str
    """A hand of the game, or ``tie``."""
    naturals: tuple[str, ...] = ()
    pairs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Place:
    """A place on a road, from 0."""

    column: int
    row: int


@dataclass(frozen=True, slots=True)
class Beaded:
    """A bead on the bead plate."""

    place: Place
    bead: Bead


@dataclass(frozen=True, slots=True)
class BigCell:
    """A win on the big road."""

    place: Place
    """On the board, where long columns turn to the right."""
    column: int
    """Which run of wins it is of, from 0."""
    depth: int
    """Its place in that run, from 0."""
    bead: Bead
    ties: int
    """How many ties followed it; before the first win, they are counted to that win."""


@dataclass(frozen=True, slots=True)
class DerivedCell:
    """A mark on a derived road."""

    place: Place
    colour: Colour
    round: int
    """The round that made it."""


@dataclass(frozen=True, slots=True)
class Roads:
    """All roads of a shoe."""

    bead_plate: tuple[Beaded, ...]
    big_road: tuple[BigCell, ...]
    big_eye_boy: tuple[DerivedCell, ...]
    small_road: tuple[DerivedCell, ...]
    cockroach_pig: tuple[DerivedCell, ...]
    leading_ties: int
    """Ties of a shoe in which nobody has won yet: the big road has no place for them."""


def roads_of(beads: Sequence[Bead]) -> Roads:
    """The roads of a shoe from the outcomes of its rounds in their order; void rounds are not among them."""
    big = big_road(beads)
    won = any(bead.winner != "tie" for bead in beads)
    return Roads(
        bead_plate(beads),
        big,
        derived_road(big, BIG_EYE_BOY),
        derived_road(big, SMALL_ROAD),
        derived_road(big, COCKROACH_PIG),
        0 if won else len(beads),
    )


def bead_plate(beads: Sequence[Bead]) -> tuple[Beaded, ...]:
    """Every outcome, ties included, column by column from top to bottom."""
    return tuple(Beaded(Place(number // ROWS, number % ROWS), bead) for number, bead in enumerate(beads))


def big_road(beads: Sequence[Bead]) -> tuple[BigCell, ...]:
    """Runs of wins: a new column whenever the other hand wins; a tie marks the win before it."""
    runs: list[list[tuple[Bead, int]]] = []
    waiting = 0
    for bead in beads:
        if bead.winner == "tie":
            if runs:
                last, ties = runs[-1][-1]
                runs[-1][-1] = last, ties + 1
            else:
                waiting += 1
        elif runs and runs[-1][-1][0].winner == bead.winner:
            runs[-1].append((bead, 0))
        else:
            runs.append([(bead, waiting)])
            waiting = 0
    places = iter(_places([len(run) for run in runs]))
    return tuple(
        BigCell(next(places), column, depth, bead, ties)
        for column, run in enumerate(runs)
        for depth, (bead, ties) in enumerate(run)
    )


def derived_road(big: Sequence[BigCell], back: int) -> tuple[DerivedCell, ...]:
    """Big eye boy, small road or cockroach pig: whether each win repeats what was so many columns back.

    A win that opens a column compares the lengths of the column before it and of the one ``back`` columns before that;
    any other win compares the place ``back`` columns to its left with the place above that one. It begins with the
    first win for which there is something to compare.
    """
    depths: dict[int, int] = {}
    for cell in big:
        depths[cell.column] = cell.depth + 1
    marks: list[tuple[Colour, int]] = []
    for cell in big:
        column, depth = cell.column, cell.depth
        if depth == 0:
            if column < back + 1:
                continue
            repeats = depths[column - 1] == depths[column - 1 - back]
        else:
            if column < back:
                continue
            # Both places filled or both empty is a repeat; only right below the end of that column is none.
            repeats = depths[column - back] != depth
        marks.append(("red" if repeats else "blue", cell.bead.round))
    runs: list[int] = []
    for number, (colour, _) in enumerate(marks):
        if number and marks[number - 1][0] == colour:
            runs[-1] += 1
        else:
            runs.append(1)
    return tuple(
        DerivedCell(place, colour, made_by) for place, (colour, made_by) in zip(_places(runs), marks, strict=True)
    )


def _places(runs: Sequence[int]) -> list[Place]:
    """Where the marks of runs of these lengths go: downwards, and to the right where the board ends or is taken."""
    taken: set[Place] = set()
    places: list[Place] = []
    start = -1
    for length in runs:
        start += 1
        while Place(start, 0) in taken:
            start += 1
        here = Place(start, 0)
        turned = False
        for number in range(length):
            if number:
                below = Place(here.column, here.row + 1)
                turned = turned or below.row == ROWS or below in taken
                here = Place(here.column + 1, here.row) if turned else below
                while here in taken:
                    here = Place(here.column + 1, here.row)
            taken.add(here)
            places.append(here)
    return places
