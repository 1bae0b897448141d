"""Data that clients send: block by block, compressed or not, refused in the middle, cut off, sent twice."""

from __future__ import annotations

import datetime
import random
from collections.abc import Iterator

import pytest
from clickhouse_driver import Client
from clickhouse_driver.errors import ServerException

from store.embedded.blocks import Column, empty_block
from store.embedded.process import EmbeddedClickHouse
from store.embedded.wire import text, varint
from tests.store.embedded.conftest import Connect
from tests.store.embedded.raw_client import RawClient

COMPRESSIONS = [False, "lz4", "lz4hc", "zstd"]


@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_rows_come_back_as_they_were_sent(connect: Connect, compression: bool | str) -> None:
    client = connect(compression=compression)
    client.execute(
        "CREATE TABLE t (a UInt64, b String, c LowCardinality(String), d Array(UInt8), e Nullable(String), "
        "f DateTime64(6, 'UTC'), g Map(String, UInt8), h Tuple(x UInt8, y String), i LowCardinality(Nullable(String)), "
        "j Array(Array(Nullable(Int32))), k Enum8('player' = 1, 'banker' = 2), l Decimal(18, 2), m FixedString(3), "
        "n UUID) ENGINE = MergeTree ORDER BY a"
    )
    now = datetime.datetime(2026, 11, 15, 12, tzinfo=datetime.UTC)
    rows = [
        (
            n,
            "é" * (n % 300),
            f"kind {n % 9}",
            [n % 52] * (n % 5),
            None if n % 3 else f"P{n}",
            now + datetime.timedelta(microseconds=n),
            {"min": n % 100},
            (n % 7, str(n)),
            None if n % 2 else "low",
            [[n, None], []],
            "banker" if n % 2 else "player",
            n,
            "abc",
            f"00000000-0000-0000-0000-{n:012d}",
        )
        for n in range(3000)
    ]
    assert client.execute("INSERT INTO t VALUES", rows) == 3000
    stored = client.execute("SELECT * EXCEPT n, toString(n) FROM t ORDER BY a")
    assert [tuple(row) for row in stored] == rows


@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_an_insert_of_many_blocks(connect: Connect, compression: bool | str) -> None:
    client = connect(compression=compression, settings={"insert_block_size": 1000})
    client.execute("CREATE TABLE t (a UInt64, b String) ENGINE = MergeTree ORDER BY a")

    def rows() -> Iterator[tuple[int, str]]:
        for n in range(10_500):
            yield n, f"row {n}"

    assert client.execute("INSERT INTO t (a, b) VALUES", rows()) == 10_500
    assert client.execute("SELECT count(), uniqExact(b), countIf(b = concat('row ', toString(a))) FROM t") == [
        (10_500, 10_500, 10_500)
    ]


@pytest.mark.parametrize("compression", [False, "zstd"])
def test_strings_longer_than_any_buffer(connect: Connect, compression: bool | str) -> None:
    client = connect(compression=compression)
    client.execute("CREATE TABLE t (a UInt8, b String) ENGINE = MergeTree ORDER BY a")
    noise = random.Random(1)  # a fixed seed: the same bytes each time
    long = noise.randbytes(5_000_000).hex()
    client.execute("INSERT INTO t VALUES", [(1, ""), (2, long), (3, "short"), (4, long[:200_000])])
    assert client.execute("SELECT b FROM t ORDER BY a") == [("",), (long,), ("short",), (long[:200_000],)]


def test_columns_are_named_in_any_order_and_the_rest_takes_defaults(client: Client) -> None:
    client.execute(
        "CREATE TABLE t (a UInt64, `odd name` String, c UInt8 DEFAULT 7, d UInt64 MATERIALIZED a * 2, "
        "e UInt64 ALIAS a * 3) ENGINE = MergeTree ORDER BY a"
    )
    client.execute("INSERT INTO t (`odd name`, a) VALUES", [("x", 1)])
    client.execute("INSERT INTO t VALUES", [(2, "y", 8)])
    client.execute("INSERT INTO t FORMAT Native", [(3, "z", 9)])
    assert client.execute("SELECT a, `odd name`, c, d, e FROM t ORDER BY a") == [
        (1, "x", 7, 2, 3),
        (2, "y", 8, 4, 6),
        (3, "z", 9, 6, 9),
    ]


def test_data_written_into_the_statement_and_insert_select(client: Client) -> None:
    client.execute("CREATE TABLE t (a UInt64, b String) ENGINE = MergeTree ORDER BY a")
    client.execute("INSERT INTO t VALUES (1, 'one; INSERT'), (2, 'two')")
    client.execute("INSERT INTO t SELECT a + 10, b FROM t")
    client.execute("INSERT INTO t WITH 5 AS five SELECT five, 'five'")
    assert client.execute("SELECT a FROM t ORDER BY a") == [(1,), (2,), (5,), (11,), (12,)]


