"""A table that could not be read from the store is counted where a worker is measured, until it is read or let go."""

from typing import Any

from prometheus_client import REGISTRY

from audit.live.table import LiveTable
from audit.settings import JudgeSettings
from store.connect import connect
from streams.agent import Worker
from streams.partition import PartitionJudge
from streams.topic_layout import INPUTS
from tests.streams.simulated_broker import App, Topics


def _counted(worker: Worker) -> float | None:
    worker._count()
    return REGISTRY.get_sample_value("tablewatch_tables_unread")


def _worker_that_could_not_read(*tables: str) -> Worker:
    app: Any = App(Topics())
    worker = Worker(app, connect("clickhouse://nobody@127.0.0.1:1/x"), JudgeSettings(), 1, lambda _: [])
    judge = PartitionJudge(0, JudgeSettings(), tables, dict.fromkeys(INPUTS, 0))
    worker.judges[0] = judge
    for table in tables:
        judge.desk(table)
    assert _counted(worker) == 0
    for table in tables:
        worker.sink._could_not_read(judge.desks[table])
    return worker


def test_it_is_counted_until_it_is_read() -> None:
    worker = _worker_that_could_not_read("A", "B")
    assert _counted(worker) == 2
    worker.judges[0].desks["A"].live = LiveTable("A", JudgeSettings())
    assert _counted(worker) == 1


def test_it_is_not_counted_any_more_when_its_partition_went_to_another_worker() -> None:
    worker = _worker_that_could_not_read("A")
    assert _counted(worker) == 1
    worker.judges.clear()
    assert _counted(worker) == 0
