"""A stored shoe: its rounds, its roads, and the account of its cards."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from audit.ledger import ShoeLedger
from games.cards import Deck
from games.rulebook import GAMES
from replay.roads import Bead, Roads, roads_of
from replay.rounds import RoundNotFound, near_words
from schemas.verdicts import Verdict
from store.connect import Store
from store.read.rounds import RoundFilter, nearby, read_verdict, verdicts
from store.read.shoe import cards_read, shoe_endings, shoe_loadings
from store.rows.verdicts import RoundKey


@dataclass(frozen=True, slots=True)
class CardAccount:
    """What became of the cards of a shoe; cards count as they were read."""

    decks: int
    dealt: int
    remaining: int
    """How many should still be in the shoe, or be counted at its end."""
    left: Mapping[str, int]
    """By card: how many copies should be left; below zero is one copy too many."""
    left_by_rank: Mapping[str, int]
    foreign: tuple[str, ...]
    """Cards that cannot be of this shoe."""
    unclear: int
    """Draws that were read as two cards: which one left the shoe is not known."""
    counted: int | None
    """How many cards were counted at the end; None: not ended, or not counted."""
    missing: Mapping[str, int]
    """By card: copies that neither were dealt nor counted at the end."""
    over: Mapping[str, int]
    """By card: copies more than the decks hold."""


@dataclass(frozen=True, slots=True)
class StoredShoe:
    """One shoe of one table."""

    table: str
    shoe: str
    game: str | None
    hands: tuple[str, ...]
    """The hands of its game."""
    ended: bool
    rounds: tuple[Verdict, ...]
    """The last verdict of each judged round."""
    roads: Roads
    account: CardAccount | None
    """None where its loading, or its game, is not on record."""


def beads_of(rounds: Iterable[Verdict]) -> list[Bead]:
    """The outcomes that roads show: of rounds that are not void and whose cards tell the winner."""
    return [
        Bead(verdict.round, verdict.outcome.winner, verdict.outcome.naturals, verdict.outcome.pairs)
        for verdict in rounds
        if verdict.status != "void" and verdict.outcome is not None
    ]


def account_of(
    deck: Deck, decks: int, read: Sequence[tuple[int, int, str]], remaining: Sequence[str] | None
) -> CardAccount:
    """The account of a shoe from what was read (round, draw, card) and what was counted at its end."""
    by_draw: dict[tuple[int, int], set[str]] = {}
    for number, draw, card in read:
        by_draw.setdefault((number, draw), set()).add(card)
    clear = [next(iter(cards)) for cards in by_draw.values() if len(cards) == 1]
    ledger = ShoeLedger.loaded(deck, decks).after(clear)
    missing, over = ledger.balance(remaining) if remaining is not None else ({}, {})
    return CardAccount(
        decks=decks,
        dealt=len(by_draw),
        remaining=ledger.remaining,
        left=ledger.left(),
        left_by_rank=ledger.left_by_rank(),
        foreign=tuple(sorted(ledger.too_many())),
        unclear=len(by_draw) - len(clear),
        counted=None if remaining is None else len(remaining),
        missing=missing,
        over=over,
    )


def load_shoe(store: Store, table: str, shoe: str) -> StoredShoe:
    """One shoe with its rounds; ``RoundNotFound`` says which shoes there are."""
    rounds = tuple(read_verdict(each) for each in verdicts(store, RoundFilter(tables=(table,), shoe=shoe)))
    loaded = shoe_loadings(store, table, shoe)
    if not rounds and not loaded:
        near = nearby(store, RoundKey(table, shoe, 1))
        if not near.rounds:
            raise RoundNotFound(f"There is no shoe {table}/{shoe}. {near_words(RoundKey(table, shoe, 1), near)}")
    named = Counter(verdict.game for verdict in rounds if verdict.game is not None).most_common(1)
    game = GAMES[named[0][0]] if named else None
    endings = shoe_endings(store, table, shoe)
    counted = endings[-1].event.data.remaining if endings else None
    account = None
    if game is not None and loaded:
        account = account_of(game.deck, loaded[-1].event.data.decks, cards_read(store, table, shoe), counted)
    return StoredShoe(
        table, shoe, game.name if game else None, game.hands if game else (), bool(endings), rounds,
        roads_of(beads_of(rounds)), account,
    )  # fmt: skip


def shoe_json(shoe: StoredShoe) -> dict[str, Any]:
    """A shoe as JSON has it; of its rounds what the roads show."""
    return {
        "table": shoe.table,
        "shoe": shoe.shoe,
        "game": shoe.game,
        "ended": shoe.ended,
        "rounds": [
            {
                "round": verdict.round,
                "status": verdict.status,
                "winner": None if verdict.outcome is None else verdict.outcome.winner,
                "totals": None if verdict.outcome is None else verdict.outcome.totals,
                "codes": [finding.code for finding in verdict.findings],
            }
            for verdict in shoe.rounds
        ],
        "roads": asdict(shoe.roads),
        "account": None if shoe.account is None else asdict(shoe.account),
    }
