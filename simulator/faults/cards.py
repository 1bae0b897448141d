"""Wrong cards, wrong numbers of cards, and displays that do not show what was dealt."""

from games.cards import ELEMENTS, STANDARD
from simulator.acts import DISPLAY, DISPLAYED, DRAWN, READER, Payload
from simulator.betting import begin
from simulator.dealing import coming, deal, deal_all, draw, pace
from simulator.faults.variant import Variant, begin_with_bet, deal_and_show, settle_and_conclude
from simulator.round import Round
from simulator.rulings.voids import declare_void, order_altered, return_all, takes_more_than_dealt
from simulator.settling import conclude, pay, settle
from simulator.state import TableState


def _show(round: Round, winner: str, totals: Payload | None) -> None:
    round.say(DISPLAY, DISPLAYED, winner=winner, totals=totals)
    round.wait(700, 1500)


def _other_winner(round: Round) -> str:
    outcome = round.outcome
    right = outcome.winner if outcome else ""
    return round.chance.pick([name for name in (*round.game.hands, "tie") if name != right])


def _dealt(round: Round) -> Payload:
    """All cards are dealt; gives the right totals."""
    begin(round)
    deal_all(round)
    outcome = round.find_outcome()
    return dict(outcome.totals) if outcome else {}


def display_wrong_winner(round: Round) -> None:
    """Another winner than that of the cards, with the right totals or without."""
    totals = _dealt(round)
    _show(round, _other_winner(round), totals if round.chance.happens(0.5) else None)
    round.blame("display-mismatch", "another winner")
    settle_and_conclude(round)


def _wrong_totals(round: Round, totals: Payload) -> Payload:
    hand = round.chance.pick(round.game.hands)
    if round.game.is_baccarat:
        return {**totals, hand: (totals[hand] + round.chance.between(1, 9)) % 10}
    return {**totals, hand: round.chance.pick([rank for rank in STANDARD.ranks if rank != totals[hand]])}


def display_wrong_totals(round: Round) -> None:
    """The right winner with a wrong total; afterwards perhaps the right display, which does not undo the first."""
    totals = _dealt(round)
    winner = round.outcome.winner if round.outcome else ""
    _show(round, winner, _wrong_totals(round, totals))
    if round.chance.happens(0.5):
        _show(round, winner, totals)
    round.blame("display-mismatch", "a wrong total")
    settle_and_conclude(round)


def display_one_hand(round: Round) -> None:
    """Totals must name both hands of the game."""
    totals = _dealt(round)
    hand = round.chance.pick(round.game.hands)
    _show(round, round.outcome.winner if round.outcome else "", {hand: totals[hand]})
    round.blame("display-mismatch", "one hand")
    settle_and_conclude(round)


def display_void_without_ruling(round: Round) -> None:
    """The display says void, and nobody declared it."""
    _dealt(round)
    _show(round, "void", None)
    round.blame("display-mismatch", "void without a ruling")
    settle_and_conclude(round)


def display_after_void(round: Round) -> None:
    """A winner is shown after the round was declared void."""
    begin(round)
    clause = order_altered(round)
    declare_void(round, clause)
    round.wait(1500, 2500)
    _show(round, round.chance.pick(round.game.hands), None)
    round.blame("display-mismatch", "a winner in a void round")
    round.wait(900, 1500)
    conclude(round)


def _settle_by_eye(round: Round) -> None:
    """Somebody calls a winner although the cards do not tell, and money moves accordingly."""
    winner = round.chance.pick(round.game.hands)
    for bet in round.standing():
        round.now += 150
        if bet.wager == winner:
            pay(round, bet, bet.amount, 0)
        else:
            pay(round, bet, 0, bet.amount)
    round.wait(700, 1200)
    conclude(round)


def card_not_dealt(round: Round) -> None:
    """A third card, or the Tiger's card, is not dealt, and the round is settled."""
    begin(round)
    deal(round, len(coming(round)) - 1)
    round.wait(800, 1500)
    round.blame("card-missing", "not dealt")
    _settle_by_eye(round)


def no_card_at_all(round: Round) -> None:
    """The round is closed without a card."""
    begin(round)
    round.wait(2000, 4000)
    round.blame("card-missing", "none dealt")
    conclude(round)


def card_too_many(round: Round) -> None:
    """The hands are complete and one more card is drawn; the outcome is that of the cards that belong."""
    begin(round)
    deal_all(round)
    draw(round)
    round.blame("card-extra", "settled", draw=round.drawn)
    deal_and_show(round)
    settle_and_conclude(round)


