"""confluent-kafka: librdkafka fetches in threads of its own, and one loop does the work."""

from confluent_kafka import Consumer

from bench.peers.work import POLL_SECONDS, POLLED_TOGETHER, Work
from streams.topic_layout import INPUTS


def main() -> None:
    """Work until ended."""
    work = Work()
    consumer = Consumer(
        {
            "bootstrap.servers": work.servers,
            "group.id": work.group,
            "auto.offset.reset": "earliest",
            "enable.auto.commit": False,
        }
    )
    consumer.subscribe(list(INPUTS))
    while True:
        for message in consumer.consume(POLLED_TOGETHER, timeout=POLL_SECONDS):
            place = message.topic(), message.partition(), message.offset()
            work.add(*place, message.timestamp()[1], message.value() or b"")
        if work.is_due():
            work.flush()
            consumer.commit(asynchronous=True)


if __name__ == "__main__":
    main()
