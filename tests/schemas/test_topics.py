"""Topics and partitions: each event type in its place, each table on the partition that Kafka's clients choose."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kafka.partitioner.default import murmur2 as kafka_murmur2

from schemas.events import MODELS
from schemas.topics import HEARTBEAT, INPUT, OUTPUT, carries, murmur2, partition_of, topic_of


@pytest.mark.parametrize(
    ("key", "signed"),
    [
        (b"21", -973932308),
        (b"foobar", -790332482),
        (b"a-little-bit-long-string", -985981536),
        (b"a-little-bit-longer-string", -1486304829),
        (b"lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58897971),
        (b"abc", 479470107),
    ],
)
def test_murmur2_gives_the_values_of_the_java_client(key: bytes, signed: int) -> None:
    assert murmur2(key) == signed % 2**32


@settings(deadline=None)
@given(st.binary(max_size=40))
def test_murmur2_agrees_with_kafka_python(key: bytes) -> None:
    assert murmur2(key) == kafka_murmur2(key)


@settings(deadline=None)
@given(st.text(min_size=1), st.integers(1, 64))
def test_a_table_has_one_partition_by_its_utf_8_id(table: str, partitions: int) -> None:
    assert partition_of(table, partitions) == (kafka_murmur2(table.encode()) & 0x7FFFFFFF) % partitions


def test_no_partitions_is_an_error() -> None:
    with pytest.raises(ValueError, match="at least one partition"):
        partition_of("BT12", 0)


@pytest.mark.parametrize("event_type", MODELS)
def test_every_event_type_has_the_topic_of_the_contract(event_type: str) -> None:
    kind = event_type.partition(".")[0]
    expected = {"shoe": "table.cards", "card": "table.cards", "bet": "table.bets", "device": None}
    assert topic_of(event_type) == expected.get(kind, "table.floor")


def test_an_event_is_in_its_place_on_its_own_topic_alone() -> None:
    for event_type in MODELS:
        on = [topic.name for topic in INPUT if carries(topic.name, event_type)]
        assert on == ([topic_of(event_type)] if event_type != HEARTBEAT else [topic.name for topic in INPUT])
    assert not any(carries(topic.name, HEARTBEAT) for topic in OUTPUT)
    assert not carries("somewhere.else", HEARTBEAT)


def test_the_topics_and_their_writers_are_disjoint() -> None:
    assert [topic.name for topic in INPUT] == ["table.cards", "table.bets", "table.floor"]
    assert [topic.name for topic in OUTPUT] == ["audit.verdicts", "audit.alerts", "audit.rejected"]
    writers = [writer for topic in INPUT for writer in topic.writers]
    assert len(writers) == len(set(writers))
    assert "worker" not in writers
