"""From an event in Kafka to the alert out: p50 and p99 at a steady rate, store there or away, and over a backlog.

    python -m bench.latency --rate 5000 --seconds 60

Tables play rounds by the rules; now and then a bet is placed on a position that its table does not have, which is found
as soon as it is read. The time is taken from the broker's own time stamps: of the record with the bet on `table.bets`,
and of the alert on `audit.alerts`. Then, when it has read all, the worker is halted for up to ten seconds while events
come: of those that it catches up on, the time is taken from the fetch, as it counts it itself
(`tablewatch_fetch_to_alert_seconds`, whose bounds are rough).
"""

import argparse
import os
import re
import signal
import sys
import tempfile
import time
from collections import deque
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from threading import Thread
from typing import Any, Final
from urllib.request import urlopen

import orjson
from confluent_kafka import Producer
from kafka import KafkaConsumer, TopicPartition

from bench.page.figures import tell
from bench.page.processes import cpu_seconds
from bench.rehearsal import QUIET, rehearsal
from schemas.findings import parse_finding
from simulator.devices import Delivery
from simulator.floor import deliveries
from streams.agent import TICK_SECONDS
from streams.broker_url import KafkaBroker as KafkaUrl
from streams.broker_url import parse_broker
from streams.packing import PackedRecord, Packer
from streams.routing import Router
from streams.topics import Layout, create
from tests.services.kafka import KafkaBroker
from tests.streams.pipeline import Pipeline, StoreProcess, pipeline, stop, took_over

PARTITIONS = 12
RECORD_EVENTS = 100
STEP_SECONDS = 0.02
"""So long a gateway gathers events for company."""
WARM_SECONDS = 90
"""Of the floor's time: until then its tables open one after the other."""
REHEARSAL_ENDS_SECONDS = 10
"""So long it may take to end the rehearsal of the broker, and to let its topic go."""
HALT_SECONDS = 10
"""So long a worker is halted at most: after fifteen seconds its partitions would be given away."""
READ_SECONDS = 60
"""So long a worker may take at most to read all that was sent."""
AFTERWARDS_SECONDS = 15
"""So long the floor goes on while the worker catches up."""
BARS_MS: Final = {"store there": 250, "catching up": 1_000, "store away": 250}
_NAME = "wrong-bet-"
_TIME = re.compile(rb"2026-\d\d-\d\dT[0-9:.]+Z")
_PLACED = b'"bet.placed.v1"'
_LONGEST = 60.0
"""Seconds; the histogram tells no longer ones apart."""
_PORT = re.compile(r"metrics on port (\d+)")
_LAG = re.compile(r"tablewatch_lag_records\{[^}]*\} ([0-9.e+]+)")
_BUCKET = re.compile(r'tablewatch_fetch_to_alert_seconds_bucket\{le="([^"]+)"\} ([0-9.e+]+)')


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rate", type=int, default=5_000, help="events a second")
    parser.add_argument("--seconds", type=int, default=60, help="of each part")
    parser.add_argument("--tables", type=int, default=2_000)
    parser.add_argument(
        "--every", type=int, default=150, help="one event in so many, if it is a bet, has a wrong one beside"
    )
    parser.add_argument("--only", choices=list(BARS_MS), action="append", help="one part, or several; all unless given")
    chosen = parser.parse_args()
    parts = chosen.only or list(BARS_MS)
    figures: dict[str, dict[str, Any]] = {}
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        url = stack.enter_context(KafkaBroker(folder / "kafka", heap="1g", java=())).url
        broker = parse_broker(url)
        create(broker, Layout(partitions=PARTITIONS))
        server = StoreProcess(folder / "clickhouse")
        running = stack.enter_context(pipeline(folder, broker, server, url))
        seconds = chosen.seconds * len(parts) + (AFTERWARDS_SECONDS if "catching up" in parts else 0)
        assert isinstance(broker, KafkaUrl)
        with rehearsal(",".join(broker.servers)):
            worker = running.start_worker_command()
            await_all(running)
            floor = Floor(chosen.tables, chosen.every).next(chosen.rate * seconds, chosen.rate)
        floor.begin()
        floor.send(running, floor.warm)
        sent: dict[str, set[str]] = {}
        for part in parts:
            steps = round(chosen.seconds / STEP_SECONDS)
            if part == "catching up":
                halted = min(steps, round(HALT_SECONDS / STEP_SECONDS))
                sent[part], figures[part] = catch_up(running, floor, halted, worker.pid)
                continue
            killing = Thread(target=server.stop, args=(signal.SIGKILL,))
            if part == "store away":
                # Beside the sending: what waited for it would come all at once.
                killing.start()
            used, began_at = cpu_seconds(worker.pid), time.monotonic()
            sent[part] = floor.send(running, steps)
            figures[part] = {"worker_cores": round((cpu_seconds(worker.pid) - used) / (time.monotonic() - began_at), 2)}
            if part == "store away":
                killing.join()
                time.sleep(3)
                server.start()
        time.sleep(3)
        for part, bets in sent.items():
            # What it counted itself holds.
            figures[part] = waited(running, bets) | figures[part]
            report(part, figures[part])
        assert stop(worker) == 0
    sys.exit(
        any(figure["p99_ms"] > BARS_MS[part] or figure["alerts"] < figure["sent"] for part, figure in figures.items())
    )