def test_an_insert_without_rows(client: Client) -> None:
    client.execute("CREATE TABLE t (a UInt64) ENGINE = MergeTree ORDER BY a")
    assert client.execute("INSERT INTO t VALUES", []) == 0
    assert client.execute("SELECT count() FROM t") == [(0,)]


@pytest.mark.parametrize(
    ("sql", "code"),
    [
        ("INSERT INTO nowhere VALUES", 60),
        ("INSERT INTO t (z) VALUES", 16),
        ("INSERT INTO t (a SETTINGS", 62),
        ("INSERT INTO t (* EXCEPT(b)) VALUES", 48),
    ],
)
def test_a_refused_insert_leaves_the_connection_usable(client: Client, sql: str, code: int) -> None:
    client.execute("CREATE TABLE t (a UInt64, b String) ENGINE = MergeTree ORDER BY a")
    with pytest.raises(ServerException) as raised:
        client.execute(sql, [(1,)])
    assert raised.value.code == code
    assert client.execute("SELECT 1") == [(1,)]


@pytest.mark.parametrize("compression", [False, "lz4"])
def test_an_insert_that_fails_in_the_middle_leaves_nothing_and_the_connection_usable(
    connect: Connect, compression: bool | str
) -> None:
    client = connect(compression=compression, settings={"insert_block_size": 1000})
    client.execute("CREATE TABLE t (a UInt64, CONSTRAINT c CHECK a < 2500) ENGINE = MergeTree ORDER BY a")
    with pytest.raises(ServerException) as raised:
        client.execute("INSERT INTO t VALUES", [(n,) for n in range(10_000)])
    assert raised.value.code == 469
    assert client.execute("SELECT count() FROM t") == [(0,)]
    assert client.execute("INSERT INTO t VALUES", [(1,)]) == 1
    assert client.execute("SELECT count() FROM t") == [(1,)]


def test_a_batch_sent_twice_under_one_token_is_stored_once(client: Client) -> None:
    client.execute(
        "CREATE TABLE t (a UInt64) ENGINE = MergeTree ORDER BY a SETTINGS non_replicated_deduplication_window = 100"
    )
    for token, rows in (("one", [(1,), (2,)]), ("one", [(1,), (2,)]), ("two", [(1,), (2,)])):
        client.execute("INSERT INTO t VALUES", rows, settings={"insert_deduplication_token": token})
    assert client.execute("SELECT count() FROM t") == [(4,)]


def test_an_unacknowledged_insert_of_a_client_that_died_is_not_there(
    server: EmbeddedClickHouse, client: Client, database: str
) -> None:
    client.execute("CREATE TABLE t (a UInt64, b String) ENGINE = MergeTree ORDER BY a")
    with RawClient(server) as raw:
        raw.hello(database)
        raw.query("INSERT INTO t VALUES")
        raw.block()
        block = varint(2) + varint(3) + text("a") + text("UInt64") + bytes(24) + text("b") + text("String")
        raw.send(raw.data(block + text("x") * 3))
        raw.send(raw.data(block + text("x"))[:-1])
    for _ in range(100):
        if not client.execute("SELECT 1 FROM system.processes WHERE query LIKE 'INSERT INTO t%'"):
            break
    else:
        pytest.fail("the insert of a client that is gone still runs")
    assert client.execute("SELECT count() FROM t") == [(0,)]


def test_a_client_that_cancels_its_insert_stores_nothing(
    server: EmbeddedClickHouse, client: Client, database: str
) -> None:
    client.execute("CREATE TABLE t (a UInt8) ENGINE = MergeTree ORDER BY a")
    with RawClient(server) as raw:
        raw.hello(database)
        raw.query("INSERT INTO t VALUES")
        raw.block()
        raw.send(raw.data(varint(1) + varint(1) + text("a") + text("UInt8") + b"\x05"), b"\x03")
        assert raw.result() == []
        raw.query("SELECT count() FROM t")
        (count,) = raw.result()
        assert count.endswith(bytes(8))


def test_a_type_whose_end_cannot_be_found_is_refused_before_data_is_sent(client: Client) -> None:
    client.execute("CREATE TABLE t (a AggregateFunction(uniq, UInt64)) ENGINE = Memory")
    with pytest.raises(ServerException) as raised:
        client.execute("INSERT INTO t VALUES", [(b"",)])
    assert raised.value.code == 48
    assert "AggregateFunction" in raised.value.message
    client.execute("INSERT INTO t SELECT uniqState(number) FROM numbers(3)")
    assert client.execute("SELECT uniqMerge(a) FROM t") == [(3,)]


