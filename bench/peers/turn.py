"""One turn of one peer: topics, a store and a process of its own; how fast, in how much memory, how late."""

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from threading import Event, Thread
from typing import Final
from uuid import uuid4

from bench.page.processes import cpu_seconds, peak_megabytes
from bench.peers.work import ENOUGH_EVENTS, GROUP_SETTING
from store.connect import Store
from store.read.progress import stored_events_count
from streams.outlets import open_outlet
from streams.packing import Packer
from streams.publish import publish
from streams.routing import Router
from tests.services.kafka import KafkaBroker
from tests.services.topics import fresh_topics
from tests.streams.pipeline import Pipeline, StoreProcess, pipeline

OURS: Final = "our Faust worker"
MODULES: Final = {
    "confluent-kafka": ("confluent_kafka", "confluent_loop"),
    "aiokafka": ("aiokafka", "aiokafka_loop"),
    "quixstreams": ("quixstreams", "quix_app"),
    "bytewax": ("bytewax", "bytewax_flow"),
}
"""By name: what must be installed, and the module of this folder that works with it."""
INSTALL: Final = "make bench-peers"
LIMIT_SECONDS: Final = 300.0
WATCH_SECONDS: Final = 0.2
"""So often the store is asked how far it is; twice as often took it a fifth more of the processor."""
GLANCE_SECONDS: Final = 0.05
"""So often at the steady rate, which leaves it time."""
SETTLE_SECONDS: Final = 2.0
"""After the flood of the first part, before the steady rate."""
STEP_SECONDS: Final = 0.1
"""So often a gateway sends what it has gathered."""


class PeerFailed(Exception):
    """A peer ended, or did not come to the end: its turn does not count."""


@dataclass(frozen=True, slots=True)
class Setting:
    """What a turn is given to do."""

    lines: Sequence[bytes]
    """The events, in order; what comes first is waiting on the broker when the peer starts."""
    paced: int
    """So many of the last events are sent afterwards, at a steady rate."""
    rate: int
    """Events a second of those."""
    per_record: int
    """Events packed into a record."""
    partitions: int = 12
    workers: int = 1


@dataclass(frozen=True, slots=True)
class Turn:
    """What a turn came to."""

    events_per_s: float
    """From the first that were stored to the last."""
    cpu_us: float
    """Processor time of an event in the peer's own processes, start included."""
    store_us: float
    """Processor time of an event in the store's process."""
    memory_mb: float
    verdicts: int
    """Rounds that were judged and stored; of all peers the same."""
    p50_ms: float | None
    """From a record's time stamp on the broker to its rows in the store."""
    p99_ms: float | None


def installed(peer: str) -> bool:
    """Whether a peer can be run here."""
    return peer == OURS or find_spec(MODULES[peer][0]) is not None


@contextmanager
def broker_at_work(warming: Setting) -> Iterator[KafkaBroker]:
    """A broker with memory as Kafka's own script gives it, which has been through a turn of our worker, and is compiled
    without the last optimisations: for minutes Java took more of two processors for those than for all that the broker
    did (23 µs of an event in one turn, 1 in the next), and the more the more a client asked for."""
    java = ("-Xms1g", "-XX:TieredStopAtLevel=1")
    with tempfile.TemporaryDirectory() as folder, KafkaBroker(Path(folder), heap="1g", java=java) as broker:
        run(OURS, warming, broker)
        yield broker


