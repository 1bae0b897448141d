"""What clients ask and what they get: results, empty ones, errors, settings, sessions."""

from __future__ import annotations

import datetime
from decimal import Decimal
from pathlib import Path
from uuid import UUID

import pytest
from clickhouse_driver import Client
from clickhouse_driver.errors import ServerException

from store.embedded.process import EmbeddedClickHouse
from tests.store.embedded.conftest import Connect


@pytest.mark.parametrize("compression", [False, "lz4", "zstd"])
def test_values_of_many_types_come_back(connect: Connect, compression: bool | str) -> None:
    (row,) = connect(compression=compression).execute(
        """SELECT 1, -2::Int64, 'été', toLowCardinality('low'), [1, 2], [['a'], []], NULL, 'x'::Nullable(String),
           toDateTime64('2026-11-15 12:00:00.000001', 6, 'UTC'), toDate('2026-11-15'), map('a', 1), (1, 'b'),
           toUUID('61f0c404-5cb3-11e7-907b-a6006ad3dba0'), toDecimal64('1.25', 2), 1.5, toFixedString('ab', 2)"""
    )
    assert row == (
        1,
        -2,
        "été",
        "low",
        [1, 2],
        [["a"], []],
        None,
        "x",
        datetime.datetime(2026, 11, 15, 12, 0, 0, 1, tzinfo=row[8].tzinfo),
        datetime.date(2026, 11, 15),
        {"a": 1},
        (1, "b"),
        UUID("61f0c404-5cb3-11e7-907b-a6006ad3dba0"),
        Decimal("1.25"),
        1.5,
        "ab",
    )


@pytest.mark.parametrize("compression", [False, "lz4", "zstd"])
def test_a_long_result_comes_in_several_blocks(connect: Connect, compression: bool | str) -> None:
    client = connect(compression=compression)
    rows = client.execute("SELECT number, toString(number) FROM numbers(300000)")
    assert rows == [(n, str(n)) for n in range(300_000)]
    assert client.last_query.profile_info.blocks > 1


def test_blocks_as_small_as_the_client_asks_for(client: Client) -> None:
    rows = client.execute("SELECT number FROM numbers(1000)", settings={"max_block_size": 10})
    assert rows == [(n,) for n in range(1000)]
    assert client.last_query.profile_info.blocks > 1


@pytest.mark.parametrize("compression", [False, "lz4"])
@pytest.mark.parametrize("revision", [54440, 54459])
def test_a_result_begins_with_its_names_and_types(connect: Connect, compression: bool | str, revision: int) -> None:
    client = connect(compression=compression, client_revision=revision)
    sql = "SELECT number AS a, toString(number) AS b, [number] AS c, toLowCardinality('x') AS d FROM numbers(3)"
    rows, columns = client.execute(sql, with_column_types=True)
    assert rows == [(n, str(n), [n], "x") for n in range(3)]
    assert columns == [
        ("a", "UInt64"), ("b", "String"), ("c", "Array(UInt64)"), ("d", "LowCardinality(String)"),
    ]  # fmt: skip


def test_an_empty_result_has_names_and_types(client: Client) -> None:
    client.execute("CREATE TABLE t (a UInt64, b LowCardinality(String), c Tuple(x UInt8, y String)) ENGINE = Memory")
    rows, columns = client.execute("SELECT a, b, c, a + 1 AS d FROM t -- a comment", with_column_types=True)
    assert rows == []
    assert columns == [
        ("a", "UInt64"),
        ("b", "LowCardinality(String)"),
        ("c", "Tuple(x UInt8, y String)"),
        ("d", "UInt64"),
    ]


