"""Rows a second through the embedded server's wire, beside chdb without the wire and clickhouse-driver's own encoding.

    python -m bench.store_wire [--rows 1000000] [--batch 65536] [--compression none|lz4|zstd]

Three turns each, alternating; the best of each counts. All figures come from one run on one machine, so that their
ratios mean something where their sizes do not.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final

import chdb
from clickhouse_driver import Client
from clickhouse_driver.block import ColumnOrientedBlock
from clickhouse_driver.bufferedwriter import BufferedSocketWriter
from clickhouse_driver.streams.native import BlockOutputStream

from bench.page.figures import RATIO, tell
from store.embedded.engine import configuration
from store.embedded.process import EmbeddedClickHouse

COLUMNS: Final = {
    "source": "LowCardinality(String)",
    "id": "String",
    "type": "LowCardinality(String)",
    "subject": "LowCardinality(String)",
    "shoe": "String",
    "round": "UInt32",
    "sequence": "UInt64",
    "time": "DateTime64(6, 'UTC')",
    "arrived": "DateTime64(6, 'UTC')",
    "log_offset": "UInt64",
    "cards": "Array(UInt8)",
    "data": "String",
}
_DDL: Final = (
    "CREATE TABLE wire ("
    + ", ".join(f"{name} {kind}" for name, kind in COLUMNS.items())
    + ") ENGINE = MergeTree ORDER BY (subject, time)"
)
_INSERT: Final = f"INSERT INTO wire ({', '.join(COLUMNS)})"
TURNS: Final = 3
_ENGINE, _ENCODING = "chdb without the wire", "the driver's encoding alone"
_DISK = "the disk: the same bytes to a file, synced"
_TYPES: Final = ("card.drawn.v1", "bet.placed.v1", "bet.settled.v1", "round.opened.v1", "bets.closed.v1")


def batch(first: int, rows: int) -> list[list[Any]]:
    """Columns of events as devices send them; every batch differs from the others."""
    numbers = range(first, first + rows)
    tables = [f"BT{number % 40:02d}" for number in numbers]
    start = 1_790_000_000_000_000
    return [
        [f"/tables/{table}/reader" for table in tables],
        [f"{number:032x}" for number in numbers],
        [_TYPES[number % 5] for number in numbers],
        tables,
        [f"S{number // 30_000}" for number in numbers],
        [number // 40 % 80 + 1 for number in numbers],
        [number // 40 for number in numbers],
        [start + number * 137 for number in numbers],
        [start + number * 137 + 4_211 for number in numbers],
        list(numbers),
        [[number % 52, number // 7 % 52][: number % 3] for number in numbers],
        [
            json.dumps(
                {"shoe": f"S{number // 30_000}", "round": number // 40 % 80 + 1, "draw": number % 6 + 1, "card": "10H"}
            )
            for number in numbers
        ],
    ]


def timed(action: Callable[[], object]) -> float:
    began = time.perf_counter()
    action()
    return time.perf_counter() - began


def through_the_wire(batches: list[list[list[Any]]], compression: str) -> tuple[float, int]:
    with tempfile.TemporaryDirectory() as folder, EmbeddedClickHouse(Path(folder)) as server:
        client = Client.from_url(server.url + ("" if compression == "none" else f"?compression={compression}"))
        client.execute(_DDL)
        client.execute(f"{_INSERT} VALUES", batch(0, 1000), columnar=True)
        client.execute("TRUNCATE TABLE wire")

        def insert_all() -> None:
            for columns in batches:
                client.execute(f"{_INSERT} VALUES", columns, columnar=True)

        seconds = timed(insert_all)
        ((stored,),) = client.execute("SELECT count() FROM wire")
        assert stored == sum(len(columns[0]) for columns in batches), stored
        return seconds, peak_of(server.pid)


def peak_of(pid: int) -> int:
    """The most memory that a process has held, in bytes."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    return 0


class _Context:
    """What clickhouse-driver's writer wants to know of a connection."""

    class server_info:  # noqa: N801 - the driver's own name
        used_revision = 54440

        @staticmethod
        def get_timezone() -> str:
            return "UTC"

    settings: Final[dict[str, Any]] = {}
    client_settings: Final[dict[str, Any]] = Client("unused").connection.context.client_settings


