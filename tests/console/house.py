"""The console for tests: the real server on its own port, on a real store and a real log that a worker has judged."""

import asyncio
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import orjson
import uvicorn

from console.access import AccessLog
from console.auth.oidc import Provider
from console.auth.outsiders import Outsiders
from console.auth.pace import Pace
from console.auth.people import People
from console.auth.roles import ROLES, Role
from console.auth.sessions import Sessions
from console.changes.ledger import Ledger
from console.changes.subjects import Subject
from console.database import Database
from console.live.health import Health
from console.live.room import LiveRoom
from console.live.sources import feed_of, lag_at
from console.server.app import make_app
from console.server.parts import Parts
from games.readings import DEFAULT_READINGS, Readings
from replay.chain.keys import KeyRing
from schemas.findings import SEVERITY, Finding, finding_id, finding_json
from schemas.topics import ALERTS
from simulator.floor import simulate
from store.connect import Patience, Store, connect
from streams.broker_url import Broker, EmbeddedLog
from streams.embedded.log import Log, NewRecord
from streams.publish import publish
from streams.topics import Layout, create
from tests.streams.pipeline import StoreProcess, pipeline

PASSWORD = "correct horse battery"
SECONDS = 60.0
"""For a loaded machine; nothing is asserted about it."""
NOWHERE = "clickhouse://default@127.0.0.1:9/tablewatch"
"""Nobody listens there."""


def await_that(holds: Callable[[], Any], what: str, seconds: float = SECONDS) -> Any:
    """Wait until something holds; what it gave."""
    deadline = time.monotonic() + seconds
    while not (found := holds()):
        assert time.monotonic() < deadline, f"it never came that {what}"
        time.sleep(0.05)
    return found


@dataclass
class ConsoleServer:
    """A running console."""

    url: str
    port: int
    parts: Parts
    broker: Broker
    _server: uvicorn.Server
    _thread: threading.Thread

    def token(self, role: Role) -> str:
        """The cookie of a new session of the person with this role, who is called like it."""
        return self.parts.sessions.begin(name_of(role), "127.0.0.1")

    def client(self, role: Role | None) -> httpx.Client:
        """Somebody signed in with this role; None: nobody."""
        client = httpx.Client(base_url=self.url, timeout=90.0)
        if role is not None:
            token = self.token(role)
            client.cookies.set("tablewatch", token)
            session = self.parts.sessions.find(token)
            assert session is not None
            client.headers["X-CSRF-Token"] = session.csrf
        return client

    def stop(self) -> None:
        """End it as Ctrl-C does."""
        self.parts.live.end()
        self._server.should_exit = True
        self._thread.join(120)
        assert not self._thread.is_alive()

    def raise_findings(self, findings: list[Finding]) -> None:
        """Put findings on the topic, as a worker does."""
        assert isinstance(self.broker, EmbeddedLog)
        with Log(self.broker.folder) as log:
            log.append([NewRecord(ALERTS.name, 0, finding_json(each)) for each in findings])


def name_of(role: Role) -> str:
    """People of the tests are called like their role."""
    return role.replace("_", "-")


@contextmanager
def console_server(
    folder: Path,
    broker: Broker,
    store: Store,
    *,
    port: int = 0,
    lag: Callable[[], int] | None = None,
    stalled_seconds: float = 10.0,
    subjects: Sequence[Subject] = (),
    oidc: Callable[[str], Provider] | None = None,
    readings: Readings = DEFAULT_READINGS,
    ring: KeyRing | None = None,
) -> Iterator[ConsoleServer]:
    """A console with one person per role, on its own file in this folder; ``oidc`` makes the provider by its url."""
    database = Database(folder)
    people = People(database)
    known = {person.name for person in people.all()}
    for role in ROLES:
        if name_of(role) not in known:
            people.add(name_of(role), role, PASSWORD)
    listening = socket.create_server(("127.0.0.1", port))
    number = listening.getsockname()[1]
    url = f"http://127.0.0.1:{number}"
    room = LiveRoom(feed_of(broker), store, lag or lag_at(broker), Health(stalled_seconds))
    parts = Parts(
        people=people,
        sessions=Sessions(database),
        access=AccessLog(database, store),
        live=room,
        store=store,
        secure=False,
        signing_in=Pace(burst=100, per_second=100),
        asking=Pace(burst=100_000, per_second=100_000),
        changes=Ledger(database, subjects),
        readings=readings,
        outsiders=Outsiders(database, people),
        oidc=oidc(url) if oidc else None,
        ring=ring,
    )
    server = uvicorn.Server(
        uvicorn.Config(
            make_app(parts), log_config=None, access_log=False, server_header=False, timeout_graceful_shutdown=2
        )
    )
    thread = threading.Thread(target=lambda: asyncio.run(server.serve(sockets=[listening])), daemon=True)
    thread.start()
    running = ConsoleServer(url, number, parts, broker, server, thread)
    await_that(lambda: server.started, "the console listens")
    try:
        yield running
    finally:
        if thread.is_alive():
            running.stop()
        listening.close()
        database.close()


@contextmanager
def console_on_a_store_of_its_own(folder: Path) -> Iterator[tuple[ConsoleServer, StoreProcess]]:
    """A console and a store that may be paused: nobody else asks it."""
    broker = EmbeddedLog(folder / "log")
    create(broker, Layout(partitions=2))
    clickhouse = StoreProcess(folder / "clickhouse")
    with (
        pipeline(folder, broker, clickhouse, str(broker)),
        console_server(folder / "console", broker, impatient(clickhouse.url)) as console,
    ):
        yield console, clickhouse


def play(broker: Broker, *, tables: int = 5, rounds: int = 6, seed: int = 11, faults: float = 0.4) -> None:
    """Publish the events of a simulated floor of just now."""
    start = datetime.now(UTC) - timedelta(minutes=8)
    publish(simulate(tables, rounds, seed, faults, start=start), broker)


def say(broker: Broker, table: str, kind: str, source: str, sequence: int, **data: Any) -> None:
    """Publish one event of just now."""
    event = {
        "specversion": "1.0",
        "id": f"{source}-{sequence}",
        "source": f"/tables/{table}/{source}",
        "type": kind,
        "subject": table,
        "time": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        "sequence": sequence,
        "data": data,
    }
    publish([orjson.dumps(event)], broker)


def made_up_finding(number: int, code: str = "late-bet", table: str = "BT01", **more: Any) -> Finding:
    """A finding that no round is behind."""
    fields: dict[str, Any] = {
        "id": finding_id(code, table, "made up", number),
        "code": code,
        "severity": SEVERITY[code],
        "rule": "dragon-tiger-baccarat 5.4",
        "table": table,
        "shoe": "made up",
        "round": number,
        "bet": "b1",
        "draw": None,
        "expected": "refused",
        "actual": "accepted",
        "message": f"Bet b1 of made-up round {number} came late.",
        **more,
    }
    return Finding(**fields)


def impatient(url: str) -> Store:
    """A store for people who wait for the page."""
    return connect(url, patience=Patience(total=1.0))
