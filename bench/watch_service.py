"""Measures the watch service over 200 stored shoes of ten tables: a whole look, a look without news, a late fact.

    python -m bench.watch_service [TABLES SHOES]

Tells the CPU time of this process (the store has its own) and its memory.
"""

import resource
import sys
import time
from dataclasses import replace
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from audit.settings import JudgeSettings
from audit.watches.settings import WatchSettings
from audit.watches.summary import DealtRound
from bench.page.figures import tell
from games.rulebook import Game
from store.connect import Store, connect
from store.embedded.process import EmbeddedClickHouse
from store.migrate import migrate
from store.render import SchemaSettings
from store.write.verdicts import write_verdicts
from streams.broker_url import EmbeddedLog
from streams.topics import Layout, create
from streams.watching.service import WatchService
from tests.audit.watches.dealt_shoes import PlacedBet, fair_shoe
from tests.audit.watches.told_shoes import lines_of
from tests.replay.stored import ARRIVAL, fill

PLAYERS = 40


def main() -> None:
    """Measure."""
    tables, shoes = (int(word) for word in sys.argv[1:3]) if len(sys.argv) > 2 else (10, 20)
    with TemporaryDirectory() as folder, EmbeddedClickHouse(Path(folder) / "clickhouse") as server:
        store = connect(server.url)
        migrate(store, SchemaSettings())
        lines = floor(Random(1), tables, shoes)
        rounds = fill(store, lines)
        tell("shoes stored for the watches", tables * shoes)
        tell("rounds stored for the watches", len(rounds))
        service = started(store, Path(folder) / "log")
        measure("all shoes, from nothing", service, whole=True)
        measure("no news", service, whole=False)
        measure("started again, no news", started(store, Path(folder) / "log"), whole=True)
        first = min(rounds, key=lambda each: each.opened)
        revised = replace(first, verdict=replace(first.verdict, revision=2), judged=ARRIVAL + 3_600_000)
        write_verdicts(store, [revised])
        measure("a late fact in the first shoe of all", service, whole=False)


def floor(random: Random, tables: int, shoes: int) -> list[bytes]:
    """Tables with fair shoes, four bets of one of forty players in each round."""

    def bets(chance: Random, game: Game, before: DealtRound | None) -> list[PlacedBet]:
        player = f"P{chance.randrange(PLAYERS)}"
        return [(player, wager, 1_000) for wager in ("player", "banker", "tie", "player_pair") if wager in game.wagers]

    return [
        line
        for table in range(tables)
        for line in lines_of((fair_shoe(random, f"S{n:03}", bets=bets) for n in range(shoes)), f"BT{table:02}")
    ]


def started(store: Store, log: Path) -> WatchService:
    """A service that waits for nothing."""
    broker = EmbeddedLog(log)
    create(broker, Layout(partitions=2))
    return WatchService(broker, store, JudgeSettings(), WatchSettings(), grace_seconds=0.0, patience_seconds=30.0)


def measure(what: str, service: WatchService, *, whole: bool) -> None:
    """One look."""
    wall, cpu = time.perf_counter(), time.process_time()
    done = service.look(whole=whole)
    tell("a look of the watches, by the wall", time.perf_counter() - wall, "s", of=what)
    tell("a look of the watches, on the processor", time.process_time() - cpu, "s", of=what)
    tell("shoes that a look took in", done.shoes, of=what)
    tell("shoes that a look took in again", done.again, of=what)
    tell("findings of a look", done.findings, of=what)
    tell("memory of the watches", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, "MB", of=what)


if __name__ == "__main__":
    main()
