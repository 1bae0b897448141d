"""A store for tests of the pipeline's parts, one server a module and a database of its own for each test; and a whole
pipeline on the broker of either kind."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from store.connect import Store, connect
from store.embedded.process import EmbeddedClickHouse
from store.migrate import migrate
from tests.services.kafka import KafkaBroker
from tests.services.topics import without_topics
from tests.store.floor import LONG
from tests.streams.pipeline import Pipeline, StoreProcess
from tests.streams.test_agents import broker_pipeline, embedded_pipeline


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with EmbeddedClickHouse(tmp_path_factory.mktemp("clickhouse")) as started:
        base = connect(started.url)
        yield base
        base.close()


@pytest.fixture
def store(server: Store, request: pytest.FixtureRequest) -> Iterator[Store]:
    """A store of a test's own."""
    store = server.in_database(re.sub(r"\W", "_", request.node.name))
    migrate(store, LONG)
    yield store
    store.command(f"DROP DATABASE `{store.address.database}` SYNC")
    store.close()


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
