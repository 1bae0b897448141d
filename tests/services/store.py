"""One server for all tests that leave it running, the embedded one or what TABLEWATCH_TEST_CLICKHOUSE_URL names; each
has a store without rows there, or a database of its own. To start a server takes longer than most of these tests."""

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


def database_of_its_own(server_url: str) -> Iterator[Store]:
    """A store that nobody has migrated yet, and that is gone afterwards."""
    base = connect(server_url)
    store = base.in_database(f"{base.address.database}_test_{os.getpid()}_{next(_numbers)}")
    yield store
    store.close()
    base.in_database("default").command(f"DROP DATABASE IF EXISTS `{store.address.database}` SYNC")


@pytest.fixture
def empty_store(server_url: str) -> Iterator[Store]:
    """A database that nobody has migrated yet."""
    yield from database_of_its_own(server_url)


@pytest.fixture
def own_store(empty_store: Store) -> Store:
    """A store whose schema a test may change."""
    migrate(empty_store, LONG)
    return empty_store


_UNHURRIED = ", ".join(
    f"{setting} = 0"
    for setting in (
        "fsync_after_insert",
        "fsync_part_directory",
        "min_rows_to_fsync_after_merge",
        "min_compressed_bytes_to_fsync_after_merge",
    )
)
"""What tests put in need not outlast a power cut, and to wait for the disk as tables are emptied takes longer than most
of them."""


@pytest.fixture(scope="session")
def _shared_store(server_url: str) -> Iterator[Store]:
    for store in database_of_its_own(server_url):
        migrate(store, LONG)
        tables = store.query(
            "SELECT name FROM system.tables WHERE database = currentDatabase() AND engine LIKE '%MergeTree'"
        )
        for (name,) in tables:
            store.command(f"ALTER TABLE `{name}` MODIFY SETTING {_UNHURRIED}")
        yield store


def _schema(store: Store) -> list[tuple[str, str]]:
    wanted = "name, create_table_query FROM system.tables WHERE database = currentDatabase()"
    return store.query(f"SELECT {wanted} ORDER BY name")


def _touched(store: Store) -> object:
    """When its schema was changed last: a tenth of the time that it takes to have it written out."""
    return store.query(
        "SELECT max(metadata_modification_time), count() FROM system.tables WHERE database = currentDatabase()"
    )


@pytest.fixture(scope="session")
def _shared_schema(_shared_store: Store) -> tuple[object, list[tuple[str, str]]]:
    return _touched(_shared_store), _schema(_shared_store)


def without_rows(store: Store) -> None:
    """Take out what a test has put in."""
    filled = store.query(
        "SELECT name FROM system.tables WHERE database = currentDatabase() AND total_rows > 0"
        " AND name NOT IN ('migrations', 'retentions')"
    )
    for (name,) in filled:
        store.command(f"TRUNCATE TABLE `{name}` SYNC")


@pytest.fixture
def store(_shared_store: Store, _shared_schema: tuple[object, list[tuple[str, str]]]) -> Iterator[Store]:
    """A store without rows. Others come after, so that its schema stays as it is: what changes it asks for
    ``own_store``."""
    yield _shared_store
    without_rows(_shared_store)
    touched, schema = _shared_schema
    assert _touched(_shared_store) == touched or _schema(_shared_store) == schema
