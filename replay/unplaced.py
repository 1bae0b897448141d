"""Money on bets whose placing is not on record, where the verdict does not tell of it: the round's events do."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from audit.payouts import money_moved
from audit.settings import MILLISECOND
from replay.rounds import EventsGone, RoundNotFound, load_round
from schemas.verdicts import Settled, Verdict
from store.connect import Store
from store.rows.verdicts import RoundKey

_TOLD: frozenset[str] = frozenset({"verified", "void"})
"""Of rounds of such a status, every bet on which money moved is in the verdict: among its bets, or as a finding."""


@dataclass(frozen=True, slots=True)
class Unplaced:
    """What moved on bets whose placing is not on record."""

    moved: Mapping[RoundKey, Mapping[str, Settled]] = field(default_factory=dict)
    """By round and bet."""
    unread: tuple[RoundKey, ...] = ()
    """Rounds whose events are gone, so that nobody can say whether there is such a bet."""


def unplaced_money(store: Store, verdicts: Iterable[Verdict]) -> Unplaced:
    """What moved in these rounds on bets that their verdicts do not have: a payout is no finding where the placing may
    have been lost, nor where the cards are not clear."""
    moved: dict[RoundKey, dict[str, Settled]] = {}
    unread: list[RoundKey] = []
    for verdict in verdicts:
        if verdict.status in _TOLD:
            continue
        key = RoundKey(verdict.table, verdict.shoe, verdict.round)
        try:
            facts = load_round(store, key).facts
        except (EventsGone, RoundNotFound):
            unread.append(key)
            continue
        placed = {bet.bet for bet in verdict.bets}
        tolerance = int(verdict.settings["tolerance_ms"]) * MILLISECOND
        found = {
            bet: money.amounts
            for bet, money in sorted(money_moved(facts, tolerance).items())
            if bet not in placed and money.amounts is not None
        }
        if found:
            moved[key] = found
    return Unplaced(moved, tuple(unread))
