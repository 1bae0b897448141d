"""One table: from all its events to the surroundings of each round and the verdicts on them."""

from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from audit.context import RoundContext, who
from audit.devices import Base, follow
from audit.facts import Fact, RoundFacts, gather
from audit.filled import Filled, RejectedPlace
from audit.judge import judge, rests_on
from audit.outline import (
    BESIDE_ROUNDS,
    RoundKey,
    Surroundings,
    TableOutline,
    configuration_at,
    outline_of,
)
from audit.settings import JudgeSettings
from games.rulebook import GAMES, Game
from schemas.records import AnyEvent
from schemas.verdicts import Bet, Verdict

__all__ = [
    "NOTHING_BEFORE", "Before", "RoundKey", "TableFacts", "assemble", "configuration_at", "judge_table", "newly_used",
    "users_of_one_time",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class TableFacts:
    """All facts of one table."""

    outline: TableOutline
    rounds: dict[RoundKey, RoundFacts]
    surroundings: Surroundings


@dataclass(frozen=True, slots=True)
class Before:
    """How a table stood when the events at hand began; by default nothing came before them."""

    bases: Mapping[str, tuple[Base, frozenset[str]]] = field(default_factory=dict)
    """By source: how it stood, and the types of events that it had sent."""
    lasting: tuple[Fact, ...] = ()
    """Configurations, and loadings of shoes, that hold on."""
    used: frozenset[str] = frozenset()
    """The players whose one time under the minimum is used up (DTB, FF4 5.14)."""


NOTHING_BEFORE = Before()


def assemble(
    table: str,
    events: Iterable[AnyEvent],
    rejected: Iterable[RejectedPlace] = (),
    before: Before = NOTHING_BEFORE,
) -> TableFacts:
    """Put the events of one table, without repeats, together."""
    by_source: dict[str, list[AnyEvent]] = defaultdict(list)
    for event in events:
        by_source[event.source].append(event)
    places: dict[str, list[RejectedPlace]] = defaultdict(list)
    for place in rejected:
        places[place.source].append(place)
    devices = {
        source: follow(source, by_source.get(source, ()), Filled.by(places.get(source, ())), _base(before, source))
        for source in sorted(by_source.keys() | places.keys() | before.bases.keys())
    }
    for source, (_, types) in before.bases.items():
        devices[source].types |= types
    outline = TableOutline(table, devices)
    for fact in before.lasting:
        outline.file(fact)
    by_round: dict[RoundKey, list[Fact]] = defaultdict(list)
    for device in devices.values():
        shoe, number = "", 0
        file: Callable[[Fact], None] = outline.file
        for fact in device.facts:
            if fact.kind in BESIDE_ROUNDS:
                outline.file(fact)
                continue
            data = fact.data
            # What a device says next is mostly about the same round.
            if data.round != number or data.shoe != shoe:
                shoe, number = data.shoe, data.round
                file = by_round[shoe, number].append
            file(fact)
    rounds = {key: gather(facts) for key, facts in by_round.items()}
    outline.rounds = {key: outline_of(facts) for key, facts in rounds.items()}
    outline.sort()
    return TableFacts(outline, rounds, Surroundings(outline))


def _base(before: Before, source: str) -> Base | None:
    known = before.bases.get(source)
    return None if known is None else known[0]


def newly_used(verdict: Verdict, context: RoundContext) -> set[str]:
    """The players who used their one time under the minimum in this round."""
    configuration = context.configuration
    if configuration is None or verdict.game is None:
        return set()
    return users_of_one_time(verdict.game, verdict.status, verdict.bets, configuration.data.limits)


def users_of_one_time(game: str, status: str, bets: Iterable[Bet], limits: Mapping[str, Any]) -> set[str]:
    """The players who used their one time under the minimum (DTB, FF4 5.14, reading A-17): something was paid or
    collected on such a bet, and the round is not void."""
    if status == "void" or game not in _SETTLES_BY_LIMITS:
        return set()
    return {
        who(bet.player, bet.position)
        for bet in bets
        if bet.wager in limits
        and 0 < bet.stake < limits[bet.wager].min
        and bet.actual is not None
        and (bet.actual.paid or bet.actual.collected)
    }


_SETTLES_BY_LIMITS = frozenset(name for name, game in GAMES.items() if game.document.limits_settle)


def judge_table(
    facts: TableFacts,
    settings: JudgeSettings,
    *,
    used: frozenset[str] = frozenset(),
    over: Container[RoundKey] = (),
    games: Mapping[str, Game] | None = None,
) -> Iterator[Verdict]:
    """The verdict on every round of a table, in the order of shoe (by code point) and round.

    ``used`` are players whose one time under the minimum (5.14) was used up before; ``over`` are rounds that are known
    to have come to their end although no fact says so; ``games`` is another rulebook than the one in force.
    """
    verdicts = {key: verdict for key, verdict, _ in _in_time(facts, settings, used, over, games)}
    for key in sorted(verdicts):
        yield verdicts[key]


def facts_behind(
    facts: TableFacts,
    settings: JudgeSettings,
    wanted: RoundKey,
    *,
    used: frozenset[str] = frozenset(),
    over: Container[RoundKey] = (),
) -> bytes | None:
    """The canonical facts behind the verdict on one round of a table, of which its digest is the SHA-256; None where
    there is no such round. The rest as for `judge_table`."""
    for key, verdict, context in _in_time(facts, settings, used, over):
        if key == wanted:
            return rests_on(verdict, facts.rounds[key], context, settings)
    return None


def _in_time(
    facts: TableFacts,
    settings: JudgeSettings,
    used: frozenset[str],
    over: Container[RoundKey],
    games: Mapping[str, Game] | None = None,
) -> Iterator[tuple[RoundKey, Verdict, RoundContext]]:
    """The rounds of a table in the order in which they were played: each is judged by who had used the one time (5.14)
    before it."""
    surroundings = facts.surroundings
    for key in surroundings.in_time:
        context = surroundings.context(key, used)
        if not context.over and key in over:
            context = replace(context, over=True)
        verdict = judge(facts.rounds[key], context, settings, games)
        newly = newly_used(verdict, context)
        if newly:
            used |= newly
        yield key, verdict, context
