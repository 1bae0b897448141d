"""The trail of one source: effective times and holes, from the sequence numbers and times of its events alone."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from operator import attrgetter
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]

ALWAYS_BEFORE: Final = -(2**62)
EVER_AFTER: Final = 2**62
_LAST = attrgetter("last")


class Run(NamedTuple):
    """Sequence numbers from one to another, both included."""

    first: int
    last: int


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


class StepBack(NamedTuple):
    """The time of a source goes back from one of its events to the next."""

    sequence: int
    """Of the later one."""
    by: int
    """How far, in microseconds."""
    until: int
    """The effective time of the earlier one: until the source's time has come there, all counts as said then."""


class UsedTwice(NamedTuple):
    """Sequence numbers that events with different ids claim, as after a source began its sequence again."""

    first: int
    many: int
    """How many numbers."""


class Base(NamedTuple):
    """How a source stood when its earlier events were let go of."""

    sequence: int
    """The last of them."""
    at: int
    """Its effective time."""
    clock_off: bool
    """Whether its clock was beyond the tolerance at its last heartbeat."""


@dataclass(frozen=True, slots=True)
class Trail:
    """What the numbers of a source's events tell."""

    at: Numbers
    """The effective time of each event."""
    lacking: list[Lacking]
    """Each is a ``device-gap``."""
    obscured: list[Obscured]
    """Where a fact of a round could have been lost."""
    back: StepBack | None = None
    """Where its time goes back farthest; None where it never does, but for the order of numbers used twice."""
    twice: UsedTwice | None = None


def trace(sequences: Numbers, times: Numbers, filled: Sequence[Run], base: Base | None = None) -> Trail:
    """Follow the events of one source about one table, given in the order of sequence and id; ``filled`` are the
    sequence numbers of rejected ones, from that of the base on, rising, no two runs without a gap between them."""
    if not len(sequences):
        return Trail(times, *_nothing_but_rejected(filled, base))
    at: Numbers = np.maximum.accumulate(times)
    if base is not None:
        np.maximum(at, base.at, out=at)
    steps = np.diff(sequences)
    alone = bool(steps.all())
    back = _farthest_back(sequences, times, at, None if alone else steps)
    twice = None if alone else _used_twice(sequences[1:][steps == 0])
    if not alone:
        # Events that claim one sequence number share its effective time, whichever of them is looked at first.
        at = at[np.searchsorted(sequences, sequences, side="right") - 1]
    trail = Trail(at, [], [], back, twice)
    if base is not None:
        if sequences[0] > base.sequence + 1:
            _open_hole(trail, (base.sequence, int(sequences[0])), (base.at, int(at[0])), filled)
        elif _holds(filled, base.sequence):
            # A rejected event claims its number as well, and could be a fact after it.
            trail.obscured.append(Obscured(base.at, int(at[0])))
    for place in np.flatnonzero(steps > 1).tolist():
        around = int(sequences[place]), int(sequences[place + 1])
        _open_hole(trail, around, (int(at[place]), int(at[place + 1])), filled)
    if filled:
        _at_the_ends(trail, sequences, filled, base)
        _at_taken_places(trail, sequences, filled, base)
    return trail


def _used_twice(repeated: Numbers) -> UsedTwice:
    numbers = np.unique(repeated)
    return UsedTwice(int(numbers[0]), len(numbers))


def _farthest_back(sequences: Numbers, times: Numbers, at: Numbers, uneven: Numbers | None) -> StepBack | None:
    """``uneven`` are the steps between the sequence numbers, where some are used twice."""
    if len(times) < 2:
        return None
    steps = np.diff(times)
    if uneven is not None:
        # Events from before and after a new beginning alternate there, whatever the clock said.
        twice = np.zeros(len(times), np.bool_)
        twice[1:] |= uneven == 0
        twice[:-1] |= uneven == 0
        steps[twice[1:] | twice[:-1]] = 0
    place = int(steps.argmin())
    by = -int(steps[place])
    return StepBack(int(sequences[place + 1]), by, int(at[place])) if by > 0 else None


def _holds(filled: Sequence[Run], number: int) -> bool:
    place = bisect_left(filled, number, key=_LAST)
    return place < len(filled) and filled[place].first <= number


def _open_hole(trail: Trail, sequences: tuple[int, int], at: tuple[int, int], filled: Sequence[Run]) -> None:
    """Something is missing between two events of these sequences and times."""
    trail.obscured.append(Obscured(*at))
    trail.lacking.extend(_unfilled(*sequences, filled, at[1]))


def _unfilled(previous: int, following: int, filled: Sequence[Run], seen_at: int) -> Iterator[Lacking]:
    """The runs between two sequence numbers that no rejected event fills."""
    start = previous + 1
    before = previous
    for run in islice(filled, bisect_left(filled, start, key=_LAST), None):
        if run.first >= following:
            break
        if run.first > start:
            yield Lacking(start, run.first - 1, before, seen_at)
        before = run.last
        start = run.last + 1
    if start < following:
        yield Lacking(start, following - 1, before, seen_at)


def _nothing_but_rejected(filled: Sequence[Run], base: Base | None) -> tuple[list[Lacking], list[Obscured]]:
    if not filled:
        return [], []
    since = ALWAYS_BEFORE if base is None else base.at
    previous = filled[0].first if base is None else base.sequence
    return list(_unfilled(previous, filled[-1].last, filled, since)), [Obscured(since, EVER_AFTER)]


def _at_the_ends(trail: Trail, sequences: Numbers, filled: Sequence[Run], base: Base | None) -> None:
    """A rejected event before the first or after the last readable one leaves that end open; numbers missing between
    them are holes as well."""
    first, last = int(sequences[0]), int(sequences[-1])
    began, ended = int(trail.at[0]), int(trail.at[-1])
    if filled[0].first < first and base is None:
        trail.obscured.append(Obscured(ALWAYS_BEFORE, began))
        trail.lacking.extend(_unfilled(filled[0].first, first, filled, began))
    if filled[-1].last > last:
        trail.obscured.append(Obscured(ended, EVER_AFTER))
        trail.lacking.extend(_unfilled(last, filled[-1].last, filled, ended))


def _at_taken_places(trail: Trail, sequences: Numbers, filled: Sequence[Run], base: Base | None) -> None:
    """A rejected event that claims the number of a readable one could be any fact between their neighbours."""
    firsts, lasts = np.array(filled, np.int64).T
    run = np.searchsorted(firsts, sequences, side="right") - 1
    taken = np.unique(sequences[(run >= 0) & (sequences <= lasts[run])])
    places = np.searchsorted(sequences, taken, side="left").tolist()
    followings = np.searchsorted(sequences, taken, side="right").tolist()
    for place, following in zip(places, followings, strict=True):
        start = int(trail.at[place - 1]) if place else ALWAYS_BEFORE if base is None else base.at
        end = int(trail.at[following]) if following < len(sequences) else EVER_AFTER
        trail.obscured.append(Obscured(start, end))
