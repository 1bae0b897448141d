"""Texts in columns: wrapped, flush, with indents, and never wider than told."""

from rich.console import Console
from rich.text import Text

from tablewatch.commands.columns import Cell, fitting, in_columns, one


def _lines(rows: list[list[Cell]], widths: list[int], right: tuple[int, ...] = ()) -> list[str]:
    return in_columns(Console(width=80), rows, widths, right).plain.split("\n")


def test_cells_stand_side_by_side_and_those_to_the_right_end_together() -> None:
    rows = [[one("a"), one("1.00"), one("x")], [one("bb"), one("10.00"), one("y")]]
    assert _lines(rows, fitting(rows), right=(1,)) == ["a    1.00  x", "bb  10.00  y"]


def test_a_long_cell_goes_on_below_itself() -> None:
    lines = _lines([[one("one two three"), one("x")], [one("four"), one("y")]], [8, 1])
    assert [line.rstrip() for line in lines] == ["one two   x", "three", "four      y"]


def test_paragraphs_of_a_cell_have_their_own_indent() -> None:
    cell: Cell = [(0, Text("said")), (2, Text("why it was"))]
    assert [line.rstrip() for line in _lines([[cell, one("x")]], [9, 1])] == ["said       x", "  why it", "  was"]


def test_no_line_is_wider_than_the_columns_and_their_gaps() -> None:
    rows = [[one("word " * 9), one("unbreakable" * 4), one("z")] for _ in range(3)]
    assert all(len(line.rstrip()) <= 12 + 2 + 10 + 2 + 1 for line in _lines(rows, [12, 10, 1]))


def test_an_empty_cell_leaves_its_place() -> None:
    assert _lines([[one(""), one("b"), one("")]], [3, 1, 4]) == ["     b"]
