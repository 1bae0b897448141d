"""One store for the contract suite: the embedded server, or what TABLEWATCH_TEST_CLICKHOUSE_URL names."""

import itertools
import os
from collections.abc import Iterator

import pytest

from store.connect import Store, connect
from store.embedded.process import EmbeddedClickHouse
from store.migrate import migrate
from tests.store.floor import LONG

_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def server_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    given = os.environ.get("TABLEWATCH_TEST_CLICKHOUSE_URL")
    if given:
        yield given
        return
    with EmbeddedClickHouse(tmp_path_factory.mktemp("clickhouse")) as server:
        yield server.url


@pytest.fixture
def empty_store(server_url: str) -> Iterator[Store]:
    """A database of its own that nobody has migrated yet."""
    base = connect(server_url)
    store = base.in_database(f"{base.address.database}_test_{os.getpid()}_{next(_numbers)}")
    yield store
    store.close()
    base.in_database("default").command(f"DROP DATABASE IF EXISTS `{store.address.database}` SYNC")


@pytest.fixture
def store(empty_store: Store) -> Store:
    migrate(empty_store, LONG)
    return empty_store
