"""Cards that cannot be of the shoe: of another deck, or one copy too many (5.1 of all documents, reading A-22)."""

from audit.case import Case


def check(case: Case) -> None:
    """``foreign-card``, for each such draw."""
    dealing = case.dealing
    for draw in dealing.foreign:
        cards = dealing.read.get(draw, ())
        strange = [card for card in cards if card not in case.game.deck.index]
        if strange or not cards:
            words = f"{' and '.join(strange) or 'The replacement card'} at draw {draw} is not of the game's deck"
        else:
            copies = case.context.earlier.get(cards[0], 0) + 1
            copies += sum(1 for other, read in dealing.read.items() if other < draw and read == cards)
            words = f"{cards[0]} at draw {draw} is copy {copies} of a card of which the shoe holds {case.decks}"
        case.raise_finding(
            "foreign-card", case.clause("foreign-card"), f"{words}: the round must be void.",
            expected=None if strange else case.decks, actual=list(cards), draw=draw,
        )  # fmt: skip
