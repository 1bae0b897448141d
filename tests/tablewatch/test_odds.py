"""``tablewatch odds``: exact returns for outsiders and for people."""

import json
from fractions import Fraction

import pytest
import typer
from typer.testing import CliRunner

from games.odds import odds as exact_odds
from games.rulebook import GAMES
from tablewatch.commands.odds import odds

app = typer.Typer()
app.command()(odds)
app.command("other")(lambda: None)


def run(*arguments: str) -> tuple[int, str, str]:
    """Exit code, output and errors of ``tablewatch odds``."""
    result = CliRunner().invoke(app, ["odds", *arguments])
    return result.exit_code, result.stdout, result.stderr


def test_json_has_exact_fractions_and_percent_with_four_decimals() -> None:
    code, out, _ = run("dragon_tiger_baccarat", "--decks", "8", "--json")
    found = json.loads(out)
    assert code == 0
    assert set(found) == {"game", "decks", "outcomes", "wagers"}
    assert (found["game"], found["decks"], found["outcomes"]) == ("dragon_tiger_baccarat", 8, "4998398275503360")
    assert list(found["wagers"]) == list(GAMES["dragon_tiger_baccarat"].wagers)
    assert found["wagers"]["banker"]["percent"] == -1.0579
    wagers = exact_odds(GAMES["dragon_tiger_baccarat"], 8).wagers
    assert {name: Fraction(wager["return"]) for name, wager in found["wagers"].items()} == {
        name: wager.mean for name, wager in wagers.items()
    }
    assert all(set(wager) == {"return", "percent"} and "/" in wager["return"] for wager in found["wagers"].values())


def test_eight_decks_unless_told_otherwise() -> None:
    assert json.loads(run("dragon_tiger", "--json")[1])["decks"] == 8
    assert json.loads(run("dragon_tiger", "--json", "--decks", "4")[1])["outcomes"] == str(208 * 207)


def test_the_table_shows_counts_probabilities_and_returns() -> None:
    code, out, _ = run("dragon_tiger")
    assert code == 0
    for text in ("172,640 ordered draws of two cards", "-31/830", "-3.7349 %", "12,896", "7.4699 %", "loses 50 %"):
        assert text in out


def test_a_reading_can_be_switched() -> None:
    chosen = json.loads(
        run("tiger", "--json", "--reading", "tiger_pair=cumulative", "--reading", "tiger_banker=layout")[1]
    )
    assert chosen["wagers"]["tiger_pair"]["percent"] == -13.1293
    assert chosen["wagers"]["banker"]["percent"] == -1.4581


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["tigr"], "did you mean tiger?"),
        (["roulette"], "the games are dragon_tiger_baccarat"),
        (["tiger", "--decks", "3"], "is played with 4 to 10 decks, not 3"),
        (["dragon_tiger", "--decks", "9"], "is played with 4 to 8 decks, not 9"),
        (["tiger", "--reading", "pair"], "write it as NAME=CHOICE"),
        (["tiger", "--reading", "pair=loose"], "is same-rank or literal, not 'loose'"),
        (["tiger", "--reading", "pears=loose"], "there is no reading 'pears'"),
    ],
)
def test_wrong_use_says_what_to_do(arguments: list[str], says: str) -> None:
    code, out, errors = run(*arguments)
    assert (code, out) == (2, "")
    assert says in " ".join(errors.replace("│", " ").split())


def test_help_starts_with_examples() -> None:
    shown = run("--help")[1]
    assert shown.index("Examples") < shown.index("tablewatch odds tiger") < shown.index("Options")
