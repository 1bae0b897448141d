"""How far the workers are behind, on the embedded log and on a real broker: what waits, and since before when."""

import time
from pathlib import Path

import pytest

from simulator.floor import simulate
from streams.broker_url import Broker, EmbeddedLog
from streams.lag import lag_of, overdue_of
from streams.publish import publish
from streams.topics import Layout, create
from tests.services.topics import fresh_topics


@pytest.fixture(params=["embedded", pytest.param("kafka", marks=[pytest.mark.java, pytest.mark.xdist_group("kafka")])])
def broker(request: pytest.FixtureRequest, tmp_path: Path) -> Broker:
    if request.param == "kafka":
        return fresh_topics(request.getfixturevalue("kafka_broker"), 2)
    target = EmbeddedLog(tmp_path / "log")
    create(target, Layout(partitions=2))
    return target


def _now_ms() -> int:
    return time.time_ns() // 1_000_000


def test_what_came_before_a_moment_and_waits_is_told_from_what_came_since(broker: Broker) -> None:
    lines = list(simulate(4, 2, 5))
    assert overdue_of(broker, _now_ms()) == 0
    publish(lines[: len(lines) // 2], broker)
    first = lag_of(broker)
    time.sleep(0.05)
    between = _now_ms()
    time.sleep(0.05)
    publish(lines[len(lines) // 2 :], broker)
    both = lag_of(broker)
    assert 0 < first < both
    assert overdue_of(broker, between - 3_600_000) == 0
    assert overdue_of(broker, between) == first
    assert overdue_of(broker, between + 3_600_000) == both
