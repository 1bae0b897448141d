"""Killed while it stored: a verdict that is there before its events is revised by the next worker, not said twice."""

from collections.abc import Sequence

from audit.settings import JudgeSettings
from store.connect import Store
from store.read.progress import known_tables, last_times
from store.rows.raw import Record
from streams.folding import Wanted, fold
from streams.news import News
from streams.partition import PartitionJudge
from streams.writing import write
from tests.audit.case import TABLE, Case
from tests.streams.pipeline import offline
from tests.streams.stored import BET, NOW_MS, PARTITION, SHORT_PAID, Floor, as_table, look


def _killed_before_the_records(store: Store, judge: PartitionJudge, records: Sequence[Record]) -> News:
    """What a worker says of these records, stored without them."""
    news = News()
    for record in records:
        news.add(judge.take(record, 2, 0.0))
    news.add(look(judge))
    write(store, news, [], NOW_MS)
    return news


def _take_over(store: Store, judge: PartitionJudge, records: Sequence[Record]) -> News:
    """What the next worker says, to which the records come again with what is new."""
    said = News()
    for record in records:
        said.add(judge.take(record, 1, 0.0))
    [desk] = judge.waiting()
    desk.resume(fold(store, [Wanted(TABLE, PARTITION)], JudgeSettings())[TABLE], judge.unstored(TABLE))
    judge.resumed(desk)
    said.add(look(judge))
    return said


def test_a_verdict_on_a_table_of_which_nothing_is_stored_is_revised_by_what_comes_later(store: Store) -> None:
    """The first that a worker stores of a new table is what it says of it; it is killed before the records."""
    case = Case().round(**SHORT_PAID).round(**BET)
    lines = as_table(case.events(), TABLE)
    place = next(place for place, event in enumerate(case.events()) if event["type"] == "bet.settled.v1")
    floor = Floor()
    first = floor.records([line for line in lines if line != lines[place]])
    news = _killed_before_the_records(store, floor.judge, first)
    told = {each.finding.id for each in news.findings}

    assert last_times(store, [TABLE]) == {}
    judge = floor.new_judge(known_tables(store))
    said = _take_over(store, judge, [*first, *floor.records([lines[place]])])
    verdicts = {(each.shoe, each.round): each for each in (one.concluded.verdict for one in said.verdicts)}
    expected, found = offline(lines)
    assert {key: each.revision for key, each in verdicts.items()} == {("S1", 1): 2}
    assert verdicts["S1", 1].digest == expected[TABLE, "S1", 1].digest
    assert {each.finding.id: each.finding.cleared for each in said.findings} == {
        name: name not in found for name in told ^ found.keys()
    }


def test_a_verdict_of_a_shoe_of_which_nothing_is_stored_is_revised_by_what_comes_later(store: Store) -> None:
    case = Case().round(**BET).end_shoe(None)
    stored = as_table(case.events(), TABLE)
    events = case.load("S2").round(**BET).round(**BET).events()
    lines = as_table(events, TABLE)
    place = next(
        place
        for place, event in enumerate(events)
        if event["type"] == "bet.settled.v1" and (event["data"]["shoe"], event["data"]["round"]) == ("S2", 1)
    )
    floor = Floor()
    floor.store(store, stored)
    first = floor.records([line for line in lines[len(stored) :] if line != lines[place]])
    _killed_before_the_records(store, floor.judge, first)

    judge = floor.new_judge([TABLE])
    said = _take_over(store, judge, [*first, *floor.records([lines[place]])])
    verdicts = {(each.shoe, each.round): each for each in (one.concluded.verdict for one in said.verdicts)}
    expected, _ = offline(lines)
    assert verdicts["S2", 1].digest == expected[TABLE, "S2", 1].digest
    assert verdicts["S2", 1].revision == 2
