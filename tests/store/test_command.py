"""`tablewatch store` as people type it: what it prints, and its exit codes."""

import os
import resource
import subprocess
import sys
from pathlib import Path

import orjson
import pytest
from typer.testing import CliRunner, Result

from store.connect import Store
from store.holds import all_holds, holds_in_force
from store.migrate import migrations
from store.retention import retention_years
from store.write.raw import write_records
from store.write.verdicts import write_verdicts
from tablewatch.commands.store import app
from tests.store.contents import contents
from tests.store.floor import evening, everything, judged, packed


@pytest.fixture
def url(empty_store: Store, monkeypatch: pytest.MonkeyPatch) -> str:
    address = empty_store.address
    url = f"clickhouse://{address.user}:{address.password}@{address.host}:{address.port}/{address.database}"
    monkeypatch.setenv("TABLEWATCH_CLICKHOUSE_URL", url)
    monkeypatch.setenv("TABLEWATCH_RETENTION_YEARS", "50")
    return url


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


def test_migrate_and_status_follow_each_other(url: str, empty_store: Store) -> None:
    pending = run("status", "--json")
    assert pending.exit_code == 1
    assert [orjson.loads(line)["state"] for line in pending.output.splitlines()] == ["pending"] * len(migrations())
    done = run("migrate")
    assert done.exit_code == 0
    assert done.output.splitlines() == [f"{migration} has landed" for migration in migrations()]
    assert run("migrate").output == "The store is up to date.\n"
    assert run("migrate", "--dry-run").output == "-- Every migration has landed already.\n"
    landed = run("status")
    assert landed.exit_code == 0
    assert "0001_raw_events  landed  20" in landed.output
    assert retention_years(empty_store) == 50


def test_a_dry_run_prints_sql_and_changes_nothing(url: str) -> None:
    shown = run("migrate", "--dry-run")
    assert shown.exit_code == 0
    assert "CREATE TABLE IF NOT EXISTS records" in shown.output
    assert "INTERVAL 50 YEAR" in shown.output
    assert run("status").exit_code == 1


