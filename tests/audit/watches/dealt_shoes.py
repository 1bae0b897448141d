"""Seeded shoes dealt by the rules, fairly or with cards gone, and slugs as a false shuffle brings them back."""

from collections.abc import Callable, Iterable, Sequence
from random import Random
from typing import Any

from audit.watches.summary import DealtRound, SettledBet, ShoeSummary
from games.rulebook import GAMES, Game
from games.settlement import outcome_of, required_cards

PlacedBet = tuple[str | None, str, int]
"""Player, wager and stake."""

Bets = Callable[[Random, Game, DealtRound | None], Iterable[PlacedBet]]
"""The bets of a round before its cards, from the round before it."""


def full_shoe(game: str, decks: int, without: Sequence[str] = ()) -> list[str]:
    """All cards of a shoe, unshuffled, without those gone."""
    cards = [code for code in GAMES[game].deck.codes for _ in range(decks)]
    for card in without:
        cards.remove(card)
    return cards


def deal(
    cards: Sequence[str],
    name: str = "S1",
    game: str = "no_commission",
    decks: int = 8,
    stop_after: int = 400,
    bets: Bets | None = None,
    random: Random | None = None,
    table: str = "T1",
) -> ShoeSummary:
    """Rounds from these cards in their order, until so many are dealt or they no longer suffice."""
    rules = GAMES[game]
    rounds: list[DealtRound] = []
    place = 0
    while place < stop_after:
        needed = required_cards(rules, cards[place : place + 6])
        while (again := required_cards(rules, cards[place : place + needed])) != needed:
            needed = again
        drawn = tuple(cards[place : place + needed])
        if len(drawn) < needed:
            break
        place += needed
        outcome = outcome_of(rules, drawn)
        assert outcome is not None
        settled = [
            SettledBet(player, wager, stake, int(stake * outcome.nets[wager]))
            for player, wager, stake in (bets(random, rules, rounds[-1] if rounds else None) if bets and random else ())
        ]
        rounds.append(DealtRound(len(rounds) + 1, drawn, tuple(settled)))
    return ShoeSummary(table, name, game, decks, tuple(rounds))


def fair_shoe(random: Random, name: str, game: str = "no_commission", decks: int = 8, **dealing: Any) -> ShoeSummary:
    """A fairly shuffled shoe; ``without`` names the cards gone from it."""
    cards = full_shoe(game, decks, dealing.pop("without", ()))
    random.shuffle(cards)
    return deal(cards, name, game, decks, random=random, **dealing)


def picked_up(random: Random, rounds: Iterable[DealtRound], reverse: bool) -> list[str]:
    """The discards of some rounds: each round in any order, the whole reversed or not."""
    piles = [random.sample(each.cards, len(each.cards)) for each in rounds]
    cards = [card for pile in piles for card in pile]
    return cards[::-1] if reverse else cards


def with_slug(random: Random, slug: Sequence[str], game: str, decks: int, at: int) -> list[str]:
    """A shoe that is fairly shuffled save for a slug at this place."""
    rest = full_shoe(game, decks, without=slug)
    random.shuffle(rest)
    return [*rest[:at], *slug, *rest[at:]]


def cut(random: Random, cards: Sequence[str], length: int) -> list[str]:
    """So many cards in a row from anywhere among these."""
    start = random.randrange(len(cards) - length + 1)
    return list(cards[start : start + length])
