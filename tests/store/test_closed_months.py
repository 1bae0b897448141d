"""A month that rests becomes one part in the background, and nothing that is in it changes by that."""

import time
from pathlib import Path

from store.backup import backup, restore
from store.connect import Store
from store.holds import apply_holds, place_hold
from store.read.rounds import verdict
from store.retention import retained_tables
from store.rows.proof import Hold
from store.rows.verdicts import RoundKey
from store.write.findings import write_findings
from store.write.raw import write_records
from store.write.verdicts import write_verdicts
from tests.store.contents import contents
from tests.store.floor import ARRIVAL, LONG, evening, everything, finding, judged, packed, state

_AT_ONCE = "min_age_to_force_merge_seconds = 1, merge_selecting_sleep_ms = 100, max_merge_selecting_sleep_ms = 500"
_PATIENCE = 120.0
_BATCHES = 3
_OF_NO_ROUND = {"access_log", "alerts", "alert_steps", "alert_states", "leaves", "rejected", "shoes"}
"""Tables that the floor of this test writes nothing to."""


def _by_month(store: Store) -> dict[str, str]:
    """The tables that are kept by month, and their settings."""
    rows = store.query(
        "SELECT name, engine_full FROM system.tables WHERE database = currentDatabase() AND engine LIKE '%MergeTree'"
        " AND partition_key != ''"
    )
    return dict(rows)


def _parts(store: Store) -> dict[str, int]:
    """In how many parts the fullest month of each table is."""
    rows = store.query(
        "SELECT table, max(parts) FROM (SELECT table, partition_id, count() AS parts FROM system.parts WHERE active"
        " AND database = currentDatabase() AND partition_id != 'all' GROUP BY table, partition_id) GROUP BY table"
    )
    return dict(rows)


def _fill(store: Store) -> None:
    """An evening in several batches, so that every month is in several parts."""
    records = packed(everything(evening()), per_record=3)
    for first in range(_BATCHES):
        write_records(store, records[first::_BATCHES])
    for number, table in enumerate(("BT1", "BT2", "BT3")):
        write_verdicts(store, [judged(table, number=each, at=ARRIVAL + number) for each in (1, 2, 3)])
        write_findings(store, [state(finding("late-bet", table))])


def _let_months_rest(store: Store) -> None:
    """Shortens the day that a month has to rest, and waits for the engine; it is told to merge nothing."""
    for name in _by_month(store):
        store.command(f"ALTER TABLE `{name}` MODIFY SETTING {_AT_ONCE}")
    until = time.monotonic() + _PATIENCE
    while any(parts > 1 for parts in _parts(store).values()):
        assert time.monotonic() < until, f"still in several parts: {_parts(store)}"
        time.sleep(0.2)


def test_every_table_that_is_kept_by_month_lets_a_month_that_rests_become_one_part(store: Store) -> None:
    tables = _by_month(store)
    assert {"records", "events", "verdicts", "rounds", "findings", "leaves"} <= tables.keys()
    for name, settings in tables.items():
        assert "min_age_to_force_merge_seconds = 86400" in settings, name
        assert "min_age_to_force_merge_on_partition_only = " in settings, name


def test_what_is_cleaned_up_by_age_is_cleaned_up_once_a_day(store: Store) -> None:
    tables = _by_month(store)
    for name in retained_tables(store):
        assert "merge_with_ttl_timeout = 86400" in tables[name], name


def test_a_month_that_rests_keeps_its_rows_and_takes_late_ones_once(own_store: Store) -> None:
    store = own_store
    _fill(store)
    before = contents(store, without=tuple(_OF_NO_ROUND))
    assert _parts(store)["verdicts"] > 1
    assert _parts(store)["events"] > 1
    _let_months_rest(store)
    assert contents(store, without=tuple(_OF_NO_ROUND)) == before
    # The same batches again, as after a crash: their tokens are still known.
    _fill(store)
    assert store.query("SELECT count() FROM verdicts") == store.query("SELECT count() FROM verdicts FINAL")
    write_verdicts(store, [judged("BT1", number=2, revision=2, at=ARRIVAL + 50)])
    last = verdict(store, RoundKey("BT1", "S1", 2))
    assert last is not None
    assert last.revision == 2
    _let_months_rest(store)
    assert verdict(store, RoundKey("BT1", "S1", 2)) == last


def test_a_hold_is_marked_in_a_month_that_is_one_part_and_what_is_not_held_goes(own_store: Store) -> None:
    store = own_store
    _fill(store)
    _let_months_rest(store)
    held = Hold(hold="case", table="BT2", shoe="S1", round=1, reason="a complaint", placed_by="otto", placed=ARRIVAL)
    place_hold(store, [held], LONG)
    assert apply_holds(store, LONG) == {}, "nothing is left to mark"
    for table, ttl in retained_tables(store).items():
        column = ttl.strip("(").split(" ")[0]
        store.command(f"ALTER TABLE {table} MODIFY TTL {column} + INTERVAL 1 SECOND DELETE WHERE held = 0")
        store.command(f"OPTIMIZE TABLE {table} FINAL")
    assert store.query("SELECT DISTINCT table FROM verdicts") == [("BT2",)]
    assert verdict(store, RoundKey("BT2", "S1", 1)) is not None


def test_a_backup_of_months_that_are_one_part_is_restored_as_it_was(own_store: Store, tmp_path: Path) -> None:
    store = own_store
    _fill(store)
    _let_months_rest(store)
    backup(store, tmp_path / "backup")
    other = store.in_database(f"{store.address.database}_other")
    try:
        restore(other, tmp_path / "backup", LONG)
        assert contents(other) == contents(store)
    finally:
        other.in_database("default").command(f"DROP DATABASE IF EXISTS `{other.address.database}` SYNC")
        other.close()
