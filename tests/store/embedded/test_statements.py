"""Which statement it is, and where the data of an INSERT would begin."""

from __future__ import annotations

import pytest

from store.embedded.faults import ServerError
from store.embedded.statements import Insert, assignments, quote, quote_name, understand, unquote


@pytest.mark.parametrize(
    ("sql", "insert"),
    [
        ("INSERT INTO t VALUES", Insert("INSERT INTO t", "", "t", None)),
        ("insert into t values ;", Insert("insert into t", "", "t", None)),
        ("INSERT INTO t", Insert("INSERT INTO t", "", "t", None)),
        ("INSERT t FORMAT Native", Insert("INSERT t", "", "t", None)),
        ("INSERT INTO TABLE db.t (a, b) VALUES", Insert("INSERT INTO TABLE db.t (a, b)", "", "db.t", ("a", "b"))),
        (
            '/* why */ INSERT INTO `a.b`."c d" (`x y`, n.m) -- more\n FORMAT TSV',
            Insert('/* why */ INSERT INTO `a.b`."c d" (`x y`, n.m) -- more', "", '`a.b`."c d"', ("x y", "n.m")),
        ),
        (
            "INSERT INTO t (a) SETTINGS max_threads = 1, log_comment = 'VALUES' VALUES",
            Insert("INSERT INTO t (a)", "SETTINGS max_threads = 1, log_comment = 'VALUES'", "t", ("a",)),
        ),
        (
            "INSERT INTO FUNCTION file('x', CSV, 'a UInt8') (a) VALUES",
            Insert("INSERT INTO FUNCTION file('x', CSV, 'a UInt8') (a)", "", "file('x', CSV, 'a UInt8')", ("a",)),
        ),
        ("INSERT INTO values VALUES", Insert("INSERT INTO values", "", "values", None)),
        ("INSERT INTO t SELECT 1", None),
        ("INSERT INTO t (a) WITH 1 AS x SELECT x", None),
        ("INSERT INTO t VALUES (1)", None),
        ("INSERT INTO t FORMAT CSV 1,2", None),
        ("SELECT 'INSERT INTO t VALUES'", None),
    ],
)
def test_an_insert_that_waits_for_data_is_told_from_others(sql: str, insert: Insert | None) -> None:
    assert understand(sql).insert == insert


@pytest.mark.parametrize(
    ("sql", "text"),
    [
        ("SELECT 1 FORMAT JSON", "SELECT 1"),
        ("SELECT 1 format Null SETTINGS max_threads = 1 ;", "SELECT 1  SETTINGS max_threads = 1"),
        ("SELECT 1 AS format", "SELECT 1 AS format"),
        ("SELECT format FROM t", "SELECT format FROM t"),
        ("SELECT 'x FORMAT JSON'", "SELECT 'x FORMAT JSON'"),
        ("SELECT * FROM (SELECT 1) -- FORMAT JSON", "SELECT * FROM (SELECT 1) -- FORMAT JSON"),
        ("SELECT ';' ;; ", "SELECT ';'"),
        ("SELECT $x$ ; FORMAT $x$", "SELECT $x$ ; FORMAT $x$"),
    ],
)
def test_a_format_clause_is_left_out_and_nothing_else(sql: str, text: str) -> None:
    assert understand(sql).text == text


@pytest.mark.parametrize("sql", ["SELECT 1; SELECT 2", "SELECT ';'; DROP TABLE t", "INSERT INTO t SELECT 1; SELECT 2"])
def test_several_statements_are_refused(sql: str) -> None:
    with pytest.raises(ServerError) as raised:
        understand(sql)
    assert raised.value.code == 62


@pytest.mark.parametrize(
    ("sql", "has_result"),
    [("SELECT 1", True), ("(SELECT 1)", True), ("show tables", True), ("DROP TABLE t", False)],
)
def test_a_statement_with_columns_is_told_from_one_without(sql: str, has_result: bool) -> None:
    assert understand(sql).has_result is has_result


def test_an_insert_behind_a_with_has_no_columns() -> None:
    assert not understand("WITH x AS (SELECT 1) INSERT INTO t SELECT * FROM x").has_result


def test_the_assignments_of_a_set() -> None:
    assert assignments("SET a = 1, b='x, y', c = [1, 2]") == {"a": "1", "b": "'x, y'", "c": "[1, 2]"}
    assert assignments("SET ROLE none") == {}


def test_quoting() -> None:
    assert quote("it's \\") == r"'it\'s \\'"
    assert quote_name("a`b\\") == r"`a\`b\\`"


@pytest.mark.parametrize(
    ("literal", "meant"),
    [("'5'", "5"), (r"'a\'b'", "a'b"), (r"'a\\tb'", r"a\tb"), (r"'a\nb'", "a\nb"), ("'it''s'", "it's"), ("5", "5")],
)
def test_a_string_literal_is_read(literal: str, meant: str) -> None:
    assert unquote(literal) == meant