def run(peer: str, setting: Setting, real: KafkaBroker) -> Turn:
    """Make the topics anew, start everything else, measure, and take it all away."""
    waiting = setting.lines[: len(setting.lines) - setting.paced]
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        broker = fresh_topics(real, setting.partitions)
        server = StoreProcess(folder / "clickhouse")
        running = stack.enter_context(pipeline(folder, broker, server, real.url))
        events = publish(waiting, broker, max_events=setting.per_record).events
        before = cpu_seconds(server.pid)
        workers = stack.enter_context(_started(peer, running, setting))
        rate = _filled(running, workers, events)
        spent = sum(cpu_seconds(worker.pid) for worker in workers), cpu_seconds(server.pid) - before
        late = _paced(running, workers, setting, events) if setting.paced else []
        return Turn(
            events_per_s=rate,
            cpu_us=spent[0] / events * 1e6,
            store_us=spent[1] / events * 1e6,
            memory_mb=sum(peak_megabytes(worker.pid) for worker in workers),
            verdicts=int(running.store.query("SELECT uniq(table, shoe, round) FROM verdicts")[0][0]),
            p50_ms=late[len(late) // 2] if late else None,
            p99_ms=late[int(len(late) * 0.99)] if late else None,
        )


@contextmanager
def _started(peer: str, running: Pipeline, setting: Setting) -> "Iterator[list[subprocess.Popen[bytes]]]":
    if peer == OURS:
        # The pipeline ends them itself.
        yield [running.start_worker_command() for _ in range(setting.workers)]
        return
    records = str(max(1, ENOUGH_EVENTS // setting.per_record))
    # Those of the turn before were killed, and their group waits for them.
    environment = {**running.environment, GROUP_SETTING: f"peer-{uuid4().hex}"}
    with (running.folder / "worker.log").open("ab") as log:
        command = [sys.executable, "-m", f"bench.peers.{MODULES[peer][1]}", records]
        workers = [subprocess.Popen(command, env=environment, stdout=log, stderr=log) for _ in range(setting.workers)]
    try:
        yield workers
    finally:
        for worker in workers:
            worker.kill()
            worker.wait()


def _filled(running: Pipeline, workers: "list[subprocess.Popen[bytes]]", events: int) -> float:
    """Watch the store fill up; events a second from the first that were seen there to the last, or, where so few came
    that they were stored at once, from the start of the process."""
    first, began, last, ended = 0, 0.0, 0, 0.0
    started = time.monotonic()
    for now in _watching(running, workers):
        stored = stored_events_count(running.store)
        if stored and not first:
            first, began = stored, now
        if stored > last:
            last, ended = stored, now
        if stored >= events:
            break
    return (last - first) / (ended - began) if last > first else last / (ended - started)


def _watching(running: Pipeline, workers: "list[subprocess.Popen[bytes]]") -> Iterator[float]:
    """The time, again and again, for as long as the peer lives and there is time."""
    deadline = time.monotonic() + LIMIT_SECONDS
    while True:
        time.sleep(WATCH_SECONDS)
        now = time.monotonic()
        if now > deadline or any(worker.poll() is not None for worker in workers):
            raise PeerFailed((running.folder / "worker.log").read_text("utf-8", "replace")[-2000:])
        yield now


def _paced(running: Pipeline, workers: "list[subprocess.Popen[bytes]]", setting: Setting, stored: int) -> list[float]:
    """Send the last events at a steady rate; milliseconds from each record to its rows, in order of size."""
    time.sleep(SETTLE_SECONDS)
    began = time.time_ns() // 1_000_000
    glances: list[tuple[float, dict[tuple[str, int], int]]] = []
    over = Event()
    watcher = Thread(target=_glance, args=(running.store.patient(running.store.patience), over, glances))
    watcher.start()
    try:
        sent = _send(running, setting)
        for _ in _watching(running, workers):
            if stored_events_count(running.store) >= stored + sent:
                break
        time.sleep(WATCH_SECONDS)
    finally:
        over.set()
        watcher.join()
    rows = running.store.query(
        "SELECT topic, partition, offset, toUnixTimestamp64Milli(arrival) FROM records FINAL"
        " WHERE arrival >= fromUnixTimestamp64Milli(%(began)s)",
        {"began": began},
    )
    late = []
    for topic, partition, offset, arrival in rows:
        seen = next((at for at, ends in glances if ends.get((topic, partition), -1) >= offset), None)
        if seen is not None:
            late.append(seen - arrival)
    return sorted(late)


def _glance(store: Store, over: Event, glances: list[tuple[float, dict[tuple[str, int], int]]]) -> None:
    """Note again and again how far the store is."""
    while not over.wait(GLANCE_SECONDS):
        rows = store.query("SELECT topic, partition, max(offset) FROM records GROUP BY topic, partition")
        glances.append((time.time_ns() / 1e6, {(topic, partition): last for topic, partition, last in rows}))
    store.close()


def _send(running: Pipeline, setting: Setting) -> int:
    """Send at the rate; how many events it was."""
    lines = setting.lines[len(setting.lines) - setting.paced :]
    step = max(1, int(setting.rate * STEP_SECONDS))
    sent, began = 0, time.monotonic()
    with open_outlet(running.broker) as outlet:
        router = Router(outlet.partitions)
        for place in range(0, len(lines), step):
            packer = Packer(setting.per_record)
            records = [
                record
                for line in lines[place : place + step]
                for parcel in router.route(line)
                for record in packer.add(parcel)
            ]
            for record in [*records, *packer.drain()]:
                outlet.send(record)
                sent += record.events
            outlet.hand_over()
            time.sleep(max(0.0, began + (place + step) / setting.rate - time.monotonic()))
        outlet.finish()
    return sent
