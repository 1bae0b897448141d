"""The watch over the workers: people hear of it when what tables say waits and nothing of it is judged and stored.

It looks from outside, at what the broker has and what the workers have acknowledged, so that it sees workers that are
gone, one that cannot take a partition over while the store is away, and a full backlog alike.
"""

import hashlib
import logging
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

from schemas.decoding import Decoded
from store.rows.alerts import Alert
from streams.alerting import measures
from streams.alerting.intake import Intake
from streams.alerting.journal import Journal
from streams.alerting.raising import SELF_TEST_TABLE
from streams.alerting.rules import Routing
from streams.broker_url import Broker
from streams.embedded.log import Place
from streams.feed import Feed, decode
from streams.lag import Progress, progress_of

logger = logging.getLogger(__name__)

CODE: Final = "not-judged"
LOOK_MS: Final = 5_000
"""Between two looks; a shorter patience than this is looked after as often as it asks for."""
NAMED: Final = 10
"""So many tables are named in the sentence; of the rest, their number. The alert keeps them all."""
READ_RECORDS: Final = 5_000
"""So many of the records that wait are read for the names of their tables."""
_READ_SECONDS: Final = 1.0
_MARK = "standstill"


@dataclass(frozen=True, slots=True)
class Look:
    """What was seen of the input topics."""

    progress: Mapping[Place, Progress]
    tables: Mapping[int, frozenset[str]]
    """By partition that stood still at the look before: the tables that wait there, as far as they were read."""


@dataclass(slots=True)
class _Standing:
    """A partition, since it was last seen to go on."""

    done: dict[Place, int]
    since_ms: int


@dataclass(slots=True)
class Standstills:
    """Asks the broker in a thread of its own, and raises one alert for each partition and time of standing still."""

    broker: Broker
    journal: Journal
    routing: Routing
    _thread: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1, "standstill"))
    _asked: Future[Look] | None = None
    _asked_ms: int = 0
    _standing: dict[int, _Standing] = field(default_factory=dict)

    def tick(self, intake: Intake, now_ms: int) -> None:
        """Look again when it is time, and say what was seen."""
        after_ms = self.routing.standstill.after * 1000
        if not after_ms:
            return
        if self._asked is None:
            if now_ms - self._asked_ms >= min(LOOK_MS, after_ms):
                self._asked_ms = now_ms
                late = {number for number, each in self._standing.items() if now_ms - each.since_ms >= after_ms}
                untold = frozenset(number for number in late if not self.journal.mark(_mark(number)))
                self._asked = self._thread.submit(look, self.broker, untold)
        elif self._asked.done():
            asked, self._asked = self._asked, None
            error = asked.exception()
            if error is None:
                self.conclude(asked.result(), intake, now_ms)
            else:
                logger.warning("whether the workers go on cannot be seen: %s", error)

    def conclude(self, seen: Look, intake: Intake, now_ms: int) -> None:
        """Raise and clear by what was seen."""
        after_ms = self.routing.standstill.after * 1000
        for number in sorted({place.partition for place in seen.progress}):
            here = {place: each for place, each in seen.progress.items() if place.partition == number}
            done = {place: each.done for place, each in here.items()}
            name = self.journal.mark(_mark(number))
            standing = self._standing.get(number)
            waits = any(each.left for each in here.values())
            if standing is None or standing.done != done or not waits:
                self._standing[number] = _Standing(done, now_ms)
                if name and (standing is not None or not waits):
                    self.journal.set_mark(_mark(number), "")
                    intake.clear_alert(name, now_ms)
            elif not name and now_ms - standing.since_ms >= after_ms and number in seen.tables:
                alert = self._alert(number, seen.tables[number], standing.since_ms, now_ms)
                self.journal.set_mark(_mark(number), alert.id)
                logger.error("%s", alert.message)
                intake.raise_alert(alert, now_ms)
        measures.STANDING_STILL.set(len(self.standing_still()))

    def standing_still(self) -> list[int]:
        """The partitions of which people were told."""
        return [number for number in sorted(self._standing) if self.journal.mark(_mark(number))]

    def _alert(self, number: int, tables: frozenset[str], since_ms: int, now_ms: int) -> Alert:
        name = hashlib.sha256(f"standstill {number} {since_ms}".encode()).hexdigest()[:32]
        zone = self.routing.time_zone
        since = datetime.fromtimestamp(since_ms / 1000, ZoneInfo(zone)).strftime("%Y-%m-%d %H:%M:%S")
        named = sorted(tables - {SELF_TEST_TABLE})
        which = ", ".join(named[:NAMED]) + (f" and {len(named) - NAMED} more" if len(named) > NAMED else "")
        place = f"partition {number} of the log"
        what = f"Tables {which} ({place})" if named else f"The tables of {place}"
        return Alert(
            id=name,
            finding=name,
            table=named[0] if len(named) == 1 else None,
            shoe=None,
            round=None,
            code=CODE,
            severity="critical",
            pit=None,
            game=None,
            message=f"{what}: nothing of what they say has been judged and stored since {since} ({zone})."
            " Alerts about them may not come: have them watched by people until this is cleared.",
            time=since_ms * 1000,
            raised=now_ms,
            detail={"partition": number, "tables": named, "where": f"all tables of {place}"},
        )

    def stop(self) -> None:
        """A look that is under way is not waited for."""
        self._thread.shutdown(wait=False, cancel_futures=True)


def look(broker: Broker, untold: frozenset[int]) -> Look:
    """How far the workers are, and which tables wait on these partitions. Raises what the broker's clients raise."""
    progress = progress_of(broker)
    return Look(progress, {number: _waiting(broker, number, progress) for number in untold})


def _waiting(broker: Broker, number: int, progress: Mapping[Place, Progress]) -> frozenset[str]:
    """The tables of records of a partition that are not acknowledged, as far as they are read here."""
    here = {place: each.done for place, each in progress.items() if place.partition == number and each.left}
    tables: set[str] = set()
    if not here:
        return frozenset()
    with Feed(broker, sorted({place.topic for place in here}), positions=here) as feed:
        for record in feed.poll(_READ_SECONDS, max_records=READ_RECORDS):
            content = decode(record)
            if record.partition == number and isinstance(content, Decoded):
                tables.update(event.subject for event in content.events)
    return frozenset(tables)


def _mark(number: int) -> str:
    return f"{_MARK} {number}"
