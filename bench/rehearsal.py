"""A broker takes and gives small records for a while before anything is measured.

One that has just started compiles what it runs most, for half a minute on most of a processor: at a casino it did that
weeks ago. What is measured beside it would be the wait for that processor.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import Final

from confluent_kafka import Consumer, Producer
from confluent_kafka.admin import AdminClient, NewTopic

TOPIC: Final = "bench.rehearsal"
PARTITIONS: Final = 36
"""As many as the input topics have together."""
STEP_SECONDS: Final = 0.02
QUIET: Final = "2"
"""Of a client of confluent-kafka: it tells of every partition of a topic that is new, and of a broker that ends."""
_RECORD: Final = b"x" * 1_000


@contextmanager
def rehearsal(servers: str) -> Iterator[None]:
    """Meanwhile the broker is kept at work, and afterwards no longer."""
    client = {"bootstrap.servers": servers, "log_level": QUIET}
    admin = AdminClient(client)
    for made in admin.create_topics([NewTopic(TOPIC, PARTITIONS, 1)]).values():
        made.result()
    over = Event()
    parts = [Thread(target=part, args=(client, over)) for part in (_send, _read)]
    for part in parts:
        part.start()
    try:
        yield
    finally:
        over.set()
        for part in parts:
            part.join()
        for gone in admin.delete_topics([TOPIC]).values():
            gone.result()


def _send(client: dict[str, str], over: Event) -> None:
    producer = Producer({**client, "linger.ms": 1, "acks": "all", "compression.type": "lz4"})
    while not over.is_set():
        for partition in range(PARTITIONS):
            producer.produce(TOPIC, _RECORD, partition=partition)
        producer.poll(0)
        time.sleep(STEP_SECONDS)
    producer.flush()


def _read(client: dict[str, str], over: Event) -> None:
    consumer = Consumer({**client, "group.id": TOPIC, "auto.offset.reset": "earliest"})
    consumer.subscribe([TOPIC])
    while not over.is_set():
        consumer.consume(1_000, timeout=STEP_SECONDS)
    consumer.close()
