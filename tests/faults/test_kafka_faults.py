"""Faults on a real Kafka broker: workers killed, the broker restarted and gone, other codecs."""

import asyncio
import time
from collections.abc import Iterator, Sequence

import pytest
from aiokafka import AIOKafkaProducer
from kafka import KafkaAdminClient
from kafka.admin import ConfigResource

from streams.routing import Router
from streams.topic_layout import INPUTS
from tests.faults.floor import Floor, floor, play, played_badly
from tests.services.fixtures import absent
from tests.services.kafka import KafkaBroker, KafkaUnavailable
from tests.streams.alerting.webhook import until
from tests.streams.pipeline import StoreProcess

pytestmark = [pytest.mark.java, pytest.mark.xdist_group("kafka")]

KILLS = 4
GONE_SECONDS = 5.0
CODECS = (None, "gzip", "snappy", "lz4", "zstd")


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaBroker]:
    try:
        started = KafkaBroker(tmp_path_factory.mktemp("kafka"))
    except KafkaUnavailable as error:
        absent("java", str(error))
        raise
    with started:
        yield started


@pytest.fixture(scope="module")
def playing(broker: KafkaBroker, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Floor]:
    folder = tmp_path_factory.mktemp("floor")
    server = StoreProcess(folder / "clickhouse")
    with floor(folder, broker.url, server, TABLEWATCH_SESSION_SECONDS="3") as started:
        yield started


@pytest.mark.timeout(1200)
def test_workers_killed_at_random_moments_lose_nothing_and_double_nothing(playing: Floor) -> None:
    playing.say_among_kills(play("K", 4, 6, 21), KILLS, seed=21)
    playing.check()


def test_the_other_of_two_workers_goes_on(playing: Floor) -> None:
    playing.say_while_one_of_two_dies(play("T", 4, 5, 22))
    playing.check(shared=True)


def test_a_worker_that_stood_still_for_longer_than_its_session_stores_nothing_more(playing: Floor) -> None:
    playing.say_while_one_stands_still(play("H", 4, 6, 29))


def test_a_broker_that_is_restarted_or_gone_for_a_while_costs_nothing(playing: Floor, broker: KafkaBroker) -> None:
    lines = play("R", 4, 6, 23)
    part = len(lines) // 3
    playing.at_work()
    playing.say(lines[:part])
    broker.restart()
    playing.say(lines[part : 2 * part])
    # A worker that still folds what the restart has dealt out anew says that instead.
    until(lambda: playing.readiness().status_code == 200, "the worker did not come to work again")
    broker.kill()
    time.sleep(GONE_SECONDS)
    until(lambda: "not said in time that the partitions are" in playing.readiness().text, "it says nothing of waiting")
    broker.start()
    playing.say(lines[2 * part :])
    playing.check(shared=True)
    assert playing.readiness().status_code == 200


def test_repeats_and_any_order_among_the_topics_change_nothing(playing: Floor) -> None:
    playing.at_work()
    playing.say(played_badly(play("B", 3, 5, 24), 24), max_events=7)
    playing.check()


def test_records_of_every_codec_are_read(playing: Floor, broker: KafkaBroker) -> None:
    """The broker writes the topics' own codec; should somebody set it to leave records as they come, nothing stops."""
    with KafkaAdminClient(**broker.options) as admin:
        admin.alter_configs([ConfigResource("TOPIC", topic, {"compression.type": "producer"}) for topic in INPUTS])
    lines = play("C", 2, 4, 25)
    part = len(lines) // len(CODECS) + 1
    for number, codec in enumerate(CODECS):
        asyncio.run(_send(broker, lines[number * part : (number + 1) * part], codec))
    playing.lines += lines
    playing.at_work()
    playing.check()


async def _send(broker: KafkaBroker, lines: Sequence[bytes], codec: str | None) -> None:
    router = Router(2)
    async with AIOKafkaProducer(bootstrap_servers=broker.server, compression_type=codec, linger_ms=50) as producer:
        for line in lines:
            for parcel in router.route(line):
                await producer.send(parcel.topic, value=parcel.raw, partition=parcel.partition)
