"""How seldom a worker's processes look for cycles among what they hold."""

import gc
from typing import Final

THRESHOLDS: Final = 50_000, 1_000_000, 1_000_000
"""Among so many new objects, more than have gone meanwhile, and all but never among older ones. What is held without
cycles goes by itself; to look through it all took more than a second, once the store was away and much was held. A look
among as many as this is seldom, as about as much goes as comes, and takes a twentieth of a second; among a fifth of it
over a backlog one took as long, came ten times as often and was a twelfth of the judge's time."""


def collect_seldom() -> None:
    """Leave alone what is there already, which stays, and look for cycles seldom among what comes."""
    # Events hold no cycles and go when their round goes: looking for some among them all took a third of the time.
    gc.freeze()
    gc.set_threshold(*THRESHOLDS)
