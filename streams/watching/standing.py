"""How the watches stand, seen from the store: shoes that have ended, are judged, and that nobody has watched."""

from dataclasses import dataclass
from typing import Final

from store.connect import Store
from store.read.shoes import ended_shoes, newest_arrival, shoe_marks
from streams.watching.due import WINDOW_MS, Due

LATE_MS: Final = 120_000
"""A service at work has watched a shoe long before; it looks twice a minute at least."""


@dataclass(frozen=True, slots=True)
class Standing:
    """What the store tells of the watches over the shoes of the last days."""

    watched: int
    """Shoes that have ended and have a summary."""
    late: int
    """Shoes that should have one for longer than two minutes."""


def standing(store: Store, now_ms: int) -> Standing:
    """How they stand at this moment."""
    ended = ended_shoes(store, newest_arrival(store) - WINDOW_MS)
    marks = shoe_marks(store, [each.key for each in ended])
    due = Due(store, grace_seconds=0.0).lately()
    return Standing(len(marks), sum(now_ms - each.heard > LATE_MS for each in due))
