"""A table as a CSV file that a spreadsheet opens without running anything in it."""

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Final

Cell = str | int | float | None

_RUNS: Final = ("=", "+", "-", "@", "\t", "\r")
"""A text that begins so would be taken for a formula."""


def csv_of(columns: Sequence[str], rows: Iterable[Sequence[Cell]]) -> bytes:
    """UTF-8 with a mark, so that spreadsheets read names in every script."""
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(columns)
    writer.writerows([_cell(cell) for cell in row] for row in rows)
    return out.getvalue().encode("utf-8-sig")


def _cell(cell: Cell) -> Cell:
    return "'" + cell if isinstance(cell, str) and cell.startswith(_RUNS) else cell
