"""Migrations: numbered, applied once, never edited; every earlier schema with rows in it can be brought up to date."""

from pathlib import Path
from typing import Any

import pytest

from store.connect import Store, connect
from store.errors import MigrationEdited, RetentionWouldShrink, SchemaTooNew, SchemaTooOld
from store.migrate import check, migrate, migrations, plan, status
from store.render import SchemaSettings, statements
from store.retention import apply_retention, retained_tables, retention_years
from tests.store.contents import contents
from tests.store.floor import LONG

_NUMBERS = [migration.number for migration in migrations()]
_ROWS = Path(__file__).parent / "upgrade"


def _insert_rows(store: Store, numbers: list[int]) -> None:
    for number in numbers:
        sql = (_ROWS / f"{number:04d}.sql").read_text("utf-8")
        for statement in statements(sql, LONG):
            store.command(statement)


def test_every_migration_has_rows_for_the_upgrade_test() -> None:
    assert [int(path.stem) for path in sorted(_ROWS.glob("*.sql"))] == _NUMBERS


@pytest.fixture(scope="module")
def never_upgraded(server_url: str) -> dict[str, list[Any]]:
    """What a store holds that had the last schema before its first row."""
    store = connect(server_url).in_database("never_upgraded")
    migrate(store, LONG)
    _insert_rows(store, _NUMBERS)
    found = contents(store)
    store.command(f"DROP DATABASE `{store.address.database}` SYNC")
    store.close()
    return found


@pytest.mark.parametrize("earlier", [0, *_NUMBERS[:-1]])
def test_an_upgrade_from_every_earlier_number_keeps_the_rows_and_fills_what_is_derived(
    empty_store: Store, never_upgraded: dict[str, list[Any]], earlier: int
) -> None:
    migrate(empty_store, LONG, upto=earlier)
    _insert_rows(empty_store, _NUMBERS[:earlier])
    migrate(empty_store, LONG)
    _insert_rows(empty_store, _NUMBERS[earlier:])
    upgraded = contents(empty_store)
    assert upgraded == never_upgraded
    assert all(upgraded.values()), "every table has rows to compare"
    assert empty_store.query("SELECT count() FROM holds"), "holds stay"


def test_status_tells_what_has_landed_and_what_is_to_come(empty_store: Store) -> None:
    assert {each.state for each in status(empty_store)} == {"pending"}
    with pytest.raises(SchemaTooOld, match="0001_raw_events"):
        check(empty_store)
    applied = migrate(empty_store, LONG, upto=2)
    assert [migration.number for migration in applied] == [1, 2]
    assert [each.state for each in status(empty_store)] == ["landed"] * 2 + ["pending"] * (len(_NUMBERS) - 2)
    assert all(each.landed for each in status(empty_store)[:2])
    assert [migration.number for migration in migrate(empty_store, LONG)] == _NUMBERS[2:]
    check(empty_store)
    assert migrate(empty_store, LONG) == []


def test_a_dry_run_shows_the_statements_and_sends_none(empty_store: Store) -> None:
    shown = plan(empty_store, SchemaSettings(years=9))
    assert [migration.number for migration, _ in shown] == _NUMBERS
    assert any("INTERVAL 9 YEAR" in statement for statement in shown[0][1])
    database = {"database": empty_store.address.database}
    assert empty_store.in_database("default").query(
        "SELECT count() FROM system.tables WHERE database = %(database)s", database
    ) == [(0,)]


def test_a_landed_file_that_was_edited_is_noticed(own_store: Store) -> None:
    store = own_store
    store.command("ALTER TABLE migrations UPDATE checksum = 'other' WHERE number = 2", settings={"mutations_sync": 2})
    assert [each.number for each in status(store) if each.state == "edited"] == [2]
    for use in (check, lambda store: migrate(store, LONG)):
        with pytest.raises(MigrationEdited, match="0002_verdicts"):
            use(store)


def test_a_store_of_a_newer_version_is_left_alone(own_store: Store) -> None:
    store = own_store
    store.insert("migrations", {"number": [9000], "name": ["from_the_future"], "checksum": ["x"]})
    for use in (check, lambda store: migrate(store, LONG)):
        with pytest.raises(SchemaTooNew, match="9000_from_the_future"):
            use(store)


def test_a_migration_that_broke_off_in_the_middle_is_finished_by_the_next_run(empty_store: Store) -> None:
    migrate(empty_store, LONG, upto=1)
    for statement in statements(migrations()[1].sql, LONG)[:3]:
        empty_store.command(statement)
    migrate(empty_store, LONG)
    check(empty_store)


def test_the_retention_is_one_setting_for_every_table_that_is_cleaned_up(empty_store: Store) -> None:
    store = empty_store
    migrate(store, SchemaSettings())
    tables = retained_tables(store)
    with_held = store.query(
        "SELECT table FROM system.columns WHERE database = currentDatabase() AND name = 'held'"
        " AND table NOT LIKE '%feed'"
    )
    assert set(tables) == {name for (name,) in with_held}
    assert {"records", "events", "verdicts", "rounds", "findings", "access_log"} <= set(tables)
    assert set(apply_retention(store, SchemaSettings(years=8), by="anna")) == set(tables)
    assert all("toIntervalYear(8)" in ttl for ttl in retained_tables(store).values())
    assert apply_retention(store, SchemaSettings(years=8), by="anna") == []
    assert retention_years(store) == 8
    assert store.query("SELECT years, by FROM retentions ORDER BY at, years") == [(5, "migrate"), (8, "anna")]


def test_a_shorter_retention_is_refused_unless_it_is_said_expressly(empty_store: Store) -> None:
    store = empty_store
    migrate(store, SchemaSettings(years=10))
    with pytest.raises(RetentionWouldShrink, match="10 years"):
        migrate(store, SchemaSettings(years=7))
    assert retention_years(store) == 10
    apply_retention(store, SchemaSettings(years=7), by="anna", shorten=True)
    assert retention_years(store) == 7
    assert all("toIntervalYear(7)" in ttl for ttl in retained_tables(store).values())


@pytest.mark.parametrize("years", [4, 0, -1])
def test_rows_are_never_kept_for_less_than_five_years(years: int) -> None:
    with pytest.raises(ValueError, match="at least 5 years"):
        SchemaSettings(years=years)


def test_every_table_drops_a_batch_that_comes_twice(store: Store) -> None:
    rows = store.query(
        "SELECT name, engine_full FROM system.tables WHERE database = currentDatabase() AND engine LIKE '%MergeTree'"
    )
    without = {name for name, engine in rows if "non_replicated_deduplication_window = 1000" not in engine}
    assert len(rows) > 15
    assert without == {"migrations"}
