"""A batch repeated, cut differently or interleaved, or a verdict revised, leaves the same contents for every reader."""

import random
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from store.connect import Store
from store.migrate import migrate
from store.rows.alerts import Alert, AlertStep
from store.rows.raw import Record
from store.rows.verdicts import FindingState, JudgedRound
from store.write.alerts import write_alert_steps, write_alerts
from store.write.findings import write_findings
from store.write.raw import write_records
from store.write.verdicts import write_verdicts
from tests.store.contents import contents, merge_all
from tests.store.floor import ARRIVAL, LONG, SECOND, START, bet, evening, everything, finding, judged, packed, state

Write = Callable[[Store], None]


def _records() -> list[Record]:
    floor = evening(rounds=4)
    bad = dict(floor[0].said[3], sequence=-1)
    return packed([*everything(floor), bad])


def _verdicts() -> list[JudgedRound]:
    """Rounds with several revisions: bets come and go, a player gets known, the opening moves to another month."""
    vanishing = (
        bet("b1", "P1", "player", 500, expected=(0, 500), actual=(0, 500)),
        bet("b9", "P9", "tie", 700, expected=(0, 700), actual=None),
    )
    month = 31 * 24 * 3600 * SECOND
    return [
        *(
            judged(table, number=number, opened=START + number * 50 * SECOND)
            for table in ("BT1", "BT2")
            for number in (1, 2, 3)
        ),
        judged("BT1", number=2, revision=2, bets=vanishing, at=ARRIVAL + 60_000),
        judged("BT1", number=2, revision=3, at=ARRIVAL + 90_000, opened=START + month),
        judged(
            "BT2", number=1, revision=2, findings=(finding("payout-wrong", "BT2"),), at=ARRIVAL + 40 * 24 * 3600_000
        ),
    ]


def _findings() -> list[FindingState]:
    raised = finding("payout-wrong", "BT2")
    silent = finding("device-silent", "BT3", round=None, shoe=None)
    return [
        state(raised),
        state(finding("payout-wrong", "BT2", corrected=True), version=2, raised=ARRIVAL + 5_000),
        state(finding("late-bet", "BT1"), time=START + 61 * SECOND),
        state(finding("late-bet", "BT1", cleared=True), version=2, time=START + 61 * SECOND, raised=ARRIVAL + 9_000),
        state(silent),
    ]


def _alerts() -> tuple[list[Alert], list[AlertStep]]:
    alert = Alert(
        id="A1",
        finding=finding("payout-wrong", "BT2").id,
        table="BT2",
        shoe="S1",
        round=1,
        code="payout-wrong",
        severity="critical",
        pit="P1",
        game="no_commission",
        message="Bet b1 was paid wrongly.",
        time=START,
        raised=ARRIVAL,
        detail={"camera": "C12"},
    )
    actions = ("raised", "sent", "acknowledged", "noted", "resolved", "reopened", "resolved")
    states = ("open", None, "acknowledged", None, "resolved", "open", "resolved")
    steps = [
        AlertStep(
            alert="A1", id=f"s{place}", at=START + place * SECOND, action=action, state=after, by="anna", note="é"
        )
        for place, (action, after) in enumerate(zip(actions, states, strict=True))
    ]
    return [alert], steps


def _in_one_go() -> list[Write]:
    alerts, steps = _alerts()
    return [
        lambda store: write_verdicts(store, _verdicts()),
        lambda store: write_findings(store, _findings()),
        lambda store: write_alerts(store, alerts),
        lambda store: write_alert_steps(store, steps),
        lambda store: write_records(store, _records()),
    ]


def _writing(write: Callable[[Store, Any], None], batch: list[Any]) -> Write:
    return lambda store: write(store, batch)


def _cut(rows: Sequence[Any], write: Callable[[Store, Any], None], chance: random.Random) -> list[Write]:
    """The rows in batches of any size that overlap, some of them twice."""
    writes: list[Write] = []
    place = 0
    while place < len(rows):
        end = place + chance.randint(1, 6)
        batch = list(rows[max(0, place - chance.randint(0, 3)) : end])
        writes += [_writing(write, batch)] * chance.choice((1, 1, 2))
        place = end
    return writes


