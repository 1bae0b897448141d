"""Whether an outcome is established: any wager on offer has conclusively won or lost, whatever cards may follow."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from games.cards import RANK
from games.rulebook import Game
from games.settlement import outcome_of, required_cards


def _one_of_each_rank(game: Game, left: Mapping[str, int]) -> Iterator[str]:
    """One card that is left of every rank; suits decide nothing in the games that have this rule (EB)."""
    ranks = set()
    for card in game.deck.codes:
        if left[card] > 0 and RANK[card] not in ranks:
            ranks.add(RANK[card])
            yield card


def outcome_established(
    game: Game, decks: int, offered: Sequence[str], dealt_before: Mapping[str, int], cards: Sequence[str]
) -> bool:
    """EB 5.9 (reading A-25), exact: with these cards on the table, does any offered wager win, or lose, in every way
    in which the round can still end?"""
    wagers = [wager for wager in offered if wager in game.wagers]
    undecided: dict[str, int | None] = {}
    left = Counter({card: decks - dealt_before.get(card, 0) for card in game.deck.codes})
    left.subtract(cards)

    def explore(dealt: list[str]) -> None:
        if not (possible := [wager for wager in wagers if wager not in mixed]):
            return
        if len(dealt) >= required_cards(game, dealt):
            outcome = outcome_of(game, dealt)
            if outcome is None:
                return
            for wager in possible:
                net = outcome.nets[wager]
                sign = (net > 0) - (net < 0)
                if sign == 0 or undecided.setdefault(wager, sign) != sign:
                    mixed.add(wager)
            return
        for card in list(_one_of_each_rank(game, left)):
            left[card] -= 1
            explore([*dealt, card])
            left[card] += 1

    mixed: set[str] = set()
    explore(list(cards))
    return any(wager not in mixed and undecided.get(wager) for wager in wagers)
