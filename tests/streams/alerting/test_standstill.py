"""When nothing is judged of what tables say, people hear of it, and hear when it goes on."""

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from schemas.topics import FLOOR, partition_of
from simulator.floor import simulate
from store.connect import Store
from streams.alerting.desk import open_alerts
from streams.alerting.raising import tables_of
from streams.alerting.self_test import fault
from streams.alerting.standstill import Look, Standstills
from streams.embedded.log import Place
from streams.lag import Progress, progress_of
from streams.publish import publish
from streams.topic_layout import GROUP
from tests.streams.alerting.room import Room
from tests.streams.alerting.webhook import until

AT_ONCE = '\n[standstill]\nafter = "1s"\n'
PARTITIONS = 2


@pytest.fixture
def room(tmp_path: Path, store: Store) -> Iterator[Room]:
    made = Room(tmp_path, store)
    yield made
    made.close()


def _table(line: bytes) -> str:
    return line.split(b'"subject":"')[1].split(b'"')[0].decode()


def _acknowledge_all(room: Room) -> None:
    done = {place: each.end for place, each in progress_of(room.broker).items()}
    room.log.commit(GROUP, done)


def test_tables_that_nobody_judges_are_told_of_and_told_when_it_goes_on(room: Room) -> None:
    lines = list(simulate(1, 1, 3))
    publish(lines, room.broker)
    with room.service(room.routing(AT_ONCE)):
        until(lambda: room.hook.messages("anna"))
        _acknowledge_all(room)
        until(lambda: len(room.hook.messages("anna")) == 2)
    table = _table(lines[0])
    assert room.hook.titles("anna") == [f"CRITICAL not-judged at {table}", f"Cleared: CRITICAL not-judged at {table}"]
    said = room.hook.messages("anna")[0]["message"]
    assert "Alerts about them may not come" in said
    assert re.search(r"stored since 20\d\d-\d\d-\d\d \d\d:\d\d:\d\d \(Asia/Singapore\)", said)


def test_a_standstill_is_told_once_over_a_restart_of_the_service(room: Room) -> None:
    publish(list(simulate(6, 1, 3)), room.broker)
    for _ in range(2):
        with room.service(room.routing(AT_ONCE)) as service:
            until(partial(_all_stand_still, service.standstills))
            until(lambda: "partition 0" in _told(room) and "partition 1" in _told(room))
    assert [_told(room).count(f"(partition {number} of the log)") for number in range(PARTITIONS)] == [1, 1]


def test_every_table_that_is_to_be_watched_is_told_in_the_message_and_kept_with_the_alert(room: Room) -> None:
    lines = list(simulate(30, 1, 3))
    publish(lines, room.broker)
    with room.service(room.routing(AT_ONCE)):
        until(lambda: len(open_alerts(room.store)) == PARTITIONS)
        until(lambda: all(f" (partition {number} of the log): " in _told(room) for number in range(PARTITIONS)))
    kept = [tables_of(history.alert) for history in open_alerts(room.store)]
    assert sorted(table for tables in kept for table in tables) == sorted({_table(line) for line in lines})
    for tables in kept:
        assert f"Tables {', '.join(tables[:10])} and {len(tables) - 10} more " in _told(room)
        assert f"All its tables: {', '.join(tables)}" in _told(room)


def _all_stand_still(watch: Standstills) -> bool:
    return len(watch.standing_still()) == PARTITIONS


def _told(room: Room) -> str:
    return "".join(message["message"] for message in room.hook.messages("anna"))


def test_workers_that_go_on_however_slowly_and_topics_without_news_raise_nothing(room: Room) -> None:
    with room.service() as service:
        watch, intake = Standstills(room.broker, service.journal, room.routing(AT_ONCE)), service.intake
        for second in range(10):
            slow, still = Place(FLOOR.name, 0), Place(FLOOR.name, 1)
            seen = Look({slow: Progress(second, 100), still: Progress(5, 5)}, {0: frozenset(), 1: frozenset()})
            with service.journal.transaction():
                watch.conclude(seen, intake, second * 1_000)
        assert not watch.standing_still()
        watch.stop()
    assert not room.hook.messages("anna")


def test_the_table_of_the_self_test_is_not_named(room: Room) -> None:
    publish(fault("1", 1_782_000_000_000_000), room.broker)
    with room.service(room.routing(AT_ONCE)):
        until(lambda: room.hook.messages("anna"))
    [title] = room.hook.titles("anna")
    assert title == f"CRITICAL not-judged at all tables of partition {partition_of('SELF-TEST', PARTITIONS)} of the log"