# What the engine writes of a type must be skipped to its exact end; one byte off, and the engine refuses the block.
TYPES = [
    ("Bool", "number % 2 = 1"),
    ("Int8", "number"),
    ("UInt128", "number"),
    ("Int256", "-number"),
    ("Float32", "number / 2"),
    ("BFloat16", "number"),
    ("Date32", "toDate32('2026-11-15') + number"),
    ("DateTime('Asia/Singapore')", "toDateTime(number)"),
    ("DateTime64(9)", "toDateTime64(number, 9)"),
    ("IPv4", "toIPv4('10.0.0.1')"),
    ("IPv6", "toIPv6('::1')"),
    ("Enum16('a, b' = 1, 'c)' = 300)", "if(number % 2, 'a, b', 'c)')"),
    ("Decimal(9, 2)", "number"),
    ("Decimal(18, 2)", "number"),
    ("Decimal(38, 2)", "number"),
    ("Decimal(76, 2)", "number"),
    ("FixedString(5)", "toString(number)"),
    ("String", "repeat('x', number * 37)"),
    ("Nullable(String)", "if(number % 3, toString(number), NULL)"),
    ("LowCardinality(String)", "toString(number % 5)"),
    ("LowCardinality(Nullable(String))", "if(number % 3, toString(number % 5), NULL)"),
    ("LowCardinality(FixedString(2))", "toString(number % 5)"),
    ("Array(UInt16)", "range(number % 4)"),
    ("Array(Array(String))", "[[toString(number)], []]"),
    ("Array(LowCardinality(String))", "[toString(number % 3), 'x']"),
    ("Array(Nullable(UInt8))", "[1, NULL]"),
    ("Tuple(UInt8, String)", "(1, toString(number))"),
    ("Tuple(a UInt8, `b c` Array(LowCardinality(String)))", "(1, [toString(number)])"),
    ("Map(String, UInt64)", "map('a', number)"),
    ("Map(LowCardinality(String), Array(UInt8))", "map('a', [1, 2])"),
    ("Nested(a UInt8, b String)", "[(1, 'x'), (2, toString(number))]"),
    ("SimpleAggregateFunction(sum, UInt64)", "number"),
    ("Point", "(number, 1.5)"),
    ("Polygon", "[[(0, 0), (1, 1), (number, 2)]]"),
    ("IntervalDay", "toIntervalDay(number)"),
    ("Variant(String, UInt64, Array(UInt8))", "number::UInt64::Variant(String, UInt64, Array(UInt8))"),
    ("Array(Variant(String, UInt64))", "[number::UInt64::Variant(String, UInt64), 'x'::Variant(String, UInt64)]"),
]


@pytest.mark.parametrize(("kind", "value"), TYPES, ids=[kind for kind, _ in TYPES])
def test_the_end_of_a_block_is_found_for_every_type(
    server: EmbeddedClickHouse, client: Client, database: str, kind: str, value: str
) -> None:
    client.execute(f"CREATE TABLE given (n UInt64, v {kind}, z String) ENGINE = Memory", settings={"flatten_nested": 0})
    client.execute("CREATE TABLE taken AS given ENGINE = Memory", settings={"flatten_nested": 0})
    client.execute(f"INSERT INTO given SELECT number, {value}, 'z' FROM numbers(1000)")
    with RawClient(server) as raw:
        raw.hello(database)
        raw.query("SELECT * FROM given ORDER BY n")
        blocks = raw.result()
        raw.query("INSERT INTO taken VALUES")
        raw.block()
        # Twice, so that a wrong end of the first block makes nonsense of the second.
        raw.send(*(raw.data(block) for block in blocks), *(raw.data(block) for block in blocks), raw.data(b""))
        assert raw.result() == []
    ((same,),) = client.execute(
        "SELECT (SELECT groupBitXor(cityHash64(toString(tuple(*)))) FROM given) = "
        "(SELECT groupBitXor(cityHash64(toString(tuple(*)))) FROM (SELECT DISTINCT * FROM taken))"
    )
    assert same == 1
    assert client.execute("SELECT count() FROM taken") == [(2000,)]


def test_the_sample_block_tells_names_and_types(server: EmbeddedClickHouse, client: Client, database: str) -> None:
    client.execute("CREATE TABLE t (a UInt64, b Tuple(x UInt8, y String)) ENGINE = Memory")
    with RawClient(server) as raw:
        raw.hello(database)
        raw.query("INSERT INTO t (b, a) VALUES")
        expected = empty_block([Column("b", "Tuple(x UInt8, y String)"), Column("a", "UInt64")])
        assert raw.block() == expected
        raw.send(raw.data(b""))
        assert raw.result() == []
