"""The outline of a table: what its rounds need of each other, of their shoes and of the table itself."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from audit.context import RoundContext
from audit.devices import Device, Obscurity
from audit.facts import Fact, RoundFacts
from schemas.topics import HEARTBEAT

RoundKey = tuple[str, int]
"""Shoe and round."""

BESIDE_ROUNDS: Final = frozenset({"shoe.loaded.v1", "shoe.ended.v1", "table.configured.v1", HEARTBEAT})
"""The events that are about no single round."""


@dataclass(slots=True)
class ShoeFacts:
    """What is said about one shoe as a whole; in order."""

    loaded: list[Fact] = field(default_factory=list)
    ended: list[Fact] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class RoundOutline:
    """What other rounds, and the account of the shoe, need of a round."""

    began: int
    """The effective time of its first fact."""
    beginning: Fact
    """Its opening; without one, its first fact."""
    opening: Fact | None
    """The first one."""
    concluded: bool
    """Whether its end was announced."""
    read: Mapping[int, tuple[str, ...]]
    """By draw: the different cards that were reported for it."""
    restriction: int | None
    """The wagers per playing area that a ruling in it restricted the shoe to."""


def outline_of(facts: RoundFacts) -> RoundOutline:
    """The outline of a round."""
    restrictions = facts.rulings_of("wagers-restricted") if facts.rulings else ()
    return RoundOutline(
        began=facts.ordered[0].at,
        beginning=facts.beginning,
        opening=facts.openings[0] if facts.openings else None,
        concluded=bool(facts.conclusions),
        read=facts.read,
        restriction=restrictions[-1].data.max_wagers_per_area if restrictions else None,
    )


@dataclass(slots=True)
class TableOutline:
    """A table without the bets of its rounds."""

    table: str
    devices: dict[str, Device]
    configurations: list[Fact] = field(default_factory=list)
    """In order."""
    shoes: dict[str, ShoeFacts] = field(default_factory=lambda: defaultdict(ShoeFacts))
    rounds: dict[RoundKey, RoundOutline] = field(default_factory=dict)

    def file(self, fact: Fact) -> None:
        """Take a fact that is about no single round."""
        kind = fact.kind
        if kind == "shoe.loaded.v1":
            self.shoes[fact.data.shoe].loaded.append(fact)
        elif kind == "shoe.ended.v1":
            self.shoes[fact.data.shoe].ended.append(fact)
        elif kind == "table.configured.v1":
            self.configurations.append(fact)

    def sort(self) -> None:
        """Put in order what was filed."""
        self.configurations.sort()
        for shoe in self.shoes.values():
            shoe.loaded.sort()
            shoe.ended.sort()


def configuration_at(configurations: Sequence[Fact], moment: int) -> Fact | None:
    """The last configuration at or before a moment."""
    place = bisect_right(configurations, moment, key=lambda fact: fact.at)
    return configurations[place - 1] if place else None


class Surroundings:
    """The surroundings of every round of a table."""

    def __init__(self, outline: TableOutline) -> None:
        self._outline = outline
        self._obscurity = Obscurity(outline.devices.values())
        rounds = outline.rounds
        self.in_time: list[RoundKey] = sorted(rounds, key=lambda key: rounds[key].beginning[:4])
        """The rounds in the order in which they began."""
        self.by_shoe: dict[str, list[int]] = defaultdict(list)
        """The rounds of each shoe by their numbers."""
        for shoe, number in sorted(rounds):
            self.by_shoe[shoe].append(number)
        self._earlier: dict[RoundKey, tuple[Mapping[str, int], int, int | None]] = {}
        self._over: set[RoundKey] = set()
        self._next_opening: dict[RoundKey, Fact | None] = {}
        self._walk_shoes()
        self._walk_time()

    def _walk_shoes(self) -> None:
        """What each round's shoe had dealt and was restricted to before it."""
        for shoe, numbers in self.by_shoe.items():
            dealt: dict[str, int] = {}
            count = 0
            restriction: int | None = None
            for number in numbers:
                outline = self._outline.rounds[shoe, number]
                read = outline.read
                cards = [each[0] for each in read.values() if len(each) == 1]
                before = {card: dealt[card] for card in cards if card in dealt}
                self._earlier[shoe, number] = (before, count, restriction)
                count += len(read)
                # A draw that was read as two cards counts as neither: which one left the shoe is not known.
                for card in cards:
                    dealt[card] = dealt.get(card, 0) + 1
                if outline.restriction is not None:
                    restriction = outline.restriction

    def _walk_time(self) -> None:
        """Which opening came next, and which rounds are over."""
        later: Fact | None = None
        opened_later: set[str] = set()
        for key in reversed(self.in_time):
            outline = self._outline.rounds[key]
            self._next_opening[key] = later
            shoe = self._outline.shoes.get(key[0])
            if outline.concluded or key[0] in opened_later or (shoe is not None and shoe.ended):
                self._over.add(key)
            if outline.opening is not None:
                later = outline.opening
                opened_later.add(key[0])

    def context(self, key: RoundKey, used_once: frozenset[str]) -> RoundContext:
        """The surroundings of one round."""
        earlier, dealt_before, restriction = self._earlier[key]
        shoe = self._outline.shoes.get(key[0])
        return RoundContext(
            table=self._outline.table,
            shoe=key[0],
            round=key[1],
            configuration=configuration_at(self._outline.configurations, self._outline.rounds[key].beginning.at),
            loaded=shoe.loaded[-1] if shoe is not None and shoe.loaded else None,
            earlier=earlier,
            dealt_before=dealt_before,
            restriction=restriction,
            used_once=used_once,
            next_opening=self._next_opening[key],
            over=key in self._over,
            obscurity=self._obscurity,
        )