def report(part: str, figure: dict[str, Any]) -> None:
    """The figures of a part."""
    tell("wrong bets of which people were told", figure["alerts"], of=part, at_least=figure["sent"])
    if figure["p50_ms"] is not None:
        tell("from an event in Kafka to its alert, p50", figure["p50_ms"], "ms", of=part)
        tell("from an event in Kafka to its alert, p99", figure["p99_ms"], "ms", of=part, at_most=BARS_MS[part])
        tell("from an event in Kafka to its alert, the longest", figure["longest_ms"], "ms", of=part)
    if "worker_cores" in figure:
        tell("processors that the worker kept busy", figure["worker_cores"], of=part)
    print(f"  load {os.getloadavg()[0]:.1f}", flush=True)


class Floor:
    """Tables that play, with a wrong bet now and then.

    Fewer tables than a rate of events needs play faster: all their times are drawn together, so that what a device says
    of the time is the time.
    """

    def __init__(self, tables: int, every: int) -> None:
        self._deliveries = self._play(tables, every)

    @staticmethod
    def _play(tables: int, every: int) -> Iterator[Delivery]:
        sensors: dict[str, int] = {}
        for count, (arrival, line) in enumerate(deliveries(tables, 100_000, 5), 1):
            yield arrival, line
            if count % every == 0 and _PLACED in line:
                yield arrival, wrong(line, count, sensors)

    def next(self, events: int, rate: int) -> "Schedule":
        """So many more events, packed as a gateway packs them, step by step of what comes in a short time."""
        coming = [next(self._deliveries)]
        first = coming[0][0]
        while coming[-1][0] < first + WARM_SECONDS * 1_000:
            coming.append(next(self._deliveries))
        warm_until = coming[-1][0]
        coming += islice(self._deliveries, events)
        faster = (coming[-1][0] - warm_until) / 1_000 * rate / events
        # The events say when they happen, so that it must be known before they are prepared: at six thousand a second
        # on a slow machine, and slower still on one that others use.
        preparing = REHEARSAL_ENDS_SECONDS + 5.0 + len(coming) / 6_000
        while True:
            began = time.time() + preparing
            steps = _packed(coming, began, faster)
            if time.time() + REHEARSAL_ENDS_SECONDS < began:
                return Schedule(began, steps, round(WARM_SECONDS / faster / STEP_SECONDS))
            preparing *= 2


def _packed(coming: list[Delivery], began: float, faster: float) -> list[list[PackedRecord]]:
    """Deliveries that begin at a time, packed as a gateway packs them, step by step."""
    waiting, first = deque(coming), coming[0][0]
    router = Router(PARTITIONS)
    steps: list[list[PackedRecord]] = []
    while waiting:
        packer, ready = Packer(RECORD_EVENTS), []
        until = first + (len(steps) + 1) * STEP_SECONDS * 1_000 * faster
        while waiting and waiting[0][0] <= until:
            line = _TIME.sub(lambda found: _drawn_together(found[0], first, began, faster), waiting.popleft()[1])
            for parcel in router.route(line):
                ready += packer.add(parcel)
        steps.append([*ready, *packer.drain()])
    return steps


