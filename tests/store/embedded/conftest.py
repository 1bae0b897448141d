"""One embedded server for the tests of a worker, and a fresh database for each test."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from clickhouse_driver import Client

from store.embedded.process import EmbeddedClickHouse

Connect = Callable[..., Client]
_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedClickHouse]:
    with EmbeddedClickHouse(tmp_path_factory.mktemp("embedded")) as running:
        yield running


@pytest.fixture
def database(server: EmbeddedClickHouse) -> Iterator[str]:
    """A database of the test's own."""
    name = f"test_{next(_numbers)}"
    client = Client.from_url(server.url)
    client.execute(f"CREATE DATABASE {name}")
    yield name
    client.execute(f"DROP DATABASE {name} SYNC")
    client.disconnect()


@pytest.fixture
def connect(server: EmbeddedClickHouse, database: str) -> Iterator[Connect]:
    """Makes clients of that database; all are closed at the end."""
    clients: list[Client] = []

    def make(**options: Any) -> Client:
        account = {"user": server.user, "password": server.password, "database": database}
        client = Client(server.host, server.port, **(account | options))
        clients.append(client)
        return client

    yield make
    for client in clients:
        client.disconnect()


@pytest.fixture
def client(connect: Connect) -> Client:
    return connect()