def _cut_up(chance: random.Random) -> list[Write]:
    alerts, steps = _alerts()
    writes = [
        *_cut(_records(), write_records, chance),
        *_cut(_verdicts(), write_verdicts, chance),
        *_cut(_findings(), write_findings, chance),
        *_cut(alerts, write_alerts, chance),
        *_cut(steps, write_alert_steps, chance),
    ]
    chance.shuffle(writes)
    return writes


@pytest.fixture
def plain(store: Store) -> dict[str, list[Any]]:
    """The contents after every batch came once."""
    for write in _in_one_go():
        write(store)
    return contents(store)


def test_the_floor_of_these_tests_fills_every_table_that_they_compare(plain: dict[str, list[Any]]) -> None:
    empty = {name for name, rows in plain.items() if not rows}
    assert empty == {
        "leaves", "checkpoints", "tree_nodes", "signing_keys", "access_log", "shoes", "wager_odds", "wager_covariances",
    }  # fmt: skip


def test_batches_that_come_twice_change_nothing(store: Store, plain: dict[str, list[Any]]) -> None:
    """Not even rows that a merge would have to collapse: the token of the batch drops it, in the views' targets too."""
    rows = "SELECT name, total_rows FROM system.tables WHERE database = currentDatabase() AND total_rows > 0"
    counted = sorted(store.query(rows))
    assert {"events", "rounds", "round_figures", "round_spans", "source_hours", "player_rounds", "alert_states"} <= {
        name for name, _ in counted
    }
    for write in _in_one_go():
        write(store)
    assert sorted(store.query(rows)) == counted
    assert contents(store) == plain


@pytest.mark.parametrize("seed", range(4))
def test_batches_cut_and_interleaved_in_any_way_leave_the_same(
    store: Store, plain: dict[str, list[Any]], seed: int
) -> None:
    other = store.in_database(f"{store.address.database}_cut")
    try:
        migrate(other, LONG)
        for write in _cut_up(random.Random(seed)):
            write(other)
        assert contents(other) == plain
        merge_all(other)
        assert contents(other) == plain
    finally:
        other.command(f"DROP DATABASE `{other.address.database}` SYNC")
        other.close()


def test_a_revision_leaves_nothing_of_the_one_before(plain: dict[str, list[Any]]) -> None:
    bets = [row for row in plain["bets"] if row[:3] == (b"BT1", b"S1", 2)]
    assert sorted(row[9] for row in bets) == [b"b1", b"b2"]
    assert {row[3] for row in bets} == {3}
    # Six rounds were judged; each counts in one minute, however often it was judged.
    assert sum(row[5] for row in plain["table_minutes"]) == 6


def test_the_repeat_of_a_revision_that_was_judged_first_counts(store: Store) -> None:
    first, second = judged("BT1", at=ARRIVAL), judged("BT1", at=ARRIVAL + 1)
    for each in (second, first, second):
        write_verdicts(store, [each])
    for _ in range(2):
        assert store.query("SELECT toUnixTimestamp64Milli(judged) FROM rounds FINAL") == [(ARRIVAL,)]
        assert store.query("SELECT toUnixTimestamp64Milli(judged) FROM verdicts FINAL") == [(ARRIVAL,)]
        assert store.query("SELECT toUnixTimestamp64Milli(judged) FROM round_figures FINAL") == [(ARRIVAL,)]
        merge_all(store)


def test_a_crash_between_events_and_records_is_made_good_by_the_next_try(
    store: Store, plain: dict[str, list[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    other = store.in_database(f"{store.address.database}_crash")
    try:
        migrate(other, LONG)
        records = _records()
        insert = Store.insert

        def dies(self: Store, table: str, columns: Any, token: str | None = None) -> None:
            if table == "records":
                raise KeyboardInterrupt
            insert(self, table, columns, token)

        with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
            patched.setattr(Store, "insert", dies)
            write_records(other, records)
        assert other.query("SELECT count() FROM records") == [(0,)]
        write_records(other, records[:5])
        write_records(other, records[5:])
        for name in ("records", "events", "rejected", "source_hours", "round_spans", "shoe_ledger"):
            assert contents(other)[name] == plain[name]
    finally:
        other.command(f"DROP DATABASE `{other.address.database}` SYNC")
        other.close()
