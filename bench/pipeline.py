"""Events a second through one worker, from the broker to the store.

    python -m bench.pipeline --broker kafka --tables 100 --rounds 40

Publishes a floor first, then starts one worker and takes the time from its taking over to its last stored record.
"""

import argparse
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

from schemas.decoding import decode_lines
from simulator.floor import simulate
from store.read.progress import stored_events_count
from streams.lag import lag_of
from streams.publish import publish
from tests.services.kafka import KafkaBroker
from tests.streams.pipeline import Pipeline, StoreProcess, stop, took_over
from tests.streams.test_agents import broker_pipeline


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--broker", choices=["embedded", "kafka"], default="kafka")
    parser.add_argument("--tables", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--faults", type=float, default=0.01)
    chosen = parser.parse_args()
    lines = list(simulate(chosen.tables, chosen.rounds, 1, faults=chosen.faults))
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        url = f"tablelog://{folder}/log"
        if chosen.broker == "kafka":
            url = stack.enter_context(KafkaBroker(folder / "kafka")).url
        running = stack.enter_context(broker_pipeline(folder, url, StoreProcess(folder / "clickhouse")))
        publish(lines, running.broker)
        worker = running.start_worker()
        stored = len(decode_lines(lines).events)
        seconds = _measure(running, stored)
        while lag_of(running.broker):
            time.sleep(0.5)
        user, memory = _cost(worker.pid)
        stop(worker)
    print(
        f"{chosen.broker}: {stored} events in {seconds:.1f} s from taking over to the last that was stored,"
        f" {stored / seconds:,.0f} events/s; {user:.1f} s of CPU, {memory} MB"
    )


def _measure(running: Pipeline, events: int) -> float:
    """Seconds from taking over until all events are stored."""
    while not took_over(running):
        time.sleep(0.02)
    began = time.monotonic()
    while stored_events_count(running.store) < events:
        time.sleep(0.1)
    return time.monotonic() - began


def _cost(pid: int) -> tuple[float, int]:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    status = Path(f"/proc/{pid}/status").read_text()
    peak = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    return (int(fields[11]) + int(fields[12])) / 100, int(peak.split()[1]) >> 10


if __name__ == "__main__":
    main()
