"""Who used the one time under the minimum (DTB, FF4 5.14), where a worker was killed between verdict and records."""

from audit.settings import JudgeSettings
from store.connect import Store
from streams.folding import Wanted, fold
from streams.news import News
from streams.writing import write
from tests.audit.case import TABLE, Case
from tests.streams.stored import BET, NOW_MS, PARTITION, UNDER, Floor, as_table, look


def test_dtb_5_14_a_use_in_a_round_whose_records_are_not_stored_came_before_no_other(store: Store) -> None:
    """The verdict is stored before the records: killed in between, a worker leaves a round that comes again, and that
    is no use before the rounds that are read from the store."""
    floor = Floor()
    case = Case().round(**BET).round(**BET)
    before = len(case.events())
    lines = as_table(case.round(**UNDER).events(), TABLE)
    floor.store(store, lines[:before])
    cut_off = floor.records(lines[before:])
    news = News()
    for record in cut_off:
        news.add(floor.judge.take(record, 2, 0.0))
    news.add(look(floor.judge))
    assert [verdict.concluded.verdict.round for verdict in news.verdicts] == [3]
    assert [found.finding.code for found in news.findings] == ["below-minimum"]
    write(store, news, [], NOW_MS)

    judge = floor.new_judge([TABLE])
    desk = judge.desk(TABLE)
    desk.resume(fold(store, [Wanted(TABLE, PARTITION)], JudgeSettings())[TABLE], ())
    judge.resumed(desk)
    again = News()
    for record in cut_off:
        again.add(judge.take(record, 1, 0.0))
    again.add(look(judge))
    assert not again, (again.findings, [each.json for each in again.verdicts])
