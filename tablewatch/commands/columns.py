"""Texts in columns of given widths: what `rich.table` does for a few rows, for many rows in a tenth of the time."""

from collections.abc import Collection, Iterable, Sequence

from rich.console import Console
from rich.text import Text

from tablewatch.commands.visible import visible_text

Cell = Sequence[tuple[int, Text]]
"""The paragraphs of a cell, each with its indent."""

GAP = 2
"""Blanks between two columns."""


def one(text: str | Text, style: str = "") -> Cell:
    """A cell with one paragraph."""
    return ((0, text if isinstance(text, Text) else Text(text, style)),)


def in_columns(
    console: Console, rows: Iterable[Sequence[Cell]], widths: Sequence[int], right: Collection[int] = ()
) -> Text:
    """Rows of cells side by side, each wrapped to the width of its column; the columns ``right`` are flush right."""
    lines: list[Text] = []
    for row in rows:
        cells = [_wrapped(console, cell, width) for cell, width in zip(row, widths, strict=True)]
        for number in range(max(map(len, cells))):
            lines.append(_line([cell[number] if number < len(cell) else None for cell in cells], widths, right))
    return Text("\n").join(lines)


def _wrapped(console: Console, cell: Cell, width: int) -> list[Text]:
    lines: list[Text] = []
    for indent, said in cell:
        paragraph = visible_text(said)
        if paragraph.cell_len + indent <= width:
            wrapped: Iterable[Text] = (paragraph,)
        else:
            wrapped = paragraph.wrap(console, max(width - indent, 8))
        lines.extend(Text(" " * indent).append_text(line) if indent else line for line in wrapped)
    return lines


def _line(pieces: Sequence[Text | None], widths: Sequence[int], right: Collection[int]) -> Text:
    line = Text()
    owed = 0
    for place, (piece, width) in enumerate(zip(pieces, widths, strict=True)):
        size = 0 if piece is None else piece.cell_len
        if piece is not None and size:
            line.append(" " * (owed + (width - size if place in right else 0)))
            line.append_text(piece)
            owed = GAP + (0 if place in right else max(width - size, 0))
        else:
            owed += width + GAP
    return line


def fitting(rows: Iterable[Sequence[Cell]]) -> list[int]:
    """The width of the widest paragraph of each column."""
    return [
        max(indent + visible_text(text).cell_len for cell in column for indent, text in cell)
        for column in zip(*rows, strict=True)
    ]
