"""A shoe's account at its end: cards read and cards counted as remaining are exactly its decks (5.1, reading A-22)."""

from collections.abc import Sequence
from itertools import product

from audit.ledger import ShoeLedger
from games.rulebook import Game
from schemas.findings import Finding, finding_about

_MOST_DOUBTS = 8
"""More draws than this that were read in two ways leave nothing to balance."""


def check(
    table: str,
    shoe: str,
    game: Game,
    decks: int,
    reads: Sequence[Sequence[str]],
    remaining: Sequence[str],
    cards_lost: bool,
) -> list[Finding]:
    """``shoe-short``. ``reads`` are the cards reported for each draw of the shoe, more than one where the readings
    differ: the shoe balances if it does under any of them. Where draws may have been lost in a hole of the reader
    (``cards_lost``), missing cards prove nothing; cards left over still do."""
    certain = [cards[0] for cards in reads if len(cards) == 1]
    doubtful = [cards for cards in reads if len(cards) > 1]
    if len(doubtful) > _MOST_DOUBTS:
        return []
    ledger = ShoeLedger.loaded(game.deck, decks).after(certain)
    best: tuple[dict[str, int], dict[str, int]] | None = None
    for chosen in product(*doubtful):
        missing, over = ledger.after(chosen).balance(remaining)
        if cards_lost:
            missing = {}
        if not missing and not over:
            return []
        if best is None or sum(missing.values()) + sum(over.values()) < sum(best[0].values()) + sum(best[1].values()):
            best = missing, over
    assert best is not None
    missing, over = best
    return [
        finding_about(
            "shoe-short", table,
            f"Shoe {shoe} does not balance against its {decks} decks: {_words('missing', missing)}"
            f"{' and ' if missing and over else ''}{_words('left over', over)}.",
            rule=f"{game.document.name} {game.document.clauses['foreign-card']}", shoe=shoe,
            expected={"cards": decks * game.deck.size}, actual={"missing": missing, "left_over": over},
        )
    ]  # fmt: skip


def _words(what: str, cards: dict[str, int]) -> str:
    if not cards:
        return ""
    named = ", ".join(f"{count} × {card}" if count > 1 else card for card, count in list(cards.items())[:6])
    more = f" and {len(cards) - 6} more" if len(cards) > 6 else ""
    return f"{what} {named}{more}"
