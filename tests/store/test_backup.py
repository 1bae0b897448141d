"""Backup and restore: what comes back is what was there, and a damaged backup is refused by the name of its file."""

import gzip
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from store.backup import MANIFEST, Progress, backup, restore, verify
from store.connect import Store
from store.errors import BackupDamaged, MigrationEdited, SchemaTooNew, SchemaTooOld, StoreNotEmpty
from store.holds import all_holds, place_hold
from store.migrate import check
from store.read.events import round_events
from store.retention import retention_years
from store.rows.proof import Hold
from store.rows.raw import Record
from store.write.alerts import write_alert_steps, write_alerts
from store.write.findings import write_findings
from store.write.raw import write_records
from store.write.verdicts import write_verdicts
from tests.store.contents import contents
from tests.store.floor import ARRIVAL, LONG, evening, everything, finding, judged, packed, state
from tests.store.test_idempotence import _alerts


def _fill(store: Store) -> None:
    records = packed(everything(evening()))
    broken = b"\xff\x00 not JSON \n"
    from schemas.decoding import decode_record

    records.append(Record("table.bets", 3, 77, ARRIVAL, broken, decode_record(broken), log="made anew"))
    write_records(store, records)
    write_verdicts(store, [judged("BT1"), judged("BT1", revision=2, at=ARRIVAL + 1), judged("BT2", number=3)])
    write_findings(
        store, [state(finding("late-bet", "BT1")), state(finding("late-bet", "BT1", cleared=True), version=2)]
    )
    alerts, steps = _alerts()
    write_alerts(store, alerts)
    write_alert_steps(store, steps)
    hold = Hold(hold="case", table="BT1", shoe="S1", round=1, reason="é", placed_by="otto", placed=ARRIVAL)
    place_hold(store, [hold], LONG)


@pytest.fixture
def other(store: Store) -> Iterator[Store]:
    """Another, empty database."""
    another = store.in_database(f"{store.address.database}_other")
    yield another
    another.close()
    another.in_database("default").command(f"DROP DATABASE IF EXISTS `{another.address.database}` SYNC")


def test_a_restored_store_holds_the_same_for_every_reader(store: Store, other: Store, tmp_path: Path) -> None:
    _fill(store)
    told: list[Progress] = []
    written = backup(store, tmp_path / "backup", told.append)
    assert verify(tmp_path / "backup") == written
    restore(other, tmp_path / "backup", told=told.append)
    check(other)
    assert contents(other) == contents(store)
    assert all_holds(other) == all_holds(store)
    assert retention_years(other) == 50
    assert [each.raw for each in round_events(other, "BT2", "S1", 2)] == [
        each.raw for each in round_events(store, "BT2", "S1", 2)
    ]
    assert {progress.table for progress in told} >= {"records", "events", "verdicts"}
    assert all(0 < progress.done <= progress.total for progress in told)


def test_records_go_in_first_and_come_out_last(store: Store, other: Store, tmp_path: Path) -> None:
    _fill(store)
    manifest = backup(store, tmp_path / "backup")
    tables = [file.table for file in manifest.files]
    assert tables[:2] == ["records", "verdicts"]
    told: list[Progress] = []
    restore(other, tmp_path / "backup", told=told.append)
    assert told[-1].table == "records"


def test_what_is_derived_is_made_anew(store: Store, tmp_path: Path) -> None:
    _fill(store)
    tables = backup(store, tmp_path / "backup").columns.keys()
    assert not tables & {"round_figures", "round_spans", "source_hours", "player_rounds", "alert_states", "migrations"}


def test_tables_of_others_are_left_out_and_do_not_spoil_the_restore(store: Store, other: Store, tmp_path: Path) -> None:
    store.command("CREATE TABLE zz_ours_alone (x UInt8) ENGINE = MergeTree ORDER BY x")
    store.command("INSERT INTO zz_ours_alone VALUES (1)")
    try:
        manifest = backup(store, tmp_path / "backup")
    finally:
        store.command("DROP TABLE zz_ours_alone SYNC")
    assert "zz_ours_alone" not in manifest.columns
    assert {"records", "verdicts", "leaves", "signing_keys", "tombstones", "wager_odds"} <= manifest.columns.keys()
    restore(other, tmp_path / "backup")


def test_the_same_store_gives_the_same_backup(store: Store, tmp_path: Path) -> None:
    write_verdicts(store, [judged("BT1")])
    first, second = backup(store, tmp_path / "a"), backup(store, tmp_path / "b")
    assert [file.sha256 for file in first.files] == [file.sha256 for file in second.files]


