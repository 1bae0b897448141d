"""Clauses that the four baccarat documents share in substance, under the numbers that each gives them."""

from games.clauses import Clause, checkable, definition, not_checkable, partly

DRAWING = "the drawing itself is not an event; what is checked is that every wager is one that the table offers"
NO_PASSING = "no event tells who was handed the cards; a failure does not change the outcome (5.7.1)"
NO_DRAWER = "no event tells who drew a card or handled the dealing device"
PICTURE = "the backs of the cards: they need a picture, not an event"
REPORTED = "what happened to the cards must have been reported as an incident"
PERMISSION = "a permission: using it or not breaks no rule"
ASKED = "whether every player was asked: it is spoken"
SPOKEN = "the request is spoken; no event tells it from a wager placed by the player"


def opening_and_closing(opened: str, closed: str) -> tuple[Clause, ...]:
    """3.1 and 3.2 of every document."""
    return (
        checkable("3.1", f"play of a round begins with {opened}", "announcements"),
        checkable("3.2", f"bets are closed with {closed}", "announcements", "early_cards", "late_acts"),
    )


def values_and_totals(zero: str) -> tuple[Clause, ...]:
    """3.3 and 3.4 of the baccarat documents."""
    return (
        checkable("3.3", "point values of the cards", "display", "settlement"),
        checkable("3.3.1", "Two to Nine count their face value, an Ace one", "display", "settlement"),
        checkable("3.3.2", f"{zero} count nothing", "display", "settlement"),
        checkable("3.4", "point total of a hand", "display", "settlement"),
        checkable("3.4.1", "a sum below ten is the point total", "display", "settlement"),
        checkable("3.4.2", "of a higher sum the right digit is the point total", "display", "settlement"),
    )


def order_of_dealing(number: str, subject: str = "two hands are dealt, Player and Banker") -> tuple[Clause, ...]:
    """The two hands and their first four cards."""
    return (
        checkable(number, subject, "table_of_play"),
        checkable(f"{number}.1", "first and third card are Player's", "cards_drawn", "table_of_play"),
        checkable(f"{number}.2", "second and fourth card are Banker's", "cards_drawn", "table_of_play"),
    )


def table_of_play(number: str) -> Clause:
    """Third cards."""
    return partly(
        number, "third cards by the Table of Play, after the totals of the initial deal are announced", "table_of_play",
        but="the announcement of the totals is spoken and not an event",
    )  # fmt: skip


def winner_and_tie(number: str) -> tuple[Clause, ...]:
    """The winner, and what a tie does."""
    return (
        checkable(number, "the hand with the higher point total wins", "display", "settlement"),
        checkable(
            f"{number}.1", "equal totals are a tie: Player and Banker wagers are returned, Tie wagers win",
            "display", "settlement",
        ),
    )  # fmt: skip


def dealing_methods(choice: str, a: str, b: str, c: str) -> tuple[Clause, ...]:
    """DTB 3.9 to 3.12, FF4 3.8 to 3.11: who draws, who holds and who exposes the cards."""
    return (
        partly(choice, "a round is dealt by Method A, B or C", "method", but="how it was dealt is not an event"),
        not_checkable(f"{choice}.1", "in Methods A and B the Dealer keeps the dealing device", NO_DRAWER),
        partly(
            f"{choice}.2", "A or B as the Pit Manager decides, before a round; C in the HLGA alone", "method",
            but="the decision itself is not an event",
        ),
        definition(a, "Method A (heading)"),
        not_checkable(f"{a}.1", "the Dealer draws the cards and makes the announcements", NO_DRAWER),
        not_checkable(f"{a}.2", "each hand is passed face down to the player with the most wagered on it", NO_PASSING),
        not_checkable(f"{a}.3", "who refuses the cards passes them to the next highest", NO_PASSING),
        not_checkable(f"{a}.4", "of equal wagers the one placed first gets the cards", NO_PASSING),
        not_checkable(f"{a}.4.1", "failing that, the Pit Supervisor decides", NO_PASSING),
        not_checkable(f"{a}.5", "on refusal, the next player counter clockwise", NO_PASSING),
        not_checkable(f"{a}.6", "the Dealer decides which hand is revealed first", "no event tells of it"),
        not_checkable(f"{a}.7", "third cards face down, exposed unless squeezed", "no event tells how a card lies"),
        definition(b, "Method B (heading)"),
        not_checkable(f"{b}.1", "the Dealer draws the cards and lays them in their areas", NO_DRAWER),
        not_checkable(f"{b}.2", "the Dealer keeps the cards; players do not handle them", NO_DRAWER),
        definition(c, "Method C (heading)"),
        not_checkable(f"{c}.1", "a player draws the cards from a device that reads them", NO_DRAWER),
        not_checkable(f"{c}.2", "an Assistant Casino Manager may let a player without a wager draw", NO_DRAWER),
        not_checkable(f"{c}.3", "cards for another player go face down through the Dealer", NO_PASSING),
        not_checkable(f"{c}.4", "the player draws in full view of the staff", "seen by cameras, not an event"),
        not_checkable(f"{c}.5", "exposed initial hands are laid in their areas", "no event tells where a card lies"),
        not_checkable(f"{c}.6", "third cards are drawn by the player with the device", NO_DRAWER),
        not_checkable(f"{c}.7", "exposed cards are laid on the layout", "no event tells where a card lies"),
        not_checkable(f"{c}.8", "how long a player keeps the device (heading)", NO_DRAWER),
        not_checkable(f"{c}.8.1", "until the player gives it up", NO_DRAWER),
        not_checkable(f"{c}.8.2", "until the player's wager loses", NO_DRAWER),
    )  # fmt: skip


