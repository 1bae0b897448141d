"""Retention: what is past its years goes, what is held stays, and what went can be told from what was taken."""

import hashlib
import time

import pytest

from store.connect import Store
from store.holds import all_holds, apply_holds, holds_in_force, lift_hold, place_hold
from store.read.events import configuration_events, round_events, shoe_events
from store.read.findings import finding as finding_by_id
from store.read.rounds import verdict
from store.render import SchemaSettings
from store.retention import retained_tables
from store.rows.alerts import Alert, AlertStep
from store.rows.proof import AccessEntry, Hold
from store.rows.verdicts import RoundKey
from store.tombstones import bury, explains, tombstones
from store.write.alerts import write_alert_steps, write_alerts
from store.write.findings import write_findings
from store.write.proof import write_access
from store.write.raw import write_records
from store.write.verdicts import write_verdicts
from tests.store.contents import merge_all
from tests.store.floor import ARRIVAL, LONG, START, Table, evening, everything, finding, judged, packed, state

_YEAR = 366 * 24 * 3600 * 1000


def _hold(table: str, name: str = "case 7", shoe: str = "S1", number: int | None = 2) -> Hold:
    return Hold(
        hold=name, table=table, shoe=shoe, round=number, reason="a complaint", placed_by="otto", placed=ARRIVAL + 1
    )


def _fill(store: Store) -> None:
    floor = evening()
    write_records(store, packed(everything(floor), per_record=3))
    write_verdicts(store, [judged(table, number=number) for table in ("BT1", "BT2", "BT3") for number in (1, 2, 3)])
    write_findings(store, [state(finding("late-bet", table)) for table in ("BT1", "BT2")])
    for table in ("BT1", "BT2"):
        alert = Alert(
            id=f"A-{table}",
            finding=finding("late-bet", table).id,
            table=table,
            shoe="S1",
            round=1,
            code="late-bet",
            severity="critical",
            pit=None,
            game=None,
            message="A late bet.",
            time=START,
            raised=ARRIVAL,
        )
        write_alerts(store, [alert])
        write_alert_steps(store, [AlertStep(alert=alert.id, id="s1", at=START, action="raised", state="open")])
    write_access(store, [AccessEntry(id="e1", at=START, who="otto", role="auditor", action="replay")])


def _let_time_run_out(store: Store) -> None:
    """Every table gets a time to live of a second, with the same exception for what is held."""
    for table, ttl in retained_tables(store).items():
        column = ttl.strip("(").split(" ")[0]
        store.command(f"ALTER TABLE {table} MODIFY TTL {column} + INTERVAL 1 SECOND DELETE WHERE held = 0")
    merge_all(store)


def _rows(store: Store, table: str) -> int:
    return int(store.query(f"SELECT count() FROM {table}")[0][0])


def test_what_is_past_its_time_is_deleted_and_what_is_held_stays_whole(own_store: Store) -> None:
    store = own_store
    _fill(store)
    before = [each.raw for each in shoe_events(store, "BT2", "S1")]
    place_hold(store, [_hold("BT2")], LONG)
    _let_time_run_out(store)
    assert round_events(store, "BT1", "S1", 1) == []
    assert verdict(store, RoundKey("BT1", "S1", 2)) is None
    assert finding_by_id(store, finding("late-bet", "BT1").id) is None
    # A round is judged with its whole shoe: the copies dealt earlier count.
    assert [each.raw for each in shoe_events(store, "BT2", "S1")] == before
    assert verdict(store, RoundKey("BT2", "S1", 2)) is not None
    assert finding_by_id(store, finding("late-bet", "BT2").id) is not None
    assert store.query("SELECT alert FROM alerts") == [("A-BT2",)]
    assert store.query("SELECT alert FROM alert_steps") == [("A-BT2",)]
    assert store.query("SELECT DISTINCT table FROM bets") == [("BT2",)]
    assert _rows(store, "access_log") == 0


def test_configurations_outlive_every_retention_as_they_may_still_be_in_force(own_store: Store) -> None:
    store = own_store
    _fill(store)
    _let_time_run_out(store)
    for table in ("BT1", "BT2", "BT3"):
        assert len(configuration_events(store, table)) == 1
    assert store.query("SELECT DISTINCT type FROM events") == [("table.configured.v1",)]


def test_a_lifted_hold_lets_go_what_no_other_hold_covers(own_store: Store) -> None:
    store = own_store
    _fill(store)
    place_hold(store, [_hold("BT1"), _hold("BT2"), _hold("BT2", "case 8", number=None)], LONG)
    lift_hold(store, "case 7", "anna", ARRIVAL + 5, LONG)
    assert [(hold.hold, hold.table) for hold in holds_in_force(store)] == [("case 8", "BT2")]
    assert [(hold.lifted_by, hold.lifted) for hold in all_holds(store) if hold.hold == "case 7"] == [
        ("anna", ARRIVAL + 5)
    ] * 2
    _let_time_run_out(store)
    assert round_events(store, "BT1", "S1", 2) == []
    assert round_events(store, "BT2", "S1", 2) != []


