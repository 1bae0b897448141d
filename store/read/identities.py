"""Ids that a source used for events about several tables: workers do not see it, and an audit refuses them all."""

from dataclasses import dataclass

from store.connect import Store
from store.read.events import events_where


@dataclass(frozen=True, slots=True, order=True)
class SharedId:
    """A source and id that events about several tables have."""

    source: str
    id: str
    tables: tuple[str, ...]


def ids_of_several_tables(store: Store) -> list[SharedId]:
    """Every one that is stored. Most sources speak about one table; of the others, only the events are read whose marks
    are those of several tables."""
    several = "SELECT source FROM source_hours GROUP BY source HAVING uniqExact(table) > 1"
    rows = store.query(
        f"SELECT DISTINCT source FROM (SELECT source, id_mark FROM events WHERE source GLOBAL IN ({several})"
        " GROUP BY source, id_mark HAVING uniqExact(table) > 1)"
    )
    return [shared for (source,) in sorted(rows) for shared in _of_source(store, source)]


def _of_source(store: Store, source: str) -> list[SharedId]:
    suspected = "SELECT id_mark FROM events WHERE source = %(source)s GROUP BY id_mark HAVING uniqExact(table) > 1"
    condition = f"source = %(source)s AND id_mark GLOBAL IN ({suspected})"
    tables: dict[str, set[str]] = {}
    for stored in events_where(store, condition, {"source": source}):
        tables.setdefault(stored.event.id, set()).add(stored.event.subject)
    return sorted(SharedId(source, name, tuple(sorted(of))) for name, of in tables.items() if len(of) > 1)
