"""From a simulated floor with faults through broker and worker to the store, and back out by the replay commands."""

from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest

from simulator.floor import simulate
from streams.publish import publish
from tests.streams.pipeline import Pipeline, StoreProcess, offline, stop
from tests.streams.test_agents import embedded_pipeline


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Pipeline]:
    with embedded_pipeline(tmp_path, StoreProcess(tmp_path / "clickhouse")) as started:
        yield started


def test_what_a_worker_stored_is_listed_shown_and_verified(running: Pipeline) -> None:
    lines = list(simulate(3, 12, 5, faults=0.3))
    worker = running.start_worker()
    publish([*lines, *lines[30:50], b"no event"], running.broker, max_events=30)
    running.await_done()
    assert stop(worker) == 0
    verdicts, _ = offline(lines)

    listed = running.run("replay", "list", "--json")
    assert listed.returncode == 0, listed.stderr
    stored = [orjson.loads(line) for line in listed.stdout.splitlines()]
    assert {(each["table"], each["shoe"], each["round"]) for each in stored} == verdicts.keys()

    verified = running.run("replay", "verify", "--json")
    said = orjson.loads(verified.stdout)
    assert verified.returncode == 0, said
    assert (said["rounds"], said["deviating"], said["other_judge"]) == (len(verdicts), [], [])

    flagged = next(each for each in stored if each["status"] == "flagged")
    name = f"{flagged['table']}/{flagged['shoe']}/{flagged['round']}"
    shown = running.run("replay", "show", name, "--json")
    story = orjson.loads(shown.stdout)
    assert shown.returncode == 0
    assert {finding["id"] for finding in story["findings"]} == {finding["id"] for finding in flagged["findings"]}
    assert story["moments"][0]["kind"] == "opened" and story["revisions"][-1]["digest"] == flagged["digest"]

    narrow = running.run("replay", "verify", "--code", flagged["findings"][0]["code"])
    assert narrow.returncode == 0, narrow.stdout

    running.store.command(
        'ALTER TABLE verdicts UPDATE verdict = replaceOne(verdict, \'"status":"flagged"\', \'"status":"verified"\')'
        f" WHERE table = '{flagged['table']}' AND shoe = '{flagged['shoe']}' AND round = {flagged['round']}",
        settings={"mutations_sync": 2},
    )
    tampered = running.run("replay", "verify", "--table", flagged["table"])
    assert tampered.returncode == 1
    assert name.encode() in tampered.stdout and b"status: stored" in tampered.stdout
