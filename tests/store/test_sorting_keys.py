"""The questions that are asked read a few granules of a large table, not all of it."""

import os
from collections.abc import Iterator
from typing import Any

import pytest

from store.connect import Store, connect
from store.migrate import migrate
from store.read.proof import first_missing_leaf, leaves_about, leaves_between, leaves_count, leaves_of_rows
from tests.store.floor import LONG, START

_GRANULE = 8192
_TABLES, _ROUNDS, _EVENTS = 50, 400, 30


@pytest.fixture(scope="module")
def full(server_url: str) -> Iterator[Store]:
    """Fifty tables with 400 rounds each: 600 000 events, made by the engine itself."""
    base = connect(server_url)
    store = base.in_database(f"{base.address.database}_test_full_{os.getpid()}")
    migrate(store, LONG)
    t = "concat('BT', toString(intDiv(number, {per}) % 50))"
    events = _TABLES * _ROUNDS * _EVENTS
    of_table = _ROUNDS * _EVENTS
    time = f"fromUnixTimestamp64Micro(toInt64({START}) + toInt64(number % {of_table}) * 1500000, 'UTC')"
    store.command(
        "INSERT INTO events (table, shoe, round, type, topic, partition, offset, place, source, sequence, id_mark,"
        f" time, arrival, draw, card) SELECT {t.format(per=of_table)},"
        f" concat('S', toString(intDiv(number % {of_table}, 2100))),"
        f" intDiv(number % {of_table}, {_EVENTS}) % 70 + 1, 'bet.placed.v1', 'table.bets', 1, intDiv(number, 100),"
        f" number % 100, 'x', number, number % 65536, {time}, {time}, 0, '' FROM numbers({events})"
    )
    opened = f"fromUnixTimestamp64Micro(toInt64({START}) + toInt64(number % {_ROUNDS}) * 45000000, 'UTC')"
    key = f"{t.format(per=_ROUNDS)}, concat('S', toString(intDiv(number % {_ROUNDS}, 70))), number % 70 + 1"
    store.command(
        "INSERT INTO rounds (table, shoe, round, revision, judged, opened, ended, status, bets.bet, bets.position,"
        " bets.player, bets.wager, bets.stake, bets.expected_paid, bets.expected_collected, bets.paid, bets.collected)"
        f" SELECT {key}, 1, {opened}, {opened}, {opened}, 'verified', ['b1'], [1],"
        f" [concat('P', toString(number % 5000))], ['player'], [5], [0], [5], [0], [5]"
        f" FROM numbers({_TABLES * _ROUNDS})"
    )
    store.command(
        f"INSERT INTO verdicts (table, shoe, round, revision, judged, verdict) SELECT {key}, 1, {opened},"
        f" repeat('x', 3000) FROM numbers({_TABLES * _ROUNDS})"
    )
    store.command(
        "INSERT INTO records (topic, partition, offset, arrival, events, raw) SELECT 'table.bets', 1, number,"
        f" fromUnixTimestamp64Milli(toInt64({START // 1000}), 'UTC'), 100, randomPrintableASCII(3000)"
        " FROM numbers(6000)"
    )
    for table in ("events", "rounds", "verdicts", "records", "player_rounds", "round_figures"):
        store.command(f"OPTIMIZE TABLE {table} FINAL")
    yield store
    store.in_database("default").command(f"DROP DATABASE `{store.address.database}` SYNC")
    store.close()


def _read(store: Store, sql: str) -> int:
    """Rows that the engine means to read for a question."""
    return sum(row[3] for row in store.query(f"EXPLAIN ESTIMATE {sql}"))


def test_one_round_is_found_by_its_key(full: Store) -> None:
    condition = "table = 'BT17' AND shoe = 'S2' AND round = 33"
    assert 0 < _read(full, f"SELECT place FROM events WHERE {condition}") <= 2 * _GRANULE
    assert 0 < _read(full, f"SELECT status FROM rounds FINAL WHERE {condition}") <= 2 * _GRANULE
    # A granule of verdicts is small in bytes, because each of them is long.
    assert 0 < _read(full, f"SELECT verdict FROM verdicts WHERE {condition}") <= 500


def test_one_record_is_found_by_its_place_in_the_log(full: Store) -> None:
    place = "log = '' AND topic = 'table.bets' AND partition = 1 AND offset = 4711"
    assert 0 < _read(full, f"SELECT raw FROM records WHERE {place}") <= 100


def test_one_tables_evening_is_found_by_table_and_time(full: Store) -> None:
    of_table = "SELECT place FROM events WHERE table = 'BT17'"
    hour = f"{of_table} AND time BETWEEN '2026-01-01 12:10:00' AND '2026-01-01 12:20:00'"
    assert 0 < _read(full, hour) <= 2 * _GRANULE
    assert _read(full, of_table) >= _ROUNDS * _EVENTS


def test_one_players_month_is_found_by_the_player(full: Store) -> None:
    total = full.query("SELECT count() FROM player_rounds")[0][0]
    assert total == _TABLES * _ROUNDS
    read = _read(full, "SELECT table FROM player_rounds WHERE player = 'P4711' AND day >= '2026-01-01'")
    assert 0 < read <= 2 * _GRANULE < total


