"""The clauses of Dragon Tiger (DT)."""

from games.clauses import checkable, definition, not_checkable, of_document, partly
from games.documents import DRAGON_TIGER
from games.register.baccarat import DRAWING, PICTURE, REPORTED, opening_and_closing

CLAUSES = of_document(
    DRAGON_TIGER,
    definition("1.1", "definitions (heading)"),
    checkable("1.1.1", "Big: eight or higher", "settlement"),
    checkable("1.1.2", "round of play, from its opening to its settlement", "announcements"),
    checkable("1.1.3", "Small: six or lower", "settlement"),
    checkable("1.1.4", "tie: the two hands are equal (reading A-12: of one rank)", "display", "settlement"),
    partly("2.1", "four to eight decks of 52 cards", "decks", "foreign_cards", "shoe_balance", but=PICTURE),
    partly("2.2", "the layout has areas for these wagers", "wagers_offered", but=DRAWING),
    partly("2.2.1", "areas for Dragon and Tiger", "wagers_offered", but=DRAWING),
    partly("2.2.2", "areas for Tie", "wagers_offered", but=DRAWING),
    partly("2.2.3", "areas for Dragon Big and Dragon Small", "wagers_offered", but=DRAWING),
    partly("2.2.4", "areas for Tiger Big and Tiger Small", "wagers_offered", but=DRAWING),
    *opening_and_closing("the call for bets", 'the call "No more bets"'),
    checkable("3.3", "the wagers of this game, each alone or with others", "settlement", "wagers_offered"),
    partly(
        "3.4", "after the wagers one card to Dragon, then one to Tiger, face up",
        "cards_drawn", "early_cards", "table_of_play", but="how a card lies is not an event",
    ),
    checkable("3.5", "cards rank from Ace to King", "display", "settlement"),
    checkable("3.6", "the higher ranking card wins", "display", "settlement"),
    checkable("3.7", "suits have no ranking", "display", "settlement"),
    checkable("3.8", "on a tie Dragon and Tiger wagers lose half, Tie wagers win", "display", "settlement"),
    checkable("3.9", "Big wins on eight or higher", "settlement"),
    checkable("3.10", "Small wins on six or lower", "settlement"),
    checkable("3.11", "Dragon Big and Dragon Small lose on seven", "settlement"),
    checkable("3.12", "Tiger Big and Tiger Small lose on seven", "settlement"),
    checkable("4.1", "Tie 11 to 1, all others 1 to 1", "settlement"),
    checkable("5.1", "a foreign card found in a game", "foreign_cards", "shoe_balance", "void_rounds"),
    checkable("5.1.1", "that round is void", "void_rounds"),
    checkable("5.1.2", "earlier games stand", "announcements", "settlement"),
    checkable("5.2", "more than one card in a hand that cannot be reconstructed: void", "table_of_play", "void_rounds"),
    partly("5.3", "cards drawn together in an unknown order: void", "void_rounds", but=REPORTED),
    partly("5.4", "order of the cards altered beyond reconstruction: void", "void_rounds", but=REPORTED),
    checkable("5.5", "too few cards to complete the round: void", "insufficient_cards", "void_rounds"),
    checkable("5.6", "nothing placed or increased after the closing: refused", "late_acts", "settlement"),
    checkable("5.7", "nothing withdrawn after the closing: it stands", "late_acts", "settlement"),
    not_checkable("Diagrams", "layouts A to F; A prints the odds of 3.8 and 4.1", "drawings are not events"),
)  # fmt: skip