def card_too_many_void(round: Round) -> None:
    """SE, DT 5.2: a hand with too many cards, and the round declared void for it."""
    begin(round)
    deal_all(round)
    draw(round)
    round.blame("card-extra", "void", draw=round.drawn)
    declare_void(round, round.clause("wrong-count"))
    return_all(round)


def _wrong_count_founds_void(state: TableState) -> bool:
    return state.setup.game.document.wrong_count_void


def _read(round: Round, card: str) -> None:
    """The device reads a card that is not the next one of the shoe."""
    round.drawn += 1
    round.cards.append(card)
    round.say(READER, DRAWN, draw=round.drawn, card=card)
    round.now += pace(round)


def _foreign(round: Round, card: str, variant: str, void: bool) -> None:
    begin_with_bet(round, 1, -1)
    deal(round, round.chance.below(round.game.initial_deal))
    _read(round, card)
    shoe = round.shoe
    shoe.off_balance = True
    shoe.null_account = shoe.null_account or round.chance.happens(0.6)
    if void:
        round.blame("foreign-card", f"{variant}, void", draw=round.drawn)
        if round.chance.happens(0.5):
            round.report("foreign-card", (round.drawn,))
        declare_void(round, round.clause("foreign-card"))
        return_all(round)
        round.state.change_cards = True
    else:
        round.blame("foreign-card", f"{variant}, settled", "void-required", draw=round.drawn)
        deal_and_show(round)
        settle_and_conclude(round)


def _of_the_other_deck(round: Round) -> str:
    other = ELEMENTS if round.game.deck is STANDARD else STANDARD
    # Ranks that both decks have, so that the round can be played to an end with it.
    return round.chance.pick([card for card in other.codes if card[:-1] in STANDARD.ranks[:10]])


def other_deck_void(round: Round) -> None:
    """A card of the other deck, and the round rightly void (5.1)."""
    _foreign(round, _of_the_other_deck(round), "other deck", void=True)


def other_deck_settled(round: Round) -> None:
    """A card of the other deck, and the round settled all the same."""
    _foreign(round, _of_the_other_deck(round), "other deck", void=False)


def copy_too_many_void(round: Round) -> None:
    """One copy more than the decks hold (reading A-22), and the round rightly void."""
    _foreign(round, round.chance.pick(round.shoe.dealt_out()), "copy too many", void=True)


def copy_too_many_settled(round: Round) -> None:
    """One copy more than the decks hold, and the round settled all the same."""
    _foreign(round, round.chance.pick(round.shoe.dealt_out()), "copy too many", void=False)


def _some_dealt_out(state: TableState) -> bool:
    # Where a read was lost, the last copy that is dealt looks like none too many.
    return not state.shoe.null_account and bool(state.shoe.dealt_out())


def two_cards_for_one_draw(round: Round) -> None:
    """The device reports two different cards for one draw."""
    begin(round)
    deal(round, round.chance.between(1, round.game.initial_deal))
    spare = round.shoe.spare()
    place = next(place for place, card in enumerate(spare) if card != round.cards[-1])
    round.say(READER, DRAWN, draw=round.drawn, card=spare.pop(place))
    round.wait(900, 1500)
    round.shoe.null_account = True
    round.blame("card-conflict", "two cards", draw=round.drawn)
    deal_and_show(round)
    settle_and_conclude(round)


def _has_spare_cards(state: TableState) -> bool:
    return len(set(state.shoe.spare())) > 1


def draw_skipped(round: Round) -> None:
    """One draw is not in the device's count, and none of its messages is missing."""
    begin(round)
    skipped = round.chance.between(1, len(coming(round)) - 1)
    deal(round, skipped - 1)
    round.cards.append(round.shoe.draw())
    round.drawn += 1
    round.now += pace(round)
    round.shoe.null_account = True
    round.blame("card-conflict", "draw skipped", draw=skipped)
    deal(round)
    round.find_outcome()
    settle(round)
    conclude(round)


VARIANTS = (
    Variant("display-mismatch", display_wrong_winner),
    Variant("display-mismatch", display_wrong_totals),
    Variant("display-mismatch", display_one_hand),
    Variant("display-mismatch", display_void_without_ruling),
    Variant("display-mismatch", display_after_void),
    Variant("card-missing", card_not_dealt, takes_more_than_dealt),
    Variant("card-missing", no_card_at_all),
    Variant("card-extra", card_too_many),
    Variant("card-extra", card_too_many_void, _wrong_count_founds_void),
    Variant("foreign-card", other_deck_void),
    Variant("foreign-card", other_deck_settled),
    Variant("foreign-card", copy_too_many_void, _some_dealt_out),
    Variant("foreign-card", copy_too_many_settled, _some_dealt_out),
    Variant("card-conflict", two_cards_for_one_draw, _has_spare_cards),
    Variant("card-conflict", draw_skipped),
)
