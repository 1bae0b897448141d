"""What there is, a line each under the heads of its columns: for a person's eye, and as plain text for grep."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated

import typer

AsJson = Annotated[bool, typer.Option("--json", help="One JSON object a line.")]
"""For programs."""


def listing(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """The rows in columns as wide as what stands in them: nothing is cut off, however narrow the screen."""
    lines = [heads, *rows]
    widths = [max(len(line[place]) for line in lines) for place in range(len(heads))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines
    )


def moment(millis: int) -> str:
    """A time in milliseconds since 1970, to the second."""
    return datetime.fromtimestamp(millis / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
