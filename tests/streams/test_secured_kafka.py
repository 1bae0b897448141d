"""A Kafka that wants TLS and a login: the pipeline runs on it, and who is not let in is told why."""

import re
import socket
import socketserver
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from kafka.errors import KafkaTimeoutError

from streams import kafka_refusal
from streams.broker_url import BrokerUnavailable, KafkaBroker, RightsMissing, parse_broker
from streams.feed import Feed
from streams.lag import progress_of
from streams.outlets import open_outlet
from streams.topics import Layout, check, create
from tablewatch.commands.demo_parts import free_port
from tests.faults.floor import floor, play
from tests.services.certificate import self_signed
from tests.services.fixtures import own_broker
from tests.services.kafka import ADMIN, PASSWORD
from tests.services.kafka import KafkaBroker as RealBroker
from tests.services.topics import without_topics
from tests.streams.pipeline import StoreProcess

GUEST = "guest", "guest-secret"
"""A user with no right at all."""


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return self_signed(tmp_path_factory.mktemp("certificate"), "kafka")


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory, certificate: tuple[Path, Path]) -> Iterator[RealBroker]:
    with own_broker(tmp_path_factory.mktemp("kafka"), secure=True, tls=certificate) as started:
        started.add_user(*GUEST)
        yield started


def _url(broker: RealBroker, ca: Path | None, user: str = ADMIN, password: str = PASSWORD) -> str:
    trusted = "" if ca is None else f"&ca={ca}"
    return f"kafka://{user}:{password}@127.0.0.1:{broker.tls_port}?security=SASL_SSL{trusted}"


def _reason(url: str) -> str:
    """What is said to one who comes with this address. No client is made for it: each would try for seconds first."""
    broker = parse_broker(url)
    assert isinstance(broker, KafkaBroker)
    return str(kafka_refusal.unavailable(broker, KafkaTimeoutError("no client came through")))


@pytest.mark.java
@pytest.mark.xdist_group("kafka")
def test_the_pipeline_runs_over_tls_and_with_a_login(
    broker: RealBroker, certificate: tuple[Path, Path], tmp_path: Path
) -> None:
    without_topics(broker)
    url = _url(broker, certificate[0])
    with floor(tmp_path, url, StoreProcess(tmp_path / "clickhouse")) as playing:
        playing.worker = playing.running.start_worker()
        playing.say(play("T", 2, 4, 5))
        playing.check()


@pytest.mark.java
@pytest.mark.xdist_group("kafka")
@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("kafka://admin:wrong@{plain}?security=SASL_PLAINTEXT", "refuses the login of admin"),
        ("kafka://nobody:wrong@{plain}?security=SASL_PLAINTEXT", "refuses the login of nobody"),
        (
            "kafka://admin:admin-secret@{plain}?security=SASL_PLAINTEXT&mechanism=PLAIN",
            "takes no login by PLAIN; it takes SCRAM-SHA-512: mechanism=",
        ),
        ("kafka://{plain}", r"wants a login \(SCRAM-SHA-512\): kafka://user:password@"),
        ("kafka://admin:admin-secret@{plain}?security=SASL_SSL", "speaks no TLS as security=SASL_SSL asks for"),
        ("kafka://admin:admin-secret@{tls}?security=SASL_SSL", r"a certificate that is not trusted here .*ca=FILE"),
        ("kafka://admin:admin-secret@{tls}?security=SASL_PLAINTEXT", "speaks TLS there: say security=SASL_SSL"),
        ("kafka://{tls}", "speaks TLS there: say security=SSL"),
        ("kafka://admin:wrong@{tls}?security=SASL_SSL&ca={ca}", "refuses the login of admin"),
        ("kafka://{tls}?security=SSL&ca={ca}", r"wants a login \(SCRAM-SHA-512\)"),
    ],
)
def test_who_is_not_let_in_is_told_why(
    broker: RealBroker, certificate: tuple[Path, Path], address: str, said: str
) -> None:
    where = {"plain": broker.server, "tls": f"127.0.0.1:{broker.tls_port}", "ca": certificate[0]}
    reason = _reason(address.format(**where))
    assert re.search(said, reason), reason
    assert "secret" not in reason and "wrong" not in reason, "no password is repeated"


