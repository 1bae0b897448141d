"""How fast the embedded log is: append, read, news between processes, publishing; `--kafka` publishes to a real broker.

python -m bench.log [--seconds 1] [--folder DIR] [--kafka]
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from bench.page.figures import tell
from streams.broker_url import Broker, EmbeddedLog, parse_broker
from streams.embedded.log import Log, NewRecord, Topic
from streams.publish import publish
from streams.topics import Layout, create
from tests.services.kafka import KafkaBroker

EVENT_BYTES = 314
PACKED = 100

CARD = (
    '{{"specversion":"1.0","id":"r{0}","source":"/tables/BT{1}/reader","type":"card.drawn.v1","subject":"BT{1}",'
    '"time":"2026-01-01T00:00:00.123Z","sequence":{0},"data":{{"shoe":"S1","round":{2},"draw":1,"card":"10H"}}}}'
)

Row = dict[str, float | int | str]


def appends(folder: Path, seconds: float, records: int) -> Row:
    """Records of 100 events each, so many a transaction, over three topics of twelve partitions."""
    with Log(folder) as log:
        for topic in ("a", "b", "c"):
            log.create_topic(Topic(topic, 12))
        value = bytes(EVENT_BYTES * PACKED)
        batch = [NewRecord("abc"[n % 3], n % 12, value) for n in range(records)]
        times: list[float] = []
        start = time.perf_counter()
        while time.perf_counter() - start < seconds:
            before = time.perf_counter()
            log.append(batch)
            times.append(time.perf_counter() - before)
        elapsed = time.perf_counter() - start
    rate = len(times) * records / elapsed
    return {
        "what": f"append {records} a transaction",
        "records/s": round(rate),
        "events/s": round(rate * PACKED),
        "MB/s": round(rate * len(value) / 1e6),
        "p50 ms": round(statistics.median(times) * 1e3, 2),
        "p99 ms": round(_p99(times) * 1e3, 2),
    }


def reads(folder: Path) -> Row:
    """All of it again, partition by partition."""
    count = size = 0
    with Log(folder) as log:
        start = time.perf_counter()
        for place, span in log.spans().items():
            offset = span.first
            while found := log.read(*place, offset, max_records=500, max_bytes=4 << 20):
                offset = found[-1].offset + 1
                count += len(found)
                size += sum(len(record.value or b"") for record in found)
        elapsed = time.perf_counter() - start
    return {
        "what": "read",
        "records/s": round(count / elapsed),
        "events/s": round(count / elapsed * PACKED),
        "MB/s": round(size / elapsed / 1e6),
    }


LISTENER = """
import sys, time
from streams.embedded.log import Log
with Log(sys.argv[1]) as log:
    offset = log.spans()[("news", 0)].next
    log.changed()
    cpu = time.process_time()
    log.wait(1.0)
    print(time.process_time() - cpu, flush=True)
    for _ in range(int(sys.argv[2])):
        while not (found := log.read("news", 0, offset)):
            log.wait(1.0)
        now = time.monotonic_ns()
        offset = found[-1].offset + 1
        print(now - int(found[-1].value), flush=True)
"""


def news(folder: Path, times: int = 200) -> Row:
    """From the start of an append in one process to the record in the hands of another."""
    with Log(folder) as log:
        log.create_topic(Topic("news", 1))
        listener = subprocess.Popen(
            [sys.executable, "-c", LISTENER, str(folder), str(times)], stdout=subprocess.PIPE, text=True
        )
        assert listener.stdout is not None
        idle = float(listener.stdout.readline())
        late: list[float] = []
        for _ in range(times):
            log.append([NewRecord("news", 0, str(time.monotonic_ns()).encode())])
            late.append(int(listener.stdout.readline()) / 1e6)
        listener.wait(10)
    return {
        "what": "news to another process",
        "p50 ms": round(statistics.median(late), 2),
        "p99 ms": round(_p99(late), 2),
        "idle CPU %": round(idle * 100, 1),
    }


def publishing(broker: Broker, name: str, count: int) -> Row:
    """Events of 250 tables from memory to their topics, packed, until all are acknowledged."""
    create(broker, Layout(partitions=12))

    def lines() -> Iterator[bytes]:
        for number in range(count):
            yield CARD.format(number // 250, number % 250, 1 + number // 1500).encode()

    start = time.perf_counter()
    list(lines())
    made = time.perf_counter() - start
    start = time.perf_counter()
    counts = publish(lines(), broker)
    elapsed = time.perf_counter() - start - made
    return {
        "what": f"publish to {name}",
        "events/s": round(counts.events / elapsed),
        "records/s": round(counts.records / elapsed),
        "MB/s": round(counts.bytes / elapsed / 1e6),
    }


def measure(folder: Path, seconds: float, kafka: bool) -> Iterator[Row]:
    for records in (1, 10, 50):
        yield appends(folder / "append", seconds, records)
    yield reads(folder / "append")
    yield news(folder / "news")
    yield publishing(EmbeddedLog(folder / "publish"), "the embedded log", 300_000)
    if kafka:
        with KafkaBroker(folder / "kafka", java=()) as broker:
            yield publishing(parse_broker(broker.url), "Kafka", 300_000)


def _p99(times: list[float]) -> float:
    return statistics.quantiles(times, n=100)[98] if len(times) > 1 else times[0]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--seconds", type=float, default=1.0, help="for each kind of append")
    options.add_argument("--folder", type=Path, default=None, help="on the disk to measure; default: a temporary one")
    options.add_argument("--kafka", action="store_true")
    given = options.parse_args()
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        for row in measure(Path(folder), given.seconds, given.kafka):
            for unit, value in row.items():
                if unit != "what":
                    tell(f"the log: {row['what']}", float(value), unit)
    load = os.getloadavg()
    print(f"load of the machine: {load[0]:.1f} on {os.cpu_count()} cores", file=sys.stderr)


if __name__ == "__main__":
    main()