@pytest.mark.parametrize(
    "sql",
    [
        "FROM numbers(5) SELECT number AS n WHERE n > 9",
        "WITH 9 AS nine SELECT number AS n FROM numbers(5) WHERE n > nine",
        "(SELECT number AS n FROM numbers(5) WHERE n > 9)",
        "SELECT number AS n FROM numbers(0) UNION ALL SELECT number FROM numbers(0)",
        "SELECT number AS n FROM numbers(5) WHERE n > 9 ORDER BY n LIMIT 1 WITH TIES SETTINGS max_threads = 1",
        "SELECT number AS n FROM numbers(0) FORMAT JSON",
    ],
)
def test_every_form_of_select_without_rows_has_its_column(client: Client, sql: str) -> None:
    assert client.execute(sql, with_column_types=True) == ([], [("n", "UInt64")])


def test_show_without_anything_to_show_has_its_column(client: Client) -> None:
    assert client.execute("SHOW TABLES", with_column_types=True) == ([], [("name", "String")])


def test_statements_about_tables(client: Client, database: str) -> None:
    client.execute("CREATE TABLE t (a UInt64, b String DEFAULT 'x') ENGINE = MergeTree ORDER BY a")
    assert client.execute("EXISTS TABLE t") == [(1,)]
    assert client.execute("EXISTS TABLE u") == [(0,)]
    assert client.execute("SHOW TABLES") == [("t",)]
    assert [row[:2] for row in client.execute("DESCRIBE TABLE t")] == [("a", "UInt64"), ("b", "String")]
    assert client.execute("SHOW CREATE TABLE t")[0][0].startswith(f"CREATE TABLE {database}.t")
    assert client.execute("EXPLAIN SELECT * FROM t")
    client.execute("ALTER TABLE t ADD COLUMN c UInt8")
    client.execute("INSERT INTO t (a) SELECT number FROM numbers(5)")
    client.execute("OPTIMIZE TABLE t FINAL")
    assert client.execute("SELECT count(), any(b) FROM t") == [(5, "x")]
    client.execute("DROP TABLE t")
    assert client.execute("EXISTS TABLE t") == [(0,)]


@pytest.mark.parametrize(
    ("sql", "code", "name"),
    [
        ("SELECT * FROM nowhere", 60, "UNKNOWN_TABLE"),
        ("SELEC 1", 62, "SYNTAX_ERROR"),
        ("SELECT nothing", 47, "UNKNOWN_IDENTIFIER"),
        ("SELECT throwIf(number = 200000) FROM numbers(300000)", 395, "FUNCTION_THROW_IF_VALUE_IS_NON_ZERO"),
        ("DROP TABLE nowhere", 60, "UNKNOWN_TABLE"),
        ("USE nowhere", 81, "UNKNOWN_DATABASE"),
        ("SET no_such_setting = 1", 115, "UNKNOWN_SETTING"),
        ("SELECT 1; DROP TABLE t", 62, "Multi-statements"),
        ("INSERT INTO t SELECT 1; DROP TABLE t", 62, "Multi-statements"),
        ("SELECT 1 INTO OUTFILE 'x'", 48, "OUTFILE"),
        ("INSERT INTO t FROM INFILE '/etc/hostname' FORMAT LineAsString", 78, "INFILE"),
        ("1 + 1", 62, "SYNTAX_ERROR"),
        ("  -- nothing at all", 62, "Empty query"),
    ],
)
def test_an_error_has_clickhouses_code_and_leaves_the_connection_usable(
    client: Client, sql: str, code: int, name: str
) -> None:
    with pytest.raises(ServerException) as raised:
        client.execute(sql)
    assert raised.value.code == code
    assert name in raised.value.message
    assert client.execute("SELECT 7") == [(7,)]


def test_a_format_clause_is_the_clients_affair(client: Client) -> None:
    assert client.execute("SELECT 1 AS format, 'FORMAT' FORMAT JSON SETTINGS max_threads = 1;") == [(1, "FORMAT")]


def test_parameters_are_substituted(client: Client) -> None:
    awkward = "it's a \\ \n 'test'; --"
    assert client.execute("SELECT %(text)s, %(list)s", {"text": awkward, "list": [1, 2]}) == [(awkward, [1, 2])]