def test_a_late_fact_of_a_held_round_gets_its_mark_with_the_next_daily_run(own_store: Store) -> None:
    store = own_store
    _fill(store)
    place_hold(store, [_hold("BT2")], LONG)
    assert apply_holds(store, LONG) == {}, "nothing is left to mark"
    late = Table("BT2", START + 3_600_000_000, {"/tables/BT2/rfid": 900})
    late.say("rfid", "bet.corrected.v1", shoe="S1", round=2, bet="b1", paid=0, collected=500, by="pit_supervisor")
    (record,) = packed(late.said)
    write_records(store, [type(record)("table.bets", 1, 999, record.arrival, record.raw, record.decoded)])
    write_verdicts(store, [judged("BT2", number=2, revision=2)])
    assert apply_holds(store, LONG).keys() >= {"events", "records", "rounds", "verdicts"}
    _let_time_run_out(store)
    assert any(each.event.type == "bet.corrected.v1" for each in round_events(store, "BT2", "S1", 2))
    found = verdict(store, RoundKey("BT2", "S1", 2))
    assert found is not None
    assert found.revision == 2


def test_rows_within_their_five_years_are_left_alone(empty_store: Store) -> None:
    from store.migrate import migrate

    migrate(empty_store, SchemaSettings())
    year = 365 * 24 * 3600
    now = int(time.time())
    table = Table("BT1")
    table.play("S1", 1)
    (record,) = packed([table.said[1]])
    for offset, age in enumerate((4.9 * year, 5.2 * year)):
        arrival = int(now - age) * 1000
        write_records(empty_store, [type(record)("table.bets", 1, offset, arrival, record.raw, record.decoded)])
    merge_all(empty_store)
    assert empty_store.query("SELECT offset FROM records") == [(0,)]
    assert empty_store.query("SELECT offset FROM events") == [(0,)]


def test_what_is_about_to_go_is_written_down_first(own_store: Store) -> None:
    store = own_store
    _fill(store)
    place_hold(store, [_hold("BT2")], LONG)
    assert bury(store, ARRIVAL + 1_000_000, "sweep") == [], "nothing is past its retention yet"
    late = ARRIVAL + 51 * _YEAR
    written = bury(store, late, "sweep")
    assert sum(stone.rows for stone in written if stone.store_table == "verdicts") == 6
    (stone,) = [stone for stone in written if (stone.store_table, stone.scope) == ("verdicts", "BT1")]
    hashes = store.columns("SELECT SHA256(verdict) FROM verdicts WHERE table = 'BT1'", as_bytes=True)[0]
    assert stone.digest == hashlib.sha256(b"".join(sorted(hashes))).digest()
    assert (stone.rows, stone.first, stone.last, stone.years, stone.by) == (3, "S1/1", "S1/3", 50, "sweep")
    assert bury(store, late, "sweep") == [], "each row is written down once"
    assert sorted(tombstones(store), key=repr) == sorted(written, key=repr)


def test_a_deletion_by_time_is_told_from_tampering(own_store: Store) -> None:
    store = own_store
    _fill(store)
    stones = bury(store, ARRIVAL + 51 * _YEAR, "sweep")
    _let_time_run_out(store)
    gone = ("verdicts", "BT1", ARRIVAL)
    assert explains(stones, *gone)
    recent = ARRIVAL + 10 * _YEAR
    assert not explains(stones, "verdicts", "BT1", recent), "a row within its retention was taken out by hand"
    assert not explains(stones, "verdicts", "BT7", ARRIVAL)
    assert explains(stones, "rounds", "BT1", ARRIVAL)
    assert not explains(stones, "player_rounds", "BT1", ARRIVAL), "what is derived has no tombstone"


def test_what_comes_due_later_gets_a_tombstone_of_its_own(own_store: Store) -> None:
    store = own_store
    _fill(store)
    bury(store, ARRIVAL + 51 * _YEAR, "sweep")
    write_verdicts(store, [judged("BT1", number=9, at=ARRIVAL + 2 * _YEAR)])
    stones = bury(store, ARRIVAL + 53 * _YEAR, "sweep")
    assert [stone.store_table for stone in stones] == ["verdicts", "rounds"]
    for stone in stones:
        assert (stone.scope, stone.rows, stone.first) == ("BT1", 1, "S1/9")


@pytest.mark.parametrize("table", ["records", "events", "verdicts", "rounds"])
def test_rows_lie_in_monthly_partitions(store: Store, table: str) -> None:
    _fill(store)
    assert store.query(
        "SELECT DISTINCT partition FROM system.parts WHERE database = currentDatabase() AND table = %(table)s"
        " AND active",
        {"table": table},
    ) == [("202601",)]
