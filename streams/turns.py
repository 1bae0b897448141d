"""Whose turn it is to be read from the store: tables with something to judge first, and none waits for ever."""

from collections.abc import Mapping
from typing import NamedTuple

from streams.desk import TableDesk
from streams.partition import PartitionJudge

READ_TOGETHER = 100
"""So many tables are read from the store in one go, at most."""
SILENT_SECONDS = 5.0
"""A table of which there is nothing to judge yet is read so much later."""
LEFT_ALONE_SECONDS = 2.0
"""So long a table is left alone that could not be read through a fault of ours."""


class Turn(NamedTuple):
    """A desk that is to be read from the store, and the judge that it belongs to."""

    judge: PartitionJudge
    desk: TableDesk


class Turns:
    """The desks of a worker that need the store. Times are seconds by the worker's clock."""

    def __init__(self, judges: Mapping[int, PartitionJudge]) -> None:
        self._judges = judges
        self._since: dict[TableDesk, float] = {}
        """When each was first seen to need the store."""
        self._left_alone: dict[TableDesk, float] = {}
        """Until when."""
        self._failed: set[TableDesk] = set()
        """Those that could not be read, until they are."""

    def next(self, now: float) -> list[Turn]:
        """Those that are read together next, each table once."""
        found = {desk: judge for judge in self._judges.values() for desk in judge.waiting()}
        self._since = {desk: self._since.get(desk, now) for desk in found}
        self._left_alone = {desk: until for desk, until in self._left_alone.items() if desk in found and until > now}
        self._failed &= found.keys()
        chosen: dict[str, Turn] = {}
        for desk in sorted(found.keys() - self._left_alone.keys(), key=self._place):
            # A table can be known to two partitions where their number was changed.
            chosen.setdefault(desk.table, Turn(found[desk], desk))
            if len(chosen) == READ_TOGETHER:
                break
        return list(chosen.values())

    def _place(self, desk: TableDesk) -> tuple[float, str]:
        has_news = desk.waits_since is not None or bool(desk.late or desk.reload)
        return self._since[desk] + (0.0 if has_news else SILENT_SECONDS), desk.table

    def leave_alone(self, desk: TableDesk, now: float) -> None:
        """A desk could not be read: others come first for a while."""
        self._left_alone[desk] = now + LEFT_ALONE_SECONDS
        self._failed.add(desk)

    def unread(self) -> set[str]:
        """The tables that could not be read and still wait for it."""
        self._failed &= {desk for judge in self._judges.values() for desk in judge.waiting()}
        return {desk.table for desk in self._failed}
