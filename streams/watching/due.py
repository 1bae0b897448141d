"""Which shoes are due: ended, judged to the last round, and with no summary that knows all that is known of them."""

import time
from collections.abc import Callable, Iterable

from store.connect import Store
from store.read.shoes import (
    EndedShoe,
    ShoeKey,
    ShoeMark,
    ended_shoes,
    judged_rounds,
    judged_since,
    newest_arrival,
    shoe_marks,
)

WINDOW_MS = 8 * 24 * 3_600_000
"""Shoes heard of so long before the newest arrival are looked at again and again: as long as the broker keeps records
that the store may not have yet."""
OVERLAP_MS = 600_000
"""Verdicts of so long before the newest one seen are looked at again: workers' clocks differ, inserts take time."""


class Due:
    """Finds shoes that are due. It remembers which summaries are current, and forgets those that left the window."""

    def __init__(self, store: Store, grace_seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._store = store
        self._grace = grace_seconds
        self._clock = clock
        self._current: dict[ShoeKey, ShoeMark] = {}
        self._written: dict[ShoeKey, str] = {}
        """Digests of the summaries that were written since the last look."""
        self._judged_to = 0
        self._first_seen: dict[ShoeKey, float] = {}
        self.waiting = 0
        """How many have ended and are not due yet."""

    def within(self, since: int, until: int) -> list[EndedShoe]:
        """Those last heard of in a span of time that is over (arrival, milliseconds since 1970)."""
        return self._choose(ended_shoes(self._store, since, until), newest_arrival(self._store))

    def lately(self) -> list[EndedShoe]:
        """Those heard of or judged anew lately."""
        newest = newest_arrival(self._store)
        if not newest:
            return []
        judged = judged_since(self._store, self._judged_to - OVERLAP_MS if self._judged_to else newest - WINDOW_MS)
        ended = ended_shoes(self._store, newest - WINDOW_MS)
        heard = {each.key for each in ended}
        self._current = {key: mark for key, mark in self._current.items() if key in heard}
        self._first_seen = {key: moment for key, moment in self._first_seen.items() if key in heard}
        news = [each for each in ended if self._is_news(each, judged.get(each.key, 0))]
        news += self._judged_only({key: at for key, at in judged.items() if key not in heard})
        self._judged_to = max(self._judged_to, *judged.values(), 0)
        return self._choose(news, newest)

    def written(self, digests: Iterable[tuple[ShoeKey, str]]) -> None:
        """These summaries were written; the next look finds out whether they stand."""
        self._written.update(digests)

    def _is_news(self, ended: EndedShoe, judged: int) -> bool:
        mark = self._current.get(ended.key)
        return mark is None or ended.key in self._written or mark.heard < ended.heard or mark.judged < judged

    def _judged_only(self, judged: dict[ShoeKey, int]) -> list[EndedShoe]:
        """Shoes of long ago that were judged again, because something before them changed."""
        marks = shoe_marks(self._store, judged)
        return [EndedShoe(key, mark.heard, 0) for key, mark in marks.items() if mark.judged < judged[key]]

    def _choose(self, ended: Iterable[EndedShoe], newest: int) -> list[EndedShoe]:
        news = list(ended)
        marks = shoe_marks(self._store, [each.key for each in news])
        judged = judged_rounds(self._store, [each.key for each in news])
        due: list[EndedShoe] = []
        self.waiting = 0
        for each in news:
            mark, (rounds, last) = marks.get(each.key), judged.get(each.key, (0, 0))
            # Another service may have written in between, without knowing what this one knew.
            stands = mark is not None and self._written.pop(each.key, mark.digest) == mark.digest
            if mark is not None and stands and mark.heard >= each.heard and mark.judged >= last:
                self._current[each.key] = mark
            elif rounds < each.rounds or not self._is_ripe(each, newest):
                self.waiting += 1
            else:
                due.append(each)
        return due

    def _is_ripe(self, ended: EndedShoe, newest: int) -> bool:
        """Whether the store has gone on for a while since the shoe was last heard of; in a quiet house, which sends
        nothing that could tell, whether nothing came for as long."""
        first = self._first_seen.setdefault(ended.key, self._clock())
        return newest - ended.heard >= self._grace * 1000 or self._clock() - first >= self._grace
