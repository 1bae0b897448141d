"""One way of going wrong: the finding code that it must raise, how the round is played, and when it is possible."""

from collections.abc import Callable
from dataclasses import dataclass

from games.settlement import Outcome, outcome_of
from simulator.betting import begin, close_bets, extra_bet, keep_differential, open_bets, take_bets
from simulator.dealing import coming, deal, deal_all
from simulator.round import Bet, Round
from simulator.settling import conclude, display, settle
from simulator.state import TableState

Course = Callable[[Round], None]
Fits = Callable[[TableState], bool]


def anywhere(_: TableState) -> bool:
    """At every table."""
    return True


@dataclass(frozen=True, slots=True)
class Variant:
    """A way to bring about a finding."""

    code: str
    play: Course
    """Plays the round and writes down the fault with all its consequences."""
    fits: Fits = anywhere
    quiet: int = 3
    """So many rounds, this one included, nothing else goes wrong or happens out of the ordinary."""


def open_and_bet(round: Round, method: str | None = None) -> None:
    """As in ``begin``, with the closing still to come, a second and a half of which is free for more bets."""
    open_bets(round, method)
    take_bets(round)
    keep_differential(round)


def in_time(round: Round, act: Callable[[], Bet]) -> Bet:
    """Something done just before the closing, which must follow."""
    now = round.now
    round.now -= 1200
    bet = act()
    round.now = now
    return bet


def outcome_to_come(round: Round) -> Outcome:
    """What the cards will say if nothing goes wrong with them."""
    outcome = outcome_of(round.game, coming(round))
    if outcome is None:
        raise RuntimeError("the shoe ends within the round")
    return outcome


def sign(number: int) -> int:
    """Whether a wager wins (1), loses (-1) or neither (0)."""
    return (number > 0) - (number < 0)


def wagers_that(state: TableState, result: int) -> list[str]:
    """The wagers on offer that will win (1), lose (-1) or be returned (0) in the coming round."""
    game = state.setup.game
    outcome = outcome_of(game, state.shoe.peek(6))
    if outcome is None:
        return []
    return [wager for wager in state.setup.limits if sign(outcome.nets[wager].numerator) == result]


def some_will(*results: int) -> Fits:
    """There is a wager on offer with one of these results in the coming round."""
    return lambda state: any(wagers_that(state, result) for result in results)


def bet_that(round: Round, *results: int) -> Bet:
    """A standing bet that will win (1), lose (-1) or be returned (0); placed now if there is none yet."""
    outcome = outcome_to_come(round)
    fitting = [bet for bet in round.standing() if sign(outcome.nets[bet.wager].numerator) in results]
    if fitting:
        return round.chance.pick(fitting)
    wagers = [wager for result in results for wager in wagers_that(round.state, result)]
    return in_time(round, lambda: extra_bet(round, wagers))


def begin_with_bet(round: Round, *results: int) -> Bet:
    """A round up to its closing, and one of its bets with the result wanted."""
    open_and_bet(round)
    bet = bet_that(round, *results)
    close_bets(round)
    return bet


def deal_and_show(round: Round) -> None:
    """All cards and the display, by the rules."""
    if round.drawn:
        deal(round)
    else:
        deal_all(round)
    round.find_outcome()
    display(round)


def settle_and_conclude(round: Round) -> None:
    """What is left to settle, and the end."""
    settle(round)
    conclude(round)


def plain(round: Round) -> None:
    """A round by the rules."""
    begin(round)
    deal_and_show(round)
    settle_and_conclude(round)
