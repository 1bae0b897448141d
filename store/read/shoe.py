"""What is said of a shoe as a whole: its loading, its end, and the cards that were read."""

from store.connect import Store
from store.read.events import events_where
from store.rows.raw import StoredEvent

_LOADING = "shoe.loaded.v1"
_ENDING = "shoe.ended.v1"
_CARD = "card.drawn.v1"


def shoe_loadings(store: Store, table: str, shoe: str) -> list[StoredEvent]:
    """What was said of the loading of a shoe."""
    condition = "shoe = %(shoe)s AND round = 0 AND type = %(type)s"
    return list(events_where(store, condition, {"shoe": shoe, "type": _LOADING}, table=table))


def shoe_endings(store: Store, table: str, shoe: str) -> list[StoredEvent]:
    """What was said of the end of a shoe."""
    condition = "shoe = %(shoe)s AND round = 0 AND type = %(type)s"
    return list(events_where(store, condition, {"shoe": shoe, "type": _ENDING}, table=table))


def cards_read(store: Store, table: str, shoe: str) -> list[tuple[int, int, str]]:
    """The cards of a shoe as they were read: round, draw and card, each reading once. As the records have them: an
    event row says where its event is, and no more."""
    found = events_where(store, "shoe = %(shoe)s AND type = %(type)s", {"shoe": shoe, "type": _CARD}, table=table)
    read = (each.event.data for each in found if each.event.type == _CARD)
    return sorted({(data.round, data.draw, data.card) for data in read if data.shoe == shoe})
