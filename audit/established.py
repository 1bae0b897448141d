"""Whether an outcome is established: any wager on offer has conclusively won or lost, whatever cards may follow."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import chain, islice

from games.cards import POINTS
from games.rulebook import Game
from games.settlement import Outcome, outcome_of

MOST_CARDS = 6
"""With so many cards every round is at its end."""
_TRIED = 500
"""So many endings that lie far apart are tried first."""
_STRIDE = 0.6180339887498949
"""Of all endings: whatever number of steps is taken, they lie nearly evenly."""


def outcome_established(game: Game, offered: Sequence[str], cards: Sequence[str]) -> bool:
    """EB 5.9 (reading A-25), exact: with these cards on the table, does any offered wager win, or lose, in every way
    in which the round can still end? Of four and more decks a card of every rank may always follow, and suits decide
    nothing in the games that have this rule."""
    index, suits = game.deck.index, len(game.deck.suits)
    return _established(game, tuple(offered), tuple(index[card] // suits for card in cards))


@lru_cache(maxsize=4096)
def _established(game: Game, offered: tuple[str, ...], ranks: tuple[int, ...]) -> bool:
    one_of_each_rank = game.deck.codes[:: len(game.deck.suits)]
    dealt = [one_of_each_rank[rank] for rank in ranks]
    signs: dict[str, int] = {}
    open_still = [wager for wager in offered if wager in game.wagers]
    # Mostly nothing is established yet, which a few outcomes show if they lie far apart. Only what they leave open is
    # followed through all: of a round without a card there are a million.
    some = islice(_far_apart(game, dealt, one_of_each_rank), _TRIED)
    for outcome in chain(some, _every(game, dealt, one_of_each_rank)):
        if not open_still:
            return False
        open_still = [wager for wager in open_still if _is_decided(wager, outcome.nets[wager], signs)]
    return bool(open_still)


def _far_apart(game: Game, dealt: Sequence[str], cards: Sequence[str]) -> Iterator[Outcome]:
    """Outcomes that may follow, each of cards far from those of the one before."""
    to_come = MOST_CARDS - len(dealt)
    ways = len(cards) ** to_come
    stride = int(ways * _STRIDE) | 1
    for number in range(0, stride * ways, stride):
        places = number % ways
        ending = list(dealt)
        for _ in range(to_come):
            places, place = divmod(places, len(cards))
            ending.append(cards[place])
        outcome = outcome_of(game, ending)
        if outcome is not None:
            yield outcome


def _every(game: Game, dealt: Sequence[str], cards: Sequence[str]) -> Iterator[Outcome]:
    """All outcomes that may follow; third cards count by their points alone."""
    outcome = outcome_of(game, dealt)
    if outcome is not None:
        yield outcome
        return
    for card in cards if len(dealt) < game.initial_deal else {POINTS[card]: card for card in cards}.values():
        yield from _every(game, [*dealt, card], cards)


def _is_decided(wager: str, net: Fraction, signs: dict[str, int]) -> bool:
    """Whether it wins, or loses, in an ending as in all before."""
    sign = (net > 0) - (net < 0)
    return sign != 0 and signs.setdefault(wager, sign) == sign
