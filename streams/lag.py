"""How many workers there are, and how far they are behind: records of the inputs that are not acknowledged yet."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from kafka import KafkaAdminClient, TopicPartition
from kafka.admin import OffsetSpec
from kafka.errors import CoordinatorLoadInProgressError, CoordinatorNotAvailableError, NotCoordinatorError

from streams.broker_url import Broker, BrokerUnavailable, EmbeddedLog, TopicsMissing
from streams.embedded.group import count_alive, look
from streams.embedded.layout import LogError
from streams.embedded.log import Log, Place
from streams.kafka_topics import administration, described_topics
from streams.topic_layout import GROUP, INPUTS


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the workers are with one partition of an input topic."""

    done: int
    """The offset that is acknowledged next."""
    end: int
    """The offset that is written next."""
    first: int = 0
    """The oldest offset that is still there."""

    @property
    def left(self) -> int:
        """Records that were sent and are not yet judged and stored."""
        return self.end - self.done


def lag_of(broker: Broker, group: str = GROUP, *, connect_seconds: float = 10.0) -> int:
    """Records that were sent and are not yet judged and stored."""
    return sum(each.left for each in progress_of(broker, group, connect_seconds=connect_seconds).values())


def overdue_of(broker: Broker, before: int, group: str = GROUP, *, connect_seconds: float = 10.0) -> int:
    """Of those, the records that came before a moment (milliseconds since 1970)."""
    progress = progress_of(broker, group, connect_seconds=connect_seconds)
    waiting = {place: each for place, each in progress.items() if each.left > 0}
    if not waiting:
        return 0
    if isinstance(broker, EmbeddedLog):
        try:
            with Log(broker.folder) as log:
                return sum(log.count_before(place, each.done, before) for place, each in waiting.items())
        except LogError as error:
            raise BrokerUnavailable(str(error)) from error
    with administration(broker, connect_seconds) as admin:
        found = admin.list_partition_offsets({TopicPartition(*place): before for place in waiting})
    # Where nothing came since, the broker names no offset.
    since = {Place(place.topic, place.partition): each.offset for place, each in found.items() if each.offset >= 0}
    return sum(max(0, since.get(place, each.end) - each.done) for place, each in waiting.items())


def workers_of(broker: Broker, session_seconds: float, group: str = GROUP, *, connect_seconds: float = 10.0) -> int:
    """How many workers are members of the group; on Kafka one that was killed is, until its session is over."""
    if isinstance(broker, EmbeddedLog):
        try:
            with Log(broker.folder) as log:
                return count_alive(log, look(log, group), session_seconds)
        except LogError as error:
            raise BrokerUnavailable(str(error)) from error
    with administration(broker, connect_seconds) as admin:
        described: dict[str, Any] = _of_coordinator(lambda: admin.describe_groups([group])) or {}
    return len(described.get(group, {}).get("members", ()))


def progress_of(broker: Broker, group: str = GROUP, *, connect_seconds: float = 10.0) -> dict[Place, Progress]:
    """How far the workers are with each partition of the input topics."""
    if isinstance(broker, EmbeddedLog):
        try:
            with Log(broker.folder) as log:
                done, spans = log.committed(group), log.spans()
        except LogError as error:
            raise BrokerUnavailable(str(error)) from error
        missing = [name for name in INPUTS if not any(place.topic == name for place in spans)]
        if missing:
            raise TopicsMissing(f"{broker} does not have {', '.join(missing)}: run `tablewatch topics create`")
        return {
            place: Progress(max(done.get(place, span.first), span.first), span.next, span.first)
            for place, span in spans.items()
            if place.topic in INPUTS
        }
    with administration(broker, connect_seconds) as admin:
        return progress_with(admin, group, str(broker))


def progress_with(admin: KafkaAdminClient, group: str = GROUP, where: str = "the broker") -> dict[Place, Progress]:
    """The same, asked with this client."""
    described = described_topics(admin, INPUTS)
    places = [
        TopicPartition(topic["name"], partition["partition_index"])
        for topic in described.values()
        for partition in topic["partitions"]
    ]
    missing = [name for name in INPUTS if not any(place.topic == name for place in places)]
    if missing:
        raise TopicsMissing(f"{where} does not have {', '.join(missing)}: run `tablewatch topics create`")
    ends = admin.list_partition_offsets(dict.fromkeys(places, OffsetSpec.LATEST))
    firsts = admin.list_partition_offsets(dict.fromkeys(places, OffsetSpec.EARLIEST))
    done: dict[TopicPartition, Any] = (_of_coordinator(lambda: admin.list_group_offsets(group)) or {}).get(group, {})
    found: dict[Place, Progress] = {}
    for place in places:
        committed = done[place].offset if place in done and done[place].offset >= 0 else 0
        first = firsts[place].offset
        found[Place(place.topic, place.partition)] = Progress(max(committed, first), ends[place].offset, first)
    return found


COORDINATOR_SECONDS = 30.0
"""So long a broker that has just started may take to know which groups it looks after."""


def _of_coordinator(ask: Callable[[], Any]) -> Any:
    """What is asked of a group's coordinator; None while there is no group at all."""
    until = time.monotonic() + COORDINATOR_SECONDS
    while True:
        try:
            return ask()
        except CoordinatorNotAvailableError:
            # A young cluster has no group yet: nobody reads, and nobody has acknowledged anything.
            return None
        except (CoordinatorLoadInProgressError, NotCoordinatorError):
            if time.monotonic() > until:
                raise
            time.sleep(0.5)
