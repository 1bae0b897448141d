"""A real Apache Kafka broker on loopback, from the jars of Maven Central, for tests and measurements.

    with KafkaBroker(folder) as broker:
        broker.url            # kafka://127.0.0.1:41234
        broker.kill()         # kill -9
        broker.start()        # the same ports, the same data

The jars (43 MB) are fetched once with Maven into `.cache/kafka` of the checkout, or the folder that
TABLEWATCH_KAFKA_JARS names.
"""

import fcntl
import hashlib
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self
from uuid import uuid4

from kafka import KafkaAdminClient
from kafka.admin import ScramMechanism, UserScramCredentialUpsertion
from kafka.errors import KafkaError

from streams.kafka_clients import opened
from tablewatch.commands.demo_parts import free_port

POM = Path(__file__).parent / "kafka" / "pom.xml"
VERSION = "4.3.1"
ADMIN = "admin"
PASSWORD = "admin-secret"


class KafkaUnavailable(Exception):
    """There is no Java, no Maven, or no jars to be had here."""


def jars() -> Path:
    """The folder of the broker's jars, fetched if it is not there."""
    if shutil.which("java") is None:
        raise KafkaUnavailable("java is not installed")
    given = os.environ.get("TABLEWATCH_KAFKA_JARS")
    cache = Path(given) if given else Path(__file__).parents[2] / ".cache" / "kafka"
    # The content of the pom is part of the name: another version is another folder.
    folder = cache / f"{VERSION}-{hashlib.sha256(POM.read_bytes()).hexdigest()[:8]}"
    if folder.is_dir():
        return folder
    if shutil.which("mvn") is None:
        raise KafkaUnavailable(f"mvn is not installed, and {folder} has no jars")
    cache.mkdir(parents=True, exist_ok=True)
    with (cache / "fetch.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.is_dir():
            fresh = Path(tempfile.mkdtemp(dir=cache))
            command = ["mvn", "-q", "-B", "-f", str(POM), "dependency:copy-dependencies", "-DincludeScope=runtime"]
            try:
                subprocess.run(
                    [*command, f"-DoutputDirectory={fresh}"], check=True, capture_output=True, text=True, timeout=600
                )
                fresh.rename(folder)
            except subprocess.SubprocessError as error:
                shutil.rmtree(fresh, ignore_errors=True)
                raise KafkaUnavailable(f"Maven could not fetch the jars: {error}") from error
    return folder


class KafkaBroker:
    """One broker that is its own controller (KRaft), with all of its data under `folder`."""

    def __init__(
        self,
        folder: Path,
        *,
        secure: bool = False,
        tls: tuple[Path, Path] | None = None,
        heap: str = "512m",
        java: tuple[str, ...] = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"),
        properties: Mapping[str, str] | None = None,
    ) -> None:
        """`secure`: SASL/SCRAM and the authorizer, with `admin` as super user. `tls`: certificate and key of a listener
        beside, for the same users, at `tls_port`. `java`: short tests start sooner without
        the optimising compiler; pass () for measurements."""
        self.folder = folder
        self.secure = secure
        self.port, self._controller_port, self.tls_port = free_port(), free_port(), free_port()
        self._class_path = f"{jars()}/*"
        self._java = ["java", f"-Xmx{heap}", "-Xms64m", *java, "-cp", self._class_path]
        self._process: subprocess.Popen[bytes] | None = None
        folder.mkdir(parents=True, exist_ok=True)
        self._write_properties((self._tls(*tls) if tls else {}) | dict(properties or {}))
        self._format()

    @property
    def server(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        """For one who may do everything."""
        return self.url_of(ADMIN, PASSWORD) if self.secure else f"kafka://{self.server}"

    def url_of(self, user: str, password: str) -> str:
        return f"kafka://{user}:{password}@{self.server}?security=SASL_PLAINTEXT&mechanism=SCRAM-SHA-512"

    @property
    def options(self) -> dict[str, str]:
        """The options of kafka-python's clients for one who may do everything."""
        return self.options_of(ADMIN, PASSWORD) if self.secure else {"bootstrap_servers": self.server}

    def options_of(self, user: str, password: str) -> dict[str, str]:
        return {
            "bootstrap_servers": self.server,
            "security_protocol": "SASL_PLAINTEXT",
            "sasl_mechanism": "SCRAM-SHA-512",
            "sasl_plain_username": user,
            "sasl_plain_password": password,
        }

    def add_user(self, user: str, password: str) -> None:
        with KafkaAdminClient(**self.options) as admin:
            answer = admin.alter_user_scram_credentials(
                [UserScramCredentialUpsertion(user, ScramMechanism.SCRAM_SHA_512, password=password.encode())]
            )
        if any(answer.values()):
            raise KafkaUnavailable(f"the broker did not take user {user}: {answer}")

    def start(self, timeout: float = 60.0) -> None:
        """Start it and wait until it answers."""
        if self._process is not None:
            raise RuntimeError("the broker runs already")
        self._process = self._launch()
        deadline = time.monotonic() + timeout
        again = 2
        while True:
            if self._process.poll() is not None:
                if not again:
                    raise KafkaUnavailable(f"the broker ended at once:\n{self._last_lines()}")
                # Its port was free when it was chosen; somebody's outgoing connection may have it for a moment.
                again -= 1
                time.sleep(2.0)
                self._process = self._launch()
            try:
                # The client logs and waits long after a refused connection: try the port first.
                socket.create_connection(("127.0.0.1", self.port), 1.0).close()
                with opened(KafkaAdminClient, **self.options, bootstrap_timeout_ms=2000) as admin:
                    admin.describe_cluster()
                return
            except (KafkaError, OSError):
                if time.monotonic() > deadline:
                    self.kill()
                    raise KafkaUnavailable(f"the broker did not answer in {timeout} s:\n{self._last_lines()}") from None
                time.sleep(0.1)

    def _launch(self) -> "subprocess.Popen[bytes]":
        with (self.folder / "broker.out").open("ab") as out:
            return subprocess.Popen(
                [*self._java, "kafka.Kafka", str(self._properties)], stdout=out, stderr=out, cwd=self.folder
            )

    def stop(self, timeout: float = 30.0) -> None:
        """Let it shut down in good order."""
        self._end(signal.SIGTERM, timeout)

    def kill(self) -> None:
        """kill -9."""
        self._end(signal.SIGKILL, 10.0)

    def pause(self) -> None:
        """Freeze it: connections stay open and nothing answers."""
        if self._process is not None:
            self._process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        if self._process is not None:
            self._process.send_signal(signal.SIGCONT)

    def restart(self) -> None:
        self.stop()
        self.start()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()

    def _end(self, how: signal.Signals, timeout: float) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.send_signal(how)
        try:
            process.wait(timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(10.0)

    def _write_properties(self, more: dict[str, str]) -> None:
        settings = {
            "process.roles": "broker,controller",
            "node.id": "1",
            "controller.quorum.voters": f"1@127.0.0.1:{self._controller_port}",
            "listeners": f"CLIENT://{self.server},CONTROLLER://127.0.0.1:{self._controller_port}",
            "advertised.listeners": f"CLIENT://{self.server}",
            "listener.security.protocol.map": f"CLIENT:{'SASL_' if self.secure else ''}PLAINTEXT,CONTROLLER:PLAINTEXT",
            "inter.broker.listener.name": "CLIENT",
            "controller.listener.names": "CONTROLLER",
            "log.dirs": str(self.folder / "data"),
            "offsets.topic.replication.factor": "1",
            "offsets.topic.num.partitions": "4",
            "transaction.state.log.replication.factor": "1",
            "transaction.state.log.min.isr": "1",
            "share.coordinator.state.topic.replication.factor": "1",
            "share.coordinator.state.topic.min.isr": "1",
            "group.initial.rebalance.delay.ms": "0",
            "group.min.session.timeout.ms": "1000",
            # A killed broker comes back when its old registration has run out.
            "broker.session.timeout.ms": "2000",
            "broker.heartbeat.interval.ms": "500",
            "auto.create.topics.enable": "false",
            "num.network.threads": "2",
            "num.io.threads": "4",
        }
        if self.secure:
            settings |= {
                "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
                # The controller's own listener is plain and on loopback.
                "super.users": f"User:{ADMIN};User:ANONYMOUS",
                "sasl.enabled.mechanisms": "SCRAM-SHA-512",
                "sasl.mechanism.inter.broker.protocol": "SCRAM-SHA-512",
                "listener.name.client.scram-sha-512.sasl.jaas.config": _login(),
            }
        self._properties = self.folder / "server.properties"
        self._properties.write_text("".join(f"{name}={value}\n" for name, value in (settings | more).items()))

    def _tls(self, certificate: Path, key: Path) -> dict[str, str]:
        both = self.folder / "tls.pem"
        both.write_bytes(key.read_bytes() + certificate.read_bytes())
        controller = f"CONTROLLER://127.0.0.1:{self._controller_port}"
        clients = f"CLIENT://{self.server},TLS://127.0.0.1:{self.tls_port}"
        return {
            "listeners": f"{clients},{controller}",
            "advertised.listeners": clients,
            "listener.security.protocol.map": "CLIENT:SASL_PLAINTEXT,TLS:SASL_SSL,CONTROLLER:PLAINTEXT",
            "listener.name.tls.ssl.keystore.type": "PEM",
            "listener.name.tls.ssl.keystore.location": str(both),
            "listener.name.tls.scram-sha-512.sasl.jaas.config": _login(),
        }

    def _format(self) -> None:
        cluster = urlsafe_b64encode(uuid4().bytes).decode().rstrip("=")
        # An id that begins with a dash would be taken for an option.
        command = [*self._java, "kafka.tools.StorageTool", "format", f"--cluster-id={cluster}"]
        command += ["-c", str(self._properties)]
        if self.secure:
            command += ["--add-scram", f"SCRAM-SHA-512=[name={ADMIN},password={PASSWORD}]"]
        answer = subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=self.folder, check=False)
        if answer.returncode != 0:
            raise KafkaUnavailable(f"the storage was not formatted: {answer.stdout}{answer.stderr}")

    def _last_lines(self) -> str:
        return "\n".join((self.folder / "broker.out").read_text(errors="replace").splitlines()[-20:])


def _login() -> str:
    module = "org.apache.kafka.common.security.scram.ScramLoginModule"
    return f'{module} required username="{ADMIN}" password="{PASSWORD}";'