@pytest.mark.java
@pytest.mark.xdist_group("kafka")
@pytest.mark.parametrize(
    "address",
    [
        "kafka://admin:wrong@{plain}?security=SASL_PLAINTEXT",
        "kafka://admin:wrong@{tls}?security=SASL_SSL&ca={ca}",
        "kafka://admin:admin-secret@{tls}?security=SASL_SSL",
        "kafka://{tls}",
    ],
)
def test_who_is_not_let_in_leaves_no_thread_behind(
    broker: RealBroker, certificate: tuple[Path, Path], address: str
) -> None:
    where = {"plain": broker.server, "tls": f"127.0.0.1:{broker.tls_port}", "ca": certificate[0]}
    stranger = parse_broker(address.format(**where))
    before = set(threading.enumerate())
    for _ in range(2):
        with pytest.raises(BrokerUnavailable):
            check(stranger, connect_seconds=0.5)
        with pytest.raises(BrokerUnavailable):
            Feed(stranger, ("audit.alerts",), connect_seconds=0.5)
        with pytest.raises(BrokerUnavailable), open_outlet(stranger, patience_seconds=0.5):
            pass
    assert [thread.name for thread in threading.enumerate() if thread not in before] == []


@pytest.mark.java
@pytest.mark.xdist_group("kafka")
def test_a_broker_without_logins_says_that_it_takes_none(kafka_broker: RealBroker) -> None:
    url = f"kafka://admin:admin-secret@{kafka_broker.server}?security=SASL_PLAINTEXT"
    assert "takes no login there" in _reason(url)


@pytest.mark.java
@pytest.mark.xdist_group("kafka")
def test_topics_that_a_user_may_not_see_are_not_called_missing(broker: RealBroker) -> None:
    create(parse_broker(broker.url), Layout(2))
    guest = parse_broker(broker.url_of(*GUEST))
    assert isinstance(guest, KafkaBroker)
    shown = r"does not let guest .* look at table\.cards, table\.bets, table\.floor"
    with pytest.raises(RightsMissing, match=shown):
        progress_of(guest)
    with (
        pytest.raises(RightsMissing, match=r"does not let guest write: .*table\.cards"),
        open_outlet(guest, patience_seconds=2.0),
    ):
        pass
    with pytest.raises(RightsMissing, match=r"look at audit\.alerts"):
        Feed(guest, ("audit.alerts",))


class _Babbler(socketserver.BaseRequestHandler):
    """Answers as a web server does."""

    def handle(self) -> None:
        self.request.recv(64)
        self.request.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")


@contextmanager
def _server(handler: type[socketserver.BaseRequestHandler]) -> Iterator[int]:
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()
            thread.join()


def test_another_server_at_that_port_is_no_broker() -> None:
    with _server(_Babbler) as port:
        assert "answers, but not as a Kafka broker does: another port?" in _reason(f"kafka://127.0.0.1:{port}")


def test_a_server_that_stands_still_is_not_called_another_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kafka_refusal, "PROBE_SECONDS", 0.3)
    with socket.create_server(("127.0.0.1", 0)) as server:
        for security in ("PLAINTEXT", "SSL"):
            reason = _reason(f"kafka://127.0.0.1:{server.getsockname()[1]}?security={security}")
            assert "takes the connection and does not answer" in reason


def test_a_file_that_is_no_certificate_is_named_and_no_server_blamed(tmp_path: Path) -> None:
    file = tmp_path / "ca.pem"
    file.write_text("nothing of the kind")
    broker = parse_broker(f"kafka://127.0.0.1:{free_port()}?security=SSL&ca={file}")
    for gone in (False, True):
        if gone:
            file.unlink()
        with pytest.raises(BrokerUnavailable, match="names a file that cannot be used"):
            check(broker, connect_seconds=1.0)


def test_a_server_that_wants_a_certificate_of_the_client_is_named(certificate: tuple[Path, Path]) -> None:
    pem, key = certificate
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem, key)
    context.load_verify_locations(pem)
    context.verify_mode = ssl.CERT_REQUIRED

    class Strict(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            try:
                context.wrap_socket(self.request, server_side=True).recv(64)
            except OSError:
                return

    with _server(Strict) as port:
        reason = _reason(f"kafka://127.0.0.1:{port}?security=SSL&ca={pem}")
    assert "wants a certificate of this client (certificate= and key=)" in reason


def test_a_certificate_without_its_key_is_named_by_what_is_missing(certificate: tuple[Path, Path]) -> None:
    pem, _ = certificate
    reason = _reason(f"kafka://127.0.0.1:{free_port()}?security=SSL&certificate={pem}")
    assert "without key=, the file of certificate= has to hold the key as well" in reason


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("127.0.0.1:{closed}", "refuses the connection: nothing listens at that port"),
        ("nobody.invalid:9092", "nobody.invalid:9092 has a name that is not known here"),
        ("127.0.0.1:{closed},nobody.invalid:1", "nothing listens at that port; nobody.invalid:1 has a name"),
    ],
)
def test_a_wrong_address_is_named_by_what_is_wrong_with_it(address: str, said: str) -> None:
    assert said in _reason(f"kafka://{address.format(closed=free_port())}")
