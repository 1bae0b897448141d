"""The exact odds of every game: how long they take, and whether they are what others publish: ``python -m bench.odds``.

What is published of eight decks are the numbers of ordered draws of six cards that each side wins, and returns in
percent to four places, found by others who walked through all draws too. The exact fraction must round to each of them.
"""

import time

from bench.page.figures import RATIO, STAKE, tell
from games.odds import Odds, odds
from games.rulebook import GAMES

BAR = 10.0
"""Seconds that one game may take."""
DECKS = 8

PUBLISHED_COUNTS = {
    "all": 4_998_398_275_503_360,
    "banker": 2_292_252_566_437_888,
    "player": 2_230_518_282_592_256,
    "tie": 475_627_426_473_216,
}
PUBLISHED_RETURNS = {
    ("dragon_tiger_baccarat", "player"): -1.2351,
    ("dragon_tiger_baccarat", "banker"): -1.0579,
    ("dragon_tiger_baccarat", "tie"): -14.3596,
    ("no_commission", "banker"): -1.4581,
    ("super_6_no_commission", "player_dragon_bonus"): -2.6517,
    ("super_6_no_commission", "banker_dragon_bonus"): -9.3731,
    ("dragon_tiger", "dragon"): -3.7349,
    ("dragon_tiger", "tiger_big"): -7.6923,
}
"""In percent of the stake, by game and wager."""


def counted(found: Odds) -> dict[str, int]:
    """What was counted of a game, under the names of what is published."""
    wins = {
        side: sum(line.count for line in found.wagers[side].lines if line.net > 0)
        for side in ("banker", "player", "tie")
    }
    return {"all": found.outcomes, **wins}


def main() -> None:
    """Count every game once, in one process; nothing is kept from one game to the next."""
    slowest, agreeing, published = 0.0, 0, 0
    for game in GAMES.values():
        start = time.perf_counter()
        odds(game, game.decks[-1])
        took = time.perf_counter() - start
        tell("time for the exact odds", took, "s", of=game.name, at_most=BAR)
        slowest = max(slowest, took)
        if game.is_baccarat and game.deck.size == 52:
            ours = counted(odds(game, DECKS))
            published += len(PUBLISHED_COUNTS)
            agreeing += sum(ours[name] == count for name, count in PUBLISHED_COUNTS.items())
    for (name, wager), percent in PUBLISHED_RETURNS.items():
        exact = odds(GAMES[name], DECKS).wagers[wager].mean * 100
        label = f"{name}, {wager}"
        tell("return of a wager, published", percent, STAKE, of=label)
        tell("return of a wager, exact", float(exact), STAKE, of=label)
        published += 1
        agreeing += float(round(exact, 4)) == percent
    tell("published figures held against ours", published)
    told = tell("published figures that ours agree with", agreeing / published, RATIO, at_least=1.0)
    if slowest > BAR or not told.holds:
        raise SystemExit(f"over the bar of {BAR} s a game, or not what is published")


if __name__ == "__main__":
    main()