def test_parameters_of_the_session(client: Client) -> None:
    client.execute("SET param_shoe = 'S7'")
    assert client.execute("SELECT {shoe:String}") == [("S7",)]


def test_settings_hold_for_their_query_only(client: Client) -> None:
    ask = "SELECT getSetting('max_threads'), getSetting('max_result_rows')"
    (before,) = client.execute(ask)
    assert client.execute(ask, settings={"max_threads": 1, "max_result_rows": 77}) == [(1, 77)]
    assert client.execute(ask, settings={"max_result_rows": 78}) == [(before[0], 78)]
    assert client.execute(ask) == [before]


def test_a_setting_that_stays_holds_while_another_goes(client: Client) -> None:
    ask = "SELECT getSetting('max_threads'), getSetting('max_result_rows'), getSetting('async_insert')"
    ((before, *_),) = client.execute(ask)
    assert client.execute(ask, settings={"max_threads": 1, "max_result_rows": 7, "async_insert": 1}) == [(1, 7, True)]
    assert client.execute(ask, settings={"max_result_rows": 7}) == [(before, 7, False)]
    client.execute("SET max_threads = 3")
    assert client.execute(ask, settings={"max_threads": 1, "max_result_rows": 7}) == [(1, 7, False)]
    assert client.execute(ask, settings={"max_result_rows": 7}) == [(3, 7, False)]
    assert client.execute(ask) == [(3, 0, False)]


def test_a_refused_setting_is_refused_again_and_those_beside_it_are_set_anew(client: Client) -> None:
    ask = "SELECT getSetting('max_result_rows')"
    for _ in range(2):
        with pytest.raises(ServerException):
            client.execute(ask, settings={"max_threads": "many", "max_result_rows": 7})
    assert client.execute(ask, settings={"max_result_rows": 7}) == [(7,)]
    assert client.execute(ask) == [(0,)]


def test_what_a_session_sets_survives_the_settings_of_a_query(client: Client) -> None:
    ask = "SELECT getSetting('max_result_rows'), getSetting('log_comment')"
    client.execute("SET max_result_rows = 5, log_comment = 'night shift, table 3'")
    assert client.execute(ask) == [(5, "night shift, table 3")]
    assert client.execute(ask, settings={"max_result_rows": 6}) == [(6, "night shift, table 3")]
    assert client.execute(ask) == [(5, "night shift, table 3")]


def test_a_read_only_query_does_not_make_the_session_read_only(client: Client, database: str) -> None:
    with pytest.raises(ServerException) as raised:
        client.execute("CREATE TABLE t (a UInt8) ENGINE = Memory", settings={"readonly": 1})
    assert raised.value.code == 164
    client.execute("CREATE TABLE t (a UInt8) ENGINE = Memory")
    assert client.execute("SELECT currentDatabase(), getSetting('async_insert')") == [(database, False)]


def test_inserts_are_synchronous(client: Client) -> None:
    assert client.execute("SELECT getSetting('async_insert')") == [(False,)]
    assert client.execute("SELECT getSetting('async_insert')", settings={"max_threads": 1}) == [(False,)]
    assert client.execute("SELECT getSetting('async_insert')") == [(False,)]


def test_an_unknown_setting_is_passed_over_unless_it_is_important(connect: Connect) -> None:
    assert connect().execute("SELECT 1", settings={"of_another_version": 1}) == [(1,)]
    with pytest.raises(ServerException) as raised:
        connect(settings_is_important=True).execute("SELECT 1", settings={"of_another_version": 1})
    assert raised.value.code == 115


def test_a_wrong_value_of_a_setting_is_told(client: Client) -> None:
    with pytest.raises(ServerException):
        client.execute("SELECT 1", settings={"max_threads": "many"})
    assert client.execute("SELECT 1", settings={"max_threads": 2}) == [(1,)]


