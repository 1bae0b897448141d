"""The pipeline for tests: the real store, the real worker as a process of its own, on whichever broker."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from kafka import KafkaConsumer, TopicPartition

from audit.beside_rounds import findings_beside_rounds, without_repeats
from audit.intake import Intake
from audit.settings import JudgeSettings
from audit.table import assemble, judge_table
from schemas.decoding import decode_lines
from schemas.findings import Finding, parse_finding
from schemas.verdicts import Verdict
from store.connect import Patience, Store, connect
from store.migrate import migrate
from store.render import SchemaSettings
from streams.broker_url import Broker, BrokerUnavailable, EmbeddedLog
from streams.embedded.log import Log
from streams.lag import lag_of
from tests.streams.forked_workers import WorkerProcess, nest

COMMAND = (sys.executable, "-c", "from tablewatch.command import main; main()")

PATIENCE_SECONDS = 240.0
"""For a loaded machine; nothing is asserted about it."""


@dataclass
class Pipeline:
    """A store and a broker, and the environment that commands find them by."""

    folder: Path
    broker: Broker
    store: Store
    environment: dict[str, str]
    _workers: list[WorkerProcess] = field(default_factory=list)

    def start_worker(self) -> WorkerProcess:
        """A worker as a process."""
        log = self.folder / "worker.log"
        log.touch()
        worker = nest().start(self.environment, log)
        self._workers.append(worker)
        return worker

    def start_worker_command(self) -> subprocess.Popen[bytes]:
        """A worker as people start it, which reads all of the code first: for tests of that, and to measure it."""
        with (self.folder / "worker.log").open("ab") as log:
            worker = subprocess.Popen([*COMMAND, "worker"], env=self.environment, stdout=log, stderr=log)
        self._workers.append(worker)
        return worker

    def await_done(self, seconds: float = PATIENCE_SECONDS) -> None:
        """Wait until all that was sent is judged and stored."""
        deadline = time.monotonic() + seconds
        while self._has_more():
            assert time.monotonic() < deadline, (self.folder / "worker.log").read_text()[-4000:]
            time.sleep(0.2)

    def _has_more(self) -> bool:
        try:
            return lag_of(self.broker) > 0
        except BrokerUnavailable:
            # A broker that stood still on a busy machine chooses the leaders of its partitions anew.
            return True

    def run(self, *command: str) -> subprocess.CompletedProcess[bytes]:
        """A command of ours, to its end."""
        return subprocess.run([*COMMAND, *command], check=False, env=self.environment, capture_output=True, timeout=120)

    def end(self) -> None:
        """End all workers that still run."""
        for worker in self._workers:
            with suppress(ProcessLookupError):
                worker.kill()
            worker.wait()


def stop(worker: WorkerProcess) -> int:
    """Ask a worker to stop; its exit code."""
    worker.send_signal(signal.SIGTERM)
    return worker.wait(120)


def took_over(running: Pipeline) -> int:
    """How often a worker has taken a partition over so far."""
    log = running.folder / "worker.log"
    return log.read_text().count("took over") if log.exists() else 0


def await_takeover(running: Pipeline, before: int) -> None:
    """Wait until a worker is at work, so that a kill meets it there."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while took_over(running) <= before:
        assert time.monotonic() < deadline, (running.folder / "worker.log").read_text()[-4000:]
        time.sleep(0.05)


def sent_to(running: Pipeline, topic: str) -> list[bytes]:
    """All that was sent to a topic of either broker, by partition."""
    if isinstance(running.broker, EmbeddedLog):
        with Log(running.broker.folder) as log:
            return [
                record.value or b""
                for place, span in sorted(log.spans().items())
                if place.topic == topic
                for record in log.read(topic, place.partition, span.first, max_records=100_000, max_bytes=1 << 28)
            ]
    with KafkaConsumer(**running.broker.client_options(), enable_auto_commit=False) as consumer:
        places = [TopicPartition(topic, number) for number in sorted(consumer.partitions_for_topic(topic) or ())]
        consumer.assign(places)
        consumer.seek_to_beginning()
        ends = consumer.end_offsets(places)
        found: dict[TopicPartition, list[bytes]] = {place: [] for place in places}
        while any(consumer.position(place) < ends[place] for place in places):
            for place, records in consumer.poll(timeout_ms=500).items():
                found[place] += [record.value for record in records]
        return [value for place in places for value in found[place]]


def alerts(running: Pipeline) -> list[Finding]:
    """All that was sent to audit.alerts."""
    return [parse_finding(raw) for raw in sent_to(running, "audit.alerts")]


class StoreProcess:
    """The embedded server as a process that can be taken away and brought back."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = 0
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"clickhouse://default@127.0.0.1:{self.port}/tablewatch"

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def command(self) -> list[str]:
        """What starts it."""
        return [
            sys.executable, "-m", "store.embedded", "--data", str(self.folder), "--with-parent", "--url", self.url,
        ]  # fmt: skip

    def pause(self) -> None:
        """Freeze it: connections stay open and nothing answers."""
        os.kill(self.pid, signal.SIGSTOP)

    def resume(self) -> None:
        """Let it go on."""
        os.kill(self.pid, signal.SIGCONT)

    def start(self) -> None:
        """Start it, at the port that it had before if it had one."""
        self._process = subprocess.Popen(
            self.command(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        assert self._process.stdout is not None
        said = self._process.stdout.readline().split()
        assert said[:1] == [b"ready"], said
        self.port = int(said[1])

    def stop(self, number: int = signal.SIGTERM) -> None:
        """Take it away."""
        if self._process is not None:
            self._process.send_signal(number)
            self._process.communicate(timeout=120)
            self._process = None


@contextmanager
def pipeline(folder: Path, broker: Broker, server: StoreProcess, url: str) -> Iterator[Pipeline]:
    """A pipeline with an empty store; ``url`` names the broker for commands."""
    server.start()
    store = connect(server.url, patience=Patience(total=30.0))
    migrate(store, SchemaSettings())
    environment = {
        **os.environ,
        "TABLEWATCH_CLICKHOUSE_URL": server.url,
        "TABLEWATCH_BROKER": url,
        "TABLEWATCH_DATA": str(folder / "data"),
    }
    running = Pipeline(folder, broker, store, environment)
    try:
        yield running
    finally:
        running.end()
        store.close()
        server.stop()


OPEN_END = "the end of the round"


def offline(lines: Sequence[bytes]) -> tuple[dict[tuple[str, str, int], Verdict], dict[str, Finding]]:
    """What ``tablewatch audit`` makes of these lines: verdicts of rounds that came to their end, and all findings."""
    settings = JudgeSettings()
    intake = Intake()
    decoded = decode_lines(lines)
    intake.take(decoded, lambda index: lines[decoded.places[index]])
    verdicts: dict[tuple[str, str, int], Verdict] = {}
    found = intake.rejections()
    for table, (events, places) in intake.tables().items():
        facts = assemble(table, events, places)
        found.extend(findings_beside_rounds(facts, settings))
        for verdict in judge_table(facts, settings):
            if not any(each.code == "round-incomplete" and OPEN_END in each.expected for each in verdict.findings):
                verdicts[verdict.table, verdict.shoe, verdict.round] = verdict
                found.extend(verdict.findings)
    return verdicts, {finding.id: finding for finding in without_repeats(found)}
