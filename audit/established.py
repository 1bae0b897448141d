"""Whether an outcome is established: any wager on offer has conclusively won or lost, whatever cards may follow."""

from collections.abc import Sequence
from functools import lru_cache

from games.rulebook import Game
from games.settlement import outcome_of


def outcome_established(game: Game, offered: Sequence[str], cards: Sequence[str]) -> bool:
    """EB 5.9 (reading A-25), exact: with these cards on the table, does any offered wager win, or lose, in every way
    in which the round can still end? Of four and more decks a card of every rank may always follow, and suits decide
    nothing in the games that have this rule."""
    index, suits = game.deck.index, len(game.deck.suits)
    return _established(game, tuple(offered), tuple(index[card] // suits for card in cards))


@lru_cache(maxsize=4096)
def _established(game: Game, offered: tuple[str, ...], ranks: tuple[int, ...]) -> bool:
    wagers = [wager for wager in offered if wager in game.wagers]
    one_of_each_rank = game.deck.codes[:: len(game.deck.suits)]
    signs: dict[str, int] = {}
    undecided: set[str] = set()

    def explore(dealt: list[str]) -> None:
        open_still = [wager for wager in wagers if wager not in undecided]
        if not open_still:
            return
        outcome = outcome_of(game, dealt)
        if outcome is None:
            for card in one_of_each_rank:
                explore([*dealt, card])
            return
        for wager in open_still:
            net = outcome.nets[wager]
            sign = (net > 0) - (net < 0)
            if sign == 0 or signs.setdefault(wager, sign) != sign:
                undecided.add(wager)

    explore([one_of_each_rank[rank] for rank in ranks])
    return any(wager not in undecided for wager in wagers)
