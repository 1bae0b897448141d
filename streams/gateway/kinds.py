"""The kinds of device that may have a token: which events each may send, and where its heartbeats go.

They are the writers of the contract's topics. Here one type can be told from another, which rights on a topic cannot:
a display may say what it displays, and only the pit desk may say that a settlement was corrected.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from schemas.topics import BETS, CARDS, FLOOR, HEARTBEAT, Topic, topic_of

_CORRECTION: Final = "bet.corrected.v1"


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of device."""

    name: str
    home: str
    """The topic that it writes, and so the one of its heartbeats."""
    types: frozenset[str]
    """What it may send unless its token says otherwise."""
    grantable: frozenset[str]
    """What a token for this kind may name one by one: no more than its topic carries, beside the usual."""

    def topic(self, event_type: str) -> str:
        """Where an event of this kind of device goes."""
        return topic_of(event_type) or self.home


def _kind(name: str, home: Topic, usual: tuple[str, ...]) -> Kind:
    types = frozenset(usual) | {HEARTBEAT}
    return Kind(name, home.name, types, types | frozenset(home.types))


def _of(topic: Topic, *families: str) -> tuple[str, ...]:
    return tuple(each for each in topic.types if each.partition(".")[0] in families)


KINDS: Final[Mapping[str, Kind]] = {
    kind.name: kind
    for kind in (
        _kind("card-reader", CARDS, CARDS.types),
        _kind("bet-sensor", BETS, tuple(each for each in BETS.types if each != _CORRECTION)),
        _kind("dealer-panel", FLOOR, _of(FLOOR, "round", "bets", "incident")),
        _kind("display", FLOOR, _of(FLOOR, "result")),
        _kind("pit-desk", FLOOR, (*FLOOR.types, _CORRECTION)),
    )
}
"""By the names that `schemas.topics` gives the writers of each input topic."""
