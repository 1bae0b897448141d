"""The number of decks in a shoe (2.1 of all documents: four to ten, in Dragon Tiger four to eight)."""

from games.rulebook import Game
from schemas.findings import Finding, finding_about


def check(table: str, shoe: str, game: Game, decks: int) -> list[Finding]:
    """``decks-not-allowed``."""
    if decks in game.decks:
        return []
    return [
        finding_about(
            "decks-not-allowed", table,
            f"Shoe {shoe} holds {decks} decks; {game.title} is played with {game.decks[0]} to {game.decks[-1]}.",
            rule=f"{game.document.name} {game.document.clauses['decks']}", shoe=shoe,
            expected=[game.decks[0], game.decks[-1]], actual=decks,
        )
    ]  # fmt: skip
