"""Killed while it stored: a verdict that is there before its events is revised by the next worker, not said twice."""

from pathlib import Path

from audit.settings import JudgeSettings
from store.connect import connect
from store.embedded.process import EmbeddedClickHouse
from store.migrate import migrate
from store.read.progress import tables_of, tables_told_of
from store.render import SchemaSettings
from streams.folding import Wanted, fold
from streams.news import News
from streams.sink import write
from tests.audit.case import TABLE, Case
from tests.streams.pipeline import offline
from tests.streams.stored import BET, NOW_MS, PARTITION, SHORT_PAID, Floor, as_table, look


def test_a_verdict_on_a_table_of_which_nothing_is_stored_is_revised_by_what_comes_later(tmp_path: Path) -> None:
    """The first that a worker stores of a new table is what it says of it; it is killed before the records."""
    case = Case().round(**SHORT_PAID).round(**BET)
    lines = as_table(case.events(), TABLE)
    place = next(place for place, event in enumerate(case.events()) if event["type"] == "bet.settled.v1")
    with EmbeddedClickHouse(tmp_path) as server:
        store = connect(server.url)
        migrate(store, SchemaSettings(years=50))
        floor = Floor()
        first = floor.records([line for line in lines if line != lines[place]])
        news = News()
        for record in first:
            news.add(floor.judge.take(record, 2, 0.0))
        news.add(look(floor.judge))
        write(store, news, [], NOW_MS)
        told = {each.finding.id for each in news.findings}

        assert tables_of(store, PARTITION) == []
        judge = floor.new_judge(tables_told_of(store))
        said = News()
        for record in [*first, *floor.records([lines[place]])]:
            said.add(judge.take(record, 1, 0.0))
        [desk] = judge.waiting()
        desk.resume(fold(store, [Wanted(TABLE, PARTITION)], JudgeSettings())[TABLE], judge.unstored(TABLE))
        judge.resumed(desk)
        said.add(look(judge))
        store.close()
    verdicts = {(each.shoe, each.round): each for each in (one.concluded.verdict for one in said.verdicts)}
    expected, found = offline(lines)
    assert {key: each.revision for key, each in verdicts.items()} == {("S1", 1): 2}
    assert verdicts["S1", 1].digest == expected[TABLE, "S1", 1].digest
    assert {each.finding.id: each.finding.cleared for each in said.findings} == {
        name: name not in found for name in told ^ found.keys()
    }


def test_a_verdict_of_a_shoe_of_which_nothing_is_stored_is_revised_by_what_comes_later(tmp_path: Path) -> None:
    case = Case().round(**BET).end_shoe(None)
    stored = as_table(case.events(), TABLE)
    events = case.load("S2").round(**BET).round(**BET).events()
    lines = as_table(events, TABLE)
    place = next(
        place
        for place, event in enumerate(events)
        if event["type"] == "bet.settled.v1" and (event["data"]["shoe"], event["data"]["round"]) == ("S2", 1)
    )
    with EmbeddedClickHouse(tmp_path) as server:
        store = connect(server.url)
        migrate(store, SchemaSettings(years=50))
        floor = Floor()
        floor.store(store, stored)
        first = floor.records([line for line in lines[len(stored) :] if line != lines[place]])
        news = News()
        for record in first:
            news.add(floor.judge.take(record, 2, 0.0))
        news.add(look(floor.judge))
        write(store, news, [], NOW_MS)

        judge = floor.new_judge([TABLE])
        said = News()
        for record in [*first, *floor.records([lines[place]])]:
            said.add(judge.take(record, 1, 0.0))
        [desk] = judge.waiting()
        desk.resume(fold(store, [Wanted(TABLE, PARTITION)], JudgeSettings())[TABLE], judge.unstored(TABLE))
        judge.resumed(desk)
        said.add(look(judge))
        store.close()
    verdicts = {(each.shoe, each.round): each for each in (one.concluded.verdict for one in said.verdicts)}
    expected, _ = offline(lines)
    assert verdicts["S2", 1].digest == expected[TABLE, "S2", 1].digest
    assert verdicts["S2", 1].revision == 2
