"""The broker of the tests is a real one: it keeps its data over a kill, and its absence is said plainly."""

from pathlib import Path

import pytest
from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer, TopicPartition

from tests.services.fixtures import absent, own_broker
from tests.services.kafka import KafkaUnavailable, jars

pytestmark = pytest.mark.xdist_group("kafka")


@pytest.mark.java
def test_a_killed_broker_comes_back_with_what_it_had_acknowledged(tmp_path: Path) -> None:
    with own_broker(tmp_path) as broker:
        with KafkaAdminClient(**broker.options) as admin:
            admin.create_topics({"t": {"num_partitions": 1}}, wait_for_metadata=True)
        producer = KafkaProducer(**broker.options)
        producer.send("t", value=b"kept", partition=0).get(10)
        producer.close()
        broker.kill()
        broker.start()
        consumer = KafkaConsumer(**broker.options, auto_offset_reset="earliest")
        consumer.assign([TopicPartition("t", 0)])
        found = consumer.poll(timeout_ms=20_000)
        consumer.close()
        assert [record.value for records in found.values() for record in records] == [b"kept"]


def test_without_java_there_is_no_broker_and_the_reason_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(KafkaUnavailable, match="java is not installed"):
        jars()


def test_without_maven_and_jars_there_is_no_broker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    java = tmp_path / "java"
    java.touch(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("TABLEWATCH_KAFKA_JARS", str(tmp_path / "empty"))
    with pytest.raises(KafkaUnavailable, match="mvn is not installed"):
        jars()


def test_what_is_absent_is_skipped_unless_it_is_required(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TABLEWATCH_TEST_REQUIRE", "go")
    with pytest.raises(pytest.skip.Exception, match="no java here"):
        absent("java", "no java here")
    monkeypatch.setenv("TABLEWATCH_TEST_REQUIRE", "go,java")
    with pytest.raises(pytest.fail.Exception, match="asks for java: no java here"):
        absent("java", "no java here")
