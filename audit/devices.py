"""What each source of a table has sent: effective times, holes in its sequence, and what a hole could hide."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from audit.facts import Fact
from schemas.events import AnyEvent
from schemas.time import micros

ALWAYS_BEFORE: Final = -(2**62)
EVER_AFTER: Final = 2**62


class Lacking(NamedTuple):
    """A run of sequence numbers that nothing readable fills, between two events of the source."""

    first: int
    last: int
    after: int
    """The last sequence before it."""
    seen_at: int
    """The effective time of the event that showed it."""


class Obscured(NamedTuple):
    """A span of time in which an event of this source is missing or was rejected."""

    start: int
    end: int


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


class Base(NamedTuple):
    """How a source stood when its earlier events were let go of."""

    sequence: int
    """The last of them."""
    at: int
    """Its effective time."""
    clock_off: bool
    """Whether its clock was beyond the tolerance at its last heartbeat."""


class RejectedPlace(NamedTuple):
    """The place in a sequence that a rejected event fills."""

    source: str
    sequence: int
    type: str | None


def _by_sequence(event: AnyEvent) -> tuple[int, str]:
    return event.sequence, event.id


def follow(
    source: str, events: Iterable[AnyEvent], rejected: Sequence[RejectedPlace], base: Base | None = None
) -> Device:
    """Put the events of one source about one table in order and find the holes between them, from a base on."""
    ordered = sorted(events, key=_by_sequence)
    device = Device(source)
    facts, obscured, lacking = device.facts, device.obscured, device.lacking
    filled = sorted({place.sequence for place in rejected})
    latest = ALWAYS_BEFORE
    types: set[str] = set()
    after_hole = -1
    previous = ordered[0].sequence - 1 if ordered else 0
    if base is not None:
        latest = base.at
        previous = min(base.sequence, previous)
    for event in ordered:
        sequence = event.sequence
        before = latest
        time = micros(event.time)
        latest = max(latest, time)
        if sequence != previous + 1:
            if sequence == previous:
                _share_time(facts, sequence, latest)
                if after_hole == sequence:
                    obscured[-1] = Obscured(obscured[-1].start, latest)
            else:
                after_hole = sequence
                obscured.append(Obscured(before, latest))
                lacking.extend(_unfilled(previous, sequence, filled, latest))
        facts.append(Fact(latest, source, sequence, event.id, event))
        types.add(event.type)
        previous = sequence
    if filled:
        _at_the_ends(device, filled, base)
        _at_taken_places(device, filled, base)
    types.update(place.type for place in rejected if place.type is not None)
    device.types = frozenset(types)
    return device


def _share_time(facts: list[Fact], sequence: int, latest: int) -> None:
    """Events that claim one sequence number share its effective time, whichever of them is looked at first."""
    place = len(facts) - 1
    while place >= 0 and facts[place].sequence == sequence:
        facts[place] = facts[place]._replace(at=latest)
        place -= 1


def _unfilled(previous: int, following: int, filled: list[int], seen_at: int) -> list[Lacking]:
    """The runs between two sequence numbers that no rejected event fills."""
    runs: list[Lacking] = []
    start = previous + 1
    before = previous
    for sequence in filled:
        if sequence < start:
            continue
        if sequence >= following:
            break
        if sequence > start:
            runs.append(Lacking(start, sequence - 1, before, seen_at))
        before = sequence
        start = sequence + 1
    if start < following:
        runs.append(Lacking(start, following - 1, before, seen_at))
    return runs


def _at_the_ends(device: Device, filled: list[int], base: Base | None) -> None:
    """A rejected event before the first or after the last readable one leaves that end open; numbers missing between
    them are holes as well."""
    facts = device.facts
    if not facts:
        since = ALWAYS_BEFORE if base is None else base.at
        device.obscured.append(Obscured(since, EVER_AFTER))
        device.lacking.extend(_unfilled(filled[0] if base is None else base.sequence, filled[-1], filled, since))
        return
    first, last = facts[0].sequence, facts[-1].sequence
    if filled[0] < first and base is None:
        device.obscured.append(Obscured(ALWAYS_BEFORE, facts[0].at))
        device.lacking.extend(_unfilled(filled[0], first, filled, facts[0].at))
    if filled[-1] > last:
        device.obscured.append(Obscured(facts[-1].at, EVER_AFTER))
        device.lacking.extend(_unfilled(last, filled[-1], filled, facts[-1].at))


def _at_taken_places(device: Device, filled: list[int], base: Base | None) -> None:
    """A rejected event that claims the number of a readable one could be any fact between their neighbours."""
    sequences = [fact.sequence for fact in device.facts]
    for sequence in filled:
        place, following = bisect_left(sequences, sequence), bisect_right(sequences, sequence)
        if place == following:
            continue
        start = device.facts[place - 1].at if place else ALWAYS_BEFORE if base is None else base.at
        end = device.facts[following].at if following < len(sequences) else EVER_AFTER
        device.obscured.append(Obscured(start, end))


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
        self._spans: dict[str, list[Obscured]] = {}
        devices = list(devices)
        if not any(device.obscured for device in devices):
            return
        for kind, (first, second) in SENDERS.items():
            senders = [device for device in devices if device.types & first]
            senders = senders or [device for device in devices if device.types & second]
            self._spans[kind] = sorted(span for device in senders for span in device.obscured)

    def could_hide(self, kind: str, start: int, end: int) -> bool:
        """Whether a fact of this kind that belongs between these times could have been lost in a hole."""
        return any(span.start <= end and span.end >= start for span in self._spans.get(kind, ()))