def encoded(batches: list[list[list[Any]]]) -> tuple[float, list[bytes]]:
    """clickhouse-driver's encoding alone, into a socket whose other end is read by a thread and kept."""
    blocks: list[bytes] = []
    seconds = 0.0
    for columns in batches:
        near, far = socket.socketpair()
        pieces: list[bytes] = []

        def drain(far: socket.socket = far, pieces: list[bytes] = pieces) -> None:
            while piece := far.recv(1 << 20):
                pieces.append(piece)

        reader = threading.Thread(target=drain)
        reader.start()
        stream = BlockOutputStream(BufferedSocketWriter(near, 1 << 20), _Context())
        block = ColumnOrientedBlock(list(COLUMNS.items()), columns)
        seconds += timed(partial(stream.write, block))
        near.close()
        reader.join()
        far.close()
        blocks.append(b"".join(pieces)[8:])  # without BlockInfo, as the engine's Native format has it
    return seconds, blocks


def without_the_wire(blocks: list[bytes]) -> float:
    """The same blocks with the same durability, handed to the engine in this process."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "engine.xml").write_text(configuration(Path(folder)))
        engine = chdb.connect(f"{folder}/clickhouse?config-file={folder}/engine.xml")
        engine.query("SET async_insert = 0")
        engine.query(_DDL)

        def insert_all() -> None:
            for block in blocks:
                inserter = engine.send_insert(_INSERT, "Native")
                inserter.append(block)
                inserter.finish()

        seconds = timed(insert_all)
        engine.close()
        return seconds


def to_disk(blocks: list[bytes]) -> float:
    """The same blocks to a plain file, each synced before the next, as the disk can do it."""
    with tempfile.TemporaryDirectory() as folder, Path(folder, "blocks").open("wb") as file:

        def write_all() -> None:
            for block in blocks:
                file.write(block)
                file.flush()
                os.fsync(file.fileno())

        return timed(write_all)


_READER: Final = """
import resource, sys
from clickhouse_driver import Client
client = Client.from_url(sys.argv[1])
rows = sum(1 for _ in client.execute_iter(sys.argv[2]))
print(rows, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)
"""


def long_select(rows: int) -> tuple[float, int, int]:
    """A long SELECT: seconds, and how much the memory of server and client grew over that of a short one."""
    with tempfile.TemporaryDirectory() as folder, EmbeddedClickHouse(Path(folder)) as server:
        sizes: list[tuple[int, int]] = []
        seconds = 0.0
        for count in (rows // 20, rows):
            query = f"SELECT number, toString(number), now64(6) FROM numbers({count})"
            began = time.perf_counter()
            out = subprocess.run(
                [sys.executable, "-c", _READER, server.url, query],
                check=True,
                capture_output=True,
                text=True,
                timeout=600,
            ).stdout.split()
            seconds = time.perf_counter() - began
            assert int(out[0]) == count, out
            sizes.append((peak_of(server.pid), int(out[1])))
        return seconds, sizes[1][0] - sizes[0][0], sizes[1][1] - sizes[0][1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--batch", type=int, default=65_536)
    parser.add_argument("--compression", choices=("none", "lz4", "zstd"), default="none")
    parser.add_argument("--select", type=int, default=10_000_000, help="rows of the long SELECT; 0: leave it out")
    chosen = parser.parse_args()
    batches = [batch(first, min(chosen.batch, chosen.rows - first)) for first in range(0, chosen.rows, chosen.batch)]
    wire: list[float] = []
    beside: dict[str, list[float]] = {_ENGINE: [], _ENCODING: [], _DISK: []}
    peak = 0
    for _ in range(TURNS):
        encoding, blocks = encoded(batches)
        beside[_ENCODING].append(encoding)
        beside[_ENGINE].append(without_the_wire(blocks))
        seconds, peak = through_the_wire(batches, chosen.compression)
        wire.append(seconds)
        beside[_DISK].append(to_disk(blocks))
    size = sum(map(len, blocks))
    print(
        f"{chosen.rows} rows of {len(COLUMNS)} columns, {size / chosen.rows:.0f} bytes each, batches of {chosen.batch}"
    )
    rate = "rows inserted a second"
    tell("rows inserted", chosen.rows)
    for name, turns in {"through the wire, to the embedded server": wire, **beside}.items():
        tell(rate, chosen.rows / min(turns), "rows/s", of=name, turns=[chosen.rows / each for each in turns])
    for name, turns in beside.items():
        shares = [theirs / ours for ours, theirs in zip(wire, turns, strict=True)]
        tell(f"the wire by {name.partition(':')[0]}", min(turns) / min(wire), RATIO, turns=shares)
    tell("memory of the store's process", peak / 1e6, "MB")
    if chosen.select:
        seconds, server, client = long_select(chosen.select)
        tell("rows selected a second", chosen.select / seconds, "rows/s", at=chosen.select)
        tell("the server's growth over a twentieth of them", server / 1e6, "MB", at=chosen.select)
        tell("the client's growth over a twentieth of them", client / 1e6, "MB", at=chosen.select)
    print(f"peak of this process {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10} MiB")


if __name__ == "__main__":
    main()
