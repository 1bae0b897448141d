"""Where tables stand, from their last configurations in the store; kept in the journal for a time without it."""

import logging
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

from schemas.records import AnyEvent
from store.connect import Store
from store.errors import StoreError
from store.read.events import configuration_events, events_where
from streams.alerting.journal import Journal
from streams.alerting.raising import UNKNOWN_PLACE, TablePlace, place_of_table

logger = logging.getLogger(__name__)

CONFIGURATION = "table.configured.v1"
WAIT = 0.5
"""Seconds that an alert waits for the place of its table."""
ASK_AGAIN = 30.0
"""After so many seconds a store that did not answer is asked again."""
NOT_YET = 2.0
"""And one that did not know the table: its configuration may be on the way, and the pit decides who is told."""


class Places:
    """The tables' places. Asked for a table that it does not know, it looks into the store, for a moment at most."""

    def __init__(self, store: Store, journal: Journal) -> None:
        self._store = store
        self._journal = journal
        self._known = journal.places()
        self._ask_at: dict[str, float] = {}
        """By table: from when on the store is asked again."""
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="places")

    def of(self, table: str | None) -> TablePlace:
        """Where a table stands; unknown when neither store nor journal can say it at once."""
        if table is None:
            return UNKNOWN_PLACE
        if table not in self._known and time.monotonic() >= self._ask_at.get(table, 0.0):
            self._ask_at[table] = time.monotonic() + ASK_AGAIN
            with suppress(TimeoutError):
                # A person must hear in time: what the store says later is known for the next alert.
                self._thread.submit(self._ask, table).result(WAIT)
        return self._known.get(table, UNKNOWN_PLACE)

    def _ask(self, table: str) -> None:
        try:
            found = _last(event.event for event in configuration_events(self._store, table))
        except StoreError as error:
            logger.warning("the place of table %s is not known: %s", table, error)
            return
        if not found:
            self._ask_at[table] = time.monotonic() + NOT_YET
        self._known |= found

    def refresh(self) -> None:
        """Read the last configurations of the tables with alerts again. Raises StoreUnavailable."""
        tables = tuple({*self._known, *self._ask_at})
        if not tables:
            return
        condition = "table IN %(tables)s AND shoe = '' AND round = 0 AND type = %(type)s"
        events = events_where(self._store, condition, {"tables": tables, "type": CONFIGURATION})
        self._known |= _last(each.event for each in events)
        self._journal.keep_places(self._known)


def _last(events: Iterable[AnyEvent]) -> dict[str, TablePlace]:
    """By table; the events come in the order of their times."""
    return {event.subject: place_of_table(event.data) for event in events if event.type == CONFIGURATION}
