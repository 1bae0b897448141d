"""How often one may ask: a bucket per address or session that fills again with time."""

import math
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable

_REMEMBERED = 10_000


class Pace:
    """So many requests at once, and so many a second in the long run, for each who asks."""

    def __init__(self, burst: int, per_second: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._burst = burst
        self._per_second = per_second
        self._clock = clock
        self._buckets: OrderedDict[Hashable, tuple[float, float]] = OrderedDict()

    def allows(self, who: Hashable) -> bool:
        """Counts one request; false if it is one too many."""
        now = self._clock()
        left, since = self._buckets.pop(who, (float(self._burst), now))
        left = min(self._burst, left + (now - since) * self._per_second)
        allowed = left >= 1
        self._buckets[who] = (left - 1 if allowed else left, now)
        if len(self._buckets) > _REMEMBERED:
            self._buckets.popitem(last=False)
        return allowed

    def seconds_left(self, who: Hashable) -> int:
        """In how many seconds the next request is allowed to whom one was refused."""
        left, since = self._buckets.get(who, (1.0, 0.0))
        return max(1, math.ceil((1 - left) / self._per_second - (self._clock() - since)))
