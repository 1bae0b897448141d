"""One table: from all its events to the surroundings of each round and the verdicts on them."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from audit.context import RoundContext, who
from audit.dealing import cards_read
from audit.devices import Device, Obscurity, RejectedPlace, follow
from audit.facts import Fact, RoundFacts, gather
from audit.judge import judge
from audit.settings import JudgeSettings
from games.rulebook import GAMES
from schemas.events import AnyEvent
from schemas.topics import HEARTBEAT
from schemas.verdicts import Bet, Verdict

RoundKey = tuple[str, int]
"""Shoe and round."""


@dataclass(slots=True)
class ShoeFacts:
    """What is said about one shoe as a whole."""

    loaded: list[Fact] = field(default_factory=list)
    ended: list[Fact] = field(default_factory=list)


@dataclass(slots=True)
class TableFacts:
    """All facts of one table."""

    table: str
    devices: dict[str, Device]
    configurations: list[Fact]
    """In order."""
    shoes: dict[str, ShoeFacts]
    rounds: dict[RoundKey, RoundFacts]


def assemble(table: str, events: Iterable[AnyEvent], rejected: Iterable[RejectedPlace] = ()) -> TableFacts:
    """Put the events of one table, without repeats, together."""
    by_source: dict[str, list[AnyEvent]] = defaultdict(list)
    for event in events:
        by_source[event.source].append(event)
    places: dict[str, list[RejectedPlace]] = defaultdict(list)
    for place in rejected:
        places[place.source].append(place)
    devices = {
        source: follow(source, by_source.get(source, ()), places.get(source, ()))
        for source in sorted(by_source.keys() | places.keys())
    }
    configurations: list[Fact] = []
    shoes: dict[str, ShoeFacts] = defaultdict(ShoeFacts)
    rounds: dict[RoundKey, list[Fact]] = defaultdict(list)
    for device in devices.values():
        for fact in device.facts:
            _file(fact, configurations, shoes, rounds)
    configurations.sort()
    for shoe in shoes.values():
        shoe.loaded.sort()
        shoe.ended.sort()
    return TableFacts(table, devices, configurations, shoes, {key: gather(facts) for key, facts in rounds.items()})


def _file(
    fact: Fact, configurations: list[Fact], shoes: dict[str, ShoeFacts], rounds: dict[RoundKey, list[Fact]]
) -> None:
    event = fact[4]
    kind: str = event.type
    data: Any = event.data
    if kind == "shoe.loaded.v1":
        shoes[data.shoe].loaded.append(fact)
    elif kind == "shoe.ended.v1":
        shoes[data.shoe].ended.append(fact)
    elif kind == "table.configured.v1":
        configurations.append(fact)
    elif kind != HEARTBEAT:
        rounds[data.shoe, data.round].append(fact)


def configuration_at(configurations: Sequence[Fact], moment: int) -> Fact | None:
    """The last configuration at or before a moment."""
    place = bisect_right(configurations, moment, key=lambda fact: fact.at)
    return configurations[place - 1] if place else None


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


class Surroundings:
    """The surroundings of every round of a table."""

    def __init__(self, facts: TableFacts) -> None:
        self._facts = facts
        self._obscurity = Obscurity(facts.devices.values())
        self.in_time: list[RoundKey] = sorted(facts.rounds, key=lambda key: facts.rounds[key].beginning[:4])
        """The rounds in the order in which they began."""
        self._earlier: dict[RoundKey, tuple[Mapping[str, int], int, int | None]] = {}
        self._over: set[RoundKey] = set()
        self._next_opening: dict[RoundKey, Fact | None] = {}
        self._walk_shoes()
        self._walk_time()

    def _walk_shoes(self) -> None:
        """What each round's shoe had dealt and was restricted to before it."""
        by_shoe: dict[str, list[int]] = defaultdict(list)
        for shoe, number in self._facts.rounds:
            by_shoe[shoe].append(number)
        for shoe, numbers in by_shoe.items():
            dealt: dict[str, int] = {}
            count = 0
            restriction: int | None = None
            for number in sorted(numbers):
                facts = self._facts.rounds[shoe, number]
                read = cards_read(facts)
                cards = [each[0] for each in read.values() if len(each) == 1]
                before = {card: dealt[card] for card in cards if card in dealt}
                self._earlier[shoe, number] = (before, count, restriction)
                count += len(read)
                # A draw that was read as two cards counts as neither: which one left the shoe is not known.
                for card in cards:
                    dealt[card] = dealt.get(card, 0) + 1
                for ruling in facts.rulings_of("wagers-restricted") if facts.rulings else ():
                    restriction = ruling.data.max_wagers_per_area

    def _walk_time(self) -> None:
        """Which opening came next, and which rounds are over."""
        later: Fact | None = None
        opened_later: set[str] = set()
        for key in reversed(self.in_time):
            facts = self._facts.rounds[key]
            self._next_opening[key] = later
            shoe = self._facts.shoes.get(key[0])
            if facts.conclusions or key[0] in opened_later or (shoe is not None and shoe.ended):
                self._over.add(key)
            if facts.openings:
                later = facts.openings[0]
                opened_later.add(key[0])

    def context(self, key: RoundKey, used_once: frozenset[str]) -> RoundContext:
        """The surroundings of one round."""
        facts = self._facts.rounds[key]
        earlier, dealt_before, restriction = self._earlier[key]
        shoe = self._facts.shoes.get(key[0])
        return RoundContext(
            table=self._facts.table,
            shoe=key[0],
            round=key[1],
            configuration=configuration_at(self._facts.configurations, facts.beginning.at),
            loaded=shoe.loaded[-1] if shoe is not None and shoe.loaded else None,
            earlier=earlier,
            dealt_before=dealt_before,
            restriction=restriction,
            used_once=used_once,
            next_opening=self._next_opening[key],
            over=key in self._over,
            obscurity=self._obscurity,
        )


def judge_table(facts: TableFacts, settings: JudgeSettings) -> Iterator[Verdict]:
    """The verdict on every round of a table, in the order of shoe (by code point) and round."""
    surroundings = Surroundings(facts)
    used: frozenset[str] = frozenset()
    verdicts = {}
    for key in surroundings.in_time:
        context = surroundings.context(key, used)
        verdict = judge(facts.rounds[key], context, settings)
        newly = newly_used(verdict, context)
        if newly:
            used |= newly
        verdicts[key] = verdict
    for key in sorted(verdicts):
        yield verdicts[key]
