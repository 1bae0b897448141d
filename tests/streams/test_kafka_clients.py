"""A client that does not come through to its Kafka broker leaves nothing behind, however often one is made."""

import gc
import logging
import socket
import socketserver
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer
from kafka.errors import KafkaConfigurationError

from streams import kafka_refusal
from streams.broker_url import Broker, BrokerUnavailable, parse_broker
from streams.feed import Feed
from streams.kafka_clients import opened
from streams.lag import progress_of, workers_of
from streams.outlets import open_outlet
from streams.packing import PackedRecord
from streams.topics import check, create
from tablewatch.commands.demo_parts import free_port
from tests.services.fixtures import own_broker
from tests.services.kafka import KafkaBroker as RealBroker

TIMES = 4
SECONDS = 0.2


def _outlet(broker: Broker) -> None:
    with open_outlet(broker, patience_seconds=SECONDS):
        pass


WAYS: dict[str, Callable[[Broker], object]] = {
    "a feed": lambda broker: Feed(broker, ("audit.alerts",), connect_seconds=SECONDS),
    "an outlet": _outlet,
    "topics that are checked": lambda broker: check(broker, connect_seconds=SECONDS),
    "topics that are made": lambda broker: create(broker, connect_seconds=SECONDS),
    "the lag": lambda broker: progress_of(broker, connect_seconds=SECONDS),
    "the workers": lambda broker: workers_of(broker, 1.0, connect_seconds=SECONDS),
}


@pytest.fixture(autouse=True)
def _unrecorded(caplog: pytest.LogCaptureFixture) -> None:
    """What is logged of a connection would hold it, through its error, as long as the test's records are kept."""
    caplog.set_level(logging.CRITICAL + 1, "kafka")


@contextmanager
def _nothing_left() -> Iterator[None]:
    """After so many times no thread is there that was not there before, and fewer than so many files: threads of
    earlier tests open some now and then, and what a client leaves, it leaves each time."""
    gc.collect()
    threads, files = set(threading.enumerate()), len(list(Path("/dev/fd").iterdir()))
    yield
    assert [thread.name for thread in threading.enumerate() if thread not in threads] == []
    # The client leaves the sockets of refused connections to the collector.
    gc.collect()
    assert len(list(Path("/dev/fd").iterdir())) < files + TIMES


def _tried_often(way: Callable[[Broker], object], url: str) -> None:
    with _nothing_left():
        for _ in range(TIMES):
            with pytest.raises(BrokerUnavailable):
                way(parse_broker(url))


class _Babbler(socketserver.BaseRequestHandler):
    """Answers as a web server does."""

    def handle(self) -> None:
        with suppress(OSError):
            self.request.recv(64)
            self.request.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")


@pytest.fixture
def other_server() -> Iterator[int]:
    """The port of a server that is no broker; it has one thread for all who come."""
    with socketserver.TCPServer(("127.0.0.1", 0), _Babbler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        yield server.server_address[1]
        server.shutdown()
        thread.join()


@pytest.mark.parametrize("way", WAYS)
def test_a_broker_that_is_away_costs_no_thread_and_no_file(way: str) -> None:
    _tried_often(WAYS[way], f"kafka://127.0.0.1:{free_port()}")


@pytest.mark.parametrize("way", ["a feed", "an outlet", "the lag"])
def test_a_broker_that_stands_still_costs_no_thread_and_no_file(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kafka_refusal, "PROBE_SECONDS", 0.1)
    with socket.create_server(("127.0.0.1", 0)) as server:
        _tried_often(WAYS[way], f"kafka://127.0.0.1:{server.getsockname()[1]}")


@pytest.mark.parametrize("security", ["PLAINTEXT", "SSL"])
@pytest.mark.parametrize("way", ["a feed", "an outlet", "the lag"])
def test_a_server_that_is_no_broker_costs_no_thread_and_no_file(way: str, security: str, other_server: int) -> None:
    _tried_often(WAYS[way], f"kafka://127.0.0.1:{other_server}?security={security}")


@pytest.mark.java
@pytest.mark.xdist_group("kafka")
@pytest.mark.parametrize("kind", [KafkaAdminClient, KafkaConsumer, KafkaProducer])
def test_a_client_that_came_through_is_left_open(kind: type, kafka_broker: RealBroker) -> None:
    with _nothing_left():
        for _ in range(TIMES):
            client = opened(kind, **kafka_broker.options)
            assert [thread for thread in threading.enumerate() if thread.name.startswith("kafka")]
            client.close()


@pytest.mark.java
@pytest.mark.xdist_group("kafka")
def test_what_a_client_finds_wrong_with_its_settings_after_it_came_through_is_said(kafka_broker: RealBroker) -> None:
    with _nothing_left():
        for _ in range(TIMES):
            with pytest.raises(KafkaConfigurationError, match="group_instance_id requires group_id"):
                opened(KafkaConsumer, **kafka_broker.options, group_id=None, group_instance_id="first")


@pytest.mark.java
@pytest.mark.xdist_group("kafka")
def test_who_leaves_while_something_is_on_the_way_to_a_broker_that_is_gone_says_why_and_leaves_no_thread(
    tmp_path: Path,
) -> None:
    with own_broker(tmp_path) as real:
        broker = parse_broker(real.url)
        create(broker)
        before = set(threading.enumerate())
        with pytest.raises(KeyboardInterrupt), open_outlet(broker, patience_seconds=60.0) as outlet:
            real.kill()
            outlet.send(PackedRecord("table.bets", 0, b"{}", 1))
            raise KeyboardInterrupt
        deadline = time.monotonic() + 20.0
        while left := [thread.name for thread in threading.enumerate() if thread not in before]:
            assert time.monotonic() < deadline, left
            time.sleep(0.1)
