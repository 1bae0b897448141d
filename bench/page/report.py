"""docs/benchmarks.md, made from the figures of the last run and from nothing else: no number in it is typed by hand."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from bench.page.agreement import Again, measured_again, spread
from bench.page.figures import RATIO, Figure, number
from bench.page.pictures import digest, draw, drawn_figures
from bench.page.plan import LONG, QUESTIONS, Question
from bench.page.reasons import LOSES_BELOW, REASONS
from bench.page.run import CHECKOUT, Run, from_json, to_json

DOCS: Final = CHECKOUT / "docs"
SHORT_FILE, LONG_FILE, PAGE = "benchmarks/figures.json", "benchmarks/long.json", "benchmarks.md"
BEFORE_FILE = "benchmarks/before.json"
"""The run before the last one of the ratios."""


def keep(run: Run, docs: Path, *, long: bool) -> None:
    """Keep a run, and make page and pictures anew; the run before is kept for what it is held against."""
    file = docs / (LONG_FILE if long else SHORT_FILE)
    file.parent.mkdir(parents=True, exist_ok=True)
    if not long and file.exists():
        file.replace(docs / BEFORE_FILE)
    file.write_text(to_json(run), "utf-8")
    write(docs)


def write(docs: Path) -> None:
    """Make page and pictures from the figures that are kept."""
    for question, run in kept(docs):
        if drawn_figures(question, run.figures(question.name)):
            draw(question, run.figures(question.name), picture_of(question, docs))
    (docs / PAGE).write_text(page(docs), "utf-8")


def kept(docs: Path) -> list[tuple[Question, Run]]:
    """The questions with the runs that answer them."""
    found = []
    for questions, file in ((QUESTIONS, docs / SHORT_FILE), (LONG, docs / LONG_FILE)):
        if file.exists():
            run = from_json(file.read_text("utf-8"))
            found += [(question, run) for question in questions if run.of(question.name)]
    return found


def picture_of(question: Question, docs: Path) -> Path:
    """Where a question's picture is."""
    return docs / "benchmarks" / f"{question.name}.svg"


def is_current(question: Question, run: Run, docs: Path) -> bool:
    """Whether a question's picture was drawn from these figures by this drawing."""
    figures = run.figures(question.name)
    if not drawn_figures(question, figures):
        return True
    picture = picture_of(question, docs)
    return picture.exists() and digest(question, figures) in picture.read_text("utf-8")


def without_reason(figures: Sequence[Figure]) -> list[str]:
    """Ratios that ours loses by more than half, and nobody says why."""
    return [
        figure.name
        for figure in figures
        if figure.unit == RATIO and figure.value < LOSES_BELOW and figure.name not in REASONS
    ]


def page(docs: Path) -> str:
    """The whole page."""
    file = docs / BEFORE_FILE
    before = from_json(file.read_text("utf-8")) if file.exists() else None
    return "\n".join(_page(kept(docs), before)) + "\n"


def _page(answered: Sequence[tuple[Question, Run]], before: Run | None) -> Iterator[str]:
    yield "# Measurements"
    yield ""
    yield (
        "Made by `make bench` (`tablewatch bench --page` makes it anew from the figures of the last run); what takes"
        " longer than half an hour is run by `make bench-long`. Everything of a question was measured in one run on one"
        " machine, so that the ratios hold where the sizes do not. A ratio says how ours compares: 1 is level, more is"
        " better. Where there were several turns, the best counts and the spread of all is beside it."
    )
    for one in {run.began: run for _, run in answered}.values():
        yield from _facts(one)
    yield ""
    yield "## Ratios and bars"
    yield ""
    yield "| question | figure | | spread | bar | |"
    yield "|---|---|---:|---|---|---|"
    for question, run in answered:
        for figure in run.figures(question.name):
            if figure.unit == RATIO or figure.holds is not None:
                yield f"| [{question.title}](#{_anchor(question.title)}) | {_row(figure)} |"
    if before is not None:
        now = next((run for question, run in answered if question in QUESTIONS), None)
        yield from _twice(before, now) if now is not None else ()
    for question, run in answered:
        yield from _answer(question, run)


def _twice(before: Run, now: Run) -> Iterator[str]:
    """How the ratios of the last run compare with those of the one before."""
    again = measured_again(before, now, [question.name for question in QUESTIONS])
    where = "on the same machine" if before.machine == now.machine else "on another machine, or with other libraries"
    yield ""
    yield "## Measured twice"
    yield ""
    yield (
        f"The run before this one was made {before.began}, {where}. A ratio is reproduced where the spreads of the two"
        f" runs meet: {sum(each.agrees for each in again)} of {len(again)} are."
    )
    yield ""
    yield "| ratio | before | spread | now | spread | |"
    yield "|---|---:|---|---:|---|---|"
    yield from (f"| {_row_twice(each)} |" for each in again)


def _row_twice(again: Again) -> str:
    low, high = spread(again.before)
    lowest, highest = spread(again.now)
    return (
        f"{_name(again.now)} | {again.before.told} | {number(low)} to {number(high)}"
        f" | {again.now.told} | {number(lowest)} to {number(highest)}"
        f" | {'reproduced' if again.agrees else '**not reproduced**'}"
    )


def _facts(run: Run) -> Iterator[str]:
    yield ""
    yield f"Measured {run.began}, in {number(round(run.seconds / 60, 1))} minutes, on:"
    yield ""
    yield from (f"- {name}: {fact}" for name, fact in run.machine.items())
    if run.quick:
        yield ""
        yield "**A quick run with small sizes, to try whether all of it works: its figures mean little.**"


def _answer(question: Question, run: Run) -> Iterator[str]:
    figures = run.figures(question.name)
    yield ""
    yield f"## {question.title}"
    yield ""
    yield question.about
    lost = [figure for figure in figures if figure.unit == RATIO and figure.value < LOSES_BELOW]
    if lost:
        yield ""
        yield "Where another is faster by more than half, and why:"
        yield ""
        for name in dict.fromkeys(figure.name for figure in lost):
            several = " and ".join(number(figure.value) for figure in lost if figure.name == name)
            yield f"- {name}, {several}: {REASONS.get(name, 'no reason is written down')}"
    if drawn_figures(question, figures):
        yield ""
        yield f"![{question.title}](benchmarks/{question.name}.svg)"
    if figures:
        yield ""
        yield "| figure | | spread | bar | |"
        yield "|---|---:|---|---|---|"
        yield from (f"| {_row(figure)} |" for figure in figures)
    yield ""
    for done in run.of(question.name):
        ended = "" if not done.exit_code else f", **ended with {done.exit_code}**"
        yield f"- `{done.command}`: {number(done.seconds)} s; load of the machine before it {done.load}{ended}"
        if done.said:
            yield ""
            yield from (f"      {line}" for line in done.said.splitlines()[-5:])
            yield ""


def _row(figure: Figure) -> str:
    turns = "" if figure.low is None or figure.high is None else f"{number(figure.low)} to {number(figure.high)}"
    bar = ""
    if figure.at_least is not None:
        bar = f"at least {number(figure.at_least)}"
    elif figure.at_most is not None:
        bar = f"at most {number(figure.at_most)}"
    held = {None: "", True: "held", False: "**missed**"}[figure.holds]
    return f"{_name(figure)} | {figure.told} {figure.unit} | {turns} | {bar} | {held}"


def _name(figure: Figure) -> str:
    whose = f": {figure.of}" if figure.of else ""
    at = f" (at {number(figure.at)})" if figure.at is not None else ""
    return f"{figure.name}{whose}{at}"


def _anchor(title: str) -> str:
    return title.lower().replace(" ", "-")
