"""When each table is to be looked at again: the few that are due are found without asking all."""

from heapq import heappop, heappush


class Agenda:
    """Tables by the time up to which the topics must be read until there may be more to say."""

    def __init__(self) -> None:
        self._entries: list[tuple[int, str]] = []
        """A heap; entries that were overtaken by another of their table are left in it."""
        self._last: dict[str, int] = {}

    def __bool__(self) -> bool:
        """Whether any table may wait for something."""
        return bool(self._entries)

    def add(self, moment: int, table: str) -> None:
        """A table is to be looked at when the topics are read up to a moment."""
        if self._last.get(table) != moment:
            self._last[table] = moment
            heappush(self._entries, (moment, table))

    def due(self, read_to: int) -> set[str]:
        """The tables with a moment up to this one, each told once; the table itself knows whether it is the last."""
        found: set[str] = set()
        while self._entries and self._entries[0][0] <= read_to:
            moment, table = heappop(self._entries)
            if self._last.get(table) == moment:
                del self._last[table]
            found.add(table)
        return found
