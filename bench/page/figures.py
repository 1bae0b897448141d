"""One figure of a measurement: a line for whoever runs it, and a record for the page where one is asked for.

    tell("events a second", 61_000, "events/s", of="our judge", at_least=60_000)

Every measurement says its figures so. The record goes, as a line of JSON, to the file that TABLEWATCH_FIGURES names.
"""

import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

FILE = "TABLEWATCH_FIGURES"
RATIO = "×"
"""The unit of a ratio: it says which share of another figure of the same run this one is."""


STAKE = "% of the stake"
"""The unit of a return; it is told to four places, as others publish it."""


@dataclass(frozen=True, slots=True)
class Figure:
    """What was measured."""

    name: str
    """What it is, in words; the same for all that are held against one another."""
    value: float
    unit: str = ""
    of: str = ""
    """Whose it is, where several are held against one another."""
    at: float | None = None
    """Of how much, where it was measured as something grows."""
    low: float | None = None
    """The least of several turns."""
    high: float | None = None
    """The most of several turns."""
    at_least: float | None = None
    """The bar, where more is better."""
    at_most: float | None = None
    """The bar, where less is better."""
    turns: int = 1
    """How often it was measured."""

    @property
    def told(self) -> str:
        """The value as it is told."""
        return f"{self.value:.4f}" if self.unit == STAKE else number(self.value)

    @property
    def holds(self) -> bool | None:
        """Whether it keeps its bar; nothing where there is none."""
        if self.at_least is None and self.at_most is None:
            return None
        return (self.at_least is None or self.value >= self.at_least) and (
            self.at_most is None or self.value <= self.at_most
        )


def tell(
    name: str,
    value: float,
    unit: str = "",
    *,
    of: str = "",
    at: float | None = None,
    turns: Sequence[float] = (),
    at_least: float | None = None,
    at_most: float | None = None,
) -> Figure:
    """Say a figure; ``turns`` are the values of all turns, of which it is the middle or the best."""
    low, high = (min(turns), max(turns)) if len(turns) > 1 else (None, None)
    figure = Figure(name, value, unit, of, at, low, high, at_least, at_most, max(1, len(turns)))
    print(f"  {in_words(figure)}", flush=True)
    if file := os.environ.get(FILE):
        kept = {key: each for key, each in asdict(figure).items() if each not in (None, "")}
        with Path(file).open("a", encoding="utf-8") as out:
            out.write(json.dumps(kept, ensure_ascii=False) + "\n")
    return figure


def read(record: dict[str, Any]) -> Figure:
    """A record of a file again."""
    return Figure(**record)


def in_words(figure: Figure) -> str:
    """A line of text."""
    at = "" if figure.at is None else f" at {number(figure.at)}"
    whose = f" ({figure.of})" if figure.of else ""
    spread = "" if figure.low is None or figure.high is None else f", {number(figure.low)} to {number(figure.high)}"
    return f"{figure.name}{whose}{at}: {figure.told} {figure.unit}{spread}{_bar(figure)}".rstrip()


def _bar(figure: Figure) -> str:
    if figure.holds is None:
        return ""
    kind, bar = ("at least", figure.at_least) if figure.at_least is not None else ("at most", figure.at_most)
    assert bar is not None
    return f"; bar: {kind} {number(bar)}, {'held' if figure.holds else 'MISSED'}"


def number(value: float) -> str:
    """Three figures that count, thousands apart; whole numbers as they are."""
    if value == int(value) and abs(value) < 10_000_000:
        return f"{int(value):,}"
    size = abs(value)
    for limit, digits in ((100, 0), (10, 1), (1, 2), (0.1, 3)):
        if size >= limit:
            return f"{value:,.{digits}f}"
    return f"{value:.3g}"
