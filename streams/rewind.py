"""Sets the workers back to the first record that the store does not have: after a restore, what came since the backup
was acknowledged, and would never be read again.

Workers skip what the store has, so that nothing is stored or told twice.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from kafka import OffsetAndMetadata, TopicPartition

from store.connect import Store
from store.read.progress import first_missing
from streams.broker_url import Broker, BrokerUnavailable, EmbeddedLog
from streams.embedded.layout import LogError
from streams.embedded.log import Log, Place
from streams.kafka_topics import administration
from streams.lag import Progress, progress_of, workers_of
from streams.topic_layout import GROUP

CONNECT_SECONDS = 10.0


class WorkersRun(Exception):
    """Workers are at it: what they acknowledge next would undo it."""


@dataclass(frozen=True, slots=True)
class SetBack:
    """One partition of an input topic whose workers are set back."""

    place: Place
    acknowledged: int
    """The offset that would have been read next."""
    missing: int
    """The first offset that the store does not have, which is read next."""


def missing_in(store: Store, progress: Mapping[Place, Progress]) -> list[SetBack]:
    """Partitions of which something is acknowledged, still on the broker, and not in the store."""
    found = []
    for place, at in sorted(progress.items()):
        missing = first_missing(store, place.topic, place.partition, at.first, at.done)
        if missing < at.done:
            found.append(SetBack(place, at.done, missing))
    return found


def rewind(broker: Broker, store: Store, session_seconds: float, *, only_look: bool = False) -> list[SetBack]:
    """Set the workers back; what was set back, or with ``only_look`` would be."""
    running = 0 if only_look else workers_of(broker, session_seconds)
    if running:
        raise WorkersRun(
            f"{running} {'worker runs' if running == 1 else 'workers run'}: end them first (one that was killed counts"
            f" until its session is over, after {session_seconds:.0f} s)"
        )
    found = missing_in(store, progress_of(broker))
    if found and not only_look:
        _commit(broker, {each.place: each.missing for each in found})
    return found


def _commit(broker: Broker, offsets: Mapping[Place, int]) -> None:
    if isinstance(broker, EmbeddedLog):
        try:
            with Log(broker.folder) as log:
                log.commit(GROUP, offsets)
        except LogError as error:
            raise BrokerUnavailable(str(error)) from error
        return
    wanted = {TopicPartition(*place): OffsetAndMetadata(offset, "", -1) for place, offset in offsets.items()}
    with administration(broker, CONNECT_SECONDS) as admin:
        answered = admin.alter_group_offsets(GROUP, wanted)
    for place, answer in answered.items():
        if answer.errno:
            raise BrokerUnavailable(
                f"{broker} does not set {place.topic}, partition {place.partition} back: {answer.__name__}"
            )
