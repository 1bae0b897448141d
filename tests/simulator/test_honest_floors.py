"""A floor that plays by the rules gives two independent judges nothing to find."""

from pathlib import Path

import pytest

from simulator.floor import simulate
from tests.oracle.judge import audit_lines
from tests.simulator.comparison import audit

SPECIAL = 0.6
"""Most rounds are out of the ordinary here, so that few of them show every ruling and void ground."""


def test_the_second_judge_finds_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("simulator.table.SPECIAL", SPECIAL)
    judged = audit_lines(list(simulate(10, 8, seed=21)))
    assert judged["findings"] == []
    assert {verdict["status"] for verdict in judged["verdicts"]} == {"verified", "void"}
    assert len(judged["verdicts"]) == 80


def test_audit_finds_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("simulator.table.SPECIAL", SPECIAL)
    assert audit(list(simulate(10, 100, seed=22)), tmp_path) == []


def test_audit_finds_nothing_on_an_ordinary_day(tmp_path: Path) -> None:
    assert audit(list(simulate(20, 60, seed=23)), tmp_path) == []
