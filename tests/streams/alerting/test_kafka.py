"""The alert service in front of a real Kafka broker: told once, over restarts of either."""

from pathlib import Path

import pytest
from kafka import KafkaProducer

from schemas.findings import Finding, finding_json
from schemas.topics import ALERTS
from store.connect import Store
from streams.alerting.desk import alert_with_steps
from streams.alerting.raising import TIME_HEADER
from tests.services.fixtures import own_broker
from tests.services.kafka import KafkaBroker as RealBroker
from tests.services.topics import fresh_topics
from tests.store.floor import finding
from tests.streams.alerting.room import Room
from tests.streams.alerting.webhook import until

pytestmark = [pytest.mark.xdist_group("kafka"), pytest.mark.java]

PARTITIONS = 3


def say(broker: RealBroker, *findings: Finding) -> None:
    """The findings as the workers publish them."""
    producer = KafkaProducer(**broker.options)
    for each in findings:
        headers = [(TIME_HEADER, b"1760000000000000")]
        producer.send(ALERTS.name, value=finding_json(each), key=b"BT1", headers=headers).get(60)
    producer.close()


def steps_of(store: Store, found: Finding) -> list[str]:
    """What happened to an alert, as the store has it."""
    history = alert_with_steps(store, found.id)
    return [] if history is None else [step.action for step in history.steps]


def test_findings_on_kafka_reach_people_once_over_restarts(
    kafka_broker: RealBroker,
    tmp_path: Path,
    store: Store,
) -> None:
    room = Room(tmp_path, store)
    room.broker = fresh_topics(kafka_broker, PARTITIONS)

    first, second = finding("late-bet", "BT1"), finding("late-bet", "BT1", number=2)
    say(kafka_broker, first)
    with room.service():
        until(lambda: len(room.hook.messages("anna")) == 1)
        say(kafka_broker, first)
    say(kafka_broker, second)
    with room.service():
        until(lambda: len(room.hook.messages("anna")) == 2)
    texts = [message["message"] for message in room.hook.messages("anna")]
    assert [first.id[:8] in text for text in texts] == [True, False]
    assert "2025-10-09 16:53:20 +08" in texts[0], "the table's own time, on the clock of Singapore"
    room.close()


def test_the_service_goes_on_where_it_was_when_the_broker_is_killed_and_comes_back(
    tmp_path: Path, store: Store
) -> None:
    """Before, while it is gone, and after: each finding is told once, and an alert on its way does not wait for it."""
    first, second, third = (finding("late-bet", "BT1", number=number) for number in (1, 2, 3))
    room = Room(tmp_path / "room", store)
    away = True
    with own_broker(tmp_path / "kafka") as broker:
        room.broker = fresh_topics(broker, PARTITIONS)
        say(broker, first)
        with room.service():
            until(lambda: len(room.hook.messages("anna")) == 1)
            room.hook.on_message = lambda _path, _message: 503 if away else 200
            say(broker, second)
            until(lambda: "failed" in steps_of(store, second))
            broker.kill()
            away = False
            until(lambda: len(room.hook.messages("anna")) == 2)
            broker.start()
            say(broker, first, third)
            until(lambda: len(room.hook.messages("anna")) == 3)
        # Started while the broker is away, it waits for it, and for nothing that was told.
        broker.kill()
        with room.service() as service:
            broker.start()
            until(lambda: service.ready)
            say(broker, third, finding("late-bet", "BT1", number=4))
            until(lambda: len(room.hook.messages("anna")) == 4)
    texts = [message["message"] for message in room.hook.messages("anna")]
    assert [[each.id[:8] in text for each in (first, second, third)] for text in texts] == [
        [True, False, False], [False, True, False], [False, False, True], [False, False, False],
    ]  # fmt: skip
    room.close()
