"""What is stored after its time and says why, or follows what is sealed, is no forgery; whatever else is older is."""

from dataclasses import replace

import pytest

from replay.chain.keys import KeyRing
from replay.chain.lateness import open_since
from replay.chain.seal import GRACE_MS, Sealer
from replay.chain.verify import verify_chain
from schemas.decoding import decode_record
from store.connect import Store
from store.read.proof import access_entries, leaves
from store.rows.alerts import Alert
from store.rows.proof import STORED_LATE, AccessEntry
from store.rows.raw import Record
from store.rows.verdicts import FindingState
from store.write.findings import write_findings
from store.write.lateness import LATE_MS, note_late
from store.write.proof import write_access
from store.write.raw import write_records
from streams.alerting.desk import record_raised
from streams.alerting.raising import UNKNOWN_PLACE, alert_of
from tests.replay.evidence import NOW, sealed_evening
from tests.store.floor import ARRIVAL, finding, state

_MINUTE = 60_000
_HOUR = 60 * _MINUTE


def _look(name: str, at: int) -> AccessEntry:
    return AccessEntry(id=name, at=at * 1000, who="otto", role="", action="replay")


def _found(store: Store) -> list[tuple[str, str, str]]:
    return [(each.what, each.kind, each.key) for each in verify_chain(store).tampering]


@pytest.mark.parametrize(
    ("minutes", "since"),
    [
        ([0], -10),
        ([0, 1, 2], -8),
        ([0, 10], 0),
        ([0, 11], -10),
        ([0, 120, 121, 129], -10),
        ([0, 120, 121, 131], 121),
        ([0, 60, 120, 121], 50),
    ],
)
def test_after_a_pause_the_grace_counts_from_before_it_for_ten_minutes(minutes: list[int], since: int) -> None:
    signed = [each * _MINUTE for each in minutes]
    for later in (0, 10 * _MINUTE):
        assert open_since(signed, signed[-1] + later, 10 * _MINUTE) == since * _MINUTE
    assert open_since(signed, signed[-1] + 10 * _MINUTE + 1, 10 * _MINUTE) == signed[-1] - 10 * _MINUTE


def test_what_writers_held_while_the_store_was_away_is_sealed_when_it_is_back(store: Store, ring: KeyRing) -> None:
    sealed_evening(store, ring)
    back = NOW + 2 * _HOUR
    write_access(store, [_look("first", back)])
    sealer = Sealer(store, ring, lambda: back)
    assert sealer.seal() is not None
    write_access(store, [_look("held", NOW + 30 * _MINUTE)])
    told = verify_chain(store, now=back + _MINUTE)
    assert told.tampering == [] and told.waiting == 1
    # Another one goes on where the first was stopped: it knows no more than what was signed.
    for each in (sealer, Sealer(store, ring, lambda: back + _MINUTE)):
        each.seal()
        told = verify_chain(store)
        assert told.tampering == [] and told.waiting == 0
    keys = [leaf.key for leaf in leaves(store, "main")]
    assert keys.count("held") == 1 and len(set(keys)) == len({(leaf.kind, leaf.key) for leaf in leaves(store, "main")})


def test_where_one_checkpoint_a_day_is_made_nobody_puts_rows_between_two_of_them(store: Store, ring: KeyRing) -> None:
    sealed_evening(store, ring)
    for day in (1, 2):
        write_access(store, [_look(f"day {day}", NOW + day * 24 * _HOUR)])
        Sealer(store, ring, lambda day=day: NOW + day * 24 * _HOUR).seal()  # type: ignore[misc]  # bound now
    write_access(store, [_look("forged", NOW + 30 * _HOUR)])
    assert [each.key for each in verify_chain(store, now=NOW + 50 * _HOUR).tampering] == ["forged"]
    assert Sealer(store, ring, lambda: NOW + 72 * _HOUR).seal() is None


def test_who_dates_a_row_into_a_pause_that_is_long_over_is_found(store: Store, ring: KeyRing) -> None:
    sealed_evening(store, ring)
    back = NOW + 2 * _HOUR
    for number in range(3):
        write_access(store, [_look(f"look {number}", back + number * 9 * _MINUTE)])
        Sealer(store, ring, lambda number=number: back + number * 9 * _MINUTE).seal()  # type: ignore[misc]  # bound now
    write_access(store, [_look("forged", NOW + 30 * _MINUTE)])
    assert _found(store) == [("inserted", "access", "forged")]
    Sealer(store, ring, lambda: back + _HOUR).seal()
    assert ("inserted", "access", "forged") in _found(store)


def _records(*offsets: int, raw: bytes = b"no event") -> list[Record]:
    return [Record("table.floor", 0, offset, ARRIVAL + 1, raw, decode_record(raw)) for offset in offsets]


