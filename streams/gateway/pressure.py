"""Pressure: how many bytes may wait for the broker's acknowledgement, in all and of one device."""

import threading
from collections import Counter

from streams.gateway import metrics


class Pressure:
    """Room for bodies that are read or on their way; who finds none is told to come again.

    One device gets a quarter of it at most, so that one that has gone mad does not shut the others out.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._most_each = max(1, most // 4)
        self._lock = threading.Lock()
        self._all = 0
        self._each: Counter[str] = Counter()
        metrics.PENDING.set(0)

    def take(self, device: str, size: int) -> "Lease | None":
        """Room for so many bytes, or none.

        A body that finds nothing else waiting is let in whatever its size: too small a room would refuse it forever.
        """
        with self._lock:
            share = self._each[device]
            full = self._all > 0 and self._all + size > self._most
            if full or (share > 0 and share + size > self._most_each):
                return None
            self._add(device, size)
        return Lease(self, device, size)

    def _add(self, device: str, size: int) -> None:
        self._all += size
        self._each[device] += size
        if not self._each[device]:
            del self._each[device]
        metrics.PENDING.set(self._all)

    def give_back(self, device: str, size: int) -> None:
        """The bytes wait no longer."""
        with self._lock:
            self._add(device, -size)


class Lease:
    """Room that one request has."""

    def __init__(self, pressure: Pressure, device: str, size: int) -> None:
        self._pressure = pressure
        self._device = device
        self._size = size

    def shrink(self, size: int) -> None:
        """Less was needed."""
        self._pressure.give_back(self._device, self._size - size)
        self._size = size

    def end(self) -> None:
        """Give all of it back; more than once does no harm."""
        self.shrink(0)
