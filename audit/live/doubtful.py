"""Rounds that were let go of and may still be judged otherwise: what was found of them rests on what did not come.

Whether something that is missing was lost in a hole hangs on the next opening, and on holes that show when a source
speaks again (contract, "Holes"). Both may come long after a round: between two shoes, or after a night.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from audit.facts import Fact
from audit.live.round import LiveRound
from audit.settings import MILLISECOND
from audit.table import RoundKey
from audit.trail import EVER_AFTER, Obscured

MOST = 100
"""So many are remembered of a table, the last ones."""
OLDEST = 24 * 3_600_000 * MILLISECOND
"""Nothing is read again for a round from so long ago."""
INCOMPLETE = "round-incomplete"
REST_ON_ABSENCE = frozenset(
    {"card-missing", "card-conflict", "payout-missing", "payout-unexpected", "round-out-of-order", INCOMPLETE}
)
"""What is not said of a round where a hole could have taken what it lacks, and what is said in its place."""


class Window(NamedTuple):
    """The time in which a hole could hide a fact of a round."""

    first: int
    until: int
    """The next opening; for ever while it is not known."""
    incomplete: bool
    """Whether a hole has excused something: then no other hole changes anything, but that this one closes may."""


class Doubtful:
    """Such rounds of one table. Each question gives the shoes that must be read from the store again for it."""

    def __init__(self) -> None:
        self._windows: dict[RoundKey, Window] = {}

    def note(self, held: LiveRound) -> None:
        """A round is let go of."""
        codes = {finding.code for finding in held.verdict.findings} if held.verdict is not None else set()
        if codes.isdisjoint(REST_ON_ABSENCE):
            return
        until = EVER_AFTER if held.next_opening is None else held.next_opening.at
        self._add((held.shoe, held.number), Window(held.gather().ordered[0].at, until, INCOMPLETE in codes))

    def recall(self, windows: Mapping[RoundKey, Window]) -> None:
        """These were let go of before, in the order in which they began."""
        for key, window in windows.items():
            self._add(key, window)

    def _add(self, key: RoundKey, window: Window) -> None:
        self._windows[key] = window
        if len(self._windows) > MOST:
            del self._windows[next(iter(self._windows))]

    def within(self, opened: Sequence[Obscured], closed: Sequence[Obscured]) -> set[str]:
        """Holes opened and closed."""
        return self._taken(
            key
            for key, window in self._windows.items()
            if any(
                span.start <= window.until and span.end >= window.first
                for span in (closed if window.incomplete else opened)
            )
        )

    def followed_by(self, opening: Fact) -> set[str]:
        """A round was opened."""
        nearer = [key for key, window in self._windows.items() if window.first < opening.at < window.until]
        for key in nearer:
            self._windows[key] = self._windows[key]._replace(until=opening.at)
        return self._taken(key for key in nearer if self._windows[key].incomplete)

    def forget(self, held_from: int, latest: int) -> None:
        """Nothing that any source said before a time is held: no hole opens or closes any more in a window before it.
        ``latest`` is the table's time."""
        for key, window in list(self._windows.items()):
            if window.until < held_from or window.first < latest - OLDEST:
                del self._windows[key]

    def _taken(self, keys: Iterable[RoundKey]) -> set[str]:
        found = list(keys)
        for key in found:
            del self._windows[key]
        return {shoe for shoe, _ in found}
