"""The least that a pipeline can do: confluent-kafka's consumer, and decode, judge and insert one after the other.

    python -m bench.bare_loop EVENTS

It alerts nobody, waits for no topic, keeps no backlog and survives nothing; `bench.pipeline` measures the worker by it.
"""

import gc
import os
import sys
import time

from confluent_kafka import Consumer

from audit.settings import JudgeSettings
from bench.peers.work import POLLED_TOGETHER
from store.connect import connect
from store.migrate import migrate
from store.render import SchemaSettings
from streams.agent import COLLECT
from streams.broker_url import KafkaBroker, parse_broker
from streams.intake import read_record
from streams.news import News
from streams.outlets import open_outlet
from streams.partition import PartitionJudge
from streams.sink import write
from streams.topic_layout import INPUTS


def main(events: int) -> None:
    """Read, decode, judge and insert so many events."""
    broker = parse_broker(os.environ["TABLEWATCH_BROKER"])
    assert isinstance(broker, KafkaBroker)
    with open_outlet(broker) as outlet:
        partitions = outlet.partitions
    store = connect(os.environ["TABLEWATCH_CLICKHOUSE_URL"])
    migrate(store, SchemaSettings())
    consumer = Consumer(
        {
            "bootstrap.servers": ",".join(broker.servers),
            "group.id": "bare",
            "auto.offset.reset": "earliest",
            "enable.auto.commit": False,
        }
    )
    consumer.subscribe(list(INPUTS))
    judges = {number: PartitionJudge(number, JudgeSettings(), (), {}) for number in range(partitions)}
    gc.freeze()
    gc.set_threshold(*COLLECT)
    done = batch = 0
    while done < events:
        messages = consumer.consume(POLLED_TOGETHER, timeout=1.0)
        batch += 1
        news, records = News(), []
        for message in messages:
            place = message.topic(), message.partition(), message.offset()
            record = read_record(*place, message.timestamp()[1], message.value() or b"", partitions)
            records.append(record)
            news.add(judges[record.partition].take(record, batch, time.monotonic()))
            done += len(record.decoded.events)
        for number in {record.partition for record in records}:
            news.add(judges[number].look(time.time_ns() // 1_000))
        write(store, news, records, time.time_ns() // 1_000_000)
        for number in {record.partition for record in records}:
            judges[number].stored(batch, news)
        if messages:
            consumer.commit(asynchronous=True)
    consumer.close()


if __name__ == "__main__":
    main(int(sys.argv[1]))
