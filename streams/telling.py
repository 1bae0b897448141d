"""Whom to tell, as all partitions of a worker know it: which rejections are told, and which tables raise alerts."""

from collections import OrderedDict
from collections.abc import Iterable, Mapping

from schemas.records import AnyEvent

LIVE = "live"
"""The mode of a table that raises alerts to people, and of one of which no mode is known."""
REMEMBERED = 10_000
"""So many rejections are remembered as told."""
_CONFIGURED = "table.configured.v1"


class Telling:
    """What one partition knows and another needs: the same bytes may come on both, and those of a table on any."""

    def __init__(self) -> None:
        self.modes: dict[str, str] = {}
        """By table: the mode in which it was configured last."""
        self.recalled = False
        """Whether it knows what the store knows."""
        self._told: OrderedDict[str, None] = OrderedDict()

    def recall(self, told: Iterable[str], modes: Mapping[str, str]) -> None:
        """Take over from the store: the ids of rejections, the last ones last, and the modes of tables."""
        self.modes = {**modes, **self.modes}
        for name in told:
            self.is_first(name)
        self.recalled = True

    def hear(self, table: str, events: Iterable[AnyEvent]) -> None:
        """Take down in which mode a table is configured by these events."""
        for event in events:
            if event.type == _CONFIGURED:
                self.modes[table] = event.data.mode

    def is_first(self, name: str) -> bool:
        """Whether a rejection of this id is told for the first time; it is not any more then."""
        if name in self._told:
            return False
        self._told[name] = None
        if len(self._told) > REMEMBERED:
            self._told.popitem(last=False)
        return True
