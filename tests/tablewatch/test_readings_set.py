"""A reading that the house has set holds in every command that speaks of money, and --reading goes before it."""

import json
import os
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from tablewatch.command import app

SEVEN_AND_TWO = (
    b'{"id": 1, "game": "dragon_tiger_baccarat", "decks": 8, "cards": ["2H", "2C", "3S", "4D", "KD"], "stake": "10"}'
)
RULE, LAYOUT = "220", "250"
"""Small Tiger, 22 to 1 by DTB 4.3 and 25 to 1 by the layout of Appendix K, of a stake of ten."""


def run(*words: str, given: bytes = b"") -> str:
    result = CliRunner().invoke(app, words, input=given)
    assert result.exit_code == 0, result.output
    return result.stdout


def small_tiger(*words: str) -> str:
    told: str = json.loads(run("settle", *words, given=SEVEN_AND_TWO))["net"]["small_tiger"]
    return told


@pytest.fixture
def layout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TABLEWATCH_READING_SMALL_TIGER", "layout")


def test_without_a_setting_the_rule_holds() -> None:
    assert small_tiger() == RULE
    assert small_tiger("--reading", "small_tiger=layout") == LAYOUT


@pytest.mark.usefixtures("layout")
def test_settle_pays_by_the_reading_that_is_set() -> None:
    assert small_tiger() == LAYOUT
    assert small_tiger("--reading", "small_tiger=rule") == RULE


@pytest.mark.usefixtures("layout")
def test_the_paytable_is_printed_by_the_reading_that_is_set() -> None:
    assert "Reading small_tiger: layout (it could be rule)" in run("rules", "dragon_tiger_baccarat")
    assert "25 to 1" in run("rules", "dragon_tiger_baccarat")
    assert "25 to 1" not in run("rules", "dragon_tiger_baccarat", "--reading", "small_tiger=rule")


@pytest.mark.usefixtures("layout")
def test_the_odds_are_those_of_the_reading_that_is_set() -> None:
    asked = ("odds", "dragon_tiger_baccarat", "--json")
    by_layout, by_rule = (json.loads(run(*asked, *more)) for more in ((), ("--reading", "small_tiger=rule")))
    assert by_layout["wagers"]["small_tiger"]["percent"] > by_rule["wagers"]["small_tiger"]["percent"]
    assert by_layout["wagers"]["banker"] == by_rule["wagers"]["banker"]


@pytest.mark.usefixtures("layout")
def test_a_simulated_floor_pays_by_the_reading_that_it_is_judged_by() -> None:
    events = run("simulate", "--tables", "2", "--rounds", "120", "--game", "dragon_tiger_baccarat")
    paid = [json.loads(line) for line in run("audit", given=events.encode()).splitlines()]
    won = [
        bet
        for verdict in paid
        for bet in verdict["bets"]
        if bet["wager"] == "small_tiger" and bet["actual"] and bet["actual"]["paid"]
    ]
    assert won and all(bet["actual"]["paid"] == 25 * bet["stake"] for bet in won)
    assert {verdict["status"] for verdict in paid} <= {"verified", "void"}


@pytest.mark.parametrize(
    "command", [("odds", "tiger"), ("rules", "tiger"), ("settle",), ("simulate", "--tables", "1", "--rounds", "1")]
)
def test_a_reading_that_cannot_be_is_told_in_one_line(command: tuple[str, ...]) -> None:
    started = [sys.executable, "-c", "from tablewatch.command import main; main()", *command]
    environment = {**os.environ, "TABLEWATCH_READING_TIGER_PAIR": "whim"}
    ended = subprocess.run(started, env=environment, input="", capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (2, "")
    (line,) = ended.stderr.splitlines()
    assert line.startswith("TABLEWATCH_READING_TIGER_PAIR must be") and "whim" in line
