"""A table's own time: how far its clocks are behind the arrival of what it says, and up to when all of it is known."""

from streams.watermark import ALWAYS, NEVER, Reach

WINDOW = 10_000_000
"""Over so long (microseconds), and once more so long before, the quickest that came says how far behind a table is."""


class TableClock:
    """Of one table. Its devices may all be minutes behind the broker: what has arrived up to now is then known up to
    minutes ago by their time, and to wait two seconds by the broker's time would be not to wait at all."""

    __slots__ = (
        "_before", "_before_until", "_complete_to", "_lately", "_lately_since", "_lately_until", "_latest", "_patience",
        "_read_to", "behind",
    )  # fmt: skip

    def __init__(self, patience: int) -> None:
        self._patience = patience
        self.behind = 0
        """Microseconds between what the table's devices say the time is and the arrival of it, at the quickest."""
        self._complete_to = self._latest = NEVER
        self._lately = self._before = ALWAYS
        self._lately_since = self._lately_until = self._before_until = NEVER
        self._read_to = NEVER

    def heard(self, arrival: int, latest: int) -> None:
        """Something came whose last event is of this time. A clock that runs ahead counts as right; what is older than
        what was heard before may have been kept back somewhere, and tells nothing of the clocks."""
        latest = min(latest, arrival)
        if latest <= self._latest:
            return
        self._latest = latest
        behind = arrival - latest
        if arrival - self._lately_since >= WINDOW:
            self._forget(arrival)
        self._lately = min(self._lately, behind)
        self._lately_until = max(self._lately_until, arrival)
        self.behind = min(self._before, self._lately)

    def _forget(self, arrival: int) -> None:
        """Begin anew after a silence, or let go of what came before the last window: only of what a look has covered.
        Before, it would have to wait longer than for its patience."""
        if arrival - self._lately_until >= WINDOW and self._read_to >= self._lately_until + self._patience:
            self._before = self._lately = ALWAYS
            self._lately_since = arrival
        elif self._read_to >= self._before_until + self._patience:
            self._before, self._before_until = self._lately, self._lately_until
            self._lately, self._lately_since = ALWAYS, arrival

    def recall(self, latest: int, behind: int) -> None:
        """The last that the store has of the table is of this time, and was so far behind."""
        if latest > self._latest:
            self._latest, self._before, self._lately, self.behind = latest, ALWAYS, behind, behind

    def is_after(self, moment: int) -> bool:
        """Whether something of a later time was heard; a clock that runs ahead counts as right."""
        return self._latest > moment

    def known_to(self, reach: Reach) -> int:
        """By the table's own time: up to when all that it says must have come where the topics were read so far."""
        return min(reach.events, reach.arrivals - self.behind)

    def complete_to(self, reach: Reach, latest: int) -> int:
        """By the table's own time: up to when all that it says counts as known; it never goes back. ``latest`` is of
        the last that it said: nothing rests on what would come a moment after that, and a table that is silent for a
        while may go on where it stopped, by its own time."""
        self._read_to = min(reach)
        self._complete_to = max(self._complete_to, min(self.known_to(reach), latest + self._patience))
        return self._complete_to
