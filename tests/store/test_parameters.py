"""Parameters that the server puts into a statement, and what a result says of its columns: with any client."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import pytest
from clickhouse_driver import Client
from clickhouse_driver.errors import ServerException

from store.address import parse_address


@pytest.fixture
def client(server_url: str) -> Iterator[Client]:
    """The driver as it is, with parameters left to the server."""
    address = parse_address(server_url)
    made = Client(
        address.host,
        address.port,
        address.database,
        address.user,
        address.password,
        secure=address.secure,
        settings={"server_side_params": True},
    )
    yield made
    made.disconnect()


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        ("UInt8", 5, 5),
        ("Int64", -7, -7),
        ("String", "été", "été"),
        ("String", "a 'quoted' word, a \\ and a\ttab", "a 'quoted' word, a \\ and a\ttab"),
        ("String", "'; DROP TABLE events; --", "'; DROP TABLE events; --"),
        ("Array(String)", ["x", "y'z"], ["x", "y'z"]),
        ("Array(UInt16)", [1, 2], [1, 2]),
        ("Date", "2026-11-15", datetime(2026, 11, 15).date()),
    ],
)
def test_a_parameter_is_what_the_server_reads_it_as(client: Client, kind: str, value: Any, expected: Any) -> None:
    assert client.execute(f"SELECT {{given:{kind}}}", {"given": value}) == [(expected,)]


def test_parameters_hold_for_their_own_statement_alone(client: Client) -> None:
    assert client.execute("SELECT {one:UInt8} + {two:UInt8}", {"one": 1, "two": 2}) == [(3,)]
    with pytest.raises(ServerException, match="UNKNOWN_QUERY_PARAMETER") as refused:
        client.execute("SELECT {one:UInt8}", {"two": 2})
    assert refused.value.code == 456
    assert client.execute("SELECT 1") == [(1,)]


def test_a_name_is_a_parameter_too(client: Client) -> None:
    rows = client.execute("SELECT {column:Identifier} FROM numbers({most:UInt8})", {"column": "number", "most": 2})
    assert rows == [(0,), (1,)]


def test_a_parameter_of_the_wrong_type_is_refused(client: Client) -> None:
    with pytest.raises(ServerException) as refused:
        client.execute("SELECT {given:UInt8}", {"given": "many"})
    assert refused.value.code in (27, 457)


def test_an_empty_result_with_parameters_names_its_columns(client: Client) -> None:
    sql = "SELECT number AS n, toString(number) AS said FROM numbers(5) WHERE n > {least:UInt8}"
    assert client.execute(sql, {"least": 9}, with_column_types=True) == ([], [("n", "UInt64"), ("said", "String")])
    rows, columns = client.execute(sql, {"least": 3}, with_column_types=True)
    assert (rows, columns) == ([(4, "4")], [("n", "UInt64"), ("said", "String")])


def test_rows_are_inserted_beside_parameters(client: Client) -> None:
    client.execute("CREATE TEMPORARY TABLE given (a UInt64, b LowCardinality(String), c Array(Nullable(Int8)))")
    rows = [(1, "x", [1, None]), (2, "y", [])]
    client.execute("INSERT INTO given VALUES", rows)
    assert client.execute("SELECT * FROM given WHERE a >= {least:UInt64} ORDER BY a", {"least": 1}) == rows
