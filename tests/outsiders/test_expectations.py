"""`tablewatch odds` against returns that another program counted over point values and, for pairs, in closed form."""

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from tablewatch.commands.odds import odds

VECTORS = (Path(__file__).parent / "odds.txt").read_text(encoding="utf-8").splitlines()

app = typer.Typer()
app.command()(odds)


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: "-".join(vector.split()[:2]))
def test_the_return_of_every_wager_is_exact(vector: str) -> None:
    game, decks, *returns = vector.split()
    told = json.loads(CliRunner().invoke(app, [game, "--decks", decks, "--json"]).stdout)
    cards = int(decks) * (65 if game in ("fa_fa_fabulous_4", "sands_elements_no_commission") else 52)
    outcomes = 1
    for drawn in range(2 if game == "dragon_tiger" else 6):
        outcomes *= cards - drawn
    assert list(told) == ["game", "decks", "outcomes", "wagers"]
    assert (told["game"], told["decks"], told["outcomes"]) == (game, int(decks), str(outcomes))
    assert [f"{wager}={line['return']}" for wager, line in told["wagers"].items()] == returns
