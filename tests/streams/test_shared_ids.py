"""One id for two tables: not seen live, where each table is judged by itself, and named when the store is verified."""

from pathlib import Path
from typing import Any

import orjson

from audit.intake import CONFLICT
from schemas.topics import partition_of
from streams.publish import publish
from tests.audit.case import FIRST_BET, TABLE, Case
from tests.streams.pipeline import Pipeline, StoreProcess, alerts, offline, stop
from tests.streams.test_agents import embedded_pipeline

PIT_DESK = "/pits/P3/desk"
PARTITIONS = 2


def _tables() -> tuple[str, str, str, str]:
    """Three tables of one partition, and one of the other."""
    names = [f"SH{number}" for number in range(1, 20)]
    home = partition_of(TABLE, PARTITIONS)
    near, beside = [name for name in names if partition_of(name, PARTITIONS) == home][:2]
    return TABLE, near, beside, next(name for name in names if partition_of(name, PARTITIONS) != home)


def _lines(table: str, name: str) -> list[bytes]:
    """A round at a table that the pit's desk configures, in an event of this id."""
    events: list[dict[str, Any]] = Case().round(**FIRST_BET).events()
    events[0] |= {"source": PIT_DESK, "id": name}
    return [orjson.dumps(event).replace(TABLE.encode(), table.encode()) for event in events]


def _verified(running: Pipeline) -> tuple[int, dict[str, Any]]:
    said = running.run("replay", "verify", "--json")
    return said.returncode, orjson.loads(said.stdout)


def test_an_id_used_for_several_tables_is_named_by_verify_and_accuses_no_round(tmp_path: Path) -> None:
    first, near, beside, far = _tables()
    with embedded_pipeline(tmp_path, StoreProcess(tmp_path / "clickhouse")) as running:
        worker = running.start_worker()
        publish([*_lines(first, "1"), *_lines(near, "2")], running.broker)
        running.await_done()
        code, said = _verified(running)
        assert (code, said["deviating"], said["shared_ids"]) == (0, [], [])
        publish([*_lines(beside, "1"), *_lines(far, "1")], running.broker)
        running.await_done()
        code, said = _verified(running)
        assert stop(worker) == 0
        assert (code, said["deviating"]) == (1, [])
        assert said["shared_ids"] == [{"source": PIT_DESK, "id": "1", "tables": sorted([first, beside, far])}]
        assert not alerts(running)
        _, found = offline([*_lines(first, "1"), *_lines(far, "1")])
        refused = [finding.message for finding in found.values() if finding.code == "event-rejected"]
        assert [CONFLICT in message for message in refused] == [True, True], "an audit sees both, and refuses them"
        shown = running.run("replay", "verify", "--table", near)
        assert (shown.returncode, b"shared id" in shown.stdout) == (0, False)
        shown = running.run("replay", "verify", "--table", far)
        assert (shown.returncode, f"{PIT_DESK}, id 1".encode() in shown.stdout) == (1, True)
