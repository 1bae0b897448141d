"""What agents may rely on, on the embedded log and on a real Kafka broker alike: at least once, in order, by number."""

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol
from uuid import uuid4

import pytest
from kafka import KafkaAdminClient, KafkaProducer, TopicPartition
from kafka.errors import CoordinatorNotAvailableError

from streams.embedded.log import Log, NewRecord, Topic
from tests.streams.notebook import TOPICS

PARTITIONS = 3

pytestmark = pytest.mark.xdist_group("kafka")


class Ground(Protocol):
    """A broker to play on."""

    url: str

    def send(self, values: list[tuple[str, int, bytes]]) -> None:
        """Append values by topic and partition; they are acknowledged when this returns."""

    def committed(self, group: str) -> dict[tuple[str, int], int]:
        """The next offset to read by topic and partition."""


class EmbeddedGround:
    def __init__(self, folder: Path) -> None:
        self.url = f"tablelog://{folder}"
        self._log = Log(folder)
        for topic in TOPICS:
            self._log.create_topic(Topic(topic, PARTITIONS))

    def send(self, values: list[tuple[str, int, bytes]]) -> None:
        self._log.append([NewRecord(topic, partition, value) for topic, partition, value in values])

    def committed(self, group: str) -> dict[tuple[str, int], int]:
        return {(place.topic, place.partition): offset for place, offset in self._log.committed(group).items()}


class KafkaGround:
    def __init__(self, server: str) -> None:
        self.url = f"kafka://{server}"
        self._admin = KafkaAdminClient(bootstrap_servers=server)
        if set(TOPICS) & set(self._admin.list_topics()):
            self._admin.delete_topics(list(TOPICS))
            while set(TOPICS) & set(self._admin.list_topics()):
                time.sleep(0.05)
        self._admin.create_topics(
            {topic: {"num_partitions": PARTITIONS, "replication_factor": 1} for topic in TOPICS},
            wait_for_metadata=True,
        )
        self._producer = KafkaProducer(bootstrap_servers=server)

    def send(self, values: list[tuple[str, int, bytes]]) -> None:
        sent = [self._producer.send(topic, value=value, partition=partition) for topic, partition, value in values]
        self._producer.flush(30)
        for one in sent:
            one.get(1)

    def committed(self, group: str) -> dict[tuple[str, int], int]:
        try:
            offsets = self._admin.list_group_offsets({group: None})[group]
        except CoordinatorNotAvailableError:
            # A new broker makes its topic of offsets when the first group comes.
            return {}
        return {
            (tp.topic, tp.partition): int(entry.offset)
            for tp, entry in offsets.items()
            if isinstance(tp, TopicPartition)
        }

    def close(self) -> None:
        self._producer.close()
        self._admin.close()


@pytest.fixture(params=["embedded", pytest.param("kafka", marks=pytest.mark.java)])
def ground(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Ground]:
    if request.param == "embedded":
        yield EmbeddedGround(tmp_path / "log")
    else:
        kafka = KafkaGround(request.getfixturevalue("kafka_broker").server)
        yield kafka
        kafka.close()


@dataclass
class Workers:
    """The worker processes of one test, and what they have written down."""

    url: str
    folder: Path
    group: str = field(default_factory=lambda: f"notebook-{uuid4().hex[:8]}")
    running: list[subprocess.Popen[bytes]] = field(default_factory=list)
    files: list[Path] = field(default_factory=list)

    def start(self, seconds_per_batch: float = 0.0) -> subprocess.Popen[bytes]:
        file = self.folder / f"notes-{len(self.files)}"
        file.touch()
        with (self.folder / "workers.err").open("ab") as err:
            worker = subprocess.Popen(
                [
                    *(sys.executable, "-m", "tests.streams.notebook"),
                    *(self.url, self.group, str(file), str(seconds_per_batch)),
                ],
                stdout=err,
                stderr=err,
                env={**os.environ, "PYTHONWARNINGS": "ignore"},
            )
        self.running.append(worker)
        self.files.append(file)
        return worker

    def read(self, worker: int | None = None) -> list[tuple[str, int, int, str]]:
        """Topic, partition, offset and value of what was read, by one worker or by all."""
        files = self.files if worker is None else [self.files[worker]]
        lines = [line.split() for file in files for line in file.read_text().splitlines() if line.startswith("read ")]
        return [(topic, int(partition), int(offset), value) for _, topic, partition, offset, value in lines]

    def assigned(self, worker: int) -> set[tuple[str, int]] | None:
        """The worker's last assignment; null before its first."""
        lines = [line for line in self.files[worker].read_text().splitlines() if line.startswith("assigned")]
        if not lines:
            return None
        return {(name.split(":")[0], int(name.split(":")[1])) for name in lines[-1].split()[1:]}

    def until(self, what: Callable[[], bool], seconds: float = 240.0) -> None:
        deadline = time.monotonic() + seconds
        while not what():
            assert time.monotonic() < deadline, (
                f"waited {seconds} s:\n{(self.folder / 'workers.err').read_text()[-4000:]}"
            )
            time.sleep(0.05)

    def end(self) -> None:
        for worker in self.running:
            if worker.poll() is None:
                worker.kill()
                worker.wait(120)


