"""What each bet should have been paid and what was: exact settlement, limits of 5.14 and 5.15, corrections."""

from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache, partial
from typing import NamedTuple

from audit.context import who
from audit.facts import Fact, RoundFacts, surely_later
from audit.stakes import Stake
from games.rulebook import Game
from schemas.records import Configuration, Limits
from schemas.verdicts import Settled

NOTHING = Settled(0, 0)
"""A push, a refused bet, a void round."""

# The same chips are staked again and again: most amounts have been made before.
_settled = lru_cache(maxsize=65_536)(Settled)


def exact(odds: Fraction, stake: int) -> int | Fraction:
    """Odds times stake: an integer where it is whole."""
    numerator, denominator = odds.as_integer_ratio()
    amount = numerator * stake
    return amount // denominator if amount % denominator == 0 else Fraction(amount, denominator)


def under_minimum(stake: Stake, limits: Mapping[str, Limits]) -> bool:
    """Whether a standing bet is under the minimum of its wager."""
    limit = limits.get(stake.wager)
    return limit is not None and 0 < stake.standing < limit.min


def due(
    game: Game,
    nets: Mapping[str, Fraction],
    stake: Stake,
    configuration: Configuration,
    used_once: frozenset[str],
) -> Settled:
    """What a bet should be paid and lose, from the nets per unit of the round's outcome."""
    amount = stake.standing
    odds = nets.get(stake.wager)
    if not amount or odds is None:
        # Nothing stands, or the game has no such wager: it is returned.
        return NOTHING
    if game.document.limits_settle:
        limit = configuration.limits.get(stake.wager)
        if limit is not None:
            if amount > limit.max:
                amount = limit.max
            elif amount < limit.min and who(stake.player, stake.position) in used_once:
                return NOTHING
    net = exact(odds, amount)
    return _settled(net, 0) if net > 0 else _settled(0, -net)


class Moved(NamedTuple):
    """The money that moved on one bet."""

    first: Fact | None
    """The settlement; without one, the first correction is it."""
    again: tuple[Fact, ...]
    """Further settlements of the same bet."""
    corrections: tuple[Fact, ...]
    """In order; the last one counts."""
    amounts: Settled | None
    """What was paid and collected in the end."""

    @property
    def counting(self) -> Fact | None:
        """What counts in the end."""
        return self.corrections[-1] if self.corrections else self.first


# Makes one of a tuple of its fields without a step in Python: this is done for nearly every bet.
_moved_of = partial(tuple.__new__, Moved)

NO_MONEY = Moved(None, (), (), None)


def _amounts(fact: Fact) -> Settled:
    data = fact.data
    return _settled(data.paid, data.collected)


def money_moved(facts: RoundFacts, tolerance: int) -> dict[str, Moved]:
    """By bet: what was settled and corrected."""
    moved = {
        bet: _moved_of((settled[0], tuple(settled[1:]), (), _amounts(settled[0])))
        for bet, settled in facts.settlements.items()
    }
    for bet, corrections in facts.corrections.items():
        settled = facts.settlements.get(bet, [])
        first, *later = corrections
        if not settled or surely_later(settled[0], first, tolerance):
            # A correction without a settlement before it is the settlement.
            moved[bet] = Moved(first, tuple(settled), tuple(later), _amounts(corrections[-1]))
        else:
            moved[bet] = Moved(settled[0], tuple(settled[1:]), tuple(corrections), _amounts(corrections[-1]))
    return moved


def is_right(fact: Fact, expected: Settled) -> bool:
    """Whether what was paid and collected is due; where that is not whole, the amounts on either side are right."""
    data = fact.data
    paid, collected = data.paid, data.collected
    if paid == expected.paid and collected == expected.collected:
        return True
    return _near(paid, expected.paid) and _near(collected, expected.collected)


def _near(actual: int, amount: int | Fraction) -> bool:
    return -1 < actual - amount < 1


def is_nothing(fact: Fact) -> bool:
    """Whether no money moved."""
    return not fact.data.paid and not fact.data.collected
