"""The contract's topics on a broker that tests share: taken away, and made anew."""

import time
from collections.abc import Collection

from kafka import KafkaAdminClient

from streams.broker_url import KafkaBroker, parse_broker
from streams.topics import INPUTS, OUTPUTS, Layout, create
from tests.services.kafka import KafkaBroker as RealBroker


def without_topics(real: RealBroker, names: Collection[str] = (*INPUTS, *OUTPUTS)) -> KafkaBroker:
    """The broker, once it has none of these topics."""
    with KafkaAdminClient(**real.options) as admin:
        here = set(admin.list_topics()) & set(names)
        if here:
            admin.delete_topics(list(here))
        while set(admin.list_topics()) & set(names):
            time.sleep(0.05)
    broker = parse_broker(real.url)
    assert isinstance(broker, KafkaBroker)
    return broker


def fresh_topics(real: RealBroker, partitions: int) -> KafkaBroker:
    """The broker, with the contract's topics and nothing in them."""
    broker = without_topics(real)
    create(broker, Layout(partitions=partitions))
    return broker
