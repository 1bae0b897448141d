"""Many kills: workers end by SIGKILL at random moments while a floor plays; then the store is held against the audit.

python -m bench.faults --kills 1000 --broker kafka
"""

import argparse
import random
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

from simulator.floor import simulate
from streams.publish import publish
from tests.services.kafka import KafkaBroker
from tests.streams.pipeline import StoreProcess, await_takeover, offline, stop, took_over
from tests.streams.test_agents import broker_pipeline, check_against_audit


def main() -> None:
    """Kill, go on, compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--broker", choices=["embedded", "kafka"], default="embedded")
    parser.add_argument("--tables", type=int, default=6)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    rng = random.Random(chosen.seed)
    lines = list(simulate(chosen.tables, chosen.rounds, chosen.seed, faults=0.15))
    started = time.monotonic()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        url = f"tablelog://{folder}/log"
        if chosen.broker == "kafka":
            url = stack.enter_context(KafkaBroker(folder / "kafka")).url
        running = stack.enter_context(broker_pipeline(folder, url, StoreProcess(folder / "clickhouse")))
        cuts = sorted(rng.randrange(len(lines)) for _ in range(chosen.kills))
        for begin, end in zip([0, *cuts], [*cuts, len(lines)], strict=True):
            before = took_over(running)
            worker = running.start_worker()
            publish(lines[begin:end], running.broker, max_events=rng.choice([1, 5, 20, 100]))
            if end == len(lines):
                break
            await_takeover(running, before)
            time.sleep(rng.random() * 2)
            worker.kill()
            worker.wait()
        running.await_done(600)
        check_against_audit(running, lines)
        assert stop(worker) == 0
        failures = (running.folder / "worker.log").read_text().count("failed")
    rounds, found = offline(lines)
    print(
        f"{chosen.kills} kills on {chosen.broker}: {len(lines)} events stored, {len(rounds)} verdicts and {len(found)}"
        f" findings as the audit has them, {failures} failures logged, {time.monotonic() - started:.0f} s"
    )


if __name__ == "__main__":
    main()
