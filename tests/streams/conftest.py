"""A store for tests of the pipeline's parts: one server a module, a database of its own for each test."""

import re
from collections.abc import Iterator

import pytest

from store.connect import Store, connect
from store.embedded.process import EmbeddedClickHouse
from store.migrate import migrate
from tests.store.floor import LONG


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
