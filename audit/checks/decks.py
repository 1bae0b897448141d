"""The number of decks in a shoe (2.1 of all documents: four to ten, in Dragon Tiger four to eight)."""

from games.rulebook import Game
from schemas.findings import SEVERITY, Finding, finding_id


def check(table: str, shoe: str, game: Game, decks: int) -> list[Finding]:
    """``decks-not-allowed``."""
    if decks in game.decks:
        return []
    code = "decks-not-allowed"
    return [
        Finding(
            id=finding_id(code, table, shoe),
            code=code,
            severity=SEVERITY[code],
            rule=f"{game.document.name} {game.document.clauses['decks']}",
            table=table,
            shoe=shoe,
            round=None,
            bet=None,
            draw=None,
            expected=[game.decks[0], game.decks[-1]],
            actual=decks,
            message=f"Shoe {shoe} holds {decks} decks; {game.title} is played with "
            f"{game.decks[0]} to {game.decks[-1]}.",
        )
    ]