def test_a_large_table_is_spread_over_several_files(
    store: Store, other: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("store.backup._ROWS_PER_FILE", 10)
    monkeypatch.setattr("store.backup._ROWS_AT_ONCE", 4)
    _fill(store)
    manifest = backup(store, tmp_path / "backup")
    of_events = [file for file in manifest.files if file.table == "events"]
    assert len(of_events) > 3
    assert all(file.rows <= 13 for file in of_events)
    restore(other, tmp_path / "backup")
    assert contents(other) == contents(store)


def test_a_changed_byte_is_found_and_its_file_named_before_anything_is_touched(
    store: Store, other: Store, tmp_path: Path
) -> None:
    _fill(store)
    folder = tmp_path / "backup"
    backup(store, folder)
    path = folder / "events-0001.native.gz"
    changed = bytearray(path.read_bytes())
    changed[len(changed) // 2] ^= 1
    path.write_bytes(changed)
    with pytest.raises(BackupDamaged, match=r"events-0001\.native\.gz"):
        restore(other, folder)
    assert other.in_database("default").query(
        "SELECT count() FROM system.databases WHERE name = %(name)s", {"name": other.address.database}
    ) == [(0,)]


def test_a_file_cut_short_or_gone_is_named(store: Store, tmp_path: Path) -> None:
    _fill(store)
    folder = tmp_path / "backup"
    backup(store, folder)
    path = folder / "verdicts-0001.native.gz"
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(BackupDamaged, match=r"verdicts-0001\.native\.gz has \d+ bytes"):
        verify(folder)
    path.unlink()
    with pytest.raises(BackupDamaged, match=r"verdicts-0001\.native\.gz is missing"):
        verify(folder)


def test_a_manifest_that_was_touched_or_never_finished_is_refused(store: Store, tmp_path: Path) -> None:
    folder = tmp_path / "backup"
    backup(store, folder)
    path = folder / MANIFEST
    good = path.read_text("utf-8")
    path.write_text(good.replace('"retention_years": 50', '"retention_years": 51'), "utf-8")
    with pytest.raises(BackupDamaged, match="its digest differs"):
        verify(folder)
    for bad in ("", "[]", "{}", good[: len(good) // 2]):
        path.write_text(bad, "utf-8")
        with pytest.raises(BackupDamaged, match=MANIFEST):
            verify(folder)
    path.unlink()
    with pytest.raises(BackupDamaged, match="no finished backup"):
        verify(folder)


def test_a_store_with_rows_is_not_restored_into(store: Store, other: Store, tmp_path: Path) -> None:
    _fill(store)
    backup(store, tmp_path / "backup")
    restore(other, tmp_path / "backup")
    before = contents(other)
    with pytest.raises(StoreNotEmpty):
        restore(other, tmp_path / "backup")
    assert contents(other) == before


def test_a_folder_with_files_or_a_store_without_schema_is_not_backed_up(
    store: Store, other: Store, tmp_path: Path
) -> None:
    (tmp_path / "note.txt").write_text("mine")
    with pytest.raises(StoreNotEmpty, match="folder of its own"):
        backup(store, tmp_path)
    with pytest.raises(SchemaTooOld):
        backup(other, tmp_path / "backup")


@pytest.mark.parametrize(
    ("change", "error"),
    [
        (lambda body: body["migrations"].update({"9000_from_the_future": "x"}), SchemaTooNew),
        (lambda body: body["migrations"].update({"0001_raw_events": "x"}), MigrationEdited),
        (lambda body: body.update(format=2), SchemaTooNew),
    ],
    ids=["a migration of the future", "another migration", "another format"],
)
def test_a_backup_of_another_version_is_refused(
    store: Store, other: Store, tmp_path: Path, change: Callable[[dict[str, Any]], object], error: type[Exception]
) -> None:
    from store.backup import _digest

    backup(store, tmp_path / "backup")
    path = tmp_path / "backup" / MANIFEST
    body = json.loads(path.read_text("utf-8"))
    del body["digest"]
    change(body)
    path.write_text(json.dumps(body | {"digest": _digest(body)}), "utf-8")
    with pytest.raises(error):
        restore(other, tmp_path / "backup")


def test_the_files_are_what_clickhouse_itself_calls_native(store: Store, tmp_path: Path) -> None:
    _fill(store)
    backup(store, tmp_path / "backup")
    import chdb

    plain = tmp_path / "events.native"
    plain.write_bytes(gzip.decompress((tmp_path / "backup" / "events-0001.native.gz").read_bytes()))
    counted = chdb.query(
        f"SELECT count(), uniqExact(table), max(sequence) FROM file('{plain}', Native)", "TabSeparated"
    )
    expected = store.query("SELECT count(), uniqExact(table), max(sequence) FROM events")[0]
    assert str(counted).strip().split("\t") == [str(value) for value in expected]
