"""The broker of docker-compose.yml: its own script, properties and secrets, on a real broker; who may do what there."""

import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import orjson
import pytest
from kafka.admin import ConfigResource
from typer.testing import CliRunner

from simulator.floor import simulate
from streams.broker_url import BrokerUnavailable, KafkaBroker, RightsMissing, parse_broker
from streams.kafka_topics import administration
from streams.publish import publish
from streams.topic_layout import INPUTS
from tablewatch.command import app
from tablewatch.commands.demo_parts import free_port
from tests.operations.places import MAKE_SECRETS, ROOT, services
from tests.services.fixtures import absent
from tests.services.kafka import KafkaUnavailable, jars

KAFKA = ROOT / "deploy" / "compose" / "kafka"

pytestmark = [pytest.mark.java, pytest.mark.xdist_group("kafka")]


@dataclass(frozen=True)
class Started:
    """A broker that the script started, and the secrets that it was started with."""

    port: int
    secrets: Path

    def url(self, user: str) -> str:
        """As the secret of this user has it, but at this port."""
        return (self.secrets / f"broker_url_{user}").read_text().replace("@kafka:9092", f"@127.0.0.1:{self.port}")


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Started]:
    try:
        class_path = f"{jars()}/*"
    except KafkaUnavailable as error:
        absent("java", str(error))
        raise
    folder = tmp_path_factory.mktemp("broker")
    subprocess.run([MAKE_SECRETS, folder / "secrets"], check=True, capture_output=True)
    port, controller = free_port(), free_port()
    properties = (KAFKA / "server.properties").read_text()
    for said, here in (
        (":9092", f":{port}"), ("//kafka:", "//127.0.0.1:"), (":9093", f":{controller}"),
        ("/var/lib/kafka/data", str(folder / "data")),
    ):  # fmt: skip
        assert said in properties
        properties = properties.replace(said, here)
    (folder / "server.properties").write_text(properties)
    # The scripts of a Kafka distribution are these two classes on its class path.
    (folder / "home" / "bin").mkdir(parents=True)
    for script, main in (("kafka-storage.sh", "kafka.tools.StorageTool"), ("kafka-server-start.sh", "kafka.Kafka")):
        path = folder / "home" / "bin" / script
        path.write_text(f"#!/bin/sh\nexec java -Xmx512m -XX:+UseSerialGC -cp '{class_path}' {main} \"$@\"\n")
        path.chmod(0o700)
    environment = {
        "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "KAFKA_HOME": str(folder / "home"),
        "KAFKA_SECRETS": str(folder / "secrets"),
        "KAFKA_PROPERTIES": str(folder / "server.properties"),
        "KAFKA_RUN": str(folder / "run"),
    }
    (folder / "run").mkdir()
    with (folder / "out").open("wb") as out:
        process = subprocess.Popen([KAFKA / "start"], env=environment, stdout=out, stderr=out, cwd=folder)
    try:
        _await(port, process, folder / "out")
        yield Started(port, folder / "secrets")
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(120)


def _await(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + 240
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1.0).close()
            return
        except OSError:
            assert process.poll() is None, log.read_text()[-3000:]
            assert time.monotonic() < deadline, log.read_text()[-3000:]
            time.sleep(0.3)


def _create(broker: Started, user: str = "admin") -> str:
    environment = {key: str(value) for key, value in services()["topics"]["environment"].items()}
    environment.pop("TABLEWATCH_BROKER_FILE")
    command = services()["topics"]["command"]
    done = CliRunner().invoke(
        app, [*command, "--broker", broker.url(user)], env=environment | {"TABLEWATCH_PARTITIONS": "2"}
    )
    assert done.exit_code == 0, done.output
    return done.output


def test_topics_and_rights_are_made_once_and_devices_write_inputs_alone(broker: Started) -> None:
    assert "table.cards" in _create(broker)
    assert "table.cards" not in _create(broker), "the second time nothing is left to do"
    lines = list(simulate(1, 1, 5))
    for sender in ("gateway", "simulator", "alerts"):
        assert publish(lines, parse_broker(broker.url(sender)), patience_seconds=30).events == len(lines)
    for nobody in ("console", "worker", "chain"):
        with pytest.raises((RightsMissing, BrokerUnavailable)):
            publish(lines, parse_broker(broker.url(nobody)), patience_seconds=10)


def test_what_the_broker_acknowledged_has_reached_its_disk(broker: Started) -> None:
    """It is alone: nobody else has what a power cut takes back."""
    _create(broker)
    target = parse_broker(broker.url("admin"))
    assert isinstance(target, KafkaBroker)
    with administration(target, 10.0) as admin:
        configs = admin.describe_configs([ConfigResource("TOPIC", name) for name in INPUTS], config_filter="all")
    assert [configs["topic"][name]["flush.messages"]["value"] for name in INPUTS] == ["1", "1", "1"]


@pytest.mark.parametrize("user", ["console", "worker", "alerts"])
def test_the_doctor_of_a_part_says_what_it_may_not_see_and_not_that_it_is_wrong(broker: Started, user: str) -> None:
    _create(broker)
    done = CliRunner().invoke(app, ["doctor", "--json"], env={"TABLEWATCH_BROKER": broker.url(user)})
    checks = {check["name"]: check for check in orjson.loads(done.stdout)["checks"]}
    assert checks["broker"]["ok"] and checks["lag"]["ok"]
    assert checks["topics"]["ok"]
    assert f"does not let {user} do that" in checks["topics"]["says"]
    asked = CliRunner().invoke(app, ["topics", "check"], env={"TABLEWATCH_BROKER": broker.url(user)})
    assert asked.exit_code == 2
    # A worker does not even see the topic of those who seal.
    assert ("look at audit.checkpoints" if user == "worker" else "the settings of table.cards") in asked.output


def test_a_wrong_password_is_not_let_in(broker: Started) -> None:
    url = broker.url("gateway").replace("gateway:", "gateway:0", 1)
    with pytest.raises((RightsMissing, BrokerUnavailable)):
        publish(list(simulate(1, 1, 5)), parse_broker(url), patience_seconds=5)
