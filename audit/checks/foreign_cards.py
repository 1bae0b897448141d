"""Cards that cannot be of the shoe: of another deck, or one copy too many (5.1 of all documents, reading A-22)."""

from audit.case import Case


def check(case: Case) -> None:
    """``foreign-card``, for each such draw."""
    dealing, index = case.dealing, case.game.deck.index
    for draw in dealing.foreign:
        cards = dealing.read.get(draw, ())
        strange = [card for card in cards if card not in index]
        if not strange and (replacement := _replacement(case, draw)) not in index and replacement is not None:
            cards = (replacement,)
            strange = [f"The replacement card {replacement}"]
        if strange:
            words = f"{' and '.join(strange)} at draw {draw} is not of the game's deck"
        else:
            copies = case.context.earlier.get(cards[0], 0) + 1
            copies += sum(1 for other, read in dealing.read.items() if other < draw and read == cards)
            words = f"{cards[0]} at draw {draw} is copy {copies} of a card of which the shoe holds {case.decks}"
        case.raise_finding(
            "foreign-card", case.clause("foreign-card"), f"{words}: the round must be void.",
            expected=None if strange else case.decks, actual=list(cards), draw=draw,
        )  # fmt: skip


def _replacement(case: Case, draw: int) -> str | None:
    """The card that a ruling put in the place of the one of a draw; of several the last."""
    rulings = case.facts.rulings_of("replacement-card") if case.facts.rulings else []
    return next((str(each.data.card) for each in reversed(rulings) if each.data.draw == draw), None)
