"""Events a second through one worker, from the broker to the store, beside a bare loop over the same parts.

    python -m bench.pipeline --broker kafka --tables 200 --rounds 70

Publishes a floor in records of 100 events, then starts one worker, and takes the time from its first stored record to
its last. On Kafka a loop of confluent-kafka's consumer then reads the same topics and calls the same decoding, judging
and inserting, one after the other, into a database of its own; the ratio of the two is the price of the pipeline.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from schemas.decoding import decode_lines
from simulator.floor import simulate
from store.connect import Store
from store.read.progress import stored_events_count
from streams.broker_url import parse_broker
from streams.lag import lag_of
from streams.publish import publish
from streams.topics import Layout, create
from tests.services.kafka import KafkaBroker
from tests.streams.pipeline import Pipeline, StoreProcess, pipeline, stop

RECORD_EVENTS = 100
PARTITIONS = 12
POLL_SECONDS = 0.25


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast events were stored."""

    events: int
    seconds: float
    """From the first that was seen stored to the last."""
    cpu_seconds: float
    """Of the process, in that time."""

    @property
    def rate(self) -> float:
        """Events a second."""
        return self.events / self.seconds

    @property
    def cost(self) -> float:
        """Microseconds of CPU an event: a measure that other work on the machine changes little."""
        return 1e6 * self.cpu_seconds / self.events


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--broker", choices=["embedded", "kafka"], default="kafka")
    parser.add_argument("--tables", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=70)
    parser.add_argument("--faults", type=float, default=0.01)
    parser.add_argument("--without-bare", action="store_true", help="leave the bare loop out")
    chosen = parser.parse_args()
    lines = list(simulate(chosen.tables, chosen.rounds, 1, faults=chosen.faults))
    events = sum(len(decode_lines(lines[first : first + 10_000]).events) for first in range(0, len(lines), 10_000))
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        url = f"tablelog://{folder}/log"
        if chosen.broker == "kafka":
            url = stack.enter_context(KafkaBroker(folder / "kafka", heap="1g", java=())).url
        broker = parse_broker(url)
        create(broker, Layout(partitions=PARTITIONS))
        server = StoreProcess(folder / "clickhouse")
        running = stack.enter_context(pipeline(folder, broker, server, url))
        publish(lines, broker, max_events=RECORD_EVENTS)
        del lines
        worker = running.start_worker_command()
        before = cpu_seconds(server.pid)
        pace = measure(running.store, events, worker.pid)
        while lag_of(running.broker):
            time.sleep(0.5)
        memory = peak_megabytes(worker.pid)
        served = cpu_seconds(server.pid) - before
        stop(worker)
        print(
            f"{chosen.broker}: {events} events, {pace.rate:,.0f} events/s through one worker"
            f" ({pace.events} in {pace.seconds:.1f} s); CPU per event: worker {pace.cost:.1f} µs,"
            f" store {served / events * 1e6:.1f} µs; {memory} MB; load {os.getloadavg()[0]:.1f}"
        )
        if chosen.broker == "kafka" and not chosen.without_bare:
            bare = measure_bare(running, server, events)
            print(
                f"bare loop: {bare.rate:,.0f} events/s, {bare.cost:.1f} µs of CPU an event; the worker does"
                f" {pace.rate / bare.rate:.2f} of it by the clock, {bare.cost / pace.cost:.2f} in CPU time"
            )


def measure(store: Store, events: int, pid: int) -> Pace:
    """Watch the store fill up, and what a process uses for it."""
    first, began, used = 0, 0.0, 0.0
    while True:
        stored, now = stored_events_count(store), time.monotonic()
        if stored and not first:
            first, began, used = stored, now, cpu_seconds(pid)
        if stored >= events:
            return Pace(stored - first, now - began, cpu_seconds(pid) - used)
        time.sleep(POLL_SECONDS)


def measure_bare(running: Pipeline, server: StoreProcess, events: int) -> Pace:
    """The bare loop in a process of its own."""
    environment = {**running.environment, "TABLEWATCH_CLICKHOUSE_URL": f"{server.url}_bare"}
    loop = subprocess.Popen([sys.executable, "-m", "bench.bare_loop", str(events)], env=environment)
    try:
        bare = running.store.in_database(f"{running.store.address.database}_bare")
        while not exists(bare):
            time.sleep(POLL_SECONDS)
        return measure(bare, events, loop.pid)
    finally:
        loop.wait(60)


def exists(store: Store) -> bool:
    """Whether the tables of a database have been made."""
    found = store.in_database("default").query(
        "SELECT count() FROM system.tables WHERE database = %(name)s AND name = 'records'",
        {"name": store.address.database},
    )
    return bool(found[0][0])


def cpu_seconds(pid: int) -> float:
    """What a process has used so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def peak_megabytes(pid: int) -> int:
    """The most that a process has held."""
    status = Path(f"/proc/{pid}/status").read_text()
    peak = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    return int(peak.split()[1]) >> 10


if __name__ == "__main__":
    main()
