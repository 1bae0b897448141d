"""One picture for each question, drawn from its figures: bars, or lines where something grows; the bar beside them.

An SVG says in its own description of which figures and by which drawing it was made, so that whether it is current can
be told without drawing it again.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.page.figures import Figure, number
from bench.page.plan import Question

if TYPE_CHECKING:
    from matplotlib.axes import Axes

OURS = ("our", "audit", "SQL", "decode_", "through the wire", "exact")
"""How the names of what is ours begin."""
COLOURS = {True: "#1b7f5c", False: "#9aa5b1"}
BAR_COLOUR = "#c0392b"
ROW_INCHES, HEAD_INCHES, WIDTH_INCHES = 0.28, 1.0, 9.0


def drawn_figures(question: Question, figures: Sequence[Figure]) -> dict[str, list[Figure]]:
    """The figures of a question's picture, by name."""
    found = {name: [figure for figure in figures if figure.name == name] for name in question.drawn}
    return {name: several for name, several in found.items() if several}


def digest(question: Question, figures: Sequence[Figure]) -> str:
    """Of what is drawn, and of the drawing itself."""
    drawn = {name: [asdict(each) for each in several] for name, several in drawn_figures(question, figures).items()}
    told = json.dumps([question.title, question.logarithmic, drawn], sort_keys=True)
    return hashlib.sha256(told.encode() + Path(__file__).read_bytes()).hexdigest()[:16]


def draw(question: Question, figures: Sequence[Figure], file: Path) -> None:
    """Write the picture."""
    import matplotlib as mpl  # noqa: PLC0415 - only who draws needs it

    mpl.use("svg")
    mpl.rcParams.update({"svg.hashsalt": "tablewatch", "svg.fonttype": "none", "font.size": 9})
    from matplotlib.figure import Figure as Sheet  # noqa: PLC0415 - as above, and the settings come first

    drawn = drawn_figures(question, figures)
    rows = [3.0 if _grows(several) else HEAD_INCHES + ROW_INCHES * len(several) for several in drawn.values()]
    sheet = Sheet(figsize=(WIDTH_INCHES, sum(rows)), layout="constrained")
    places: Any = sheet.subplots(len(rows), 1, squeeze=False, gridspec_kw={"height_ratios": rows})
    for axes, (name, several) in zip(places[:, 0], drawn.items(), strict=True):
        (_lines if _grows(several) else _bars)(axes, several)
        # Room for what is written above a bar that is drawn.
        pad = 16 if any(figure.holds is not None for figure in several) else 6
        axes.set_title(f"{name}{f', {several[0].unit}' if several[0].unit else ''}", loc="left", fontsize=10, pad=pad)
        axes.spines[["top", "right"]].set_visible(False)
        if question.logarithmic and not _grows(several):
            axes.set_xscale("log")
        if not _grows(several):
            axes.xaxis.set_major_formatter(lambda value, _: number(value))
    sheet.savefig(
        file, format="svg", metadata={"Date": None, "Title": question.title, "Description": digest(question, figures)}
    )


def _grows(figures: Sequence[Figure]) -> bool:
    return len({figure.at for figure in figures if figure.at is not None}) > 1


def _bars(axes: "Axes", figures: Sequence[Figure]) -> None:
    names = [figure.of or figure.name for figure in figures][::-1]
    values = [figure.value for figure in figures][::-1]
    colours = [COLOURS[name.startswith(OURS)] for name in names]
    axes.barh(range(len(names)), values, color=colours)
    axes.set_yticks(range(len(names)), names)
    for place, figure in enumerate(reversed(figures)):
        spread = "" if figure.low is None or figure.high is None else f" ({number(figure.low)}–{number(figure.high)})"
        axes.annotate(
            f" {figure.told}{spread}", (max(figure.value, 0), place), va="center", fontsize=8, color="#333333"
        )
    axes.margins(x=0.25)
    for bar in {figure.at_least or figure.at_most for figure in figures} - {None}:
        axes.axvline(float(bar or 0), color=BAR_COLOUR, linestyle="--", linewidth=1)
        axes.annotate(
            f"bar {number(float(bar or 0))}", (float(bar or 0), len(names) - 0.45), color=BAR_COLOUR, fontsize=8
        )


def _lines(axes: "Axes", figures: Sequence[Figure]) -> None:
    for name in dict.fromkeys(figure.of for figure in figures):
        points = sorted((figure.at or 0, figure.value) for figure in figures if figure.of == name)
        axes.plot(
            [at for at, _ in points], [value for _, value in points], marker="o", label=name or None, linewidth=1.2
        )
    axes.set_xscale("log")
    axes.set_yscale("log")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(lambda value, _: number(value))
        axis.set_minor_formatter(lambda _value, _place: "")
    for figure in figures:
        if bar := figure.at_least or figure.at_most:
            axes.axhline(bar, color=BAR_COLOUR, linestyle="--", linewidth=1)
            axes.annotate(
                f"bar of {figure.of}: {number(bar)}", (figure.at or 0, bar), color=BAR_COLOUR, fontsize=7, va="bottom"
            )
            break
    if any(figure.of for figure in figures):
        axes.legend(fontsize=7, loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