def test_settings_in_the_binary_form_of_old_clients(connect: Connect) -> None:
    client = connect(client_revision=54428)
    asked = client.execute(
        "SELECT getSetting('max_threads'), getSetting('max_block_size'), getSetting('join_use_nulls'), "
        "getSetting('load_balancing'), getSetting('totals_auto_threshold')",
        settings={
            "max_threads": 1,
            "max_block_size": 1234,
            "join_use_nulls": True,
            "load_balancing": "in_order",
            "totals_auto_threshold": 0.25,
        },
    )
    assert asked == [(1, 1234, True, "in_order", 0.25)]


@pytest.mark.parametrize("revision", [54060, 54400, 54415, 54428, 54440, 54448, 54453, 54458, 54459])
def test_old_clients_are_served(connect: Connect, revision: int) -> None:
    client = connect(client_revision=revision)
    client.execute("CREATE TABLE t (a UInt8, b String) ENGINE = Memory")
    client.execute("INSERT INTO t VALUES", [(1, "x"), (2, "y")])
    assert client.execute("SELECT * FROM t ORDER BY a") == [(1, "x"), (2, "y")]


def test_sessions_do_not_share_their_database_or_settings(connect: Connect, database: str) -> None:
    one, two = connect(), connect()
    one.execute("USE system")
    one.execute("SET max_result_rows = 9")
    ask = "SELECT currentDatabase(), getSetting('max_result_rows')"
    assert one.execute(ask) == [("system", 9)]
    assert two.execute(ask) == [(database, 0)]


def test_without_a_database_the_client_is_in_the_servers_own(server: EmbeddedClickHouse, connect: Connect) -> None:
    assert connect(database="").execute("SELECT currentDatabase()") == [(server.database,)]


def test_progress_and_profile_are_told(client: Client) -> None:
    client.execute("SELECT number FROM numbers(250000)")
    assert client.last_query.progress.rows == 250_000
    assert client.last_query.progress.bytes == 2_000_000
    assert client.last_query.profile_info.rows == 250_000
    assert client.last_query.profile_info.blocks >= 2


def test_a_query_text_far_beyond_a_buffer(client: Client) -> None:
    numbers = ", ".join(str(n) for n in range(100_000))
    settings = {"max_query_size": 1 << 26, "max_ast_elements": 10**7, "max_expanded_ast_elements": 10**7}
    assert client.execute(f"SELECT count() FROM numbers(10) WHERE number IN ({numbers})", settings=settings) == [(10,)]


def test_an_external_table_is_refused_by_name(client: Client) -> None:
    table = [{"name": "wanted", "structure": [("a", "UInt8")], "data": [{"a": 1}]}]
    with pytest.raises(ServerException) as raised:
        client.execute("SELECT * FROM wanted", external_tables=table)
    assert raised.value.code == 48
    assert "wanted" in raised.value.message
    assert client.execute("SELECT 1") == [(1,)]


def test_what_is_acknowledged_has_reached_the_disk(client: Client) -> None:
    names = ["fsync_after_insert", "fsync_part_directory", "min_rows_to_fsync_after_merge"]
    rows = client.execute(
        "SELECT name, value FROM system.merge_tree_settings WHERE name IN %(names)s", {"names": names}
    )
    assert dict(rows) == dict.fromkeys(names, "1")


def test_a_backup_goes_below_the_data_folder_and_nowhere_else(
    server: EmbeddedClickHouse, client: Client, database: str, tmp_path: Path
) -> None:
    client.execute("CREATE TABLE t (a UInt64) ENGINE = MergeTree ORDER BY a")
    client.execute("INSERT INTO t SELECT number FROM numbers(1000)")
    place = server.data.resolve() / "backups" / database
    client.execute(f"BACKUP TABLE t TO File('{place}')")
    client.execute("DROP TABLE t SYNC")
    client.execute(f"RESTORE TABLE t FROM File('{place}')")
    assert client.execute("SELECT count(), sum(a) FROM t") == [(1000, 499_500)]
    with pytest.raises(ServerException):
        client.execute(f"BACKUP TABLE t TO File('{tmp_path / 'elsewhere'}')")
