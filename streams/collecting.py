"""How seldom a worker's processes look for cycles among what they hold."""

import gc
from typing import Final

THRESHOLDS: Final = 50_000, 1_000_000, 1_000_000
"""Among so many new objects, more than have gone meanwhile, and all but never among older ones. What is held without
cycles goes by itself; to look through it all took more than a second, once the store was away and much was held. A look
among as many as this is seldom, as about as much goes as comes, and takes a twentieth of a second; among a fifth of it
over a backlog one took as long, came ten times as often and was a twelfth of the judge's time."""
OVER_A_BACKLOG: Final = 2_000_000, *THRESHOLDS[1:]
"""Tens of thousands of events are in hand then until they are stored together: what comes goes, but not as soon as
that. With the thresholds of every day, looks for cycles were a sixteenth of the judge's time, and found none; among a
quarter of this, one took a third of a second, in which nobody was told anything."""


def collect_seldom() -> None:
    """Leave alone what is there already, which stays, and look for cycles seldom among what comes."""
    # Events hold no cycles and go when their round goes: looking for some among them all took a third of the time.
    gc.freeze()
    gc.set_threshold(*THRESHOLDS)


def collect_for(*, catching_up: bool) -> None:
    """Look for cycles as seldom as it is right for a worker that catches up, or for one that does not."""
    wanted = OVER_A_BACKLOG if catching_up else THRESHOLDS
    if gc.get_threshold() == wanted:
        return
    if gc.get_count()[0] > THRESHOLDS[0]:
        # Nobody waits a quarter of a second for a look through what a backlog has left, which goes in a moment.
        gc.freeze()
    gc.set_threshold(*wanted)
