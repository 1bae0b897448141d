"""The disks of the store as its server sees them: how much room is left, and whether an insert waits for them."""

from dataclasses import dataclass
from typing import Final

from store.connect import Store

_WAITS: Final = "fsync_after_insert"
"""What a table says of itself goes before what the server says of all."""


@dataclass(frozen=True, slots=True)
class Disk:
    """A disk that the store writes to; of a cluster, of the server that was asked."""

    path: str
    free: int
    """Bytes."""
    total: int


def fullest_disk(store: Store) -> Disk:
    """The one with the smallest share left; a remote one, without a size, is never full."""
    rows = store.query("SELECT path, free_space, total_space FROM system.disks")
    return min((Disk(*row) for row in rows), key=lambda disk: disk.free / max(1, disk.total))


def not_on_disk(store: Store) -> list[str]:
    """The tables whose inserts are acknowledged before the disk has them; of a cluster, on the server asked."""
    rows = store.query(
        "SELECT name FROM system.tables WHERE database = currentDatabase() AND engine LIKE '%MergeTree'"
        f" AND if(position(engine_full, '{_WAITS} = ') > 0, position(engine_full, '{_WAITS} = 1') = 0,"
        f" (SELECT any(value) FROM system.merge_tree_settings WHERE name = '{_WAITS}') != '1') ORDER BY name"
    )
    return [name for (name,) in rows]
