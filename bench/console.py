"""The console with 1,000 tables at 5 events/s each: from event to 50 pages, the server's core, and one real wall.

    python -m bench.console [--tables 1000] [--pages 50] [--seconds 20] [--no-browser]

Everything runs here: the embedded log, the embedded store, the real `tablewatch console` as a process of its own, a
process that makes the load, 50 streams read by this process, and a Chromium that shows the wall. Latency is from the
moment at which the log took an event to the moment at which a page has the row that shows it.
"""

import argparse
import multiprocessing
import os
import selectors
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import pairwise
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import Any

import orjson
from playwright.sync_api import sync_playwright

from bench.page.figures import tell
from console.auth.people import People
from console.auth.sessions import Sessions
from console.database import Database
from schemas.topics import partition_of, topic_of
from simulator.setup import setups
from store.connect import Patience, connect
from store.embedded.process import EmbeddedClickHouse
from store.migrate import migrate
from store.render import SchemaSettings
from streams.broker_url import EmbeddedLog
from streams.embedded.log import Log, NewRecord
from streams.topics import Layout, create

PARTITIONS = 12
BEAT = 0.2
BAR_LATENCY_MS = 500
BAR_FRAME_MS = 16
CARDS = ("9S", "KH", "4D", "3C")


class Table:
    """Says one event a beat: a round of twelve events, over and over."""

    def __init__(self, name: str, setup: dict[str, Any]) -> None:
        self.name = name
        self._setup = setup
        self._sequence: dict[str, int] = defaultdict(int)
        self._beat = 0
        self._round = 0
        self._wager = next(iter(setup["limits"]))

    def first(self) -> list[tuple[str, bytes]]:
        return [
            self._event("desk", "table.configured.v1", self._setup),
            self._event("reader", "shoe.loaded.v1", {"shoe": "S", "decks": 8}),
        ]

    def next(self) -> tuple[str, bytes]:
        beat = self._beat % 12
        self._beat += 1
        if beat == 0:
            self._round += 1
        of = {"shoe": "S", "round": self._round}
        bet = {**of, "bet": "b1"}
        match beat:
            case 0:
                return self._event("dealer", "round.opened.v1", {**of, "method": None})
            case 1:
                placed = {**bet, "position": 1, "player": "M1", "wager": self._wager, "amount": 1000}
                return self._event("rfid", "bet.placed.v1", placed)
            case 2 | 3:
                return self._event("rfid", "bet.changed.v1", {**bet, "amount": 1000 * beat})
            case 4:
                return self._event("dealer", "bets.closed.v1", of)
            case 5 | 6 | 7 | 8:
                return self._event("reader", "card.drawn.v1", {**of, "draw": beat - 4, "card": CARDS[beat - 5]})
            case 9:
                return self._event("display", "result.displayed.v1", {**of, "winner": "tie", "totals": None})
            case 10:
                return self._event("rfid", "bet.settled.v1", {**bet, "paid": 0, "collected": 0})
        return self._event("dealer", "round.closed.v1", of)

    def _event(self, device: str, kind: str, data: dict[str, Any]) -> tuple[str, bytes]:
        sequence = self._sequence[device]
        self._sequence[device] += 1
        now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        event = {
            "specversion": "1.0", "id": f"{device}{sequence}", "source": f"/tables/{self.name}/{device}", "type": kind,
            "subject": self.name, "time": now, "sequence": sequence, "data": data,
        }  # fmt: skip
        return topic_of(kind) or "", orjson.dumps(event)


def make_load(folder: str, tables: int, ending: Event, behind: Any) -> None:
    """Every table says one event every 200 ms; tells how far it was behind at worst."""
    floor = [
        Table(f"{setup.table}-{number:04d}", {**setup.configured(), "pit": f"P{number // 25 + 1:02d}"})
        for number, setup in enumerate(setups(tables, 1))
    ]
    with Log(folder, synchronous="OFF") as log:
        _append(log, [(table.name, *said) for table in floor for said in table.first()])
        due = time.monotonic()
        while not ending.is_set():
            _append(log, [(table.name, *table.next()) for table in floor])
            due += BEAT
            late = time.monotonic() - due
            behind.value = max(behind.value, late)
            if late < 0:
                time.sleep(-late)


