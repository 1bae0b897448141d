"""The rules that a round was judged by, as data that a stranger's program can read: document, clauses and paytable."""

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from games.cards import POINTS, RANK
from games.paytable import printed_odds
from games.register import REGISTER
from games.rulebook import Game
from games.table_of_play import BANKER_DRAWS, BANKER_DRAWS_ALONE, NATURAL, PLAYER_STANDS


def clauses_said(cited: Iterable[str]) -> list[dict[str, str]]:
    """The clauses that are cited, as document and number, with their subject in our own words."""
    wanted = set(cited)
    return [
        {"document": clause.document, "clause": clause.number, "subject": clause.subject}
        for clause in REGISTER
        if f"{clause.document} {clause.number}" in wanted
    ]


def rules_said(game: Game | None, in_force: str | None, cited: Iterable[str]) -> dict[str, Any]:
    """Everything that decides the outcome and the money of a round of this game."""
    if game is None:
        return {"game": None, "clauses": clauses_said(cited)}
    return {
        "game": game.name,
        "title": game.title,
        "document": {"name": game.document.name, "title": game.document.title, "in_force": in_force},
        "clauses": clauses_said(cited),
        "readings": asdict(game.readings),
        "hands": list(game.hands),
        "deck": list(game.deck.codes),
        "ranks": list(game.deck.ranks),
        "points": {RANK[code]: POINTS[code] for code in game.deck.codes},
        "table_of_play": {
            "natural": NATURAL,
            "player_stands": PLAYER_STANDS,
            "banker_draws_alone": BANKER_DRAWS_ALONE,
            "banker_draws": [sorted(each) for each in BANKER_DRAWS],
        },
        "limits_settle": game.document.limits_settle,
        "wagers": {
            wager.name: {
                "title": wager.title,
                "cumulative": wager.cumulative,
                "lines": [
                    {
                        "when": [[each.feature, each.operator, each.value] for each in line.when],
                        "net": str(line.net),
                        "odds": printed_odds(line.net),
                        "clause": line.clause,
                        "label": line.label,
                    }
                    for line in wager.lines
                ],
            }
            for wager in game.wagers.values()
        },
    }
