"""The places in the sequence of a source that rejected events fill: runs of numbers, and the types that can be read."""

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field
from operator import attrgetter
from typing import NamedTuple

from audit.trail import Run

_FIRST, _LAST = attrgetter("first"), attrgetter("last")


class RejectedPlace(NamedTuple):
    """The place in a sequence that a rejected event fills."""

    source: str
    sequence: int
    type: str | None


@dataclass(slots=True)
class Filled:
    """What rejected events of one source fill. A device of which everything is rejected, all day, is one run."""

    runs: list[Run] = field(default_factory=list)
    """Rising; between two of them something is missing."""
    types: set[str] = field(default_factory=set)

    @classmethod
    def by(cls, places: Iterable[RejectedPlace]) -> "Filled":
        """Those that these fill."""
        filled = cls()
        for place in sorted(places, key=lambda place: place.sequence):
            filled.add(place)
        return filled

    def add(self, place: RejectedPlace) -> None:
        """A rejected event is of this place."""
        if place.type is not None:
            self.types.add(place.type)
        number = place.sequence
        after = bisect_right(self.runs, number, key=_FIRST)
        begins, ends = after, after
        first = last = number
        if after and self.runs[after - 1].last >= number - 1:
            begins, (first, last) = after - 1, self.runs[after - 1]
            last = max(last, number)
        if after < len(self.runs) and self.runs[after].first == number + 1:
            ends, last = after + 1, self.runs[after].last
        self.runs[begins:ends] = [Run(first, last)]

    def goes_on_with(self, place: RejectedPlace) -> bool:
        """Whether it is the next behind the last of these, and of a type that is known."""
        next_one = bool(self.runs) and self.runs[-1].last + 1 == place.sequence
        return next_one and (place.type is None or place.type in self.types)

    def let_go(self, last: int) -> None:
        """Numbers up to this one are no longer asked for; the types stay."""
        gone = bisect_right(self.runs, last, key=_LAST)
        del self.runs[:gone]
        if self.runs and self.runs[0].first <= last:
            self.runs[0] = Run(last + 1, self.runs[0].last)
