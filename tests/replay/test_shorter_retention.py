"""Fewer years than before: what goes is written down and sealed first, so that no check takes it for tampering."""

import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import orjson
import pytest
from typer.testing import CliRunner

from replay.chain.keys import KeyRing
from replay.chain.seal import Sealer
from replay.chain.verify import verify_chain
from schemas.decoding import decode_record
from store.connect import Store
from store.migrate import migrate
from store.read.checkpoints import checkpoints
from store.render import SchemaSettings
from store.retention import retention_years
from store.rows.raw import Record
from store.tombstones import tombstones
from store.write.raw import write_records
from tablewatch.commands import store_retention
from tablewatch.commands.store import app
from tests.store.contents import merge_all
from tests.store.floor import Table

SIX_YEARS = timedelta(days=6 * 366)


@pytest.fixture
def old(empty_store: Store, monkeypatch: pytest.MonkeyPatch) -> Store:
    """A store of seven years, with records of six years ago: one partition has none but that of a configuration."""
    migrate(empty_store, SchemaSettings(years=7))
    address = empty_store.address
    url = f"clickhouse://{address.user}:{address.password}@{address.host}:{address.port}/{address.database}"
    monkeypatch.setenv("TABLEWATCH_CLICKHOUSE_URL", url)
    monkeypatch.setenv("TABLEWATCH_RETENTION_YEARS", "5")
    monkeypatch.setattr(store_retention, "SEALED_SECONDS", 0.0)
    table = Table("BT1")
    table.configure()
    table.play("S1", 1)
    arrival = int(time.time() * 1000) - SIX_YEARS // timedelta(milliseconds=1)
    floor, bets = ([each for each in table.said if kind(each) is wanted] for wanted in (False, True))
    for topic, events in (("table.floor", floor), ("table.bets", bets)):
        raw = orjson.dumps(events)
        write_records(empty_store, [Record(topic, 1, 0, arrival, raw, decode_record(raw))])
    return empty_store


def kind(event: dict[str, Any]) -> bool:
    """Whether it is of a bet."""
    return bool(event["type"].startswith("bet."))


def clock() -> int:
    """The machine's, in milliseconds."""
    return time.time_ns() // 1_000_000


def counts(store: Store) -> tuple[int, int]:
    """Records and event rows."""
    merge_all(store)
    return tuple(store.query(f"SELECT count() FROM {name}")[0][0] for name in ("records", "events"))


def run(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["migrate", "--shorten-retention", *arguments])
    return done.exit_code, done.output


def test_what_is_not_sealed_yet_is_not_deleted_and_what_is_deleted_is_told_from_tampering(
    old: Store, tmp_path: Path
) -> None:
    ring = KeyRing(tmp_path / "keys")
    ring.make("otto")
    assert Sealer(old, ring, clock).seal() is not None
    before = counts(old)
    code, said = run()
    assert (code, retention_years(old), counts(old)) == (1, 7, before)
    assert "were written down" in said and "Waiting until that is sealed" in said
    assert "Nothing was deleted" in said and "tablewatch chain checkpoint" in said
    assert {stone.store_table for stone in tombstones(old)} == {"records", "events"}
    assert Sealer(old, ring, clock).seal() is not None
    assert run() == (0, "Everything is kept for 5 years now; it was 7.\n")
    records, events = counts(old)
    assert (records, events) == (1, 1), "the configuration stays, and the record that holds it"
    assert Sealer(old, ring, clock).seal() is not None
    report = verify_chain(old)
    assert (report.tampering, report.expired) == ([], 1)


def test_where_nothing_was_ever_sealed_nothing_is_waited_for(old: Store) -> None:
    code, said = run()
    assert code == 0 and said.endswith("Everything is kept for 5 years now; it was 7.\n")
    assert checkpoints(old, "main") == [] and tombstones(old) != []


def test_a_dry_run_says_what_a_shorter_retention_would_delete(old: Store) -> None:
    before = counts(old)
    code, said = run("--dry-run")
    assert code == 0
    assert "-- Everything would be kept for 5 years; it is 7." in said
    assert "ALTER TABLE `records`  MODIFY TTL" in said and "toIntervalYear(5)" in said
    # All but the configuration, and the record that holds it.
    assert f"-- Written down, and then deleted, would be rows of: events {before[1] - 1}, records 1" in said
    assert (retention_years(old), tombstones(old), counts(old)) == (7, [], before)
    refused = CliRunner().invoke(app, ["migrate", "--dry-run"])
    assert refused.exit_code == 2 and "--shorten-retention" in refused.output


def test_an_empty_store_has_nothing_to_write_down(
    empty_store: Store, old: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    old.in_database("default").command(f"DROP DATABASE `{old.address.database}` SYNC")
    assert run()[0] == 0
    assert retention_years(old) == 5
