"""The console on a real Kafka: a fault published there comes to an open page by the live stream."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import orjson
import pytest

from streams.alerting.raising import SELF_TEST_TABLE
from streams.alerting.self_test import CODE, fault
from streams.publish import publish
from tests.console.house import ConsoleServer, console_server, impatient
from tests.services.kafka import KafkaBroker as RealBroker
from tests.services.topics import fresh_topics
from tests.streams.pipeline import Pipeline, StoreProcess, pipeline

pytestmark = [pytest.mark.java, pytest.mark.xdist_group("kafka")]

TABLE = "KF01"
SECONDS = 120.0
"""For a loaded machine; nothing is asserted about it."""


@pytest.fixture
def running(kafka_broker: RealBroker, tmp_path: Path) -> Iterator[Pipeline]:
    """A store and a worker on the broker."""
    broker = fresh_topics(kafka_broker, 2)
    with pipeline(tmp_path, broker, StoreProcess(tmp_path / "clickhouse"), kafka_broker.url) as started:
        started.start_worker()
        yield started


@pytest.fixture
def console(running: Pipeline, tmp_path: Path) -> Iterator[ConsoleServer]:
    """A console on the same broker."""
    store = impatient(running.environment["TABLEWATCH_CLICKHOUSE_URL"])
    with console_server(tmp_path / "console", running.broker, store) as server:
        yield server


def late_bet() -> list[bytes]:
    """A round of just now in which a bet came after "No more bets"."""
    return [line.replace(SELF_TEST_TABLE.encode(), TABLE.encode()) for line in fault("1", time.time_ns() // 1_000)]


def frames(answer: httpx.Response) -> Iterator[dict[str, Any]]:
    """What a page is told, frame by frame."""
    for line in answer.iter_lines():
        if line.startswith("data: "):
            yield orjson.loads(line[6:])


def test_a_fault_published_to_kafka_comes_to_an_open_page(running: Pipeline, console: ConsoleServer) -> None:
    with console.client("shift_manager") as page, page.stream("GET", "/api/v1/floor/stream", timeout=SECONDS) as stream:
        told = frames(stream)
        assert TABLE not in next(told)["tables"]
        publish(late_bet(), running.broker)
        deadline = time.monotonic() + SECONDS
        alerts: dict[str, dict[str, Any]] = {}
        row: dict[str, Any] = {}
        while not any(each["code"] == CODE for each in alerts.values()) or not row.get("findings", [0])[0]:
            assert time.monotonic() < deadline, (running.folder / "worker.log").read_text()[-4000:]
            frame = next(told)
            row |= frame["tables"].get(TABLE, {})
            alerts |= {each["id"]: each for each in frame["alerts"] if each["table"] == TABLE}
    alert = next(each for each in alerts.values() if each["code"] == CODE)
    assert (alert["round"], alert["bet"], alert["state"]) == (1, "late", "raised")
    assert (row["game"], row["pit"], row["round"]) == ("dragon_tiger_baccarat", TABLE, 1)
