"""A pipeline on the broker of either kind."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.services.kafka import KafkaBroker
from tests.services.topics import without_topics
from tests.streams.pipeline import Pipeline, StoreProcess
from tests.streams.test_agents import broker_pipeline, embedded_pipeline


@pytest.fixture(params=["embedded", pytest.param("kafka", marks=[pytest.mark.java, pytest.mark.xdist_group("kafka")])])
def running(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Pipeline]:
    """A store, and the broker of either kind with the contract's topics."""
    server = StoreProcess(tmp_path / "clickhouse")
    if request.param == "embedded":
        with embedded_pipeline(tmp_path, server) as started:
            yield started
        return
    kafka: KafkaBroker = request.getfixturevalue("kafka_broker")
    without_topics(kafka)
    with broker_pipeline(tmp_path, kafka.url, server) as started:
        yield started