def test_a_worker_that_is_hours_behind_stores_what_it_refuses_and_nobody_calls_it_a_forger(
    store: Store, ring: KeyRing
) -> None:
    sealed_evening(store, ring)
    write_records(store, _records(901, 902))
    told = verify_chain(store)
    assert told.tampering == [] and told.waiting == 4
    assert Sealer(store, ring, lambda: NOW + _HOUR).seal() is not None
    told = verify_chain(store)
    assert told.tampering == [] and told.waiting == 0
    sealed = [leaf.key for leaf in leaves(store, "main") if leaf.kind == "rejected"]
    assert sealed == ["table.floor/0/900/0", "table.floor/0/901/0", "table.floor/0/902/0"]
    assert Sealer(store, ring, lambda: NOW + 2 * _HOUR).seal() is None


def test_an_old_record_that_does_not_follow_what_is_sealed_was_put_in(store: Store, ring: KeyRing) -> None:
    sealed_evening(store, ring)
    write_records(store, _records(901, 950))
    assert _found(store) == [
        ("inserted", "record", "table.floor/0/950"),
    ]


def _alert(at: int) -> Alert:
    return alert_of(finding("late-bet", "BT1"), UNKNOWN_PLACE, at, {})


def test_an_alert_service_that_comes_hours_late_says_so_and_the_chain_takes_its_alerts(
    store: Store, ring: KeyRing
) -> None:
    """By the clock of this machine, as everything that is stored late is said to be late by it."""
    sealed_evening(store, ring)
    first = Sealer(store, ring, lambda: _now(store))
    write_access(store, [_look("today", _now(store))])
    assert first.seal() is not None
    old = _alert(NOW - _HOUR)
    record_raised(store, [old])
    told = verify_chain(store)
    assert told.tampering == [] and told.waiting == 3, "the alert, its first step, and the entry that names both"
    assert first.seal() is not None
    told = verify_chain(store)
    assert told.tampering == [] and told.waiting == 0
    record_raised(store, [old])
    notes = [entry for entry in access_entries(store) if entry.action == STORED_LATE]
    assert [entry.detail["rows"] for entry in notes] == [
        {"alert": [[old.id]], "alert-step": [[old.id, "0000.raised"]]}
    ], "what is stored again is named once"
    assert first.seal() is None and Sealer(store, ring, lambda: _now(store)).seal() is None


def test_an_alert_that_is_stored_in_time_is_not_called_late(store: Store) -> None:
    record_raised(store, [_alert(_now(store) - LATE_MS + 30_000)])
    assert [entry for entry in access_entries(store) if entry.action == STORED_LATE] == []
    assert LATE_MS <= GRACE_MS // 2


def test_an_old_finding_may_be_named_and_only_that_one(store: Store, ring: KeyRing) -> None:
    sealed_evening(store, ring)
    sealer = Sealer(store, ring, lambda: _now(store))
    write_access(store, [_look("today", _now(store))])
    sealer.seal()
    told, forged = (_state(name) for name in ("above-maximum", "below-minimum"))
    note_late(store, "tablewatch", {"finding": [(told.finding.id, "1")]})
    write_findings(store, [told, forged])
    assert _found(store) == [("inserted", "finding", f"{forged.finding.id}/1")]
    sealer.seal()
    assert _found(store) == [("inserted", "finding", f"{forged.finding.id}/1")]


def _state(code: str) -> FindingState:
    return replace(state(finding(code, "BT1")), raised=NOW - _HOUR)


def test_an_entry_of_long_ago_excuses_nothing_that_comes_now(store: Store, ring: KeyRing) -> None:
    sealed_evening(store, ring)
    forged = _state("above-maximum")
    entry = AccessEntry(
        id="note", at=(NOW + _MINUTE) * 1000, who="tablewatch", role="", action=STORED_LATE,
        detail={"rows": {"finding": [[forged.finding.id, "1"]]}},
    )  # fmt: skip
    write_access(store, [entry])
    for minutes in (2, 11, 20):
        write_access(store, [_look(f"look {minutes}", NOW + minutes * _MINUTE)])
        Sealer(store, ring, lambda minutes=minutes: NOW + minutes * _MINUTE).seal()  # type: ignore[misc]  # bound now
    write_findings(store, [forged])
    assert _found(store) == [("inserted", "finding", f"{forged.finding.id}/1")]


@pytest.mark.parametrize("rows", [7, ["x"], {"finding": 7}, {"finding": [["one"]]}, {"nothing": [["x"]]}])
def test_an_entry_that_is_no_such_thing_names_nothing(store: Store, ring: KeyRing, rows: object) -> None:
    sealed_evening(store, ring)
    write_access(store, [replace(_look("odd", NOW + 1), action=STORED_LATE, detail={"rows": rows})])
    assert Sealer(store, ring, lambda: NOW + _MINUTE).seal() is not None
    assert _found(store) == []


def _now(store: Store) -> int:
    ((now,),) = store.query("SELECT toUnixTimestamp64Milli(now64(3))")
    return int(now)
