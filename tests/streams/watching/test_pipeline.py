"""The watches behind the whole pipeline: devices' events by broker, worker and store to the findings of an audit."""

import signal
import subprocess
import time
from pathlib import Path
from urllib.request import urlopen

import orjson

from schemas.findings import finding_json
from simulator.floor import simulate
from store.read.findings import FindingFilter, findings
from streams.publish import publish
from tests.audit.watches.told_shoes import lines_of
from tests.streams.pipeline import COMMAND, PATIENCE_SECONDS, Pipeline, StoreProcess, alerts, stop
from tests.streams.test_agents import embedded_pipeline
from tests.streams.watching.shoes import audited, of_lucky_player, with_false_shuffle


def stored(running: Pipeline) -> dict[str, object]:
    """The statistical findings in the store, by their ids."""
    found = [state.finding for state in findings(running.store, FindingFilter(cleared=None))]
    return {each.id: orjson.loads(finding_json(each)) for each in found if each.basis == "statistics"}


def test_what_the_watches_store_is_what_an_audit_of_the_same_events_finds(tmp_path: Path) -> None:
    floor = list(simulate(1, 150, 1, faults=0.05, codes=["shuffle-repeat"], games=["no_commission"]))
    lucky = of_lucky_player()
    lines = [*floor, *lines_of(lucky[:2], "BX2"), *lines_of(lucky[2:], "BX3")]
    with embedded_pipeline(tmp_path, StoreProcess(tmp_path / "clickhouse")) as running:
        publish(lines, running.broker)
        worker = running.start_worker()
        running.await_done()
        once = running.run("watches", "once", "--json")
        assert once.returncode == 0, once.stderr
        (tmp_path / "events.jsonl").write_bytes(b"\n".join(lines))
        printed = running.run("audit", "--findings", str(tmp_path / "events.jsonl"))
        said = [orjson.loads(line) for line in printed.stdout.splitlines()]
        expected = {each["id"]: each for each in said if each["basis"] == "statistics"}
        assert {each["code"] for each in expected.values()} == {"shuffle-repeat", "player-over-expectation"}
        assert stored(running) == expected
        assert orjson.loads(once.stdout)["findings"] == len(expected)
        again = running.run("watches", "once", "--json")
        assert orjson.loads(again.stdout) == {"shoes": 0, "again": 0, "findings": 0}
        told = [finding.id for finding in alerts(running) if finding.basis == "statistics"]
        assert sorted(told) == sorted(expected)
        assert stop(worker) == 0


class Service:
    """`tablewatch watches run` as a process."""

    def __init__(self, running: Pipeline) -> None:
        self.log = running.folder / "watches.log"
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [*COMMAND, "watches", "run"], env=running.environment, stdout=log, stderr=log
            )  # fmt: skip
        self.port = int(self.await_word("metrics on port").split("metrics on port ")[1].split('"')[0])

    def await_word(self, word: str) -> str:
        """Wait until it logs this; the line."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while True:
            lines = [line for line in self.log.read_text().splitlines() if word in line]
            if lines:
                return lines[-1]
            assert time.monotonic() < deadline, self.log.read_text()[-4000:]
            time.sleep(0.1)

    def get(self, path: str) -> str:
        with urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=60) as answer:
            return str(answer.read().decode())


def test_the_service_waits_for_a_store_that_is_away_and_ends_with_0_when_told(tmp_path: Path) -> None:
    lines = lines_of(with_false_shuffle())
    server = StoreProcess(tmp_path / "clickhouse")
    with embedded_pipeline(tmp_path, server) as running:
        publish(lines, running.broker)
        worker = running.start_worker()
        running.await_done()
        assert stop(worker) == 0
        assert stored(running) == {}
        service = Service(running)
        try:
            assert service.get("/healthz") == "ok\n"
            # It leaves shoes alone for a while after they were last heard of: enough to take the store away.
            server.stop(signal.SIGKILL)
            service.await_word("waiting for the store")
            assert "tablewatch_store_away 1.0" in service.get("/metrics")
            server.start()
            service.await_word("came again")
            deadline = time.monotonic() + PATIENCE_SECONDS
            while "tablewatch_watched_shoes_total 4.0" not in service.get("/metrics"):
                assert time.monotonic() < deadline
                time.sleep(0.1)
            assert stored(running) == audited(lines)
            service.process.send_signal(signal.SIGTERM)
            assert service.process.wait(120) == 0
            assert {finding.id for finding in alerts(running)} == audited(lines).keys()
        finally:
            service.process.kill()
            service.process.wait()
