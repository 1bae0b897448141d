"""The names of the last events that a table let go of: in little memory, and at times one too many."""

from collections.abc import Iterable

import numpy as np

from audit.intake import Identity

NAMES_TOGETHER = 128
"""So many are forgotten together, when all eight bits of a place have been in use."""
_GENERATIONS = 8
NAMES_KNOWN = NAMES_TOGETHER * (_GENERATIONS - 1)
"""The last of them are known at least: some dozens of rounds."""
_BITS = 13
_PLACES = (1 << _BITS) - 1
_SHIFTS = np.arange(4) * _BITS
"""A name has a place by each."""


class NamesGone:
    """A name that was let go of is known here; of those that were not, one in ten thousand seems to be as well, so that
    what seems known is to be looked up. Which ones these are differs from process to process (`hash`), and nothing that
    is told depends on it."""

    __slots__ = ("_bit", "_places", "_room")

    def __init__(self) -> None:
        self._places = bytearray()
        """A name has four places; the bit that they have in common tells with which others it came."""
        self._bit = 1
        self._room = NAMES_TOGETHER

    def add(self, names: Iterable[Identity]) -> None:
        """These were let go of."""
        marks = np.fromiter(map(hash, names), np.int64)
        if not self._places and len(marks):
            self._places = bytearray(_PLACES + 1)
        while len(marks):
            if not self._room:
                self._bit = self._bit << 1 if self._bit < 1 << _GENERATIONS - 1 else 1
                self._places = self._places.translate(bytes(each & ~self._bit for each in range(256)))
                self._room = NAMES_TOGETHER
            now, marks = marks[: self._room], marks[self._room :]
            self._room -= len(now)
            # All places of some dozens of names at once take half as long as name by name.
            np.frombuffer(self._places, np.uint8)[now[:, None] >> _SHIFTS & _PLACES] |= self._bit

    def __contains__(self, name: Identity) -> bool:
        places = self._places
        if not places:
            return False
        mark = hash(name)
        common = places[mark & _PLACES]
        return common > 0 and (
            common
            & places[mark >> _BITS & _PLACES]
            & places[mark >> 2 * _BITS & _PLACES]
            & places[mark >> 3 * _BITS & _PLACES]
            > 0
        )
