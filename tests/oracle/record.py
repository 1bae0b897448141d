"""What is on record: tables, their configurations and shoes, and the facts of each round."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from tests.oracle.rules import DOCUMENT, DTB, FF4
from tests.oracle.timeline import Place, by_stream
from tests.oracle.validate import Event

ROUND_TYPES = [
    "shoe.cutting_card.v1", "round.opened.v1", "bet.placed.v1", "bet.changed.v1", "bet.withdrawn.v1", "bets.closed.v1",
    "card.drawn.v1", "result.displayed.v1", "bet.settled.v1", "bet.corrected.v1", "ruling.made.v1",
    "incident.reported.v1", "round.closed.v1",
]  # fmt: skip


class Round:
    """The facts of one round, in order, and where it stands among the others."""

    def __init__(self, table: str, shoe: str, number: int) -> None:
        self.table, self.shoe, self.number = table, shoe, number
        self.events: list[Event] = []
        self.config: dict[str, Any] | None = None
        self.decks: int | None = None
        self.next_opening: Event | None = None
        self.ended = False
        self.earlier: list[Round] = []  # of the shoe
        self.used_5_14: set[tuple[str, Any]] = set()

    def of(self, *kinds: str) -> list[Event]:
        return [event for event in self.events if event["type"] in kinds]

    def rulings(self, *kinds: str) -> list[Event]:
        return [event for event in self.of("ruling.made.v1") if event["data"]["ruling"] in kinds]

    def incidents(self, *kinds: str) -> list[Event]:
        return [event for event in self.of("incident.reported.v1") if event["data"]["incident"] in kinds]

    @property
    def game(self) -> str:
        assert self.config is not None
        return str(self.config["game"])

    @property
    def document(self) -> str:
        return DOCUMENT[self.game]

    @property
    def is_dtb_or_ff4(self) -> bool:
        return self.config is not None and self.document in (DTB, FF4)

    @property
    def first_fact(self) -> Event:
        return self.events[0]

    @property
    def start(self) -> Event:
        """Its opening, without one its first fact."""
        openings = self.of("round.opened.v1")
        return openings[0] if openings else self.first_fact

    @property
    def first_card(self) -> Event | None:
        cards = self.of("card.drawn.v1")
        return cards[0] if cards else None

    @property
    def limits(self) -> dict[str, dict[str, int]]:
        assert self.config is not None
        limits: dict[str, dict[str, int]] = self.config["limits"]
        return limits

    def about(self) -> dict[str, Any]:
        return {"shoe": self.shoe, "round": self.number}


def build_rounds(events: list[Event]) -> list[Round]:
    """Every round that any fact speaks of, with its configuration, shoe and neighbours."""
    rounds: dict[tuple[str, str, int], Round] = {}
    for event in events:  # in order, so the facts of each round are in order too
        if event["type"] in ROUND_TYPES:
            key = (event["subject"], event["data"]["shoe"], event["data"]["round"])
            rounds.setdefault(key, Round(*key)).events.append(event)
    for r in rounds.values():
        of_table = [event for event in events if event["subject"] == r.table]
        # "the last table.configured.v1 at or before the round's opening (without one, its first fact)"
        configs = [e for e in of_table if e["type"] == "table.configured.v1" and e["eff"] <= r.start["eff"]]
        r.config = configs[-1]["data"] if configs else None
        loads = [e for e in of_table if e["type"] == "shoe.loaded.v1" and e["data"]["shoe"] == r.shoe]
        r.decks = loads[-1]["data"]["decks"] if loads else None
        later = [o for o in rounds.values() if o.table == r.table and o.start["key"] > r.start["key"]]
        opened = [o for o in sorted(later, key=lambda o: o.start["key"]) if o.of("round.opened.v1")]
        r.next_opening = opened[0].start if opened else None
        # Ends: closed, the next one of its shoe opened, or its shoe ended.
        r.ended = (
            bool(r.of("round.closed.v1"))
            or any(o.shoe == r.shoe for o in opened)
            or any(e["type"] == "shoe.ended.v1" and e["data"]["shoe"] == r.shoe for e in of_table)
        )
        r.earlier = sorted(
            (o for o in rounds.values() if (o.table, o.shoe) == (r.table, r.shoe) and o.number < r.number),
            key=lambda o: o.number,
        )
    return [rounds[key] for key in sorted(rounds)]


PLACING = ["bet.placed.v1", "bet.changed.v1", "bet.withdrawn.v1"]
SETTLING = ["bet.settled.v1", "bet.corrected.v1"]
# By kind of fact: what a source must have said to be one that says such facts; if none has, what tells it else.
MISSABLE = {
    "draw": (["card.drawn.v1"], ["shoe.loaded.v1", "shoe.cutting_card.v1", "shoe.ended.v1"]),
    "placing": (PLACING, SETTLING),
    "settlement": (SETTLING, PLACING),
    "announcement": (
        ["round.opened.v1", "bets.closed.v1", "round.closed.v1"],
        ["ruling.made.v1", "incident.reported.v1", "table.configured.v1"],
    ),
}


class Holes:
    """Section 6, Holes: places where a fact that is not there could have been."""

    def __init__(self, events: list[Event], places: list[Place]) -> None:
        self.spans: list[tuple[str, str, int | None, int | None]] = []
        self.said: dict[tuple[str, str], set[str | None]] = {}  # by table and source: the types of events
        streams = by_stream(events)
        for event in events:
            self.said.setdefault((event["subject"], event["source"]), set()).add(event["type"])
        for source, subject, _, kind in places:
            self.said.setdefault((subject, source), set()).add(kind)
        for (source, subject), stream in streams.items():
            rejected = {s for src, sub, s, _ in places if (src, sub) == (source, subject)}
            for left, right in pairwise(stream):
                if right["sequence"] > left["sequence"] + 1:
                    self.spans.append((source, subject, left["eff"], right["eff"]))
            for number in rejected:
                earlier = [e["eff"] for e in stream if e["sequence"] < number]
                later = [e["eff"] for e in stream if e["sequence"] > number]
                span = (max(earlier) if earlier else None, min(later) if later else None)
                self.spans.append((source, subject, *span))
        for source, subject, _, _ in places:
            if (source, subject) not in streams:  # nothing of this source was accepted: no neighbours at all
                self.spans.append((source, subject, None, None))

    def could_be(self, r: Round, kind: str, since: Event | None = None, by: Event | None = None) -> bool:
        """Does a hole of such a source enclose a moment from the round's first fact, or another, to the next opening,
        and not after another event?"""
        start = (since or r.first_fact)["eff"]
        ends = [event["eff"] for event in (r.next_opening, by) if event]
        end = min(ends) if ends else None
        speakers = self.speakers(r.table, kind)
        return any(
            subject == r.table
            and source in speakers
            and (right is None or right >= start)
            and (left is None or end is None or left <= end)
            for source, subject, left, right in self.spans
        )

    def speakers(self, table: str, kind: str) -> set[str]:
        """The sources that say such facts of a table."""
        for types in MISSABLE[kind]:
            found = {source for (subject, source), said in self.said.items() if subject == table and said & set(types)}
            if found:
                return found
        return set()