def test_whoever_reads_a_dry_run_may_stop_reading(url: str) -> None:
    command = [sys.executable, "-c", "from tablewatch.command import main; main()", "store", "migrate", "--dry-run"]
    with subprocess.Popen(
        command, env={**os.environ, "TABLEWATCH_CLICKHOUSE_URL": url}, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0


def test_the_cluster_is_a_setting(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TABLEWATCH_CLUSTER", "casino")
    assert "ON CLUSTER `casino`" in run("migrate", "--dry-run").output


@pytest.mark.parametrize("years", ["4", "many"])
def test_a_retention_below_five_years_is_refused(url: str, monkeypatch: pytest.MonkeyPatch, years: str) -> None:
    monkeypatch.setenv("TABLEWATCH_RETENTION_YEARS", years)
    refused = run("migrate")
    assert refused.exit_code == 2
    assert "RETENTION_YEARS" in refused.output and "CLUSTER" not in refused.output


def test_a_shorter_retention_has_to_be_asked_for(url: str, empty_store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    run("migrate")
    monkeypatch.setenv("TABLEWATCH_RETENTION_YEARS", "40")
    refused = run("migrate")
    assert refused.exit_code == 2
    assert "--shorten-retention" in refused.output
    assert run("migrate", "--shorten-retention").output == "Everything is kept for 40 years now; it was 50.\n"
    assert retention_years(empty_store) == 40
    assert run("migrate").output == "The store is up to date.\n"


def test_backup_verify_and_restore_go_round(
    url: str, empty_store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("migrate")
    write_records(empty_store, packed(everything(evening())))
    write_verdicts(empty_store, [judged("BT1")])
    folder = str(tmp_path / "backup")
    assert f"the backup is in {folder}" in run("backup", folder).output
    assert "is as it was written" in run("verify", folder).output
    assert run("backup", folder).exit_code == 2
    other = empty_store.in_database(f"{empty_store.address.database}_drill")
    monkeypatch.setenv("TABLEWATCH_CLICKHOUSE_URL", f"{url}_drill")
    monkeypatch.setenv("TABLEWATCH_RETENTION_YEARS", "7")
    try:
        restored = run("restore", folder)
        assert restored.exit_code == 0, restored.output
        assert contents(other) == contents(empty_store)
        assert retention_years(other) == 50, "a restore keeps rows for as long as the store did"
    finally:
        other.in_database("default").command(f"DROP DATABASE IF EXISTS `{other.address.database}` SYNC")
        other.close()


def test_a_damaged_backup_is_refused_with_the_name_of_its_file(url: str, tmp_path: Path) -> None:
    run("migrate")
    assert run("backup", str(tmp_path / "backup")).exit_code == 0
    path = next((tmp_path / "backup").glob("retentions-*.gz"))
    path.write_bytes(b"x" * path.stat().st_size)
    refused = run("restore", str(tmp_path / "backup"))
    assert refused.exit_code == 2
    assert path.name in refused.output


def test_a_folder_that_cannot_be_written_is_named_with_the_reason(url: str, tmp_path: Path) -> None:
    run("migrate")
    (tmp_path / "file").touch()
    refused = run("backup", str(tmp_path / "file" / "monday"))
    assert refused.exit_code == 2
    assert refused.output.endswith(f"{tmp_path / 'file' / 'monday'} cannot be used: Not a directory.\n")


def test_a_backup_for_which_the_disk_has_no_room_is_named_with_its_folder(url: str, tmp_path: Path) -> None:
    run("migrate")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    # No file of this process may become longer.
    resource.setrlimit(resource.RLIMIT_FSIZE, (20, before[1]))
    try:
        refused = run("backup", str(tmp_path / "monday"))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert refused.exit_code == 2
    assert refused.output == f"{tmp_path / 'monday'} cannot be used: File too large.\n"
    assert run("verify", str(tmp_path / "monday")).exit_code == 2


def test_holds_are_placed_listed_and_lifted(url: str, empty_store: Store) -> None:
    run("migrate")
    assert (run("holds").stdout, run("holds").stderr) == ("", "No legal hold was ever placed.\n")
    write_records(empty_store, packed(everything(evening())))
    placed = run("hold", "case 7", "BT1/S1/2", "BT2/S1", "--reason", "a complaint", "--by", "otto")
    assert placed.exit_code == 0, placed.output
    assert "Nothing of" not in placed.output
    assert [(hold.table, hold.round) for hold in holds_in_force(empty_store)] == [("BT1", 2), ("BT2", None)]
    assert run("sweep").output == "0 more rows kept for legal holds, 0 rows written down as past their retention.\n"
    assert run("lift", "case 7", "--by", "anna").exit_code == 0
    assert holds_in_force(empty_store) == []
    said = [orjson.loads(line)["lifted_by"] for line in run("holds", "--json").output.splitlines()]
    assert said == ["anna", "anna"]
    heads, *rows = run("holds").output.splitlines()
    assert heads.split() == ["hold", "on", "reason", "placed", "by", "lifted", "by"]
    assert len(rows) == 2 and all(row.endswith("anna") for row in rows)
    assert run("lift", "case 7", "--by", "anna").exit_code == 2
    assert run("hold", "case 9", "BT1", "--reason", "x", "--by", "otto").exit_code == 2


def test_a_hold_that_stands_is_not_written_over(url: str, empty_store: Store) -> None:
    run("migrate")
    write_records(empty_store, packed(everything(evening())))
    place = ("hold", "case 7", "BT1/S1/2")
    assert run(*place, "--reason", "a complaint", "--by", "mei").exit_code == 0
    (first,) = all_holds(empty_store)
    for other in (("--reason", "nothing", "--by", "mei"), ("--reason", "a complaint", "--by", "otto")):
        refused = run(*place, "BT2/S1", *other)
        assert refused.exit_code == 2
        assert "mei placed 'case 7' on BT1/S1/2 at 20" in refused.stderr and "'a complaint'" in refused.stderr
        assert "in force" in refused.stderr and "Take another name" in refused.stderr
        assert all_holds(empty_store) == [first], "of several places none is held when one is refused"
    again = run(*place, "BT2/S1", "--reason", "a complaint", "--by", "mei")
    assert again.exit_code == 0, "the very same, and one round more"
    assert [each.table for each in all_holds(empty_store)] == ["BT1", "BT2"]
    assert first in all_holds(empty_store), "with the time when it was placed first"
    assert run("hold", "case 8", "BT1/S1/2", "--reason", "nothing", "--by", "otto").exit_code == 0


def test_a_hold_that_was_lifted_keeps_its_name(url: str, empty_store: Store) -> None:
    run("migrate")
    write_records(empty_store, packed(everything(evening())))
    place = ("hold", "case 7", "BT1/S1", "--reason", "a complaint", "--by", "mei")
    assert run(*place).exit_code == 0
    assert run("lift", "case 7", "--by", "anna").exit_code == 0
    lifted = all_holds(empty_store)
    refused = run(*place)
    assert refused.exit_code == 2
    assert "anna lifted it at 20" in refused.stderr and "Take another name" in refused.stderr
    assert all_holds(empty_store) == lifted
    assert run("hold", "case 7", "BT2/S1", "--reason", "a complaint", "--by", "mei").exit_code == 0, "another round"


def test_no_hold_is_placed_where_nothing_of_a_named_round_is_stored(url: str, empty_store: Store) -> None:
    run("migrate")
    write_records(empty_store, packed(everything(evening())))
    about = ("--reason", "a complaint", "--by", "otto")
    refused = run("hold", "case 7", "BT1/S1/2", "BT1/S1/99", "BT9/S1", *about)
    assert (refused.exit_code, refused.stdout) == (1, ""), refused.output
    assert all_holds(empty_store) == [], "of several places none is held when one is refused"
    assert "Nothing of BT1/S1/99 is stored. Shoe S1 has rounds 1 to " in refused.stderr
    assert "Nothing of BT9/S1 is stored. There is no table BT9; there are BT3, BT2, BT1." in refused.stderr
    assert "Nothing of BT1/S1/2 " not in refused.stderr
    assert "No hold was placed: case 7 is not in force for BT1/S1/2, BT1/S1/99, BT9/S1." in refused.stderr
    few = run("hold", "case 8", "B1/S1/1", *about)
    assert few.stderr.startswith("Nothing of B1/S1/1 is stored. There is no table B1; there are BT1, BT2, BT3.\n")


def test_where_a_round_may_have_been_removed_its_shoe_can_be_held(url: str, empty_store: Store) -> None:
    run("migrate")
    write_records(empty_store, packed(everything(evening())))
    empty_store.command("ALTER TABLE events DELETE WHERE round = 2", settings={"mutations_sync": 2})
    about = ("--reason", "a complaint", "--by", "otto")
    refused = run("hold", "case 7", "BT1/S1/2", *about)
    assert refused.exit_code == 1 and "It may have been removed" in refused.stderr
    assert "To keep what is left of its shoe, hold BT1/S1." in refused.stderr
    assert run("hold", "case 7", "BT1/S1", *about).exit_code == 0


def test_a_store_that_cannot_be_reached_is_exit_code_3(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TABLEWATCH_CLICKHOUSE_URL", "clickhouse://u:secret@127.0.0.1:9/x")
    away = run("status")
    assert away.exit_code == 3
    assert "tablewatch clickhouse" in away.output
    assert "secret" not in away.output


@pytest.mark.parametrize(
    "command", ["migrate", "status", "backup", "restore", "verify", "hold", "lift", "holds", "sweep"]
)
def test_help_starts_with_examples(command: str) -> None:
    shown = run(command, "--help")
    assert shown.exit_code == 0
    lines = [line.strip() for line in shown.output.splitlines() if line.strip()]
    assert "Examples:" in lines[1]
    assert f"tablewatch store {command}" in shown.output
