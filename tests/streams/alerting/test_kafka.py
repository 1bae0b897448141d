"""The alert service in front of a real Kafka broker: told once, and from its place in the topic after a restart."""

from pathlib import Path

import pytest
from kafka import KafkaProducer

from schemas.findings import Finding, finding_json
from schemas.topics import ALERTS
from store.connect import Store
from streams.broker_url import parse_broker
from tests.services.fixtures import kafka_broker  # noqa: F401
from tests.services.kafka import KafkaBroker as RealBroker
from tests.store.floor import finding
from tests.streams.alerting.room import Room
from tests.streams.alerting.webhook import until
from tests.streams.gateway.test_kafka import fresh_topics

pytestmark = [pytest.mark.xdist_group("kafka"), pytest.mark.java]


def test_findings_on_kafka_reach_people_once_over_restarts(
    kafka_broker: RealBroker,  # noqa: F811
    tmp_path: Path,
    store: Store,
) -> None:
    fresh_topics(kafka_broker)
    room = Room(tmp_path, store)
    room.broker = parse_broker(kafka_broker.url)  # type: ignore[assignment]
    producer = KafkaProducer(**kafka_broker.options)

    def say(found: Finding) -> None:
        producer.send(ALERTS.name, value=finding_json(found), key=b"BT1", headers=[("time", b"1760000000000000")])
        producer.flush()

    first, second = finding("late-bet", "BT1"), finding("late-bet", "BT1", number=2)
    say(first)
    with room.service():
        until(lambda: len(room.hook.messages("anna")) == 1)
        say(first)
    say(second)
    with room.service():
        until(lambda: len(room.hook.messages("anna")) == 2)
    texts = [message["message"] for message in room.hook.messages("anna")]
    assert [first.id[:8] in text for text in texts] == [True, False]
    assert "16:53:20" in texts[0], "the table's own time, on the clock of Singapore"
    producer.close()
    room.close()
