"""Figures: told to whoever looks, and kept as a line of JSON where a file is named."""

import json
from pathlib import Path

import pytest

from bench.page.figures import FILE, RATIO, Figure, in_words, number, read, tell


def test_a_figure_is_printed_and_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "figures.jsonl"
    monkeypatch.setenv(FILE, str(file))
    told = tell("events a second", 61_000.4, "events/s", of="ours", turns=[61_000.4, 58_000.0], at_least=60_000)
    tell("ours by theirs", 0.5, RATIO)
    assert "61,000 events/s, 58,000 to 61,000; bar: at least 60,000, held" in capsys.readouterr().out
    kept = [read(json.loads(line)) for line in file.read_text("utf-8").splitlines()]
    assert kept == [told, Figure("ours by theirs", 0.5, RATIO)]
    assert (told.low, told.high, told.turns) == (58_000.0, 61_000.4, 2)


def test_nothing_is_kept_where_no_file_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(FILE, raising=False)
    monkeypatch.chdir(tmp_path)
    tell("ours by theirs", 0.5, RATIO)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("figure", "holds"),
    [
        (Figure("rate", 60_000, at_least=60_000), True),
        (Figure("rate", 59_999, at_least=60_000), False),
        (Figure("size", 60, at_most=60), True),
        (Figure("size", 60.1, at_most=60), False),
        (Figure("wrong", 0, at_most=0), True),
        (Figure("rate", 1), None),
    ],
)
def test_a_bar_is_held_or_missed(figure: Figure, holds: bool | None) -> None:
    assert figure.holds is holds
    assert ("MISSED" in in_words(figure)) is (holds is False)


@pytest.mark.parametrize(
    ("value", "text"),
    [(1234567, "1,234,567"), (3, "3"), (1234.5, "1,234"), (12.34, "12.3"), (1.234, "1.23"), (0.1234, "0.123"),
     (0.01234, "0.0123"), (-1.2351, "-1.24"), (0, "0")],
)  # fmt: skip
def test_numbers_have_three_figures_that_count(value: float, text: str) -> None:
    assert number(value) == text
