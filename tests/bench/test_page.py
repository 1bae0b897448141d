"""docs/benchmarks.md: made from the figures of the last run, with its pictures, and nothing typed by hand."""

import ast
from dataclasses import replace
from pathlib import Path

import pytest

from bench.__main__ import main, questions
from bench.page.agreement import Again, measured_again
from bench.page.figures import RATIO, Figure
from bench.page.pictures import digest
from bench.page.plan import LONG, QUESTIONS, Question
from bench.page.reasons import REASONS
from bench.page.report import (
    BEFORE_FILE,
    DOCS,
    LONG_FILE,
    PAGE,
    SHORT_FILE,
    is_current,
    keep,
    kept,
    page,
    picture_of,
    without_reason,
)
from bench.page.run import CHECKOUT, Done, Run, from_json, run_all, to_json

SLOW = Figure("events a second, unpacked: as good as the best peer", 0.25, RATIO)
LEVEL = Figure("events a second, packed: as good as the best peer", 0.97, RATIO, low=0.94, high=0.97, at_least=0.9)
RATES = (
    Figure("events a second, packed", 12_345.0, "events/s", of="our Faust worker"),
    Figure("events a second, packed", 12_700.0, "events/s", of="aiokafka"),
)


def run_of(*figures: Figure, code: int = 0) -> Run:
    done = Done("stream", "python -m bench.stream", 12, code, 0.5, figures, "" if figures else "it said so")
    return Run("2026-01-01 00:00 UTC", 60, False, {"processor": "two cores"}, (done,))


def written(docs: Path, run: Run) -> str:
    (docs / "benchmarks").mkdir()
    (docs / SHORT_FILE).write_text(to_json(run), "utf-8")
    return page(docs)


def test_the_page_in_docs_is_made_of_the_figures_in_docs() -> None:
    """Either both are checked in, or neither."""
    assert (DOCS / PAGE).exists() is ((DOCS / SHORT_FILE).exists() or (DOCS / LONG_FILE).exists())
    if (DOCS / PAGE).exists():
        assert (DOCS / PAGE).read_text("utf-8") == page(DOCS), "python -m bench --page makes it anew"


def test_the_pictures_in_docs_are_drawn_from_the_figures_in_docs() -> None:
    answered = kept(DOCS)
    assert [question.name for question, run in answered if not is_current(question, run, DOCS)] == []
    drawn = {picture_of(question, DOCS) for question, _ in answered}
    assert set(DOCS.glob("benchmarks/*.svg")) <= drawn


def test_a_whole_run_is_kept_in_docs_and_no_ratio_is_lost_without_a_reason() -> None:
    for question, run in kept(DOCS):
        assert not run.quick
        assert without_reason(run.figures(question.name)) == []


def test_a_run_is_read_back_as_it_was() -> None:
    run = run_of(LEVEL, *RATES)
    assert from_json(to_json(run)) == run


def test_ratios_come_first_with_their_bars(tmp_path: Path) -> None:
    text = written(tmp_path, run_of(LEVEL, *RATES))
    row = "events a second, packed: as good as the best peer | 0.970 × | 0.940 to 0.970 | at least 0.900 | held |"
    assert text.index(row) < text.index("## From Kafka to the store") < text.rindex(row)
    assert "| events a second, packed: aiokafka | 12,700 events/s |" in text
    assert "- processor: two cores" in text
    assert "`python -m bench.stream`: 12 s; load of the machine before it 0.5" in text


def test_why_a_peer_wins_is_said_only_when_the_figures_say_so(tmp_path: Path) -> None:
    reason = REASONS[SLOW.name]
    (tmp_path / "lost").mkdir()
    (tmp_path / "level").mkdir()
    assert reason in written(tmp_path / "lost", run_of(SLOW))
    assert reason not in written(tmp_path / "level", run_of(LEVEL))


def test_a_lost_ratio_without_a_reason_is_told() -> None:
    assert without_reason([SLOW, LEVEL, Figure("something else", 0.66, RATIO), Figure("rate", 0.1, "events/s")]) == [
        "something else"
    ]
    assert without_reason([Figure("as good", 0.67, RATIO)]) == []


