"""What a worker holds: many live tables in one process, and a day of floor time without growth.

    python -m bench.floor_memory --worker --tables 2000 --rounds 6 --pace 3.5
    python -m bench.floor_memory --worker --tables 40 --hours 24
    python -m bench.floor_memory --tables 2000 --rounds 6

With `--worker` a whole worker, a process of its own, reads the floor from the embedded log and stores it; its resident
memory is sampled until it has acknowledged the last record. The floor is sent as fast as it is read, six minutes of its
time ahead, so that the worker never waits and floor time is all the time there is. With `--pace` it is sent as a floor
that plays so many times as fast sends it: up to four times, its tables are live; beyond, minutes are sent at once, and
are held until the other topics are past the arrival (streams/table_clock.py). With `--hours` every table plays
until the floor's clock says so, and something is wrong in one round of a hundred; what is held is then looked at by
hour and by quarter of the way, the first of which is left out, as caches fill in it. With `--behind` all of it is there
before the worker starts. Exits with 1 where a bar is missed.

Otherwise it feeds the judges of one worker in this process, as its agent does, with records of 100 events; every batch
counts as stored at once.
"""

import argparse
import math
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from statistics import linear_regression, median
from subprocess import Popen

from audit.settings import JudgeSettings
from bench.page.figures import Figure, tell
from bench.page.processes import cpu_seconds, peak_megabytes
from simulator.floor import deliveries, simulate
from streams.broker_url import Broker, EmbeddedLog
from streams.collecting import collect_seldom
from streams.intake import read_record
from streams.lag import lag_of
from streams.packing import PackedRecord, Packer
from streams.partition import PartitionJudge
from streams.publish import publish
from streams.routing import Router
from streams.topics import Layout, create
from tests.streams.pipeline import StoreProcess, pipeline, stop

PARTITIONS = 12
RECORD_EVENTS = 100
BATCH_RECORDS = 200
SAMPLE_SECONDS = 0.5
BAR_MB = 600
HOUR_MS = 3_600_000
SLICE_HOURS = 0.1
"""So much of the floor's time may be in hand: with more of it, what is held says more of how far the store was behind
at its worst than of what stays."""
SLICE_SECONDS = 0.5
"""So often it is sent where it has a pace."""
MOST_ROUNDS_AN_HOUR = 180
"""More than a table plays: the fastest takes half a minute for one."""
FAULTS = 0.01
MOST_SLOPE = 1.0
MOST_GROWTH = 1.1

Sample = tuple[float, int]
"""The hour of floor time up to which all is acknowledged, and the megabytes held."""


def main() -> None:
    """Play and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, default=2_000)
    parser.add_argument("--rounds", type=int, default=6, help="of each table")
    parser.add_argument("--hours", type=int, help="of floor time, in place of rounds; with --worker")
    parser.add_argument("--every", type=int, default=20, help="print after so many batches")
    parser.add_argument("--worker", action="store_true", help="a whole worker, as a process")
    parser.add_argument("--pace", type=float, help="so many times as fast as a floor plays; with --worker")
    parser.add_argument("--behind", action="store_true", help="all of it is there before the worker starts")
    chosen = parser.parse_args()
    if chosen.worker:
        pace = math.inf if chosen.pace is None else chosen.pace
        sys.exit(not whole_worker(chosen.tables, chosen.rounds, chosen.hours, pace, behind=chosen.behind))
    judges = [PartitionJudge(number, JudgeSettings(), (), {}) for number in range(PARTITIONS)]
    collect_seldom()
    before, began = resident(), time.process_time()
    records = packed(simulate(chosen.tables, chosen.rounds, 1))
    offsets: dict[tuple[str, int], int] = {}
    events = batch = verdicts = 0
    while taken := list(islice(records, BATCH_RECORDS)):
        batch += 1
        for each in taken:
            place = each.topic, each.partition
            offsets[place] = offset = offsets.get(place, -1) + 1
            now = time.time_ns() // 1_000_000
            record = read_record(each.topic, each.partition, offset, now, each.value, PARTITIONS)
            judges[each.partition].take(record, batch, 0.0)
            events += each.events
        for judge in judges:
            news = judge.look(0)
            verdicts += len(news.verdicts)
            judge.stored(batch, news)
        if batch % chosen.every == 0:
            show(judges, events, verdicts, before)
    show(judges, events, verdicts, before)
    print(f"{time.process_time() - began:.0f} s of CPU, the simulator's included; load {os.getloadavg()[0]:.1f}")


@dataclass(slots=True)
class Floor:
    """A floor as it is played: how long by its own clock, and how much of it was sent."""

    tables: int
    rounds: int
    hours: int | None
    slice_hours: float
    """So much of its time is sent at once."""
    played: float = 0.0
    """Hours from the first event to the last that was sent."""
    events: int = 0
    records: int = 0

    def slices(self) -> Iterator[list[bytes]]:
        """Every table's lines, until its rounds or the hours are over."""
        rounds, faults = (self.rounds, 0.0) if self.hours is None else (self.hours * MOST_ROUNDS_AN_HOUR, FAULTS)
        lines: list[bytes] = []
        first, until = 0, self.slice_hours
        for now, line in deliveries(self.tables, rounds, 1, faults):
            first = first or now
            hour = (now - first) / HOUR_MS
            if self.hours is not None and hour > self.hours:
                break
            if hour > until:
                yield lines
                lines, until = [], until + self.slice_hours
            lines.append(line)
            self.played = hour
        yield lines

    def send(self, lines: list[bytes], broker: Broker) -> None:
        """Send some of it."""
        sent = publish(lines, broker, max_events=RECORD_EVENTS)
        self.events += sent.events
        self.records += sent.records


