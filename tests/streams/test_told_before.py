"""What was told before its worker was killed: the next one stores it, under the version that it had."""

import asyncio
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from faust.types import TP

from audit.settings import JudgeSettings
from schemas.decoding import decode_record
from schemas.findings import Finding, finding_json
from schemas.topics import ALERTS, BETS
from store.connect import Store
from store.read.findings import findings_named
from store.read.proof import access_entries
from store.rows.proof import STORED_LATE
from store.rows.raw import Record
from store.write.findings import write_findings
from store.write.raw import write_records
from streams.agent import Worker
from streams.broker_url import Broker, parse_broker
from streams.embedded.log import Log, NewRecord
from streams.feed import FeedRecord
from streams.told_before import CLOCKS_APART_MS, not_stored, take_up, told_from, told_since
from streams.topics import Layout, create
from tests.store.floor import ARRIVAL, finding, state
from tests.streams.simulated_broker import App, Topics

RAISED = finding("payout-wrong", "BT1")
CLEARED = replace(RAISED, cleared=True)
TIME = 1_700_000_000_000_000


def told(*states: Finding) -> list[FeedRecord]:
    return [
        FeedRecord(ALERTS.name, 0, place, ARRIVAL + place, None, finding_json(each), {"time": str(TIME).encode()})
        for place, each in enumerate(states)
    ]


@pytest.mark.parametrize(
    ("states", "stored", "expected"),
    [
        pytest.param([RAISED], None, (RAISED, 1), id="never-stored"),
        pytest.param([RAISED], (RAISED, 1), None, id="stored"),
        pytest.param([RAISED, CLEARED], (RAISED, 1), (CLEARED, 2), id="cleared-since"),
        pytest.param([RAISED, CLEARED, RAISED], (RAISED, 1), None, id="as-it-was"),
        pytest.param([RAISED, CLEARED, RAISED], (CLEARED, 2), (RAISED, 3), id="raised-again"),
        pytest.param([RAISED, RAISED, CLEARED], None, (CLEARED, 2), id="told-twice"),
        pytest.param([CLEARED], (RAISED, 4), (CLEARED, 5), id="stored-long-before"),
    ],
)
def test_what_the_store_lacks_is_stored_under_the_version_it_had(
    store: Store, states: list[Finding], stored: tuple[Finding, int] | None, expected: tuple[Finding, int] | None
) -> None:
    if stored is not None:
        write_findings(store, [state(stored[0], stored[1])])
    assert take_up(store, told(*states), lambda table: table == "BT1") == ({"BT1"} if expected else set())
    known = findings_named(store, [RAISED.id])[RAISED.id]
    assert (known.finding, known.version) == (expected or stored)
    assert take_up(store, told(*states), lambda _: True) == set()


def test_tables_of_others_and_what_is_of_no_table_are_left_alone(store: Store) -> None:
    other, nowhere = finding("payout-wrong", "BT2"), finding("event-rejected", None, None)
    assert take_up(store, told(other, nowhere), lambda table: table == "BT1") == set()
    assert findings_named(store, [other.id, nowhere.id]) == {}


def test_what_is_stored_long_after_it_was_told_is_said_to_be_late(store: Store) -> None:
    young = told(finding("late-bet", "BT1"))[0]
    young = replace(young, time_ms=time.time_ns() // 1_000_000)
    assert take_up(store, [*told(RAISED), young], lambda _: True) == {"BT1"}
    (entry,) = access_entries(store)
    assert (entry.who, entry.action, entry.detail) == (
        "tablewatch", STORED_LATE, {"rows": {"finding": [[RAISED.id, "1"]]}},
    )  # fmt: skip


def test_its_times_are_those_of_the_record() -> None:
    [lacking] = not_stored({RAISED.id: list(zip(told(RAISED), [RAISED], strict=True))}, {})
    assert (lacking.time, lacking.raised) == (TIME, ARRIVAL)


def test_it_is_looked_for_since_the_last_that_is_stored_arrived(store: Store) -> None:
    earliest = ARRIVAL - 10 * CLOCKS_APART_MS
    assert told_from(store, [0, 1], earliest) == earliest
    write_records(store, [Record(BETS.name, each, 0, ARRIVAL, b"[]", decode_record(b"[]")) for each in (0, 1)])
    write_records(store, [Record(BETS.name, 1, 1, ARRIVAL + 5, b"[]", decode_record(b"[]"))])
    assert told_from(store, [1], earliest) == ARRIVAL + 5 - CLOCKS_APART_MS
    assert told_from(store, [0, 1], earliest) == ARRIVAL - CLOCKS_APART_MS
    assert told_from(store, [0, 1], ARRIVAL) == ARRIVAL


def test_a_partition_on_which_nothing_was_ever_said_is_not_looked_for(store: Store) -> None:
    """It would be looked for since the earliest, at every rebalance, before anything is judged."""
    app = App(Topics())
    asked: list[int] = []

    async def ends(*tps: TP) -> dict[TP, int]:
        return {tp: 1 if tp == TP(BETS.name, 0) else 0 for tp in tps}

    def told_since(since: int) -> list[FeedRecord]:
        asked.append(since)
        return []

    consumer: Any = app.consumer
    consumer.highwaters = ends
    faust: Any = app
    worker = Worker(faust, store, JudgeSettings(), 2, told_since)
    arrival = time.time_ns() // 1_000_000 - 60_000
    write_records(store, [Record(BETS.name, 0, 0, arrival, b"[]", decode_record(b"[]"))])
    asyncio.run(worker._take_over([1]))
    assert asked == []
    asyncio.run(worker._take_over([0, 1]))
    assert asked == [arrival - CLOCKS_APART_MS]


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Broker]:
    broker = parse_broker(f"tablelog://{tmp_path}")
    create(broker, Layout(partitions=2))
    yield broker


def test_the_broker_gives_what_was_told_since_then(broker: Broker, tmp_path: Path) -> None:
    with Log(tmp_path) as log:
        log.append([NewRecord(ALERTS.name, 1, finding_json(RAISED))])
    [record] = told_since(broker, 0)
    assert record.value == finding_json(RAISED)
    assert told_since(broker, record.time_ms + 1) == []


def test_without_the_topic_judging_begins_all_the_same(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with Log(tmp_path):
        assert told_since(parse_broker(f"tablelog://{tmp_path}"), 0) == []
    assert "tablewatch topics create" in caplog.text
