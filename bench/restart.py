"""A worker that begins again: how long until the tables that its partitions know are judged on.

    python -m bench.restart --tables 200 --rounds 20
    python -m bench.restart --tables 2000 --rounds 6

Tables play into the embedded log and a worker stores them; it is killed in the middle of their shoes. While none is
there, every table goes on, and at each of them a bet is placed on a position that it does not have. Then a worker is
started, which must read each table from the store before it can judge the bet. Counted are the seconds from its taking
over of all partitions to the first and to the last of these alerts, what it and the store used of the processor
meanwhile, and the most that it held.
"""

import argparse
import os
import tempfile
import time
from pathlib import Path

import orjson

from bench.latency import wrong
from bench.page.figures import tell
from bench.page.processes import cpu_seconds, peak_megabytes
from simulator.floor import simulate
from streams.broker_url import EmbeddedLog
from streams.publish import publish
from streams.topics import Layout, create
from tests.streams.pipeline import Pipeline, StoreProcess, alerts, await_takeover, pipeline, stop, took_over

PARTITIONS = 12
RECORD_EVENTS = 100
SHARE_BEFORE = 0.8
GLANCE_SECONDS = 0.05
PATIENCE_SECONDS = 1_800.0
BAR_MB = 600
_PLACED = b'"bet.placed.v1"'


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=20, help="of each table")
    chosen = parser.parse_args()
    before, after, bets = floor(chosen.tables, chosen.rounds)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        broker = EmbeddedLog(folder / "log")
        create(broker, Layout(partitions=PARTITIONS))
        server = StoreProcess(folder / "clickhouse")
        with pipeline(folder, broker, server, str(broker)) as running:
            publish(before, broker, max_events=RECORD_EVENTS)
            first = running.start_worker_command()
            running.await_done(PATIENCE_SECONDS)
            first.kill()
            first.wait()
            publish(after, broker, max_events=RECORD_EVENTS)
            measure(running, server, bets)


def floor(tables: int, rounds: int) -> tuple[list[bytes], list[bytes], set[str]]:
    """What tables say before a worker is killed, what they say after it, and the wrong bets in that: one each."""
    lines = list(simulate(tables, rounds, 1))
    cut = round(len(lines) * SHARE_BEFORE)
    before, after = lines[:cut], list[bytes]()
    sensors: dict[str, int] = {}
    bets: set[str] = set()
    for number, line in enumerate(lines[cut:]):
        after.append(line)
        if _PLACED in line and orjson.loads(line)["subject"] not in sensors:
            after.append(wrong(line, number, sensors))
            bets.add(orjson.loads(after[-1])["id"])
    return before, after, bets


def measure(running: Pipeline, server: StoreProcess, bets: set[str]) -> None:
    """Start a worker and wait until people are told of every one of these bets."""
    before = took_over(running)
    worker = running.start_worker_command()
    await_takeover(running, before + PARTITIONS - 1)
    began, used = time.monotonic(), {pid: cpu_seconds(pid) for pid in (worker.pid, server.pid)}
    first: float | None = None
    told: set[str | None] = set()
    while bets - told:
        took = time.monotonic() - began
        assert took < PATIENCE_SECONDS, f"{len(bets - told)} alerts did not come"
        told = {finding.bet for finding in alerts(running)} & bets
        first = took if first is None and told else first
        # Of many tables each look takes long itself, on a processor that the worker needs.
        time.sleep(max(GLANCE_SECONDS, 9 * (time.monotonic() - began - took)))
    took = time.monotonic() - began
    spent = [1_000 * (cpu_seconds(pid) - used[pid]) / len(bets) for pid in (worker.pid, server.pid)]
    tell("from taking over to the first alert", first or took, "s", at=len(bets))
    tell("from taking over to an alert of every table", took, "s", at=len(bets))
    tell("time on the processor to read a table again", spent[0], "ms", of="worker", at=len(bets))
    tell("time on the processor to read a table again", spent[1], "ms", of="store", at=len(bets))
    tell("most memory of a worker that begins again", peak_megabytes(worker.pid), "MB", at=len(bets), at_most=BAR_MB)
    print(f"  load {os.getloadavg()[0]:.1f}", flush=True)
    running.await_done(PATIENCE_SECONDS)
    assert stop(worker) == 0


if __name__ == "__main__":
    main()
