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


def _database_of_its_own(server_url: str) -> Iterator[Store]:
    base = connect(server_url)
    store = base.in_database(f"{base.address.database}_test_{os.getpid()}_{next(_numbers)}")
    yield store
    store.close()
    base.in_database("default").command(f"DROP DATABASE IF EXISTS `{store.address.database}` SYNC")


@pytest.fixture
def empty_store(server_url: str) -> Iterator[Store]:
    """A database that nobody has migrated yet."""
    yield from _database_of_its_own(server_url)


@pytest.fixture
def own_store(empty_store: Store) -> Store:
    """A store whose schema a test may change."""
    migrate(empty_store, LONG)
    return empty_store


@pytest.fixture(scope="session")
def _shared_store(server_url: str) -> Iterator[Store]:
    for store in _database_of_its_own(server_url):
        migrate(store, LONG)
        yield store


@pytest.fixture
def store(_shared_store: Store) -> Iterator[Store]:
    """A store without rows; its schema stays as it is."""
    yield _shared_store
    filled = _shared_store.query(
        "SELECT name FROM system.tables WHERE database = currentDatabase() AND total_rows > 0"
        " AND name NOT IN ('migrations', 'retentions')"
    )
    for (name,) in filled:
        _shared_store.command(f"TRUNCATE TABLE `{name}` SYNC")
