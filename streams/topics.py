"""The contract's topics on a broker: made as they should be, and every difference named.

create(parse_broker("kafka://host:9092"), Layout(partitions=12))
for difference in check(parse_broker("kafka://host:9092")):
    print(difference)
"""

from collections.abc import Iterator
from contextlib import contextmanager

from streams import kafka_topics
from streams.broker_url import Broker, BrokerUnavailable, EmbeddedLog
from streams.embedded.layout import LogError, TopicDiffers
from streams.embedded.log import Log, Topic
from streams.topic_layout import (
    CHECKPOINTS,
    GROUP,
    INPUTS,
    OUTPUTS,
    Difference,
    Layout,
    Plan,
    partition_differences,
    plans,
)

__all__ = ["CHECKPOINTS", "GROUP", "INPUTS", "OUTPUTS", "Difference", "Layout", "check", "create"]


def create(broker: Broker, layout: Layout | None = None, *, connect_seconds: float = 10.0) -> list[str]:
    """Make what is missing and set right what can be; returns what was done, one line each.

    The number of partitions or copies of a topic that exists is left as it is: `check` names it.
    """
    layout = layout or Layout()
    if layout.partitions is None:
        raise ValueError("a topic is made with a number of partitions")
    if isinstance(broker, EmbeddedLog):
        return _create_embedded(broker, layout)
    with kafka_topics.administration(broker, connect_seconds) as admin:
        return kafka_topics.create(broker, admin, layout)


def check(broker: Broker, layout: Layout | None = None, *, connect_seconds: float = 10.0) -> list[Difference]:
    """Every difference between the broker and the layout; none if all is well."""
    layout = layout or Layout(partitions=None)
    if isinstance(broker, EmbeddedLog):
        return _check_embedded(broker, layout)
    with kafka_topics.administration(broker, connect_seconds) as admin:
        return kafka_topics.check(admin, layout)


def _create_embedded(broker: EmbeddedLog, layout: Layout) -> list[str]:
    done: list[str] = []
    with _open(broker) as log:
        before = log.topics()
        for plan in plans(layout):
            topic = _embedded_topic(plan)
            if before.get(plan.name) == topic:
                continue
            try:
                fresh = log.create_topic(topic)
            except TopicDiffers:
                continue
            made = f"made {plan.name} with {plan.partitions} partition{'' if plan.partitions == 1 else 's'}"
            done.append(made if fresh else f"set the retention of {plan.name}")
    return done


def _check_embedded(broker: EmbeddedLog, layout: Layout) -> list[Difference]:
    with _open(broker) as log:
        found = log.topics()
    differences = partition_differences(layout, {name: topic.partitions for name, topic in found.items()})
    for plan in plans(layout):
        topic = found.get(plan.name)
        if topic is None:
            continue
        expected = _embedded_topic(plan)
        differences += [
            Difference(plan.name, what, str(should), str(actual))
            for what, should, actual in (
                ("retention.ms", expected.retention_ms, topic.retention_ms),
                ("keep for", expected.keep_for, topic.keep_for),
            )
            if should != actual
        ]
    return differences


def _embedded_topic(plan: Plan) -> Topic:
    return Topic(
        plan.name,
        plan.partitions or 1,
        retention_ms=None if plan.days is None else plan.retention_ms,
        keep_for=plan.keep_for,
    )


@contextmanager
def _open(broker: EmbeddedLog) -> Iterator[Log]:
    try:
        with Log(broker.folder) as log:
            yield log
    except LogError as error:
        raise BrokerUnavailable(str(error)) from error
