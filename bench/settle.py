"""How many rounds a second one process settles: ``python -m bench.settle [rounds]``."""

import io
import json
import random
import sys
import time

from bench.page.figures import tell
from games.rulebook import GAMES
from tablewatch.commands.settle import answer_all

BAR = 60_000
"""Rounds a second that the command must reach in one process."""


def rounds(count: int, seed: int, stakes: list[str] | None) -> bytes:
    """Random rounds of all ten games as JSON lines; six cards are drawn, so most lines are ``card-extra`` or ``ok``."""
    chance = random.Random(seed)
    games = list(GAMES.values())
    lines = []
    for number in range(count):
        game = games[number % len(games)]
        decks = chance.choice(game.decks)
        cards = chance.sample(game.deck.codes * decks, 6 if game.is_baccarat else 2)
        stake = chance.choice(stakes) if stakes else f"{chance.randrange(1, 10**7)}.{chance.randrange(100):02}"
        asked = {"id": f"r{number}", "game": game.name, "decks": decks, "cards": cards, "stake": stake}
        lines.append(json.dumps(asked))
    return "\n".join(lines).encode() + b"\n"


def rate(asked: bytes, count: int) -> float:
    """Rounds a second of the processor through the whole command, with reading and writing: the best of three runs."""
    seconds = []
    for _ in range(3):
        start = time.process_time()
        invalid = answer_all(io.BytesIO(asked), io.BytesIO())
        seconds.append(time.process_time() - start)
        if invalid:
            raise SystemExit(f"{invalid} of the bench's own rounds were refused")
    return count / min(seconds)


def main() -> None:
    """Measure with the usual chips as stakes, and with another stake in every round, which no cache can help."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 200_000
    chips = [str(stake) for stake in (5, 10, 25, 50, 100, 200, 300, 500, 1000, 2500, 5000, 10000)]
    usual = rate(rounds(count, 1, chips), count)
    every = rate(rounds(count, 2, None), count)
    tell("rounds settled", count)
    told = tell("rounds settled a second of the processor", usual, "rounds/s", of="the usual chips", at_least=BAR)
    tell("rounds settled a second of the processor", every, "rounds/s", of="another stake in every round")
    if not told.holds:
        raise SystemExit(f"below the bar of {BAR} rounds/s")


if __name__ == "__main__":
    main()
