"""``tablewatch odds``: the exact return of every wager of a game."""

import json
from fractions import Fraction
from typing import Annotated

import typer
from rich.table import Table

from games.odds import Odds
from games.odds import odds as exact_odds
from games.paytable import printed_odds
from games.rulebook import Game
from tablewatch.commands.game_argument import Reading, chosen_game
from tablewatch.commands.paper import paper


def odds(
    game: Annotated[str, typer.Argument(help="One of the games that `tablewatch rules` lists.")],
    decks: Annotated[int, typer.Option(help="How many decks the shoe has.")] = 8,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    reading: Reading = None,
) -> None:
    """Examples:

    \b
      tablewatch odds tiger
      tablewatch odds dragon_tiger_baccarat --decks 6 --json
      tablewatch odds tiger --reading tiger_pair=cumulative

    Counts every ordered draw from a full shoe and prints, for each wager, how often each line of its paytable is paid
    and the exact expected net win per unit staked.
    """
    chosen = chosen_game(game, reading)
    if decks not in chosen.decks:
        allowed = f"{chosen.decks.start} to {chosen.decks.stop - 1}"
        raise typer.BadParameter(f"{chosen.title} is played with {allowed} decks, not {decks}.")
    counted = exact_odds(chosen, decks)
    if as_json:
        typer.echo(json.dumps(odds_json(counted)))
    else:
        _print(chosen, counted)


def odds_json(counted: Odds) -> dict[str, object]:
    """The odds as outsiders read them: exact numbers as strings, percent rounded to four decimals."""
    return {
        "game": counted.game,
        "decks": counted.decks,
        "outcomes": str(counted.outcomes),
        "wagers": {
            name: {"return": _ratio(wager.mean), "percent": _percent(wager.mean)}
            for name, wager in counted.wagers.items()
        },
    }


def _ratio(value: Fraction) -> str:
    return f"{value.numerator}/{value.denominator}"


def _percent(value: Fraction) -> float:
    return float(round(value * 100, 4))


def _print(game: Game, counted: Odds) -> None:
    drawn = "six cards" if game.is_baccarat else "two cards"
    console = paper()
    console.print(f"[bold]{game.title}[/bold], {counted.decks} decks: {counted.outcomes:,} ordered draws of {drawn}")
    returns = Table("Wager", "Return per unit", title="Returns", title_justify="left")
    returns.add_column("Percent", justify="right")
    returns.add_column("Standard deviation", justify="right")
    lines = Table("Wager", "Line", "Pays", title="How often each line is paid", title_justify="left")
    lines.add_column("Count", justify="right")
    lines.add_column("Probability", justify="right")
    for name, wager in counted.wagers.items():
        deviation = float(wager.variance) ** 0.5
        returns.add_row(name, _ratio(wager.mean), f"{_percent(wager.mean):.4f} %", f"{deviation:.4f}")
        for place, line in enumerate(wager.lines):
            share = _percent(Fraction(line.count, counted.outcomes))
            wager_name = name if place == 0 else ""
            lines.add_row(wager_name, line.label, printed_odds(line.net), f"{line.count:,}", f"{share:.4f} %")
    console.print(returns)
    console.print(lines)
