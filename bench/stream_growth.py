"""How the worker grows with tables, partitions and workers, beside a plain confluent-kafka loop: a longer run.

    python -m bench.stream_growth [--tables 10 100 1000 5000] [--partitions 1 4 16] [--workers 1 2]

Each point is a turn of `bench.stream`, packed, with topics, a store and processes of its own; what is not varied is
200 tables, 12 partitions and one worker.
"""

import argparse
from dataclasses import replace
from itertools import islice

from bench.page.figures import RATIO, tell
from bench.peers.turn import OURS, PeerFailed, Setting, Turn, broker_at_work, run
from bench.stream import EVENTS_OF_ROUND, PACKED
from simulator.floor import simulate
from tests.services.kafka import KafkaBroker

BESIDE = "confluent-kafka"
TABLES = 200


def floor(tables: int, events: int) -> list[bytes]:
    """So many events of so many tables."""
    return list(islice(simulate(tables, events // (tables * EVENTS_OF_ROUND) + 2, 1), events))


def point(broker: KafkaBroker, what: str, at: int, setting: Setting) -> None:
    """Both in turn, at one size."""
    turns: dict[str, Turn] = {}
    for peer in (OURS, BESIDE):
        try:
            turns[peer] = run(peer, setting, broker)
        except PeerFailed as error:
            raise SystemExit(f"{peer} failed with {at} {what}: {error}") from error
        tell(f"events a second as {what} grow", turns[peer].events_per_s, "events/s", of=peer, at=at)
        tell(f"memory as {what} grow", turns[peer].memory_mb, "MB", of=peer, at=at)
    tell(f"our worker by {BESIDE}, {what}", turns[OURS].events_per_s / turns[BESIDE].events_per_s, RATIO, at=at)


def main() -> None:
    """Grow one thing after the other."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--events", type=int, default=400_000)
    options.add_argument("--tables", type=int, nargs="+", default=[10, 50, 200, 1_000, 5_000])
    options.add_argument("--partitions", type=int, nargs="+", default=[1, 2, 4, 8, 16])
    options.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    asked = options.parse_args()
    usual = Setting(floor(TABLES, asked.events), 0, 0, PACKED)
    with broker_at_work(usual) as broker:
        for tables in asked.tables:
            point(broker, "tables", tables, Setting(floor(tables, asked.events), 0, 0, PACKED))
        for partitions in asked.partitions:
            point(broker, "partitions", partitions, replace(usual, partitions=partitions))
        for workers in asked.workers:
            point(broker, "workers", workers, replace(usual, workers=workers))


if __name__ == "__main__":
    main()