def _append(log: Log, said: list[tuple[str, str, bytes]]) -> None:
    packed: dict[tuple[str, int], list[bytes]] = defaultdict(list)
    for table, topic, event in said:
        packed[topic, partition_of(table, PARTITIONS)].append(event)
    log.append(
        [
            NewRecord(topic, partition, b"[" + b",".join(events[start : start + 100]) + b"]")
            for (topic, partition), events in packed.items()
            for start in range(0, len(events), 100)
        ]
    )


class Page:
    """A browser's stream, without the browser: bytes are taken as they come, and read when the run is over."""

    def __init__(self, port: int, cookie: str) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port))
        request = f"GET /api/v1/floor/stream HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: tablewatch={cookie}\r\n\r\n"
        self.socket.sendall(request.encode())
        self.socket.setblocking(False)
        self.came: list[tuple[int, bytes]] = []
        """What came, and when, in milliseconds since 1970."""

    def frames(self) -> Iterator[tuple[int, bytes]]:
        """Whole frames with the moment at which their last byte came."""
        stream = b"".join(piece for _, piece in self.came)
        ends, total = [], 0
        for moment, piece in self.came:
            total += len(piece)
            ends.append((total, moment))
        assert stream.startswith(b"HTTP/1.1 200"), stream[:200]
        place, held, number = stream.index(b"\r\n\r\n") + 4, b"", 0
        while (line := stream.find(b"\r\n", place)) >= 0:
            end = line + 2 + int(stream[place:line], 16)
            if end + 2 > len(stream):
                return
            held += stream[line + 2 : end]
            place = end + 2
            while ends[number][0] < end:
                number += 1
            *whole, held = held.split(b"\n\n")
            yield from ((ends[number][1], frame) for frame in whole)


