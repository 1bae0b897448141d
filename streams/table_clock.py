"""A table's own time: how far its clocks are behind the arrival of what it says, and up to when all of it is known."""

from collections import deque
from typing import NamedTuple

from streams.watermark import ALWAYS, IDLE_MICROSECONDS, NEVER, Reach

WINDOW = 10_000_000
"""Over so long (microseconds), and once more so long before, the quickest that came says how far behind a table is."""
RUSH = 3_000_000
"""Where so much more (microseconds) of a table's time comes within a moment than the moment is long, it was sent at
once: a history that is published, or what a device or a gateway had kept back."""


class _Rush(NamedTuple):
    """Part of what was sent at once."""

    until: int
    """By arrival: up to then the other topics may bring their part of it."""
    since: int
    """By the table's own time: what was heard before it began."""


class _Before(NamedTuple):
    """What was heard before a silence, where no look has covered it yet."""

    behind: int
    latest: int
    """By the table's own time."""


class TableClock:
    """Of one table. Its devices may all be minutes behind the broker: what has arrived up to now is then known up to
    minutes ago by their time, and to wait two seconds by the broker's time would be not to wait at all."""

    __slots__ = (
        "_before", "_before_until", "_complete_to", "_lately", "_lately_since", "_lately_until", "_latest", "_moment",
        "_moment_since", "_patience", "_read_to", "_rushes", "_silent", "behind",
    )  # fmt: skip

    def __init__(self, patience: int) -> None:
        self._patience = patience
        self.behind = 0
        """Microseconds between what the table's devices say the time is and the arrival of it, at the quickest."""
        self._complete_to = self._latest = NEVER
        self._lately = self._before = ALWAYS
        self._lately_since = self._lately_until = self._before_until = NEVER
        self._read_to = NEVER
        self._silent: _Before | None = None
        self._moment = self._moment_since = NEVER
        """When the moment began in which something came last, by arrival; what was heard before it, by its own time."""
        self._rushes: deque[_Rush] = deque()
        """Each began and ended earlier than those after it."""

    def heard(self, arrival: int, earliest: int, latest: int) -> None:
        """Something came whose events are of these times. A clock that runs ahead counts as right; what is older than
        what was heard before may have been kept back somewhere, and tells nothing of the clocks."""
        latest = min(latest, arrival)
        if latest <= self._latest:
            return
        if arrival - self._moment >= IDLE_MICROSECONDS:
            self._moment, self._moment_since = arrival, max(earliest, self._latest)
        if latest - self._moment_since > arrival - self._moment + RUSH:
            self._rush(arrival)
        behind = arrival - latest
        if arrival - self._lately_since >= WINDOW:
            self._forget(arrival)
        self._latest = latest
        self._lately = min(self._lately, behind)
        self._lately_until = max(self._lately_until, arrival)
        self.behind = min(self._before, self._lately)

    def _rush(self, arrival: int) -> None:
        until = arrival + IDLE_MICROSECONDS
        if self._rushes:
            # Of another topic, what arrived before may be read later.
            until = max(until, self._rushes[-1].until)
        while self._rushes and self._rushes[-1].since >= self._moment_since:
            self._rushes.pop()
        self._rushes.append(_Rush(until, self._moment_since))

    def _forget(self, arrival: int) -> None:
        """Begin anew after a silence, since a table may have stood still; or let go of what came before the last
        window. What no look has covered goes on by the quickest of then: it would wait longer than for its patience."""
        if arrival - self._lately_until >= WINDOW:
            if self._latest != NEVER and self._read_to < self._lately_until + self._patience:
                self._silence(self.behind, self._latest)
            self._before = self._lately = ALWAYS
            self._lately_since = arrival
        elif self._read_to >= self._before_until + self._patience:
            self._before, self._before_until = self._lately, self._lately_until
            self._lately, self._lately_since = ALWAYS, arrival

    def recall(self, latest: int, behind: int) -> None:
        """The last that the store has of the table is of this time, and was so far behind. What came since may have
        been heard before the store was read."""
        arrived = latest + behind
        if latest > self._latest:
            self._latest, self._before, self._lately, self.behind = latest, ALWAYS, behind, behind
            self._lately_since = self._lately_until = arrived
            return
        if self._read_to >= arrived + self._patience:
            return
        if self._moment - arrived >= IDLE_MICROSECONDS:
            self._moment_since = max(self._moment_since, latest)
            self._rushes = deque(_Rush(rush.until, max(rush.since, latest)) for rush in self._rushes)
        if self._lately_since - arrived >= WINDOW:
            self._silence(behind, latest)
        else:
            self._before, self._before_until = min(self._before, behind), max(self._before_until, arrived)
            self.behind = min(self._before, self._lately)

    def _silence(self, behind: int, latest: int) -> None:
        """Nothing came for a while behind what no look has covered yet."""
        if self._silent is not None:
            behind, latest = min(self._silent.behind, behind), max(self._silent.latest, latest)
        self._silent = _Before(behind, latest)

    def is_after(self, moment: int) -> bool:
        """Whether something of a later time was heard; a clock that runs ahead counts as right."""
        return self._latest > moment

    def known_to(self, reach: Reach) -> int:
        """By the table's own time: up to when all that it says must have come where the topics were read so far. How
        far it is behind says nothing of what was sent at once: there the other topics must be past its arrival."""
        rushes = self._rushes
        while rushes and rushes[0].until <= reach.arrivals:
            rushes.popleft()
        known_to = reach.arrivals - self.behind
        if self._silent is not None:
            behind, latest = self._silent
            known_to = max(known_to, min(reach.arrivals - behind, latest + self._patience))
        known_to = min(reach.events, known_to)
        return min(known_to, rushes[0].since + self._patience) if rushes else known_to

    def arrives_by(self, moment: int) -> int:
        """By arrival: when all is known that the table says up to a moment by its own time, at the earliest."""
        silent = self._silent
        before = silent if silent is not None and moment <= silent.latest + self._patience else self
        arrived = moment + before.behind
        for rush in reversed(self._rushes):
            if rush.since + self._patience < moment:
                return max(arrived, rush.until)
        return arrived

    def complete_to(self, reach: Reach, latest: int) -> int:
        """By the table's own time: up to when all that it says counts as known; it never goes back. ``latest`` is of
        the last that it said: nothing rests on what would come a moment after that, and a table that is silent for a
        while may go on where it stopped, by its own time."""
        self._read_to = min(reach)
        self._complete_to = max(self._complete_to, min(self.known_to(reach), latest + self._patience))
        if self._silent is not None and self._complete_to >= self._silent.latest + self._patience:
            self._silent = None
        return self._complete_to
