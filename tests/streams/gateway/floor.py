"""A gateway on loopback for tests: a real server, a real broker behind it, and devices that talk to it."""

import ssl
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import orjson
import uvicorn

from schemas.decoding import split_record
from streams.broker_url import Broker, EmbeddedLog
from streams.embedded.log import Log
from streams.gateway.app import make_app
from streams.gateway.pressure import Pressure
from streams.gateway.sender import Sender
from streams.gateway.tokens import Devices, TokenFile
from streams.topics import INPUTS, Layout

BATCH = "application/cloudevents-batch+json"
ONE = "application/cloudevents+json"
PARTITIONS = 4

READER = "/tables/BT12/reader"


def until(what: Callable[[], bool], seconds: float = 240.0) -> None:
    """Wait for something that will be so; the bound only ends a test that would hang."""
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, "it did not come about"
        time.sleep(0.01)


def event(kind: str, data: Mapping[str, Any], sequence: int = 0, **changes: Any) -> dict[str, Any]:
    return {
        "specversion": "1.0",
        "id": f"e{sequence}",
        "source": READER,
        "type": kind,
        "subject": "BT12",
        "time": "2026-01-01T00:00:00Z",
        "sequence": sequence,
        "data": data,
    } | changes


def card(sequence: int = 0, **changes: Any) -> dict[str, Any]:
    return event("card.drawn.v1", {"shoe": "S1", "round": 1, "draw": sequence + 1, "card": "10H"}, sequence, **changes)


def heartbeat(sequence: int = 0, **changes: Any) -> dict[str, Any]:
    return event("device.heartbeat.v1", {"device_time": "2026-01-01T00:00:00Z"}, sequence, **changes)


@dataclass(frozen=True, slots=True)
class Floor:
    """A running gateway and what is behind it."""

    url: str
    tokens: TokenFile
    broker: Broker
    trust: ssl.SSLContext = field(default_factory=ssl.create_default_context)
    """The certificates that its devices trust: read once, which takes longer than a request."""

    def device(
        self,
        name: str = "reader-12",
        kind: str = "card-reader",
        tables: Sequence[str] = ("BT12",),
        sources: Sequence[str] = (READER,),
        types: list[str] | None = None,
    ) -> str:
        """The token of a new device."""
        return self.tokens.add(name, kind, list(tables), list(sources), types)[1]

    def post(self, token: str, content: object, kind: str = BATCH, **headers: str) -> httpx.Response:
        """Send what a device would; bytes as they are, anything else as JSON."""
        body = content if isinstance(content, bytes) else orjson.dumps(content)
        return httpx.post(
            f"{self.url}/v1/events",
            content=body,
            headers={"Authorization": f"Bearer {token}", "Content-Type": kind} | headers,
            timeout=60,
            verify=self.trust,
        )

    def get(self, path: str) -> httpx.Response:
        return httpx.get(f"{self.url}{path}", timeout=60, verify=self.trust)

    def ready(self) -> bool:
        return self.get("/readyz").status_code == 200

    def pending(self) -> int:
        """Bytes that wait for the broker."""
        lines = self.get("/metrics").text.splitlines()
        return int(
            float(next(line for line in lines if line.startswith("tablewatch_gateway_pending_bytes")).split()[1])
        )

    def records(self) -> dict[tuple[str, int], list[bytes]]:
        """The records of the embedded log, by topic and partition; places without any are left out."""
        assert isinstance(self.broker, EmbeddedLog)
        with Log(self.broker.folder) as log:
            places = [(topic, number) for topic in INPUTS for number in range(log.topics()[topic].partitions)]
            found = {
                place: [each.value or b"" for each in log.read(*place, 0, max_records=10_000, max_bytes=1 << 30)]
                for place in places
            }
        return {place: values for place, values in found.items() if values}

    def raws(self, topic: str) -> list[bytes]:
        """The bytes of each event of a topic."""
        return [
            raw
            for (name, _), values in self.records().items()
            if name == topic
            for value in values
            for raw in split_record(value)
        ]


@contextmanager
def running(
    folder: Path,
    broker: Broker | None = None,
    *,
    pending_bytes: int = 32 << 20,
    patience_seconds: float = 30.0,
    answer_seconds: float = 60.0,
    body_seconds: float = 30.0,
    partitions: int = PARTITIONS,
    wait: bool = True,
) -> Iterator[Floor]:
    """A gateway in this process, on a free port of loopback."""
    target = broker or EmbeddedLog(folder / "log")
    path = folder / "tokens.json"
    sender = Sender(target, patience_seconds=patience_seconds, layout=Layout(partitions=partitions))
    app = make_app(
        Devices(path), sender, Pressure(pending_bytes), answer_seconds=answer_seconds, body_seconds=body_seconds
    )
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_config=None, access_log=False))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        until(lambda: server.started)
        port = server.servers[0].sockets[0].getsockname()[1]
        floor = Floor(f"http://127.0.0.1:{port}", TokenFile(path), target)
        if wait:
            until(floor.ready)
        yield floor
    finally:
        server.should_exit = True
        thread.join(120)
    assert not thread.is_alive()


@contextmanager
def held_up(floor: Floor) -> Iterator[None]:
    """The embedded log is busy with another writer: nothing is acknowledged meanwhile."""
    assert isinstance(floor.broker, EmbeddedLog)
    with Log(floor.broker.folder) as log, log.writing():
        yield
