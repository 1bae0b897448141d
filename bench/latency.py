"""From an event in Kafka to the alert out: p50 and p99 at a steady rate, with the store there and away.

    python -m bench.latency --rate 5000 --seconds 20

Tables play rounds by the rules; now and then a bet is placed on a position that its table does not have, which is found
as soon as it is read. The time is taken from the broker's own time stamps: of the record with the bet on `table.bets`,
and of the alert on `audit.alerts`.
"""

import argparse
import os
import signal
import tempfile
import time
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path

import orjson
from kafka import KafkaConsumer, TopicPartition

from schemas.findings import parse_finding
from simulator.floor import simulate
from streams.broker_url import KafkaBroker as KafkaUrl
from streams.broker_url import parse_broker
from streams.outlets import open_outlet
from streams.packing import Packer
from streams.routing import Router
from streams.topics import Layout, create
from tests.services.kafka import KafkaBroker
from tests.streams.pipeline import Pipeline, StoreProcess, await_takeover, pipeline, stop

PARTITIONS = 12
RECORD_EVENTS = 100
STEP_SECONDS = 0.02


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rate", type=int, default=5_000, help="events a second")
    parser.add_argument("--seconds", type=int, default=20, help="of each part")
    parser.add_argument("--tables", type=int, default=100)
    parser.add_argument("--every", type=int, default=200, help="one event in so many is followed by a wrong bet")
    chosen = parser.parse_args()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        url = stack.enter_context(KafkaBroker(folder / "kafka", heap="1g", java=())).url
        broker = parse_broker(url)
        create(broker, Layout(partitions=PARTITIONS))
        server = StoreProcess(folder / "clickhouse")
        running = stack.enter_context(pipeline(folder, broker, server, url))
        floor = Play(chosen.tables, chosen.rate * chosen.seconds, chosen.every)
        worker = running.start_worker()
        await_takeover(running, PARTITIONS - 1)
        send(running, floor.next(chosen.rate * 3), chosen.rate)
        sent = send(running, floor.next(chosen.rate * chosen.seconds), chosen.rate)
        report("store there", running, sent)
        server.stop(signal.SIGKILL)
        sent = send(running, floor.next(chosen.rate * chosen.seconds), chosen.rate)
        time.sleep(2)
        report("store away", running, sent)
        server.start()
        running.await_done(300)
        stop(worker)


class Play:
    """Events as they happen now, a wrong bet after every so many."""

    def __init__(self, tables: int, events: int, every: int) -> None:
        self._every = every
        self._lines = simulate(tables, 4 * events // (30 * tables) + 10, 5)
        self._count = 0

    def next(self, events: int) -> list[bytes]:
        """So many more events, and the wrong bets among them."""
        lines: list[bytes] = []
        for line in self._lines:
            lines.append(line)
            self._count += 1
            if self._count % self._every == 0 and b'"bet.placed.v1"' in line:
                lines.append(wrong(line, self._count))
            if len(lines) >= events:
                break
        return lines


def wrong(line: bytes, number: int) -> bytes:
    """A bet beside this one, by a sensor of its own, on a position that no table has."""
    event = orjson.loads(line)
    event["id"], event["source"], event["sequence"] = f"wrong-{number}", f"{event['source']}/{number}", 1
    event["data"] |= {"bet": f"wrong-{number}", "position": 99}
    return orjson.dumps(event)


def send(running: Pipeline, lines: list[bytes], rate: int) -> set[str]:
    """Send at a steady rate; the wrong bets."""
    sent: set[str] = set()
    router, step = Router(PARTITIONS), max(1, int(rate * STEP_SECONDS))
    with open_outlet(running.broker) as outlet:
        began = time.monotonic()
        for place in range(0, len(lines), step):
            packer = Packer(RECORD_EVENTS)
            for line in lines[place : place + step]:
                if b'"wrong-' in line:
                    sent.add(orjson.loads(line)["data"]["bet"])
                for parcel in router.route(line):
                    for record in packer.add(parcel):
                        outlet.send(record)
            for record in packer.drain():
                outlet.send(record)
            outlet.hand_over()
            time.sleep(max(0.0, began + (place + step) / rate - time.monotonic()))
        outlet.finish()
        print(f"  sent {len(lines)} events in {time.monotonic() - began:.1f} s")
    return sent


def report(name: str, running: Pipeline, sent: set[str]) -> None:
    """Print how long it took from each wrong bet to its alert."""
    time.sleep(3)
    came: dict[str, int] = {}
    for at, value in stamped(running, "table.bets"):
        if b'"wrong-' in value:
            for event in orjson.loads(value):
                if event["data"]["bet"] in sent:
                    came[event["data"]["bet"]] = at
    alerted: dict[str, int] = {}
    for at, value in stamped(running, "audit.alerts"):
        finding = parse_finding(value)
        if finding.bet in sent and finding.bet not in alerted:
            alerted[finding.bet] = at
    took = sorted(alerted[bet] - came[bet] for bet in came if bet in alerted)
    if not took:
        print(f"{name}: no alert of {len(sent)} wrong bets")
        return
    print(
        f"{name}: {len(took)} of {len(sent)} wrong bets alerted, p50 {took[len(took) // 2]} ms,"
        f" p99 {took[int(len(took) * 0.99)]} ms, longest {took[-1]} ms; load {os.getloadavg()[0]:.1f},"
        f" {datetime.now(UTC):%H:%M}"
    )


def stamped(running: Pipeline, topic: str) -> list[tuple[int, bytes]]:
    """All records of a topic with the broker's time stamps, in milliseconds."""
    assert isinstance(running.broker, KafkaUrl)
    with KafkaConsumer(**running.broker.client_options(), enable_auto_commit=False) as consumer:
        places = [TopicPartition(topic, number) for number in range(PARTITIONS)]
        consumer.assign(places)
        consumer.seek_to_beginning()
        ends = consumer.end_offsets(places)
        found: list[tuple[int, bytes]] = []
        while any(consumer.position(place) < ends[place] for place in places):
            for records in consumer.poll(timeout_ms=500).values():
                found += [(record.timestamp, record.value) for record in records]
    return found


if __name__ == "__main__":
    main()
