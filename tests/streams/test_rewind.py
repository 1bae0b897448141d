"""A store that was restored has what the backup had: the workers are set back to what it lacks, and read it again."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

from simulator.floor import simulate
from store.connect import connect
from streams.lag import lag_of, progress_of
from streams.publish import publish
from tests.streams.pipeline import Pipeline, alerts, stop
from tests.streams.test_agents import check_against_audit


def _restored(running: Pipeline, backup: Path) -> Pipeline:
    """The same pipeline over a new store that took the backup."""
    url = running.environment["TABLEWATCH_CLICKHOUSE_URL"].rpartition("/")[0] + "/restored"
    after = replace(
        running, environment={**running.environment, "TABLEWATCH_CLICKHOUSE_URL": url}, store=connect(url)
    )  # fmt: skip
    said = after.run("store", "restore", str(backup))
    assert said.returncode == 0, said.stderr
    return after


def test_what_came_after_a_backup_is_read_into_the_restored_store_and_told_once(
    running: Pipeline, tmp_path: Path
) -> None:
    lines = list(simulate(2, 8, 3, 0.2))
    backup = tmp_path / "backup"
    worker = running.start_worker()
    publish(lines[: len(lines) // 2], running.broker)
    running.await_done()
    assert running.run("store", "backup", str(backup)).returncode == 0
    publish(lines[len(lines) // 2 :], running.broker)
    running.await_done()
    said = running.run("topics", "rewind")
    assert (said.returncode, b"1 worker runs: end them first" in said.stderr) == (1, True)
    assert stop(worker) == 0
    said = running.run("topics", "rewind")
    assert (said.returncode, said.stdout.count(b"nothing is to be set back")) == (0, 1)

    before, told = progress_of(running.broker), alerts(running)
    assert told
    restored = _restored(running, backup)
    would = restored.run("topics", "rewind", "--dry-run")
    assert (would.returncode, lag_of(running.broker)) == (0, 0)
    done = restored.run("topics", "rewind")
    assert done.returncode == 0, done.stderr
    places = done.stdout.splitlines()[:-1]
    assert places == would.stdout.splitlines()[:-1]
    assert 0 < len(places) <= len(before)
    assert lag_of(running.broker) > 0

    worker = restored.start_worker()
    restored.await_done()
    assert stop(worker) == 0
    check_against_audit(restored, lines)
    assert Counter(each.id for each in alerts(restored)) == Counter(each.id for each in told)
    restored.store.close()
