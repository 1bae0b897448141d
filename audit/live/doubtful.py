"""Rounds that were let go of and may still be judged otherwise: what was found of them rests on what did not come.

Whether something that is missing was lost in a hole hangs on the next opening, and on holes that show when a source
speaks again (contract, "Holes"). Both may come long after a round: between two shoes, or after a night.
"""

from collections.abc import Iterable, Sequence
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
_INCOMPLETE = "round-incomplete"
_REST_ON_ABSENCE = frozenset(
    {"card-missing", "card-conflict", "payout-missing", "payout-unexpected", "round-out-of-order", _INCOMPLETE}
)
"""What is not said of a round where a hole could have taken what it lacks, and what is said in its place."""


class _Window(NamedTuple):
    """The time in which a hole could hide a fact of a round."""

    first: int
    until: int
    """The next opening; for ever while it is not known."""
    incomplete: bool
    """Whether a hole has excused something: then no other hole changes anything, but that this one closes may."""


class Doubtful:
    """Such rounds of one table. Each question gives the shoes that must be read from the store again for it."""

    def __init__(self) -> None:
        self._windows: dict[RoundKey, _Window] = {}

    def note(self, held: LiveRound) -> None:
        """A round is let go of."""
        codes = {finding.code for finding in held.verdict.findings} if held.verdict is not None else set()
        if codes.isdisjoint(_REST_ON_ABSENCE):
            return
        until = EVER_AFTER if held.next_opening is None else held.next_opening.at
        incomplete = _INCOMPLETE in codes
        self._windows[held.shoe, held.number] = _Window(held.gather().ordered[0].at, until, incomplete)
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

    def forget(self, heard: int, latest: int) -> None:
        """All sources were heard up to a time: no hole shows any more in a window before it. ``latest`` is the table's
        time."""
        for key, window in list(self._windows.items()):
            if window.until < heard or window.first < latest - OLDEST:
                del self._windows[key]

    def _taken(self, keys: Iterable[RoundKey]) -> set[str]:
        found = list(keys)
        for key in found:
            del self._windows[key]
        return {shoe for shoe, _ in found}
