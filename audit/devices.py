"""What each source of a table has sent: effective times, holes in its sequence, and what a hole could hide."""

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import partial
from itertools import accumulate, repeat
from operator import itemgetter
from typing import Final, NamedTuple

import numpy as np

from audit.facts import Fact
from audit.filled import Filled
from audit.trail import ALWAYS_BEFORE, EVER_AFTER, Base, Lacking, Numbers, Obscured, StepBack, UsedTwice, trace
from schemas.records import AnyEvent
from schemas.time import all_micros
from schemas.topics import HEARTBEAT

__all__ = [
    "ALWAYS_BEFORE", "EVER_AFTER", "SENDERS", "Base", "Beat", "Device", "Lacking", "Obscured", "Obscurity", "Presence",
    "follow",
]  # fmt: skip


class Beat(NamedTuple):
    """A heartbeat."""

    sequence: int
    drift: int
    """How far the device's clock is ahead of the collector's, in microseconds."""


class Presence(NamedTuple):
    """When a source was heard, in the order of its events."""

    times: Numbers
    """Effective times."""
    sequences: Numbers
    first_beat: int | None
    """The place of its first heartbeat; None where it has sent none."""


@dataclass(slots=True)
class Device:
    """One source, as far as it speaks about one table."""

    source: str
    facts: list[Fact] = field(default_factory=list)
    """In the order of sequence, with effective times."""
    lacking: list[Lacking] = field(default_factory=list)
    """Each is a ``device-gap``."""
    obscured: list[Obscured] = field(default_factory=list)
    """Where a fact of a round could have been lost."""
    types: frozenset[str] = frozenset()
    """The types of events that it has sent, rejected ones included where their type can be read."""
    back: StepBack | None = None
    """Where its time goes back farthest."""
    twice: UsedTwice | None = None

    def beats(self) -> list[Beat]:
        """Its heartbeats, in order."""
        if HEARTBEAT not in self.types:
            return []
        beats = [fact for fact in self.facts if fact.kind == HEARTBEAT]
        device_times = all_micros([fact.data.device_time for fact in beats])
        drifts = device_times - all_micros([fact.event.time for fact in beats])
        return [Beat(fact.sequence, drift) for fact, drift in zip(beats, drifts.tolist(), strict=True)]

    def presence(self) -> Presence:
        """When it was heard."""
        facts = self.facts
        return Presence(
            np.array([fact.at for fact in facts], np.int64),
            np.array([fact.sequence for fact in facts], np.int64),
            next((place for place, fact in enumerate(facts) if fact.kind == HEARTBEAT), None),
        )


_SEQUENCE_AND_ID = itemgetter(0, 1)

# Makes a fact of a tuple of its fields without a step in Python: this is done for every event.
_fact = partial(tuple.__new__, Fact)


def follow(source: str, events: Iterable[AnyEvent], filled: Filled, base: Base | None = None) -> Device:
    """Put the events of one source about one table in order and find the holes between them, from a base on."""
    rows = [(event.sequence, event.id, event.type, event.time, event.data, event) for event in events]
    rows.sort(key=_SEQUENCE_AND_ID)
    sequences, ids, kinds, times, data, ordered = zip(*rows, strict=True) if rows else ((),) * 6
    trail = trace(np.array(sequences, np.int64), all_micros(times), filled.runs, base)
    facts = list(map(_fact, zip(trail.at.tolist(), repeat(source), sequences, ids, kinds, data, ordered)))
    types = frozenset(filled.types.union(kinds))
    return Device(source, facts, trail.lacking, trail.obscured, types, trail.back, trail.twice)


_ANNOUNCEMENTS: Final = frozenset({"round.opened.v1", "bets.closed.v1", "round.closed.v1"})
_PLACING: Final = frozenset({"bet.placed.v1", "bet.changed.v1", "bet.withdrawn.v1"})
_SETTLING: Final = frozenset({"bet.settled.v1", "bet.corrected.v1"})

SENDERS: Final[dict[str, tuple[frozenset[str], frozenset[str]]]] = {
    "draw": (frozenset({"card.drawn.v1"}), frozenset({"shoe.loaded.v1", "shoe.cutting_card.v1", "shoe.ended.v1"})),
    "settlement": (_SETTLING, _PLACING),
    "placing": (_PLACING, _SETTLING),
    "announcement": (_ANNOUNCEMENTS, frozenset({"ruling.made.v1", "incident.reported.v1", "table.configured.v1"})),
}
"""By kind of fact: a source that has sent one of the first types is one that sends such facts; where no source has,
the second types tell it."""


class Obscurity:
    """What the holes of a table's sources could hide."""

    def __init__(self, devices: Iterable[Device]) -> None:
        self._spans: dict[str, tuple[list[int], list[int]]] = {}
        """By kind: where the holes begin, rising, and the latest end of each and all before it."""
        devices = list(devices)
        if not any(device.obscured for device in devices):
            return
        for kind, (first, second) in SENDERS.items():
            senders = [device for device in devices if device.types & first]
            senders = senders or [device for device in devices if device.types & second]
            spans = sorted(span for device in senders for span in device.obscured)
            self._spans[kind] = [span.start for span in spans], list(accumulate((span.end for span in spans), max))

    def could_hide(self, kind: str, start: int, end: int) -> bool:
        """Whether a fact of this kind that belongs between these times could have been lost in a hole."""
        starts, ends = self._spans.get(kind, ((), ()))
        begun = bisect_right(starts, end)
        return begun > 0 and ends[begun - 1] >= start