def cutting_card() -> tuple[Clause, ...]:
    """3.17 of DTB and FF4."""
    return (
        partly(
            "3.17", "when the cutting card appears it is removed and the round completed",
            "table_of_play", "void_rounds", but="taking it out is a physical act",
        ),
        partly(
            "3.17.1", "in the HLGA, when it comes first, the Dealer may let players withdraw", "late_acts", "rulings",
            but="the Dealer's discretion",
        ),
    )  # fmt: skip


def irregularities() -> tuple[Clause, ...]:
    """Chapters 5 and 6 of DTB and FF4, which agree number by number."""
    return (
        checkable(
            "5.1", "extra, missing, foreign or unshuffled cards found in a round",
            "foreign_cards", "shoe_balance", "void_rounds",
        ),
        checkable("5.1.1", "that round is void", "void_rounds"),
        checkable("5.1.2", "earlier rounds stand", "announcements", "settlement"),
        partly("5.2", "order of the cards altered beyond reconstruction: void", "void_rounds", but=REPORTED),
        checkable("5.3", "too few cards to complete the round: void", "insufficient_cards", "void_rounds"),
        checkable("5.4", "nothing placed or increased after the closing: refused", "late_acts", "settlement"),
        checkable("5.5", "nothing withdrawn after the closing: it stands", "late_acts", "settlement"),
        partly("5.6", "a card face up in the device is played", "table_of_play", "void_rounds", but=REPORTED),
        partly(
            "5.7", "cards dealt in a wrong order are reconstructed and the round goes on", "settlement", "void_rounds",
            but=f"{REPORTED}; who holds the cards is not an event",
        ),
        partly("5.7.1", "a card passed wrongly or exposed in error is no wrong delivery", "void_rounds", but=REPORTED),
        partly("5.8", "cards drawn together, order known: reconstructed", "settlement", "void_rounds", but=REPORTED),
        partly("5.8.1", "players may withdraw before that", "late_acts", but=ASKED),
        definition("5.8.2", "cards drawn together in an unknown order (heading)"),
        partly("5.8.2.1", "in the initial deal: void", "void_rounds", but=REPORTED),
        partly(
            "5.8.2.2", "later: the Pit Manager orders them, players may withdraw what is left", "late_acts", "rulings",
            "void_rounds", but=ASKED,
        ),
        partly(
            "5.9", "after a reset of the device players may withdraw or wager until bets are closed again",
            "announcements", "early_cards", "late_acts", but="the error behind the reset",
        ),
        not_checkable("5.10", "cards of an absent player are exposed by the Dealer", "a physical act"),
        partly("5.11", "a player leaves with cards that cannot be read", "rulings", but=REPORTED),
        not_checkable("5.11.1", "two cards are set aside before a Gaming Shift Manager", "a physical act"),
        not_checkable("5.11.2", "the remaining cards are sorted and shown", "a physical act"),
        not_checkable("5.11.2.1", "the missing cards follow from those that are left", "a physical count"),
        partly("5.11.3", "cards of the same kind replace them", "foreign_cards", but="what the missing card was"),
        partly("5.11.4", "the round is completed with them", "settlement", "table_of_play", but=REPORTED),
        not_checkable("5.11.5", "the cards are replaced before the next round", "a physical act"),
        partly("5.12", "Method C: cards exposed while the device is moved", "void_rounds", but=REPORTED),
        partly("5.12.1", "exposed cards are played", "void_rounds", but=REPORTED),
        partly("5.12.2", "order altered beyond repair: void, and other cards", "void_rounds", but=REPORTED),
        not_checkable("5.13", "after a void round the cards may be replaced", PERMISSION),
        checkable("5.14", "under the minimum: settled once, later ones returned", "limits", "settlement"),
        checkable("5.15", "over the maximum: settled as the maximum", "limits", "settlement"),
        checkable("5.16", "what was settled over or under in earlier rounds stays so", "announcements", "settlement"),
        definition("5.17", "power failure (heading)"),
        partly(
            "5.17.1", "no outcome yet: players may withdraw all, then the round is concluded",
            "late_acts", "void_rounds", but=f"{ASKED}; that a player withdrew everything",
        ),
        checkable("5.17.2", "with an outcome: the round is concluded", "table_of_play", "void_rounds"),
        checkable("5.18", "the table differential is exceeded", "differential"),
        partly("5.18.1", "players on the heavier hand are asked to decrease", "differential", "late_acts", but=ASKED),
        checkable("5.18.2", "players on the lighter hand may increase", "differential", "late_acts"),
        checkable("5.18.3", "else the Pit Manager removes wagers", "differential", "rulings", "settlement"),
        partly(
            "6.1", "what no rule covers is decided by the Gaming Shift Manager", "rulings", "void_rounds",
            but="what is decided is discretion; who decided is checked",
        ),
        partly("6.2", "a higher position may act for a lower one", "rulings", but=PERMISSION),
        checkable("6.3", "a wrong display changes nothing: the cards decide", "display", "settlement"),
    )  # fmt: skip
