"""``tablewatch rules``: the printed paytable of every game."""

import pytest
import typer
from typer.testing import CliRunner

from games.paytable import printed_odds
from games.rulebook import GAMES
from tablewatch.commands.rules import readings_that_matter, rules

app = typer.Typer()
app.command()(rules)
app.command("other")(lambda: None)


def printed(*arguments: str) -> str:
    """What ``tablewatch rules`` prints, its lines squeezed to single spaces."""
    result = CliRunner().invoke(app, ["rules", *arguments])
    assert result.exit_code == 0
    return "\n".join(" ".join(line.split()) for line in result.stdout.splitlines())


def test_without_a_game_all_are_listed_with_document_and_date() -> None:
    listed = printed()
    for game in GAMES.values():
        line = next(line for line in listed.splitlines() if f"│ {game.name} │" in line)
        assert game.title in line
        assert f"│ {game.document.name} │ {game.document.in_force.isoformat()} │ {game.deck.name} │" in line
        assert line.endswith(f"│ {len(game.wagers)} │")


@pytest.mark.parametrize("name", GAMES)
def test_every_line_is_printed_with_its_odds_and_clause(name: str) -> None:
    game = GAMES[name]
    paytable = printed(name)
    assert f"Rule document: {game.document.name}, in force from {game.document.in_force.isoformat()}" in paytable
    decks = "4 to 8" if name == "dragon_tiger" else "4 to 10"
    assert f"Deck: {game.deck.name} each, {decks} decks (2.1)" in paytable
    for wager in game.wagers.values():
        assert f"│ {wager.name} │ {wager.lines[0].label} │" in paytable
        for line in wager.lines:
            assert f"│ {line.label} │ {printed_odds(line.net)} │ {line.clause} │" in paytable


def test_readings_are_shown_where_they_matter() -> None:
    assert {name: set(readings_that_matter(game)) for name, game in GAMES.items()} == {
        "dragon_tiger_baccarat": {"small_tiger"},
        "fa_fa_fabulous_4": {"pair"},
        "sands_elements_no_commission": {"pair"},
        "dragon_tiger": set(),
        "super_six_no_commission": {"pair"},
        "fortune_six_no_commission": {"pair", "natural_tie"},
        "super_6_no_commission": {"pair", "natural_tie"},
        "no_commission": {"pair"},
        "tiger": {"pair", "tiger_pair", "tiger_banker"},
        "tiger_no_commission": {"pair", "tiger_pair"},
    }
    assert "Reading tiger_banker: rule (it could be layout)" in printed("tiger")


def test_a_reading_can_be_switched() -> None:
    assert "│ Banker wins with six │ 1 to 2 │ 4.7 │" in printed("tiger", "--reading", "tiger_banker=layout")
    assert "│ Banker wins with six │ 1 to 2 │ 4.7 │" not in printed("tiger")


def test_an_unknown_game_is_wrong_use() -> None:
    result = CliRunner().invoke(app, ["rules", "baccara"])
    assert (result.exit_code, result.stdout) == (2, "")
