"""Cards in the wrong order: reconstruction, cards drawn together, a card that a player took along."""

from games.settlement import required_cards
from simulator.betting import begin, close_bets, keep_differential, open_bets, take_bets, take_option
from simulator.dealing import deal, draw, pace, show_cutting_card
from simulator.round import PIT_MANAGER, SHIFT_MANAGER, SUPERVISOR, Round
from simulator.settling import finish
from simulator.state import TableState


def put_in_order(round: Round, order: list[int], clause: str, by: str = SUPERVISOR) -> None:
    """A ruling says in which order the draws made so far count."""
    round.cards = [round.cards[draw - 1] for draw in order]
    round.rule("reconstructed", clause, by, order=order)


def swapped(count: int, first: int) -> list[int]:
    """The draws from 1 to count with one and the next exchanged."""
    order = list(range(1, count + 1))
    order[first - 1], order[first] = order[first], order[first - 1]
    return order


def wrong_order_reconstructed(round: Round, by: str = SUPERVISOR) -> None:
    """DTB, FF4, EB 5.7: cards dealt in an incorrect order are reconstructed."""
    begin(round)
    count = round.chance.between(2, 4)
    deal(round, count)
    first = round.chance.between(1, count - 1)
    round.report("wrong-order", (first, first + 1))
    round.wait(1200, 4000)
    put_in_order(round, swapped(count, first), "5.7", by)
    round.wait(1000, 2000)
    finish(round)


def order_altered_reconstructed(round: Round, by: str = SUPERVISOR) -> None:
    """5.2 of DTB, FF4 and EB, 5.4 of SE and DT: an altered order that can be reconstructed."""
    begin(round)
    count = round.chance.between(1, round.game.initial_deal)
    deal(round, count)
    round.report("order-altered", text="order known from the camera")
    round.wait(1200, 4000)
    order = list(range(1, count + 1))
    if count > 1 and round.chance.happens(0.5):
        order = swapped(count, round.chance.between(1, count - 1))
    put_in_order(round, order, round.clause("order-altered"), by)
    round.wait(1000, 2000)
    finish(round)


def together_order_known(round: Round, by: str = SUPERVISOR, offered_by: str = SUPERVISOR) -> None:
    """5.8: cards drawn together whose order is known; in DTB and FF4 players may withdraw first (5.8.1)."""
    begin(round)
    first = round.chance.between(1, round.game.initial_deal - 1)
    deal(round, first + 1)
    round.report("cards-drawn-together", (first, first + 1))
    withdrawal = "5.8.1" in round.game.document.withdrawal_clauses
    if withdrawal:
        round.wait(1200, 3000)
        round.rule("withdrawal-offered", "5.8.1", offered_by)
        round.wait(1200, 3000)
        take_option(round, whole=False)
    round.wait(1200, 3000)
    order = swapped(first + 1, first) if round.chance.happens(0.6) else list(range(1, first + 2))
    clause = "5.8" if round.game.document.short in {"DTB", "FF4", "EB"} else round.clause("drawn-together")
    put_in_order(round, order, clause, by)
    round.wait(1000, 2000)
    finish(round)


def takes_six_either_way(state: TableState) -> bool:
    """Whether the coming round takes six cards in whichever order the last two are."""
    cards = state.shoe.peek(6)
    game = state.setup.game
    if not game.is_baccarat or len(cards) < 6 or required_cards(game, cards) < 6:
        return False
    return required_cards(game, [*cards[:4], cards[5], cards[4]]) == 6


def together_order_unknown_later(round: Round, by: str = PIT_MANAGER) -> None:
    """Third cards drawn together in an unknown order, see ``takes_six_either_way``.

    DTB, FF4 5.8.2.2: the Pit Manager determines the order and players may withdraw all their wagers. SE is silent on
    it, and the round goes on.
    """
    begin(round)
    deal(round, 6)
    round.report("cards-drawn-together", (5, 6))
    round.wait(1200, 3000)
    if "5.8.2.2" in round.game.document.withdrawal_clauses:
        round.rule("withdrawal-offered", "5.8.2.2", by)
        round.wait(1200, 3000)
        take_option(round, whole=True)
        round.wait(1200, 3000)
        order = swapped(6, 5) if round.chance.happens(0.5) else [1, 2, 3, 4, 5, 6]
        put_in_order(round, order, "5.8.2.2", PIT_MANAGER)
        round.wait(1000, 2000)
    finish(round)


def player_left_with_card(round: Round, by: str = SHIFT_MANAGER) -> None:
    """DTB, FF4 5.11: a card that left with its player is replaced by one of the same suit and value, before a Gaming
    Shift Manager, and all cards are replaced before the next round."""
    open_bets(round, "A")
    take_bets(round)
    keep_differential(round)
    close_bets(round)
    deal(round, round.chance.between(0, 3))
    if round.chance.happens(0.3):
        card = draw(round)
    else:
        show_cutting_card(round)
        card = round.shoe.draw()
        round.drawn += 1
        round.cards.append(card)
        round.now += pace(round)
    gone = round.drawn
    deal(round, 4)
    round.report("player-left-with-cards", (gone,))
    round.wait(20_000, 60_000)
    round.rule("replacement-card", "5.11.3", by, draw=gone, card=card)
    round.wait(2000, 4000)
    round.shoe.null_account = True
    round.state.change_cards = True
    finish(round)