def whole_worker(tables: int, rounds: int, hours: int | None, pace: float, *, behind: bool) -> bool:
    """Let a worker read a floor, and tell what it held on the way; whether that keeps the bars."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        broker = EmbeddedLog(folder / "log")
        create(broker, Layout(partitions=PARTITIONS))
        with pipeline(folder, broker, StoreProcess(folder / "clickhouse"), str(broker)) as running:
            floor = Floor(tables, rounds, hours, min(SLICE_HOURS, pace * SLICE_SECONDS / 3_600))
            slices = floor.slices()
            for lines in islice(slices, None if behind else 1):
                floor.send(lines, broker)
            began = time.monotonic()
            worker = running.start_worker_command()
            samples: list[Sample] = []
            for lines in slices:
                time.sleep(max(0.0, began + floor.played * 3_600 / pace - time.monotonic()))
                floor.send(lines, broker)
                samples += watched(worker, broker, floor, SLICE_HOURS)
            samples += watched(worker, broker, floor, 0.0)
            took, used, peak = time.monotonic() - began, cpu_seconds(worker.pid), peak_megabytes(worker.pid)
            stop(worker)
    tell("events of a floor", floor.events, at=tables)
    tell("floor time", floor.played, "hours", at=tables)
    print(f"  read in {took:.0f} s, {used:.0f} s of them on the processor; load {os.getloadavg()[0]:.1f}", flush=True)
    told = [tell("most memory of a worker", peak, "MB", at=tables, at_most=BAR_MB)]
    if hours is not None:
        told += growth(samples, floor.played)
    return all(figure.holds is not False for figure in told)


def watched(worker: Popen[bytes], broker: EmbeddedLog, floor: Floor, hours: float) -> Iterator[Sample]:
    """What a worker holds, looked at until it is so many hours of floor time behind."""
    while True:
        left = lag_of(broker)
        behind = floor.played * left / floor.records
        if behind <= hours:
            return
        assert worker.poll() is None, "the worker ended"
        yield floor.played - behind, resident(worker.pid)
        time.sleep(SAMPLE_SECONDS)


def growth(samples: Sequence[Sample], hours: float) -> list[Figure]:
    """What was held by quarter of the way, and how it grew; nothing of a way too short to tell."""
    by_hour, by_quarter = held_by(samples, 1.0), held_by(samples, hours / 4)
    print("  MB by hour of floor time: " + " ".join(f"{held:.0f}" for held in by_hour.values()), flush=True)
    later = [sample for sample in samples if sample[0] >= hours / 2]
    if len(by_quarter) < 4 or len({hour for hour, _ in later}) < 2:
        return []
    for place, name in enumerate(("first", "second", "third", "last")):
        tell("memory of a worker, median of a quarter of the way", by_quarter[place], "MB", of=name)
    slope = linear_regression([hour for hour, _ in later], [held for _, held in later]).slope
    return [
        tell("growth of a worker in the second half", slope, "MB an hour of floor time", at_most=MOST_SLOPE),
        tell(
            "memory of a worker in the last quarter against the second", by_quarter[3] / by_quarter[1],
            at_most=MOST_GROWTH,
        ),
    ]  # fmt: skip


def held_by(samples: Sequence[Sample], hours: float) -> dict[int, float]:
    """The median of what was held in each stretch of so many hours that has been seen."""
    found: dict[int, list[int]] = {}
    for hour, held in samples:
        found.setdefault(int(hour / hours), []).append(held)
    return {place: median(each) for place, each in sorted(found.items())}


def packed(lines: Iterator[bytes]) -> Iterator[PackedRecord]:
    """Events in records, as publishers pack them."""
    router, packer = Router(PARTITIONS), Packer(RECORD_EVENTS)
    for line in lines:
        for parcel in router.route(line):
            yield from packer.add(parcel)
    yield from packer.drain()


def show(judges: list[PartitionJudge], events: int, verdicts: int, before: int) -> None:
    """One line of how things stand."""
    tables = [desk.live for judge in judges for desk in judge.desks.values() if desk.live is not None]
    held = sum(len(table.rounds) for table in tables)
    latest = max(table.latest for table in tables)
    print(
        f"{time.strftime('%d %H:%M', time.gmtime(latest / 1e6))} floor time: {events} events, {verdicts} verdicts,"
        f" {len(tables)} tables, {held} rounds held, {resident()} MB ({resident() - before} MB of it since the start)",
        flush=True,
    )


def resident(process: int | str = "self") -> int:
    """Megabytes that a process has in memory."""
    return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") >> 20


if __name__ == "__main__":
    main()
