"""The gateway in front of a real Kafka broker: acknowledged, packed, in order; a broker that stops answering is 503."""

import httpx
import orjson
import pytest
from kafka import KafkaConsumer, TopicPartition

from schemas.decoding import split_record
from schemas.topics import partition_of
from tests.services.kafka import KafkaBroker as RealBroker
from tests.services.topics import fresh_topics
from tests.streams.gateway.floor import ONE, PARTITIONS, card, running, until

pytestmark = [pytest.mark.xdist_group("kafka"), pytest.mark.java]


def values(real: RealBroker, topic: str, partition: int) -> list[bytes]:
    """What the broker has at this moment."""
    place = TopicPartition(topic, partition)
    consumer = KafkaConsumer(**real.options, auto_offset_reset="earliest")
    try:
        consumer.assign([place])
        end = consumer.end_offsets([place])[place]
        found: list[bytes] = []
        while consumer.position(place) < end:
            found += [record.value for batch in consumer.poll(timeout_ms=1000).values() for record in batch]
        return found
    finally:
        consumer.close()


def test_what_is_accepted_is_on_kafka_and_a_broker_that_does_not_answer_is_said_to_be_away(
    kafka_broker: RealBroker,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    broker = fresh_topics(kafka_broker, PARTITIONS)
    where = ("table.cards", partition_of("BT12", PARTITIONS))
    folder = tmp_path_factory.mktemp("gateway")
    with running(folder, broker, patience_seconds=4.0) as floor:
        token = floor.device()
        events = [card(number) for number in range(300)]
        assert floor.post(token, events).json() == {"accepted": 300}
        found = values(kafka_broker, *where)
        assert [len(split_record(value)) for value in found] == [256, 44]
        assert [orjson.loads(raw) for value in found for raw in split_record(value)] == events

        raw = orjson.dumps(card(300))
        kafka_broker.pause()
        try:
            answer = floor.post(token, raw, ONE)
        finally:
            kafka_broker.resume()
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")

        def accepted() -> bool:
            again: httpx.Response = floor.post(token, raw, ONE)
            assert again.status_code in (202, 503)
            return again.status_code == 202

        until(accepted, 90)
        after = [orjson.loads(each) for value in values(kafka_broker, *where) for each in split_record(value)]
        assert after[:300] == events
        # The first attempt may have arrived after all; the same bytes count once.
        assert after[300:] in ([orjson.loads(raw)], [orjson.loads(raw)] * 2)
