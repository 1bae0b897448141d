"""Rounds that were let go of and may still be judged otherwise: what was found of them rests on what did not come.

Whether something that is missing was lost in a hole hangs on the next opening, and on holes that show when a source
speaks again (contract, "Holes"). Both may come long after a round: between two shoes, or after a night.
"""

from collections.abc import Iterable
from typing import NamedTuple

from audit.facts import Fact
from audit.live.round import LiveRound
from audit.table import RoundKey
from audit.trail import EVER_AFTER, Obscured

MOST = 100
"""So many are remembered of a table, the last ones."""


class _Window(NamedTuple):
    """The time in which a hole could hide a fact of a round."""

    first: int
    until: int
    """The next opening; for ever while it is not known."""
    incomplete: bool
    """Whether a hole excused something already."""


class Doubtful:
    """Such rounds of one table. Each question gives the shoes that must be read from the store again for it."""

    def __init__(self) -> None:
        self._windows: dict[RoundKey, _Window] = {}

    def note(self, held: LiveRound) -> None:
        """A round is let go of."""
        verdict = held.verdict
        if verdict is None or not verdict.findings:
            return
        until = EVER_AFTER if held.next_opening is None else held.next_opening.at
        incomplete = verdict.status == "unverifiable"
        self._windows[held.shoe, held.number] = _Window(held.gather().ordered[0].at, until, incomplete)
        if len(self._windows) > MOST:
            del self._windows[next(iter(self._windows))]

    def within(self, spans: Iterable[Obscured]) -> set[str]:
        """Holes opened or closed."""
        spans = list(spans)
        return self._taken(
            key
            for key, window in self._windows.items()
            if any(span.start <= window.until and span.end >= window.first for span in spans)
        )

    def followed_by(self, opening: Fact) -> set[str]:
        """A round was opened."""
        nearer = [key for key, window in self._windows.items() if window.first < opening.at < window.until]
        for key in nearer:
            self._windows[key] = self._windows[key]._replace(until=opening.at)
        return self._taken(key for key in nearer if self._windows[key].incomplete)

    def forget(self, heard: int) -> None:
        """All sources were heard up to a time: no hole shows any more in a window before it."""
        for key in [key for key, window in self._windows.items() if window.until < heard]:
            del self._windows[key]

    def _taken(self, keys: Iterable[RoundKey]) -> set[str]:
        found = list(keys)
        for key in found:
            del self._windows[key]
        return {shoe for shoe, _ in found}
