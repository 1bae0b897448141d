"""``tablewatch rules``: the printed paytable of a game, with the clause behind every line."""

from dataclasses import asdict
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from games.odds import OTHERWISE
from games.paytable import LOST, printed_odds
from games.readings import choices, readings_of
from games.rulebook import GAMES, Game, rulebook
from tablewatch.commands.game_argument import Reading, chosen_game
from tablewatch.commands.paper import paper


def rules(
    game: Annotated[str | None, typer.Argument(help="The game; without one, all games are listed.")] = None,
    reading: Reading = None,
) -> None:
    """Examples:

    \b
      tablewatch rules
      tablewatch rules tiger
      tablewatch rules tiger --reading tiger_banker=layout

    Prints a game's paytable: every wager, what each line pays, the clause that says so, the rule document with its date
    in force, the deck and number of decks, and how unclear rules are read.
    """
    console = paper()
    if game is None:
        _print_games(console)
    else:
        _print_game(console, chosen_game(game, reading))


def _print_games(console: Console) -> None:
    table = Table()
    for heading in ("Game", "Title", "Rule document", "In force from", "Deck", "Decks", "Wagers"):
        table.add_column(heading, overflow="fold")
    for game in GAMES.values():
        document = game.document
        row = (game.name, game.title, document.name, document.in_force.isoformat(), game.deck.name, _range(game.decks))
        table.add_row(*row, str(len(game.wagers)))
    console.print(table)


def _print_game(console: Console, game: Game) -> None:
    document = game.document
    console.print(f"[bold]{game.title}[/bold] ({game.name})")
    console.print(f"Rule document: {document.name}, in force from {document.in_force.isoformat()}")
    console.print(f"Deck: {game.deck.name} each, {_range(game.decks)} decks ({document.clauses['decks']})")
    console.print(f"Hands: {' and '.join(game.hands)} ({document.clauses['draw-order']})")
    table = Table("Wager", "Line", "Pays", "Clause")
    for wager in game.wagers.values():
        for place, line in enumerate(wager.lines):
            table.add_row(wager.name if place == 0 else "", line.label, printed_odds(line.net), line.clause)
        table.add_row("", OTHERWISE, printed_odds(LOST), wager.clause, end_section=True)
    console.print(table)
    for name, others in readings_that_matter(game).items():
        console.print(f"Reading {name}: {getattr(game.readings, name)} (it could be {', '.join(others)})")


def readings_that_matter(game: Game) -> dict[str, list[str]]:
    """The unclear rules that this game's wagers depend on, each with what else could be chosen.

    A reading changes either the paytable itself, or a feature of its name that some line asks for.
    """
    asked = {condition.feature for wager in game.wagers.values() for line in wager.lines for condition in line.when}
    matter: dict[str, list[str]] = {}
    for name, allowed in choices().items():
        others = [choice for choice in allowed if choice != getattr(game.readings, name)]
        for other in others:
            changed = rulebook(readings_of({**asdict(game.readings), name: other}))[game.name]
            if changed.wagers != game.wagers or any(name in feature for feature in asked):
                matter[name] = others
    return matter


def _range(decks: range) -> str:
    return f"{decks.start} to {decks.stop - 1}"
