"""What a worker told people and did not live to store: the next one stores it, so that it is held against the facts as
anything that was told, and taken back where it turns out to be none."""

import logging
import time
from collections.abc import Callable, Iterable, Mapping, Sequence

from schemas.findings import Finding
from schemas.topics import ALERTS
from store.connect import Store
from store.read.findings import findings_named
from store.read.progress import last_arrival
from store.rows.verdicts import FindingState
from store.write.findings import write_findings
from store.write.lateness import LATE_MS, note_late
from streams.alerting.life import SYSTEM
from streams.alerting.raising import device_time
from streams.broker_url import Broker, BrokerUnavailable, RightsMissing, TopicsMissing
from streams.feed import Feed, FeedRecord, decode
from streams.topic_layout import INPUTS

logger = logging.getLogger(__name__)

ToldSince = Callable[[int], list[FeedRecord]]
"""Gives what people were told since a moment (milliseconds since 1970), in order within each partition."""
States = dict[str, list[tuple[FeedRecord, Finding]]]
"""By the id of a finding: its states that people were told, in order, each with its record."""

CLOCKS_APART_MS = 300_000
"""By so much the clocks of workers and broker may differ."""
ATTEMPTS = 3
"""So often a broker that does not answer is asked; without its answer, judging begins all the same."""
_PAUSE_SECONDS = 1.0


def told_from(store: Store, partitions: Sequence[int], earliest: int) -> int:
    """Since when (milliseconds since 1970) something may have been told of these partitions that is not stored. What is
    stored of a partition had arrived before anything was told that is not; ``earliest`` holds where nothing is."""

    def arrived(partition: int) -> int:
        return max(last_arrival(store, topic, partition) or earliest for topic in INPUTS)

    return max(min(map(arrived, partitions)) - CLOCKS_APART_MS, earliest)


def told_since(broker: Broker, since: int) -> list[FeedRecord]:
    """What people were told since then, as the broker has it."""
    for attempt in range(1, ATTEMPTS + 1):
        try:
            with Feed(broker, (ALERTS.name,), start=since) as feed:
                return feed.rest()
        except (RightsMissing, TopicsMissing) as error:
            logger.warning("what people were told before is not known: %s (`tablewatch topics create`)", error)
            break
        except BrokerUnavailable as error:
            logger.warning("what people were told before cannot be read (%d of %d): %s", attempt, ATTEMPTS, error)
            time.sleep(_PAUSE_SECONDS)
    return []


def take_up(store: Store, told: Iterable[FeedRecord], is_ours: Callable[[str], bool]) -> set[str]:
    """Store what was told of our tables and is not stored; the tables that it is about."""
    states: States = {}
    for record in told:
        finding = decode(record)
        if isinstance(finding, Finding) and finding.table is not None and is_ours(finding.table):
            known = states.setdefault(finding.id, [])
            # A record that was sent twice is no other state.
            if not known or known[-1][1] != finding:
                known.append((record, finding))
    lacking = not_stored(states, findings_named(store, states))
    if lacking:
        logger.info("%d findings had been told and were not stored", len(lacking))
        late = time.time_ns() // 1_000_000 - LATE_MS
        keys = [(each.finding.id, str(each.version)) for each in lacking if each.raised < late]
        note_late(store, SYSTEM, {"finding": keys})
        write_findings(store, lacking)
    return {state.finding.table for state in lacking if state.finding.table is not None}


def not_stored(told: States, stored: Mapping[str, FindingState]) -> list[FindingState]:
    """The last state of each finding of which people were told, where the store does not have it; its version is the
    one that it had for the worker that told it."""
    lacking: list[FindingState] = []
    for name, states in told.items():
        known = stored.get(name)
        places = [place for place, (_, finding) in enumerate(states, 1) if known and finding == known.finding]
        later = states[places[-1] if places else 0 :]
        if later:
            record, finding = later[-1]
            version = len(later) + (0 if known is None else known.version)
            when = device_time(record.headers, record.time_ms)
            lacking.append(FindingState(finding=finding, version=version, time=when, raised=record.time_ms))
    return lacking
