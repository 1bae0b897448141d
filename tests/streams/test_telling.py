"""Who is told of what was refused: people once, wherever the bytes came, and nobody of a table that is not live."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import orjson
import pytest

from audit.settings import JudgeSettings
from schemas.topics import FLOOR, partition_of
from store.read.findings import FindingFilter, findings
from streams.broker_url import EmbeddedLog
from streams.embedded.log import Log, NewRecord
from streams.intake import read_record
from streams.news import News
from streams.partition import PartitionJudge
from streams.publish import publish
from streams.telling import REMEMBERED, Telling
from streams.topic_layout import INPUTS
from tests.audit.case import FIRST_BET, TABLE, Case
from tests.streams.pipeline import Pipeline, StoreProcess, alerts, stop
from tests.streams.test_agents import embedded_pipeline

pytestmark = pytest.mark.xdist_group("refused")

NOW_MS = 1_900_000_000_000
BAD = b"not json"
PARTITIONS = 2


def _judges(telling: Telling) -> list[PartitionJudge]:
    return [
        PartitionJudge(number, JudgeSettings(), (), dict.fromkeys(INPUTS, 0), telling) for number in range(PARTITIONS)
    ]


def _take(judge: PartitionJudge, raw: bytes, offset: int = 0) -> News:
    record = read_record(FLOOR.name, judge.number, offset, NOW_MS, raw, PARTITIONS)
    news = judge.take(record, 1, 0.0)
    news.add(judge.look(NOW_MS * 1_000))
    return news


def test_the_same_bytes_on_two_partitions_are_told_once() -> None:
    first, second = _judges(Telling())
    assert [each.for_people for each in _take(first, BAD).findings] == [True]
    assert not _take(second, BAD).findings


def test_bytes_refused_for_their_id_and_astray_elsewhere_are_told_once() -> None:
    judges = _judges(Telling())
    own = judges[partition_of(TABLE, PARTITIONS)]
    [other] = [judge for judge in judges if judge is not own]
    configured = Case().events()[0]
    lines = [orjson.dumps({**configured, "time": time}) for time in ("2026-07-01T12:00:00Z", "2026-07-01T12:00:01Z")]
    told = [*_take(other, lines[0]).findings]
    for offset, line in enumerate(lines):
        told += _take(own, line, offset).findings
    ids = Counter(each.finding.id for each in told if each.for_people)
    assert len(ids) == 2
    assert set(ids.values()) == {1}
    assert {each.finding.id for each in told if not each.for_people} <= ids.keys()


def test_only_the_last_rejections_are_remembered() -> None:
    telling = Telling()
    telling.recall([str(number) for number in range(REMEMBERED)], {})
    assert not telling.is_first("0")
    assert telling.is_first("new")
    assert telling.is_first("0")
    assert not telling.is_first("new")


@dataclass
class Refused:
    """A pipeline to which the same bad bytes came before and after a restart, and some of a table in test mode."""

    running: Pipeline
    of_test_table: bytes


@pytest.fixture(scope="module")
def refused(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Refused]:
    folder: Path = tmp_path_factory.mktemp("refused")
    case = Case(mode="test").round(**FIRST_BET)
    bad = orjson.dumps({**case.events()[0], "type": "table.unheard.v1", "sequence": 1000, "id": "unheard"})
    with embedded_pipeline(folder, StoreProcess(folder / "clickhouse")) as running:
        for said in (case.lines(), [bad]):
            worker = running.start_worker()
            _append_bad(running)
            publish(said, running.broker)
            running.await_done()
            assert stop(worker) == 0
        yield Refused(running, bad)


def _append_bad(running: Pipeline) -> None:
    """The same bytes on every partition."""
    assert isinstance(running.broker, EmbeddedLog)
    with Log(running.broker.folder) as log:
        log.append([NewRecord(FLOOR.name, number, BAD, None, [], None) for number in range(PARTITIONS)])


def test_the_same_bytes_on_two_partitions_and_after_a_restart_are_one_alert(refused: Refused) -> None:
    told = [finding for finding in alerts(refused.running) if finding.table is None]
    assert [finding.code for finding in told] == ["event-rejected"]


def test_a_rejection_at_a_table_in_test_mode_reaches_nobody_after_a_restart(refused: Refused) -> None:
    stored = findings(refused.running.store, FindingFilter(tables=(TABLE,), code="event-rejected"))
    assert [state.finding.actual for state in stored] == [refused.of_test_table[:200].decode()]
    assert not [finding for finding in alerts(refused.running) if finding.table == TABLE]
