"""How the alert service of a data folder stands, seen from outside: whether it runs, and how far it is behind."""

import fcntl
import sqlite3
from dataclasses import dataclass
from pathlib import Path

from schemas.topics import ALERTS
from streams.alerting.journal_file import JOURNAL, LOCK
from streams.broker_url import Broker
from streams.feed import Feed


@dataclass(frozen=True, slots=True)
class Standing:
    """What can be told of it without asking it."""

    running: bool
    behind: int
    """Records of `audit.alerts` that it has not read."""
    untold: int
    """Messages that an address has not taken yet, though they were tried."""


def standing(broker: Broker, folder: Path) -> Standing | None:
    """Of the service whose journal is in this folder; None where there is no journal."""
    if not (folder / JOURNAL).exists():
        return None
    journal = sqlite3.connect(f"{(folder / JOURNAL).absolute().as_uri()}?mode=ro", uri=True)
    try:
        read = {(topic, number): next_ for topic, number, next_ in journal.execute("SELECT * FROM position")}
        waiting = "SELECT count() FROM message WHERE status IN ('waiting', 'sending') AND attempts > 0"
        ((untold,),) = journal.execute(waiting)
    finally:
        journal.close()
    with Feed(broker, (ALERTS.name,)) as feed:
        ends = feed.positions
    behind = sum(end - read.get(place, 0) for place, end in ends.items() if end > read.get(place, 0))
    return Standing(_is_held(folder / LOCK), behind, untold)


def _is_held(lock: Path) -> bool:
    with lock.open() as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False
