"""How long the exact odds of each game take with a full shoe of its most decks: ``python bench/odds.py``."""

import json
import time

from games.odds import odds
from games.rulebook import GAMES

BAR = 10.0
"""Seconds that one game may take."""


def main() -> None:
    """Count every game once, in one process; nothing is kept from one game to the next."""
    seconds = {}
    for game in GAMES.values():
        start = time.perf_counter()
        odds(game, game.decks[-1])
        seconds[game.name] = round(time.perf_counter() - start, 3)
    print(json.dumps(seconds, indent=2))
    if max(seconds.values()) > BAR:
        raise SystemExit(f"over the bar of {BAR} s a game")


if __name__ == "__main__":
    main()
