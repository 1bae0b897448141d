"""Many clients at once: reads beside reads, an insert beside a long query, cancelling, clients that go."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from clickhouse_driver import Client
from clickhouse_driver.errors import ServerException

from store.embedded.process import EmbeddedClickHouse
from tests.store.embedded.conftest import Connect
from tests.store.embedded.raw_client import RawClient

FOR_EVER = "SELECT count() FROM numbers(1000000000000) WHERE number % 7 = 3"
SLOW = "SELECT sleepEachRow(0.5) FROM numbers(600) SETTINGS max_block_size = 1"


def _runs(client: Client, query: str) -> bool:
    ((count,),) = client.execute("SELECT count() FROM system.processes WHERE query = %(query)s", {"query": query})
    return bool(count)


def _wait_until(client: Client, query: str, runs: bool) -> None:
    """Until the engine runs that query, or runs it no longer."""
    until = time.monotonic() + 240
    while _runs(client, query) is not runs:
        assert time.monotonic() < until, "it never came to be"
        time.sleep(0.02)


def test_many_connections_at_once(connect: Connect) -> None:
    clients = [connect() for _ in range(60)]
    for client in clients:
        client.connection.connect()

    def ask(number: int) -> list[tuple[int, int]]:
        return [
            clients[number].execute(f"SELECT {number}, sum(number) FROM numbers({number + turn})")[0]
            for turn in range(5)
        ]

    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(ask, range(60)))
    for number, rows in enumerate(answers):
        assert rows == [(number, (number + turn) * (number + turn - 1) // 2) for turn in range(5)]


def test_a_long_query_stops_neither_an_insert_nor_other_reads(connect: Connect, client: Client) -> None:
    client.execute("CREATE TABLE t (a UInt64) ENGINE = MergeTree ORDER BY a")
    slow = connect()
    killed: list[ServerException] = []

    def ask() -> None:
        try:
            slow.execute(SLOW)
        except ServerException as error:
            killed.append(error)

    running = threading.Thread(target=ask)
    running.start()
    _wait_until(client, SLOW, runs=True)
    client.execute("INSERT INTO t VALUES", [(n,) for n in range(1000)])
    assert client.execute("SELECT count() FROM t") == [(1000,)]
    assert _runs(client, SLOW), "the insert and the read were to come first"
    client.execute("KILL QUERY WHERE query = %(query)s SYNC", {"query": SLOW})
    running.join(120)
    assert [error.code for error in killed] == [394]


def test_inserts_of_many_clients_into_one_table(connect: Connect, client: Client) -> None:
    client.execute("CREATE TABLE t (writer UInt8, a UInt64) ENGINE = MergeTree ORDER BY a")
    writers = [connect(compression=("lz4", "zstd", False)[number % 3]) for number in range(6)]

    def write(number: int) -> None:
        for turn in range(5):
            writers[number].execute("INSERT INTO t VALUES", [(number, turn * 100 + n) for n in range(100)])

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(write, range(6)))
    assert client.execute("SELECT writer, count(), uniqExact(a) FROM t GROUP BY writer ORDER BY writer") == [
        (number, 500, 500) for number in range(6)
    ]


def test_a_client_that_cancels_gets_an_end_and_can_go_on(
    server: EmbeddedClickHouse, client: Client, database: str
) -> None:
    with RawClient(server) as raw:
        raw.hello(database)
        raw.query(FOR_EVER)
        _wait_until(client, FOR_EVER, runs=True)
        raw.send(b"\x03")
        assert raw.result() == []
        raw.query("SELECT 5")
        assert raw.result()[0].endswith(b"\x05")
    assert not _runs(client, FOR_EVER)


def test_a_cancel_that_comes_with_its_query(server: EmbeddedClickHouse, client: Client) -> None:
    with RawClient(server) as raw:
        raw.hello()
        raw.query(FOR_EVER)
        raw.send(b"\x03")
        assert raw.result() == []
        assert not _runs(client, FOR_EVER)


def test_a_long_result_that_is_cancelled_ends_early(connect: Connect) -> None:
    client = connect()
    rows = client.execute_iter("SELECT number FROM numbers(1000000000)")
    assert next(rows) == (0,)
    client.cancel()
    client.disconnect()
    assert connect().execute("SELECT 1") == [(1,)]


def test_a_cancel_too_late_does_nothing(server: EmbeddedClickHouse) -> None:
    with RawClient(server) as raw:
        raw.hello()
        raw.query("SELECT 1")
        raw.result()
        raw.send(b"\x03")
        raw.query("SELECT 2")
        assert raw.result()[0].endswith(b"\x02")


def test_the_query_of_a_client_that_goes_is_ended(server: EmbeddedClickHouse, client: Client) -> None:
    with RawClient(server) as raw:
        raw.hello()
        raw.query(FOR_EVER)
        _wait_until(client, FOR_EVER, runs=True)
    _wait_until(client, FOR_EVER, runs=False)


def test_a_query_killed_by_another_client_is_an_error(connect: Connect, client: Client) -> None:
    killed: list[ServerException] = []

    def ask() -> None:
        try:
            connect().execute(FOR_EVER)
        except ServerException as error:
            killed.append(error)

    asking = threading.Thread(target=ask)
    asking.start()
    _wait_until(client, FOR_EVER, runs=True)
    client.execute("KILL QUERY WHERE query = %(query)s SYNC", {"query": FOR_EVER})
    asking.join(120)
    assert [error.code for error in killed] == [394]


def test_a_long_query_tells_how_far_it_is(connect: Connect) -> None:
    progress = connect().execute_with_progress(
        "SELECT sleepEachRow(0.1) FROM numbers(6)", settings={"max_block_size": 1}
    )
    told = [rows for rows, _ in progress]
    assert len(told) > 1
    assert progress.get_result() == [(0,)] * 6


def test_a_time_limit_is_kept(client: Client) -> None:
    with pytest.raises(ServerException) as raised:
        client.execute(FOR_EVER, settings={"max_execution_time": 0.3})
    assert raised.value.code == 159
    assert client.execute("SELECT 1") == [(1,)]


def _peak(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) * 1024


def test_a_long_result_is_streamed_in_bounded_memory(server: EmbeddedClickHouse, connect: Connect) -> None:
    client = connect()
    query = "SELECT number, repeat('x', 500) FROM numbers({rows})"
    for rows in (60_000, 700_000):
        before = _peak(server.pid)
        count = sum(1 for _ in client.execute_iter(query.format(rows=rows), settings={"max_block_size": 10_000}))
        assert count == rows
    # 350 MB went through; what is held at a time are a few blocks of 5 MB each.
    assert _peak(server.pid) - before < 150 << 20
