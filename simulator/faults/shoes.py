"""Faults of a whole shoe, and tampering with the cards over many rounds.

A wrong count at the shoe's end, a wrong number of decks, no cards left in a round, a shoe that nobody reported.

Each begins with a round by the rules, after which the cards are changed; the shoe that ends, or the next one, is wrong.
"""

from typing import Final

from games.settlement import required_cards
from simulator.betting import begin, close_bets, extra_bet
from simulator.dealing import deal, draw
from simulator.faults.variant import Course, Fits, Variant, anywhere, in_time, open_and_bet, plain
from simulator.round import Round
from simulator.rulings.voids import declare_void, return_all
from simulator.settling import conclude, pay
from simulator.state import TableState
from simulator.truth import Fault

SHORT: Final = "shoe-short"
DECKS: Final = "decks-not-allowed"
RUNS_OUT: Final = "insufficient-cards"
UNREPORTED: Final = "round-incomplete"

UNREPORTED_ROUNDS = 2
"""A shoe that was not reported as loaded is replaced after so many rounds."""


def _wish(code: str) -> Course:
    """A round by the rules, after which the cards are changed with this fault."""

    def play(round: Round) -> None:
        plain(round)
        round.state.wish = code
        round.state.change_cards = True

    return play


def _balanced(state: TableState) -> bool:
    """The account of the shoe would come out right."""
    shoe = state.shoe
    return not shoe.null_account and not shoe.off_balance and not state.rig.removed


def miscounted(state: TableState) -> list[str]:
    """The cards left over at the end, with one missing, one too many, or one for another."""
    cards, chance = state.shoe.remaining(), state.chance
    way = chance.pick(("missing", "left over", "exchanged"))
    gone = cards.pop(chance.below(len(cards))) if way != "left over" else ""
    if way != "missing":
        cards.append(chance.pick([card for card in state.setup.game.deck.codes if card != gone]))
    setup = state.setup
    state.truth(Fault(setup.table, state.shoe.id, None, SHORT, None, None, (SHORT,), way))
    return cards


def wrong_decks(state: TableState, shoe: str) -> int:
    """A number of decks that 2.1 does not allow."""
    allowed = state.setup.game.decks
    decks = state.chance.pick((allowed[0] - 2, allowed[0] - 1, allowed[-1] + 1, allowed[-1] + 2))
    state.truth(Fault(state.setup.table, shoe, None, DECKS, None, None, (DECKS,), f"{decks} decks"))
    return decks


def running_out(state: TableState) -> Course | None:
    """In a shoe that is dealt to its end: the round that cannot be completed, else None."""
    game, shoe = state.setup.game, state.shoe
    if not game.is_baccarat and not shoe.hands:
        # Two cards a round would come out even: one round takes a single card.
        return _void_after_one_card
    if shoe.left >= 6 or _completes(state):
        return None
    return runs_out


def _completes(state: TableState) -> bool:
    cards = state.shoe.peek(6)
    return len(cards) >= required_cards(state.setup.game, cards)


def _void_after_one_card(round: Round) -> None:
    begin(round)
    draw(round)
    round.report("order-altered")
    declare_void(round, round.clause("order-altered"))
    return_all(round)


def runs_out(round: Round) -> None:
    """The shoe ends before the round is complete: rightly void, or settled all the same."""
    open_and_bet(round)
    in_time(round, lambda: extra_bet(round))
    close_bets(round)
    deal(round, round.shoe.left)
    round.wait(1000, 2000)
    round.state.change_cards = True
    if round.chance.happens(0.5):
        round.blame(RUNS_OUT, "void")
        declare_void(round, round.clause("insufficient-cards"))
        return_all(round)
        return
    round.blame(RUNS_OUT, "settled", "void-required")
    for bet in round.standing():
        round.now += 150
        pay(round, bet, 0, bet.amount)
    round.wait(700, 1200)
    conclude(round)


def of_unreported_shoe(round: Round) -> None:
    """A round by the rules of a shoe of which nobody said how many decks it has."""
    plain(round)
    round.shoe.null_account = True
    round.state.change_cards = round.number >= UNREPORTED_ROUNDS
    round.blame("round-incomplete", "shoe not reported")


def false_shuffle(round: Round) -> None:
    """The next shuffle keeps a slug of this shoe together."""
    plain(round)
    round.state.rig.slug = True
    round.state.change_cards = True


def slug_was_dealt(state: TableState) -> None:
    """At the end of a shoe: if it had a slug and dealt it, that can be seen from now on."""
    shoe = state.shoe
    if shoe.slug_end and shoe.place >= shoe.slug_end:
        code = "shuffle-repeat"
        state.truth(Fault(state.setup.table, shoe.id, None, code, None, None, (code,), "slug"))


def cards_removed(round: Round) -> None:
    """From the next shoe on, cards are missing: five of one rank, or five different ones."""
    plain(round)
    state, chance = round.state, round.chance
    deck = round.game.deck
    if chance.happens(0.5):
        rank = chance.pick(deck.ranks)
        removed = [rank + chance.pick(deck.suits) for _ in range(5)]
    else:
        removed = chance.some(deck.codes, 5)
    state.rig.removed = tuple(removed)
    state.change_cards = True
    _suspect(round, "card-frequency", ", ".join(removed))


def house_loses(round: Round) -> None:
    """From now on the cards are arranged so that the players win."""
    plain(round)
    round.state.rig.favours = "players"
    _suspect(round, "hold-out-of-range", "cards arranged for the players")


def player_wins(round: Round) -> None:
    """From now on the cards are arranged so that one player wins, who stays at the table."""
    plain(round)
    names = [player.id for player in round.state.seats.players if player.id]
    round.state.rig.favours = round.chance.pick(names)
    _suspect(round, "player-over-expectation", round.state.rig.favours)


def _suspect(round: Round, code: str, variant: str) -> None:
    state = round.state
    state.truth(Fault(state.setup.table, None, None, code, None, None, (code,), variant))


def _untouched(state: TableState) -> bool:
    """Nobody has tampered with this table yet."""
    rig = state.rig
    return not (rig.removed or rig.slug or rig.favours)


def _dealt_enough(state: TableState) -> bool:
    """There is enough to keep a slug of, and no slug is still to come."""
    rounds = 16 if state.setup.game.is_baccarat else 34
    return len(state.shoe.hands) >= rounds and state.shoe.place >= state.shoe.slug_end


def _knows_players(state: TableState) -> bool:
    return _untouched(state) and any(player.id for player in state.seats.players)


def _variant(code: str, play: Course, fits: Fits = anywhere) -> Variant:
    return Variant(code, play, fits)


VARIANTS = (
    _variant(SHORT, _wish(SHORT), _balanced),
    _variant(DECKS, _wish(DECKS)),
    _variant(RUNS_OUT, _wish(RUNS_OUT)),
    _variant(UNREPORTED, _wish(UNREPORTED)),
)

STATISTICAL = (
    _variant("shuffle-repeat", false_shuffle, _dealt_enough),
    _variant("card-frequency", cards_removed, _untouched),
    _variant("hold-out-of-range", house_loses, _untouched),
    _variant("player-over-expectation", player_wins, _knows_players),
)
"""What shows over many rounds: only on request, for it stays with the table."""
