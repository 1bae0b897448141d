"""How much room the disks of the store have left, as the server itself sees them."""

from dataclasses import dataclass

from store.connect import Store


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