def test_minutes_of_one_table_do_not_read_the_others(full: Store) -> None:
    read = _read(full, "SELECT sum(handle) FROM table_minutes WHERE table = 'BT17' AND minute >= '2026-01-01 12:00:00'")
    assert 0 < read <= 2 * _GRANULE


_LEAVES = 4_000_000
_AT = "fromUnixTimestamp64Milli(toInt64({start}) + toInt64(number) * 100, 'UTC')"


@pytest.fixture(scope="module")
def sealed(server_url: str) -> Iterator[Store]:
    """Four million leaves of five days and fifty tables: of records, of a verdict every hundred, of ten findings."""
    base = connect(server_url)
    store = base.in_database(f"{base.address.database}_test_sealed_{os.getpid()}")
    migrate(store, LONG)
    table = "concat('BT', toString(number % 50))"
    kind = "multiIf(number % 400000 = 7, 'finding', number % 100 = 3, 'verdict', 'record')"
    key = (
        f"multiIf(kind = 'finding', concat('id', toString(number), '/1'), kind = 'verdict', concat({table}, '/S',"
        " toString(intDiv(number, 20000)), '/', toString(intDiv(number, 100) % 70 + 1), '/1/d'),"
        " concat('table.bets/1/', toString(number)))"
    )
    store.command(
        f"INSERT INTO leaves (tree, position, leaf, kind, table, key, chain, at) SELECT 'main', number,"
        f" SHA256(toString(number)), {kind} AS kind, {table}, {key}, '', {_AT.format(start=START // 1000)}"
        f" FROM numbers({_LEAVES})"
    )
    store.command("OPTIMIZE TABLE leaves FINAL")
    yield store
    store.in_database("default").command(f"DROP DATABASE `{store.address.database}` SYNC")
    store.close()


@pytest.fixture
def read(sealed: Store, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many rows the engine means to read for each question that is asked of the leaves."""
    meant: list[int] = []
    columns = Store.columns

    def counting(store: Store, sql: str, parameters: Any = None, **more: Any) -> Any:
        rows = store.query(f"EXPLAIN ESTIMATE {sql}", parameters)
        meant.append(sum(row[3] for row in rows))
        return columns(store, sql, parameters, **more)

    monkeypatch.setattr(Store, "columns", counting)
    return meant


def test_leaves_of_a_round_of_long_ago_are_found_among_all_that_came_since(sealed: Store, read: list[int]) -> None:
    number = 1_000_003
    place = number // 100
    name = f"BT{number % 50}/S{number // 20000}/{place % 70 + 1}"
    found = leaves_about(sealed, f"BT{number % 50}", START // 1000, ("verdict", "round"), [name])
    assert number in [leaf.position for leaf in found] and {leaf.kind for leaf in found} == {"verdict"}
    assert read[-1] <= 6 * _GRANULE


def test_findings_of_a_table_and_by_name_are_found_among_all_leaves(sealed: Store, read: list[int]) -> None:
    positions = list(range(7, _LEAVES, 400_000))
    of_table = leaves_about(sealed, "BT7", START // 1000, ("finding",), ["BT7"])
    assert [leaf.position for leaf in of_table] == positions
    assert read[-1] <= 4 * len(positions) * _GRANULE
    (by_name,) = leaves_about(sealed, "BT7", START // 1000, ("finding", "verdict"), ["id1200007"])
    assert by_name.position == 1_200_007
    assert read[-1] <= 3 * _GRANULE


def test_leaves_of_an_hour_and_of_rows_of_a_time_are_found_by_it(sealed: Store, read: list[int]) -> None:
    start = START // 1000 + 2_000_000 * 100
    between = leaves_between(sealed, "BT1", "record", start, start + 3_600_000)
    assert len(between) == 720
    assert read[-1] <= 8 * _GRANULE
    at = START // 1000 + 51 * 100
    (leaf,) = leaves_of_rows(sealed, "BT1", [("record", "table.bets/1/51")], (at, at))
    assert leaf.position == 51 and leaf.at == at
    assert read[-1] <= 2 * _GRANULE
    assert leaves_of_rows(sealed, "BT1", [("record", "table.bets/1/51")], (at + 1, at + 9)) == []


def test_a_leaf_that_is_not_there_is_found_and_nothing_is_read_to_count_them(sealed: Store) -> None:
    assert first_missing_leaf(sealed, "main", 0, _LEAVES) is None
    assert leaves_count(sealed, "main", _LEAVES) == _LEAVES
    assert first_missing_leaf(sealed, "main", 3_900_000, _LEAVES + 2) == _LEAVES
    assert first_missing_leaf(sealed, "main", _LEAVES + 1, _LEAVES + 2) == _LEAVES + 1
    plan = sealed.query(f"EXPLAIN SELECT count() FROM leaves WHERE tree = 'main' AND position < {_LEAVES}")
    assert any("_exact_count_projection" in line for (line,) in plan)
