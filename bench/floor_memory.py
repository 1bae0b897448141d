"""What a worker holds: many live tables in one process, and hours of floor time without growth.

    python -m bench.floor_memory --tables 2000 --rounds 6
    python -m bench.floor_memory --tables 50 --rounds 600 --every 50

Feeds the judges of one worker in process, as its agent does, with records of 100 events; every batch counts as stored
at once. Prints the resident memory as it goes on, in floor time. The floor plays in slices, each a few rounds of all
tables, so that the events themselves take no room.
"""

import argparse
import gc
import os
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from audit.settings import JudgeSettings
from simulator.floor import simulate
from streams.agent import COLLECT
from streams.intake import read_record
from streams.packing import PackedRecord, Packer
from streams.partition import PartitionJudge
from streams.routing import Router

PARTITIONS = 12
RECORD_EVENTS = 100
BATCH_RECORDS = 200


def main() -> None:
    """Play and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, default=2_000)
    parser.add_argument("--rounds", type=int, default=6, help="of each table")
    parser.add_argument("--every", type=int, default=20, help="print after so many batches")
    chosen = parser.parse_args()
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


def resident() -> int:
    """Megabytes in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") >> 20


if __name__ == "__main__":
    main()