def _drawn_together(written: bytes, first: int, began: float, faster: float) -> bytes:
    simulated = datetime.fromisoformat(written.decode()).timestamp() - first / 1_000
    return datetime.fromtimestamp(began + simulated / faster, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ").encode()


class Schedule:
    """What is sent when."""

    def __init__(self, began: float, steps: list[list[PackedRecord]], warm: int) -> None:
        self.began = began
        """In seconds since 1970: the times of the events go on from here."""
        self.steps = steps
        self.warm = warm
        """Steps until all tables play."""
        self._sent = 0
        """Steps."""
        self._producer: Producer | None = None

    def begin(self) -> None:
        """Wait until it is time."""
        time.sleep(max(0.0, self.began - time.time()))

    def send(self, running: Pipeline, steps: int) -> set[str]:
        """Send so many steps more, each when it is due; gives the wrong bets."""
        producer = self._producer = self._producer or _producer(running)
        began, events, wanted = time.monotonic(), 0, self.steps[self._sent : self._sent + steps]
        for step in wanted:
            self._sent += 1
            for record in step:
                events += record.events
                producer.produce(record.topic, record.value, partition=record.partition)
            producer.poll(0)
            time.sleep(max(0.0, self._due(self._sent) - time.time()))
        producer.flush()
        print(f"  sent {events} events in {time.monotonic() - began:.1f} s", flush=True)
        return {bet for step in wanted for record in step for bet in wrong_bets(record.value)}

    def _due(self, step: int) -> float:
        return self.began + step * STEP_SECONDS


def _producer(running: Pipeline) -> Producer:
    assert isinstance(running.broker, KafkaUrl)
    servers = ",".join(running.broker.servers)
    client = {"bootstrap.servers": servers, "log_level": QUIET}
    return Producer({**client, "linger.ms": 1, "acks": "all", "compression.type": "lz4"})


def wrong(line: bytes, number: int, sensors: dict[str, int]) -> bytes:
    """A bet beside this one, by another sensor of the table, on a position that no table has."""
    event = orjson.loads(line)
    table = event["subject"]
    sensors[table] = sequence = sensors.get(table, 0) + 1
    event |= {"id": f"{_NAME}{number}", "source": f"/tables/{table}/second-sensor", "sequence": sequence}
    event["data"] |= {"bet": f"{_NAME}{number}", "position": 99}
    return orjson.dumps(event)


def wrong_bets(value: bytes) -> list[str]:
    """The wrong bets in a record."""
    if _NAME.encode() not in value:
        return []
    return [str(event["id"]) for event in orjson.loads(value) if str(event["id"]).startswith(_NAME)]


def await_all(running: Pipeline) -> None:
    """Wait until the worker has all partitions."""
    while took_over(running) < PARTITIONS:
        time.sleep(0.1)


def waited(running: Pipeline, sent: set[str]) -> dict[str, Any]:
    """How long it took from each wrong bet in Kafka to its alert there."""
    came = {bet: at for at, value in stamped(running, "table.bets") for bet in wrong_bets(value)}
    alerted: dict[str, int] = {}
    for at, value in stamped(running, "audit.alerts"):
        bet = parse_finding(value).bet
        if bet in sent and bet not in alerted:
            alerted[bet] = at
    took = sorted(at - came[bet] for bet, at in alerted.items())
    place = [took[int(len(took) * share)] for share in (0.5, 0.99)] if took else [None, None]
    return {
        "alerts": len(took),
        "sent": len(sent),
        "p50_ms": place[0],
        "p99_ms": place[1],
        "longest_ms": took[-1] if took else None,
    }


def catch_up(running: Pipeline, floor: Schedule, steps: int, worker: int) -> tuple[set[str], dict[str, Any]]:
    """Halt the worker for so many steps; the wrong bets among them, and how long it took from the fetch of a record to
    its alert until it had caught up, by its own count."""
    await_read(running)
    before = counted(running)
    os.kill(worker, signal.SIGSTOP)
    sent = floor.send(running, steps)
    os.kill(worker, signal.SIGCONT)
    floor.send(running, round(AFTERWARDS_SECONDS / STEP_SECONDS))
    found = [(bound, count - before.get(bound, 0.0)) for bound, count in counted(running).items()]
    total = found[-1][1]
    return sent, {
        name: next((round(1_000 * min(bound, _LONGEST)) for bound, count in found if count >= total * share), None)
        for name, share in (("p50_ms", 0.5), ("p99_ms", 0.99), ("longest_ms", 1.0))
    }


def await_read(running: Pipeline) -> None:
    """Nothing comes until the worker has read all: what it had fetched when it is halted would count the halt."""
    deadline = time.monotonic() + READ_SECONDS
    # It counts what is left in every tick.
    time.sleep(2 * TICK_SECONDS)
    while any(map(float, _LAG.findall(metrics(running)))):
        if time.monotonic() > deadline:
            sys.exit(f"the worker has not read what was sent in {READ_SECONDS} s")
        time.sleep(0.1)


def counted(running: Pipeline) -> dict[float, float]:
    """By its upper bound: how many alerts went out so soon after the fetch, by the worker's own count."""
    return {float(bound): float(count) for bound, count in _BUCKET.findall(metrics(running))}


def metrics(running: Pipeline) -> str:
    """What the worker tells of itself."""
    port = int(_PORT.findall((running.folder / "worker.log").read_text())[-1])
    with urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as answer:
        told: str = answer.read().decode()
        return told


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
