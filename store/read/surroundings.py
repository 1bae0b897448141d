"""What a single round needs from outside it: the configuration in force and the loading of its shoe."""

from store.connect import Store
from store.read.events import events_where
from store.rows.raw import StoredEvent

_CONFIGURATION = "table.configured.v1"
_LOADING = "shoe.loaded.v1"
_ENDING = "shoe.ended.v1"


def configuration_before(store: Store, table: str, moment: int) -> StoredEvent | None:
    """The last configuration of a table at or before a device time (microseconds since 1970)."""
    condition = (
        "table = %(table)s AND shoe = '' AND round = 0 AND type = %(type)s"
        " AND time <= fromUnixTimestamp64Micro(%(moment)s, 'UTC')"
    )
    given = {"table": table, "type": _CONFIGURATION, "moment": moment}
    latest = store.query(f"SELECT toUnixTimestamp64Micro(max(time)), count() FROM events WHERE {condition}", given)
    if not latest[0][1]:
        return None
    exactly = f"{condition} AND time = fromUnixTimestamp64Micro(%(latest)s, 'UTC')"
    return max(events_where(store, exactly, {**given, "latest": latest[0][0]}), key=_place_in_time, default=None)


def shoe_loadings(store: Store, table: str, shoe: str) -> list[StoredEvent]:
    """What was said of the loading of a shoe."""
    condition = "table = %(table)s AND shoe = %(shoe)s AND round = 0 AND type = %(type)s"
    return list(events_where(store, condition, {"table": table, "shoe": shoe, "type": _LOADING}))


def _place_in_time(stored: StoredEvent) -> tuple[str, str, int]:
    return stored.event.time, stored.event.source, stored.event.sequence


def shoe_endings(store: Store, table: str, shoe: str) -> list[StoredEvent]:
    """What was said of the end of a shoe."""
    condition = "table = %(table)s AND shoe = %(shoe)s AND round = 0 AND type = %(type)s"
    return list(events_where(store, condition, {"table": table, "shoe": shoe, "type": _ENDING}))


def cards_read(store: Store, table: str, shoe: str) -> list[tuple[int, int, str]]:
    """The cards of a shoe as they were read: round, draw and card, each reading once."""
    rows = store.query(
        "SELECT DISTINCT round, draw, card FROM events WHERE table = %(table)s AND shoe = %(shoe)s"
        " AND type = 'card.drawn.v1' ORDER BY round, draw, card",
        {"table": table, "shoe": shoe},
    )
    return [(number, draw, card) for number, draw, card in rows]
