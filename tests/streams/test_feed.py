"""Reading topics for people's screens and alerts: from now, from a moment, from a kept place; on both brokers alike."""

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from kafka import KafkaProducer

from schemas.findings import Finding, finding_json
from schemas.topics import ALERTS, FLOOR, VERDICTS
from streams.broker_url import Broker, TopicsMissing, parse_broker
from streams.embedded.log import Log, NewRecord, Topic
from streams.feed import Feed, FeedRecord, decode
from streams.topics import Layout, create
from tests.services.kafka import KafkaBroker as RealBroker
from tests.services.topics import fresh_topics
from tests.store.floor import finding

PARTITIONS = 3
pytestmark = pytest.mark.xdist_group("kafka")

Send = Callable[[str, int, list[bytes]], None]


@pytest.fixture(params=["embedded", pytest.param("kafka", marks=pytest.mark.java)])
def ground(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Broker, Send]]:
    """A broker with the contract's topics, and a way to write."""
    if request.param == "embedded":
        broker = parse_broker(f"tablelog://{tmp_path}")
        create(broker, Layout(partitions=PARTITIONS))
        with Log(tmp_path) as log:

            def append(topic: str, partition: int, values: list[bytes]) -> None:
                log.append([NewRecord(topic, partition, value) for value in values])

            yield broker, append
        return
    real: RealBroker = request.getfixturevalue("kafka_broker")
    broker = fresh_topics(real, PARTITIONS)
    producer = KafkaProducer(**real.options)

    def send(topic: str, partition: int, values: list[bytes]) -> None:
        for value in values:
            producer.send(topic, value=value, partition=partition)
        producer.flush()

    yield broker, send
    producer.close()


def gather(feed: Feed, count: int) -> list[FeedRecord]:
    found: list[FeedRecord] = []
    deadline = time.monotonic() + 240
    while len(found) < count and time.monotonic() < deadline:
        found += feed.poll(0.5)
    return found


def test_the_rest_ends_where_the_topics_end(ground: tuple[Broker, Send]) -> None:
    broker, send = ground
    with Feed(broker, (ALERTS.name,), start="beginning") as feed:
        assert feed.rest() == []
        send(ALERTS.name, 0, [b"a", b"b"])
        send(ALERTS.name, 2, [b"c"])
        assert [(each.partition, each.value) for each in sorted(feed.rest(), key=lambda each: each.partition)] == [
            (0, b"a"), (0, b"b"), (2, b"c"),
        ]  # fmt: skip
        assert feed.rest() == []


def test_from_now_on_nothing_old_comes_and_nothing_new_is_missed(ground: tuple[Broker, Send]) -> None:
    broker, send = ground
    send(ALERTS.name, 0, [b"old"])
    with Feed(broker, (ALERTS.name, VERDICTS.name)) as feed:
        assert feed.poll(0.05) == []
        send(ALERTS.name, 0, [b"a", b"b"])
        send(VERDICTS.name, 1, [b"c"])
        found = gather(feed, 3)
        assert sorted((each.topic, each.partition, each.value) for each in found) == [
            (ALERTS.name, 0, b"a"),
            (ALERTS.name, 0, b"b"),
            (VERDICTS.name, 1, b"c"),
        ]
        kept = feed.positions
        send(ALERTS.name, 0, [b"d"])
    with Feed(broker, (ALERTS.name, VERDICTS.name), positions=kept) as feed:
        assert [each.value for each in gather(feed, 1)] == [b"d"]
        assert feed.poll(0.05) == []


def test_from_the_beginning_and_from_a_moment(ground: tuple[Broker, Send]) -> None:
    broker, send = ground
    send(ALERTS.name, 2, [b"1", b"2"])
    time.sleep(0.02)
    moment = time.time_ns() // 1_000_000
    time.sleep(0.02)
    send(ALERTS.name, 2, [b"3", b"4"])
    with Feed(broker, (ALERTS.name,), start="beginning") as feed:
        assert [each.value for each in gather(feed, 4)] == [b"1", b"2", b"3", b"4"]
    with Feed(broker, (ALERTS.name,), start=moment) as feed:
        assert [each.value for each in gather(feed, 2)] == [b"3", b"4"]
    with Feed(broker, (ALERTS.name,), start=moment + 3_600_000) as feed:
        assert feed.poll(0.05) == []


def test_a_backlog_comes_whole_and_in_order_within_each_partition(ground: tuple[Broker, Send]) -> None:
    broker, send = ground
    sent = {number: [f"{number}-{place}".encode() for place in range(400)] for number in range(PARTITIONS)}
    for number, values in sent.items():
        send(FLOOR.name, number, values)
    with Feed(broker, (FLOOR.name,), start="beginning") as feed:
        found = gather(feed, 400 * PARTITIONS)
    assert {n: [each.value for each in found if each.partition == n] for n in sent} == sent


def test_an_event_loop_goes_on_while_the_feed_waits(ground: tuple[Broker, Send]) -> None:
    broker, send = ground

    async def listen() -> tuple[list[bytes], int]:
        turns = 0

        async def other() -> None:
            nonlocal turns
            while True:
                turns += 1
                await asyncio.sleep(0.01)

        beside = asyncio.create_task(other())
        found: list[bytes] = []
        with Feed(broker, (ALERTS.name,)) as feed:
            threading.Timer(0.3, send, (ALERTS.name, 0, [b"x", b"y"])).start()
            async for record in feed.stream(seconds=0.2):
                found.append(record.value)
                if len(found) == 2:
                    feed.stop()
        beside.cancel()
        return found, turns

    found, turns = asyncio.run(listen())
    assert found == [b"x", b"y"]
    assert turns > 5


def test_records_are_decoded_by_their_topic_and_what_cannot_be_read_is_none(tmp_path: Path) -> None:
    found = finding("late-bet", "BT1")

    def record(topic: str, value: bytes) -> FeedRecord:
        return FeedRecord(topic, 0, 0, 0, None, value, {})

    assert decode(record(ALERTS.name, finding_json(found))) == found
    assert isinstance(decode(record(ALERTS.name, finding_json(found))), Finding)
    assert decode(record(ALERTS.name, b"{}")) is None
    assert decode(record(VERDICTS.name, b"nonsense")) is None
    events = decode(record(FLOOR.name, b"nonsense"))
    assert isinstance(events, tuple)
    assert len(events.rejected) == 1


def test_a_topic_that_is_not_there_is_named(tmp_path: Path) -> None:
    with Log(tmp_path) as log:
        log.create_topic(Topic(ALERTS.name, 1))
    with pytest.raises(TopicsMissing, match=r"audit\.verdicts"):
        Feed(parse_broker(f"tablelog://{tmp_path}"), (ALERTS.name, VERDICTS.name))
