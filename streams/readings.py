"""What a table was read from the store for, one time after the other: it is not read for the same without end."""

import logging
from collections.abc import Collection, Sequence, Set

from streams.names import Come, place_of

logger = logging.getLogger(__name__)


class Readings:
    """What comes of a reading hangs on what the store has, on what waits to be stored, and on what the table is read
    for, which is all held afterwards. While these stay as they are, one that asks for the same again has what it needs:
    it goes on as it is. One that asks for something else is read for that and for what it was read for before, so that
    the two cannot ask for each other in turn."""

    def __init__(self, table: str) -> None:
        self._table = table
        self._late: Sequence[Come] = ()
        self._shoes: Set[str] = frozenset()

    def forget(self) -> None:
        """Something came, was stored or was let go of: the same may be asked for with reason."""
        self._late, self._shoes = (), frozenset()

    def note(self, late: Sequence[Come], shoes: Collection[str]) -> None:
        """The table was read from the store for these."""
        self._late, self._shoes = list(late), set(shoes)

    def next(self, late: Sequence[Come], shoes: Collection[str]) -> tuple[list[Come], set[str]]:
        """What it is to be read for when these are asked for."""
        known = {place_of(come) for come in self._late}
        new = [come for come in late if place_of(come) not in known]
        if new or not self._shoes >= set(shoes):
            return [*self._late, *new], {*self._shoes, *shoes}
        if late or shoes:
            asked = {"events": sorted({event.id for event, _ in late}), "shoes": sorted(shoes)}
            logger.warning("the table is not read once more for the same", extra={"table": self._table, **asked})
        return [], set()
