"""Rightly void rounds: every ground that the documents know, with what is returned and what becomes of the cards."""

from collections.abc import Callable

from games.settlement import required_cards
from simulator.acts import DISPLAY, DISPLAYED
from simulator.betting import begin
from simulator.dealing import deal, deal_all
from simulator.round import SHIFT_MANAGER, SUPERVISOR, Round
from simulator.settling import conclude, display, pay
from simulator.state import TableState

Ground = Callable[[Round], str]
"""Deals as far as it goes, puts the ground of the void on record, and gives the clause."""


def declare_void(round: Round, clause: str, by: str = SUPERVISOR) -> None:
    """The round is void."""
    round.wait(1500, 5000)
    round.rule("void", clause, by)
    round.outcome = None


def return_all(round: Round) -> None:
    """Every wager of a void round is returned (reading A-20): nothing is paid or collected, told or not."""
    round.wait(1000, 2500)
    if round.chance.happens(0.5) and not round.state.devices.devices[DISPLAY].is_silent(round.now):
        round.say(DISPLAY, DISPLAYED, winner="void", totals=None)
        round.wait(500, 1500)
    if round.chance.happens(0.4):
        for bet in round.bets.values():
            if bet.id not in round.unsettled:
                pay(round, bet, 0, 0)
                round.now += 150
    round.wait(700, 1500)
    conclude(round)


def deal_some(round: Round) -> None:
    """Some cards of the round, perhaps none, perhaps all, and then perhaps the outcome on the display."""
    if round.chance.happens(0.3):
        deal_all(round)
        round.find_outcome()
        if round.chance.happens(0.5):
            display(round)
            round.wait(1000, 1500)
    else:
        deal(round, round.chance.between(0, round.game.initial_deal))
    round.wait(300, 1000)


def foreign_card_found(round: Round) -> str:
    """5.1: a card that does not belong is found; the reader has not read it."""
    deal_some(round)
    round.report("foreign-card", text="found in the discards")
    round.shoe.null_account = True
    round.state.change_cards = True
    return round.clause("foreign-card")


def card_missing_from_decks(round: Round) -> str:
    """5.1 of DTB, FF4 and EB."""
    deal_some(round)
    round.report("missing-card")
    round.shoe.null_account = True
    round.state.change_cards = True
    return round.clause("missing-card")


def unshuffled(round: Round) -> str:
    """5.1 of DTB, FF4 and EB."""
    deal_some(round)
    round.report("unshuffled-cards")
    round.state.change_cards = True
    return round.clause("unshuffled-cards")


def order_altered(round: Round) -> str:
    """The order of the cards in the device is lost (DTB, FF4 5.2 and with Method C 5.12.2, SE, DT 5.4, EB 5.2)."""
    deal_some(round)
    round.report("order-altered", [] if round.chance.happens(0.5) else [round.drawn + 1])
    if round.method == "C":
        round.state.change_cards = True
        return "5.12.2"
    round.state.change_cards = round.chance.happens(0.5)
    return round.clause("order-altered")


def drawn_together(round: Round) -> str:
    """Two cards of the initial deal drawn together, their order unknown (DTB, FF4 5.8.2.1, SE, DT 5.3, EB 5.8.1)."""
    first = round.chance.between(1, round.game.initial_deal - 1)
    deal(round, first + 1)
    round.report("cards-drawn-together", [] if round.chance.happens(0.2) else (first, first + 1))
    return round.clause("drawn-together")


def third_cards_together(round: Round) -> str:
    """EB 5.8.1: third cards drawn together, their order unknown; the round must take six cards."""
    deal(round, 6)
    round.report("cards-drawn-together", (5, 6))
    return round.clause("drawn-together")


def too_few_cards(round: Round) -> str:
    """SE 5.2, DT 5.2: a hand has the wrong number of cards; here too few, see ``takes_more_than_dealt``."""
    deal(round, 1 if round.game.initial_deal == 2 else 4)
    round.report("other", text="wrong number of cards")
    return round.clause("wrong-count")


def interrupted(round: Round) -> str:
    """EB 5.9.1: a technical interruption before any wager is decided, which is certain up to the second card."""
    deal(round, round.chance.between(0, 2))
    round.wait(1000, 2000)
    round.rule("power-failure", "5.9", SUPERVISOR, scope="table")
    return round.clause("power-failure")


def not_covered(round: Round) -> str:
    """6.1 of DTB, FF4 and EB: an irregularity that no other clause covers."""
    deal_some(round)
    round.report("other", text="a drink was spilt over the layout")
    return round.clause("decision")


def takes_more_than_dealt(state: TableState) -> bool:
    """Whether the coming round takes more cards than the initial deal (Dragon Tiger: than the first card)."""
    game = state.setup.game
    return not game.is_baccarat or required_cards(game, state.shoe.peek(6)) > 4


def void_round(ground: Ground, by: str | None = None) -> Callable[[Round], None]:
    """A round that is void on this ground, declared so by the role that the clause names unless told otherwise."""

    def play(round: Round) -> None:
        begin(round)
        clause = ground(round)
        role = by or (SHIFT_MANAGER if clause == "6.1" else SUPERVISOR)
        declare_void(round, clause, role)
        return_all(round)

    return play


def grounds_of(state: TableState) -> list[Ground]:
    """The grounds on which the coming round could be void by its document."""
    document = state.setup.game.document
    grounds: list[Ground] = [foreign_card_found, order_altered, drawn_together]
    if document.missing_or_unshuffled_void:
        grounds += [card_missing_from_decks, unshuffled]
    if document.wrong_count_void and takes_more_than_dealt(state):
        grounds.append(too_few_cards)
    if document.power_void:
        grounds.append(interrupted)
    if document.decided_by_shift_manager:
        grounds.append(not_covered)
    if document.together_void == "always" and takes_six(state):
        grounds.append(third_cards_together)
    return grounds


def takes_six(state: TableState) -> bool:
    """Whether the coming round takes six cards."""
    cards = state.shoe.peek(6)
    return len(cards) == 6 and required_cards(state.setup.game, cards) == 6
