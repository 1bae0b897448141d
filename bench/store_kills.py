"""Kills the embedded server with SIGKILL, over and over, under insert load, and counts what is left each time.

    python bench/store_kills.py [--kills 200] [--writers 2] [--seed 1]

Every batch that was acknowledged must be there whole and once; one that was not, whole or not at all. What was not
acknowledged is sent again under the same token. Exit 1 and a sentence if it is otherwise.
"""

from __future__ import annotations

import argparse
import logging
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from clickhouse_driver import Client
from clickhouse_driver.errors import Error, ServerException

from bench.page.figures import tell
from store.embedded.process import EmbeddedClickHouse

ROWS: Final = 2_000
_DDL: Final = """
CREATE TABLE IF NOT EXISTS kills
(batch UInt64, row UInt32, text String, cards Array(UInt8), kind LowCardinality(String))
ENGINE = MergeTree ORDER BY (batch, row) SETTINGS non_replicated_deduplication_window = 10000
"""
_WRONG_BATCHES: Final = f"""
SELECT batch, count() AS rows, uniqExact(row) AS different,
    countIf(text != concat(toString(batch), '-', toString(row)) OR cards != [row % 52, batch % 52]) AS torn
FROM kills GROUP BY batch HAVING rows != {ROWS} OR different != {ROWS} OR torn != 0
"""


class Violated(Exception):
    """A row is missing, doubled or half there."""


@dataclass
class Ledger:
    """What the writers know."""

    acknowledged: set[int] = field(default_factory=set)
    in_doubt: list[int] = field(default_factory=list)
    """Sent, and no answer came."""
    next_batch: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def take(self) -> int:
        with self.lock:
            if self.in_doubt:
                return self.in_doubt.pop()
            self.next_batch += 1
            return self.next_batch - 1


def send(client: Client, batch: int) -> None:
    """One batch, under its own token; returns when the server has acknowledged it."""
    numbers = range(ROWS)
    columns = [
        [batch] * ROWS,
        list(numbers),
        [f"{batch}-{row}" for row in numbers],
        [[row % 52, batch % 52] for row in numbers],
        [f"kind-{row % 7}" for row in numbers],
    ]
    client.execute(
        "INSERT INTO kills (batch, row, text, cards, kind) VALUES",
        columns,
        columnar=True,
        settings={"insert_deduplication_token": f"batch-{batch}"},
    )


def write(url: str, ledger: Ledger, refusals: list[str]) -> None:
    """Inserts until the server is gone."""
    client = Client.from_url(url)
    while True:
        batch = ledger.take()
        try:
            send(client, batch)
        except (Error, EOFError, OSError) as error:
            with ledger.lock:
                ledger.in_doubt.append(batch)
            if isinstance(error, ServerException):
                # A server that lives has refused a good batch: that is a fault too.
                refusals.append(str(error)[:500])
            return
        with ledger.lock:
            ledger.acknowledged.add(batch)


def check(client: Client, ledger: Ledger) -> int:
    """What is stored against what was acknowledged; gives the number of rows."""
    wrong = client.execute(_WRONG_BATCHES)
    if wrong:
        raise Violated(
            f"batches with rows missing, doubled or half written (batch, rows, different, torn): {wrong[:5]}"
        )
    stored = {batch for (batch,) in client.execute("SELECT DISTINCT batch FROM kills")}
    lost = ledger.acknowledged - stored
    if lost:
        raise Violated(f"{len(lost)} acknowledged batches are gone, for example {sorted(lost)[:5]}")
    strange = stored - ledger.acknowledged - set(ledger.in_doubt)
    if strange:
        raise Violated(f"batches that nobody sent: {sorted(strange)[:5]}")
    return len(stored) * ROWS


def kill_while_starting(server: EmbeddedClickHouse, after: float) -> None:
    """A kill in the middle of a start, by its id."""
    process = subprocess.Popen(
        [sys.executable, "-m", "store.embedded", "--data", str(server.data), "--url", server.url],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    time.sleep(after)
    process.send_signal(signal.SIGKILL)
    process.wait()


def loop(folder: Path, kills: int, writers: int, seed: int) -> tuple[Ledger, int]:
    dice = random.Random(seed)
    ledger = Ledger()
    refusals: list[str] = []
    done = 0
    while done < kills:
        server = EmbeddedClickHouse(folder)
        if done % 10 == 9:
            kill_while_starting(server, dice.uniform(0.2, 1.5))
            done += 1
            continue
        server.start()
        client = Client.from_url(server.url)
        client.execute(_DDL)
        check(client, ledger)
        client.disconnect()
        threads = [threading.Thread(target=write, args=(server.url, ledger, refusals)) for _ in range(writers)]
        for thread in threads:
            thread.start()
        time.sleep(dice.uniform(0.0, 0.6))
        server.kill()
        for thread in threads:
            thread.join()
        if refusals:
            raise Violated(f"a living server refused a batch: {refusals[0]}")
        done += 1
    with EmbeddedClickHouse(folder) as server:
        client = Client.from_url(server.url)
        check(client, ledger)
        # Sent again under its token, a batch that had been stored is not stored twice.
        for batch in ledger.in_doubt:
            send(client, batch)
        ledger.acknowledged.update(ledger.in_doubt)
        ledger.in_doubt.clear()
        stored = check(client, ledger)
    if stored != len(ledger.acknowledged) * ROWS:
        raise Violated(f"{stored} rows are stored and {len(ledger.acknowledged) * ROWS} were acknowledged")
    return ledger, stored


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--writers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    logging.getLogger("clickhouse_driver").setLevel(logging.CRITICAL)  # it reports each lost connection
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        try:
            ledger, stored = loop(Path(folder), chosen.kills, chosen.writers, chosen.seed)
        except Violated as wrong:
            print(f"VIOLATED: {wrong}")
            return 1
    print(
        f"{chosen.kills} kills in {time.perf_counter() - began:.0f} s: {len(ledger.acknowledged)} batches "
        f"acknowledged, {stored} rows there, each once, none half written"
    )
    tell("kills of the store", chosen.kills)
    tell("batches acknowledged while it was killed, all there and whole", len(ledger.acknowledged))
    told = len(ledger.acknowledged) * ROWS
    tell("rows lost or doubled", abs(stored - told), at=stored, at_most=0)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
