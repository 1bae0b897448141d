"""What a worker holds: many live tables in one process, and hours of floor time without growth.

    python -m bench.floor_memory --worker --tables 2000 --rounds 6
    python -m bench.floor_memory --worker --tables 4 --rounds 1440
    python -m bench.floor_memory --tables 2000 --rounds 6

With `--worker` a whole worker, a process of its own, reads the floor from the embedded log and stores it; its resident
memory is sampled until it has acknowledged the last record. A table plays about a round a minute: 1,440 are a day. All
events are there before it starts, so that it never waits and floor time is all the time there is. Exits with 1 where
the peak is over the bar, or the last quarter of the way holds a tenth more than the second.

Otherwise it feeds the judges of one worker in this process, as its agent does, with records of 100 events; every batch
counts as stored at once.
"""

import argparse
import gc
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from statistics import median

from audit.settings import JudgeSettings
from simulator.floor import simulate
from streams.agent import COLLECT
from streams.broker_url import EmbeddedLog
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


def main() -> None:
    """Play and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, default=2_000)
    parser.add_argument("--rounds", type=int, default=6, help="of each table")
    parser.add_argument("--every", type=int, default=20, help="print after so many batches")
    parser.add_argument("--worker", action="store_true", help="a whole worker, as a process")
    chosen = parser.parse_args()
    if chosen.worker:
        sys.exit(whole_worker(chosen.tables, chosen.rounds))
    judges = [PartitionJudge(number, JudgeSettings(), (), {}) for number in range(PARTITIONS)]
    gc.freeze()
    gc.set_threshold(*COLLECT)
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


def whole_worker(tables: int, rounds: int) -> bool:
    """Let a worker read a floor, and print what it held on the way; whether that is too much."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        broker = EmbeddedLog(folder / "log")
        create(broker, Layout(partitions=PARTITIONS))
        with pipeline(folder, broker, StoreProcess(folder / "clickhouse"), str(broker)) as running:
            sent = publish(simulate(tables, rounds, 1), broker, max_events=RECORD_EVENTS)
            print(f"{sent.events} events of {tables} tables in {sent.records} records", flush=True)
            worker = running.start_worker()
            samples: list[tuple[float, int]] = []
            while left := lag_of(broker):
                assert worker.poll() is None, "the worker ended"
                samples.append((1 - left / sent.records, resident(worker.pid)))
                time.sleep(SAMPLE_SECONDS)
            stop(worker)
    quarters = [
        round(median([held for share, held in samples if place <= 4 * share < place + 1] or [0])) for place in range(4)
    ]
    peak = max(held for _, held in samples)
    figures = {
        "tables": tables,
        "rounds": rounds,
        "events": sent.events,
        "peak_mb": peak,
        "bar_mb": BAR_MB,
        "median_mb_by_quarter": quarters,
    }
    print(json.dumps(figures))
    return peak > BAR_MB or quarters[3] > 1.1 * quarters[1]


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