@pytest.fixture
def workers(ground: Ground, tmp_path: Path) -> Iterator[Workers]:
    crew = Workers(ground.url, tmp_path)
    yield crew
    crew.end()


def batch(first: int, count: int) -> list[tuple[str, int, bytes]]:
    """Values to send, over all topics and partitions; each value is one of a kind."""
    return [
        (topic, number % PARTITIONS, f"{topic}-{number}".encode())
        for number in range(first, first + count)
        for topic in TOPICS
    ]


def values(sent: list[tuple[str, int, bytes]]) -> set[str]:
    return {value.decode() for _, _, value in sent}


def seen(workers: Workers) -> set[str]:
    return {value for _, _, _, value in workers.read()}


def assert_in_order(notes: list[tuple[str, int, int, str]]) -> None:
    last: dict[tuple[str, int], int] = {}
    for topic, partition, offset, _ in notes:
        assert offset == last.get((topic, partition), offset - 1) + 1
        last[topic, partition] = offset


def test_a_clean_stop_commits_what_is_in_hand_and_the_next_worker_reads_on(ground: Ground, workers: Workers) -> None:
    sent = batch(0, 120)
    ground.send(sent)
    # A batch takes a while, so that the stop finds one in hand.
    first = workers.start(seconds_per_batch=0.4)
    workers.until(lambda: len(workers.read()) >= 30)
    first.send_signal(signal.SIGTERM)
    assert first.wait(120) == 0
    done = Counter((topic, partition) for topic, partition, _, _ in workers.read(0))
    assert {place: offset for place, offset in ground.committed(workers.group).items() if offset} == dict(done)

    more = batch(120, 30)
    ground.send(more)
    workers.start()
    workers.until(lambda: seen(workers) == values(sent + more))
    assert max(Counter(value for _, _, _, value in workers.read()).values()) == 1
    assert_in_order(workers.read(0))
    assert_in_order(workers.read(1))


def test_kill_9_loses_nothing_and_repeats_only_what_was_not_committed(ground: Ground, workers: Workers) -> None:
    sent = batch(0, 300)
    ground.send(sent)
    first = workers.start(seconds_per_batch=0.1)
    workers.until(lambda: bool(ground.committed(workers.group)) and len(workers.read()) > 200)
    first.kill()
    first.wait(120)
    committed = ground.committed(workers.group)
    before = workers.read(0)

    ground.send(batch(300, 30))
    workers.start()
    workers.until(lambda: seen(workers) == values(sent + batch(300, 30)))
    assert_in_order(before)
    assert_in_order(workers.read(1))
    twice = {note for note in workers.read(1) if note in set(before)}
    assert all(offset >= committed.get((topic, partition), 0) for topic, partition, offset, _ in twice)
    assert max(Counter(value for _, _, _, value in workers.read(1)).values()) == 1


def test_two_workers_share_by_partition_number_and_one_takes_over_when_the_other_is_killed(
    ground: Ground, workers: Workers
) -> None:
    everything = {(topic, partition) for topic in TOPICS for partition in range(PARTITIONS)}
    sent = batch(0, 60)
    ground.send(sent)
    first = workers.start(seconds_per_batch=0.05)
    workers.until(lambda: workers.assigned(0) == everything)
    workers.start(seconds_per_batch=0.05)

    def shares() -> list[set[tuple[str, int]]]:
        # The one that was there tells of its smaller share a moment after the one that joins: until then they overlap.
        return [workers.assigned(which) or set() for which in (0, 1)]

    workers.until(lambda: all(shares()) and sum(map(len, shares())) == len(everything) == len(set().union(*shares())))
    one, other = shares()
    for share in (one, other):
        numbers = {partition for _, partition in share}
        assert share == {(topic, partition) for topic in TOPICS for partition in numbers}

    for start in range(60, 180, 30):
        ground.send(batch(start, 30))
        sent += batch(start, 30)
    workers.until(lambda: len(workers.read(0)) > 60 and len(workers.read(1)) > 10)
    first.kill()
    first.wait(120)
    ground.send(batch(180, 30))
    sent += batch(180, 30)
    workers.until(lambda: seen(workers) == values(sent) and workers.assigned(1) == everything)


def test_a_worker_that_joins_takes_its_share_without_loss(ground: Ground, workers: Workers) -> None:
    sent = batch(0, 240)
    ground.send(sent)
    workers.start(seconds_per_batch=0.1)
    workers.until(lambda: len(workers.read()) > 50)
    second = workers.start(seconds_per_batch=0.1)
    workers.until(lambda: bool(workers.assigned(1)))
    workers.until(lambda: seen(workers) == values(sent))
    second.send_signal(signal.SIGTERM)
    assert second.wait(120) == 0
    more = batch(240, 30)
    ground.send(more)
    workers.until(lambda: seen(workers) == values(sent + more))
    if isinstance(ground, EmbeddedGround):
        # It commits before it lets go. On Kafka, Faust forgets what was acknowledged since the last commit.
        assert max(Counter(value for _, _, _, value in workers.read()).values()) == 1