def take_in(pages: list[Page], seconds: float) -> None:
    """Read all streams for so long."""
    deadline = time.monotonic() + seconds
    with selectors.DefaultSelector() as waiting:
        for page in pages:
            waiting.register(page.socket, selectors.EVENT_READ, page)
        while (left := deadline - time.monotonic()) > 0:
            for key, _ in waiting.select(left):
                piece = key.data.socket.recv(1 << 20)
                assert piece, "a stream has ended"
                key.data.came.append((time.time_ns() // 1_000_000, piece))


def latencies(pages: list[Page], since: int) -> list[int]:
    """Of every row on every page, from a moment on, in order."""
    heard: dict[bytes, list[int]] = {}
    found: list[int] = []
    for page in pages:
        for moment, frame in page.frames():
            if moment < since or b"event: delta" not in frame:
                continue
            # All pages get the same bytes: they are read once.
            if frame not in heard:
                told = orjson.loads(frame[frame.index(b"data: ") + 6 :])
                heard[frame] = [row["heard"] for row in told["tables"].values() if "heard" in row]
            found += [moment - each for each in heard[frame]]
    return sorted(found)


def cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def watch(port: int, cookies: list[str], seconds: float, pid: int) -> dict[str, Any]:
    """Follow all streams for so long."""
    pages = [Page(port, cookie) for cookie in cookies]
    take_in(pages, 5)
    began, cpu, own = time.monotonic(), cpu_seconds(pid), time.process_time()
    since = time.time_ns() // 1_000_000
    take_in(pages, seconds)
    took, used, own = time.monotonic() - began, cpu_seconds(pid) - cpu, time.process_time() - own
    for page in pages:
        page.socket.close()
    found = latencies(pages, since)
    sent = sum(len(piece) for page in pages for moment, piece in page.came if moment >= since)
    return {
        "rows told": len(found),
        "rows per second and page": round(len(found) / took / len(pages)),
        "latency p50 ms": found[len(found) // 2],
        "latency p99 ms": found[len(found) * 99 // 100],
        "latency worst ms": found[-1],
        "MB/s to all pages": round(sent / took / 1e6, 1),
        "server cores": round(used / took, 2),
        "cores of this process": round(own / took, 2),
    }


def wall_frames(port: int, cookie: str, seconds: float) -> dict[str, Any] | None:
    """Script, style and layout of a real wall, per update, in CPU time of the page's main thread."""
    path = shutil.which("chromium")
    if path is None:
        return None
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        context = browser.new_context(viewport={"width": 1920, "height": 1080})
        context.add_cookies([{"name": "tablewatch", "value": cookie, "url": f"http://127.0.0.1:{port}"}])
        page = context.new_page()
        page.goto(f"http://127.0.0.1:{port}/")
        page.wait_for_selector(".tile")
        page.wait_for_timeout(3000)
        shown = page.locator("#summary").inner_text()
        browser.start_tracing(page=page, categories=["devtools.timeline", "toplevel"])
        page.wait_for_timeout(seconds * 1000)
        trace = orjson.loads(browser.stop_tracing())
        browser.close()
    return {"wall": " ".join(shown.split()), **_frames(trace["traceEvents"])}


_WORK = frozenset({
    "EventDispatch", "FunctionCall", "FireAnimationFrame", "TimerFire", "UpdateLayoutTree", "Layout", "EvaluateScript",
})  # fmt: skip


def _frames(events: list[dict[str, Any]]) -> dict[str, Any]:
    """Sums the work of each update: from the call that takes a message, and asks for a frame, to the next such call."""
    asked: dict[tuple[int, int], list[float]] = defaultdict(list)
    for event in events:
        if event["name"] == "RequestAnimationFrame":
            asked[event["pid"], event["tid"]].append(event["ts"])
    if not asked:
        return {"updates": 0}
    thread = max(asked, key=lambda key: len(asked[key]))
    work = sorted(
        (event["ts"], event["ts"] + event.get("dur", 0), event.get("tdur", event.get("dur", 0)))
        for event in events
        if (event.get("pid"), event.get("tid")) == thread and event["name"] in _WORK and event.get("ph") == "X"
    )
    outer: list[tuple[float, float, float]] = []
    for piece in work:
        # Work inside other work counts once.
        if not outer or piece[0] >= outer[-1][1]:
            outer.append(piece)
    begins = [start for start, end, _ in outer if any(start <= moment <= end for moment in asked[thread])]
    spent = [
        sum(cpu for start, _, cpu in outer if begin <= start < following) / 1000
        for begin, following in pairwise(begins)
    ]
    spent.sort()
    return {
        "updates": len(spent),
        "script, style and layout p50 ms": round(spent[len(spent) // 2], 1),
        "script, style and layout p95 ms": round(spent[len(spent) * 95 // 100], 1),
        "worst ms": round(spent[-1], 1),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--tables", type=int, default=1000)
    parser.add_argument("--pages", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--no-browser", action="store_true")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as place, EmbeddedClickHouse(Path(place) / "clickhouse") as server:
        folder = Path(place)
        broker = EmbeddedLog(folder / "log")
        create(broker, Layout(partitions=PARTITIONS))
        migrate(connect(server.url, patience=Patience(total=60)), SchemaSettings())
        database = Database(folder)
        People(database).add("bench", "shift_manager", "for this one measurement")
        sessions = Sessions(database)
        cookies = [sessions.begin("bench", "127.0.0.1") for _ in range(chosen.pages + 1)]
        environment = {
            **os.environ, "TABLEWATCH_DATA": str(folder), "TABLEWATCH_BROKER": str(broker),
            "TABLEWATCH_CLICKHOUSE_URL": server.url, "TABLEWATCH_CONSOLE_PORT": "0",
        }  # fmt: skip
        command = [sys.executable, "-c", "from tablewatch.command import main; main()", "console"]
        console = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE)
        ending, behind = multiprocessing.Event(), multiprocessing.Value("d", 0.0)
        load = multiprocessing.Process(target=make_load, args=(str(broker.folder), chosen.tables, ending, behind))
        try:
            assert console.stderr is not None
            port = next(
                int(orjson.loads(line)["message"].rpartition(":")[2])
                for line in console.stderr
                if b"listening on" in line
            )
            load.start()
            time.sleep(4)
            told = watch(port, cookies[:-1], chosen.seconds, console.pid)
            frames = None if chosen.no_browser else wall_frames(port, cookies[-1], min(chosen.seconds, 15))
            bars = {
                "latency p99 ms": BAR_LATENCY_MS, "server cores": 1, "script, style and layout p95 ms": BAR_FRAME_MS,
            }  # fmt: skip
            for name, value in {**told, **(frames or {})}.items():
                if isinstance(value, int | float):
                    tell(f"console: {name}", value, at=chosen.tables, at_most=bars.get(name))
            print(f"the load was {behind.value * 1000:.0f} ms behind at worst; load average {os.getloadavg()[0]:.1f}")
        finally:
            ending.set()
            if load.pid:
                load.join(10)
            console.send_signal(signal.SIGTERM)
            console.wait(30)
            database.close()
    good = told["latency p99 ms"] < BAR_LATENCY_MS and told["server cores"] < 1
    good = good and (not frames or frames.get("script, style and layout p95 ms", 0) < BAR_FRAME_MS)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