def test_a_missed_bar_and_a_measurement_that_failed_are_shown(tmp_path: Path) -> None:
    (tmp_path / "missed").mkdir()
    (tmp_path / "failed").mkdir()
    assert "| **missed** |" in written(tmp_path / "missed", run_of(Figure("rate", 1.0, at_least=2.0)))
    text = written(tmp_path / "failed", run_of(code=1))
    assert "**ended with 1**" in text
    assert "      it said so" in text


def test_a_ratio_is_reproduced_where_the_spreads_of_two_runs_meet(tmp_path: Path) -> None:
    close = replace(LEVEL, value=0.93, low=0.91, high=0.95)
    far = replace(LEVEL, value=0.90, low=0.88, high=0.93)
    once = Figure("exact", 1.0, RATIO)
    assert [Again(LEVEL, each).agrees for each in (LEVEL, close, far)] == [True, True, False]
    assert Again(far, LEVEL).agrees is False
    assert Again(once, once).agrees is True
    assert Again(once, replace(once, value=0.99)).agrees is False
    assert measured_again(run_of(LEVEL, *RATES), run_of(far, once, RATES[0]), ["stream"]) == [Again(LEVEL, far)]
    (tmp_path / "benchmarks").mkdir()
    (tmp_path / BEFORE_FILE).write_text(to_json(run_of(LEVEL, once)), "utf-8")
    (tmp_path / SHORT_FILE).write_text(to_json(run_of(far, once)), "utf-8")
    text = page(tmp_path)
    assert "on the same machine" in text
    assert ": 1 of 2 are." in text
    assert "| 0.970 | 0.940 to 0.970 | 0.900 | 0.880 to 0.930 | **not reproduced** |" in text
    assert "| exact | 1 | 1 to 1 | 1 | 1 to 1 | reproduced |" in text


def test_the_run_before_the_last_is_kept_for_the_next_to_be_held_against(tmp_path: Path) -> None:
    first, second = run_of(Figure("exact", 1.0, RATIO)), run_of(Figure("exact", 2.0, RATIO))
    keep(first, tmp_path, long=False)
    assert not (tmp_path / BEFORE_FILE).exists()
    keep(second, tmp_path, long=False)
    assert from_json((tmp_path / BEFORE_FILE).read_text("utf-8")) == first
    assert from_json((tmp_path / SHORT_FILE).read_text("utf-8")) == second


def test_other_figures_or_another_drawing_make_a_picture_stale(tmp_path: Path) -> None:
    run = run_of(*RATES)
    question = QUESTIONS[0]
    written(tmp_path, run)
    assert not is_current(question, run, tmp_path)
    picture_of(question, tmp_path).write_text(f"<svg>{digest(question, run.figures('stream'))}</svg>")
    assert is_current(question, run, tmp_path)
    assert not is_current(question, run_of(RATES[0], Figure("events a second, packed", 1.0)), tmp_path)


@pytest.mark.parametrize("question", [*QUESTIONS, *LONG], ids=lambda question: question.name)
def test_every_step_is_a_measurement_that_is_there(question: Question) -> None:
    known = questions()
    for step in question.steps:
        assert known[step.name]
        assert step.command(quick=True)[:2] == ["-m", f"bench.{step.name}"]


@pytest.mark.parametrize("question", [*QUESTIONS, *LONG], ids=lambda question: question.name)
def test_what_is_drawn_is_told_by_a_measurement(question: Question) -> None:
    texts = [(CHECKOUT / "bench" / f"{step.name}.py").read_text("utf-8") for step in question.steps]
    words = {
        node.value
        for text in texts
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    for name in question.drawn:
        assert any(word and word in name and len(word) >= len("memory") for word in words), name


def test_a_run_keeps_what_measurements_tell_and_print(capsys: pytest.CaptureFixture[str]) -> None:
    odds = next(question for question in QUESTIONS if question.name == "odds")
    settle = tuple(step for step in odds.steps if step.name == "settle")
    run = run_all([Question("odds", "The odds", "", settle)], quick=True)
    (done,) = run.done
    assert done.command == "python -m bench.settle 5000"
    assert {figure.name for figure in done.figures} == {"rounds settled", "rounds settled a second of the processor"}
    assert "rounds settled: 5,000" in capsys.readouterr().out


def test_a_quick_run_is_not_kept_in_docs(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--quick"])
    assert ended.value.code == 2
    assert "--out" in capsys.readouterr().err
