"""`deploy/compose/make-secrets`: addresses that our parts read, passwords of which ClickHouse has the digests alone."""

import hashlib
import re
import shutil
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest

from store.address import parse_address
from streams.alerting.rules import read_routing
from streams.broker_url import KafkaBroker, parse_broker
from tests.operations.places import MAKE_SECRETS


@pytest.fixture(scope="module")
def secrets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("compose") / "secrets"
    subprocess.run([MAKE_SECRETS, folder], check=True, capture_output=True)
    return folder


def test_a_second_run_changes_nothing(secrets: Path) -> None:
    before = {path.name: path.read_bytes() for path in secrets.iterdir()}
    subprocess.run([MAKE_SECRETS, secrets], check=True, capture_output=True)
    assert {path.name: path.read_bytes() for path in secrets.iterdir()} == before
    passwords = [content for name, content in before.items() if name.endswith("_password")]
    assert len(set(passwords)) == len(passwords)
    assert all(len(content) == 48 for content in passwords)


def test_others_on_the_machine_cannot_look(secrets: Path) -> None:
    assert secrets.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("user", ["admin", "gateway", "worker", "alerts", "console", "chain", "simulator"])
def test_a_broker_address_logs_in_as_its_user(secrets: Path, user: str) -> None:
    broker = parse_broker((secrets / f"broker_url_{user}").read_text())
    assert isinstance(broker, KafkaBroker)
    assert (broker.user, broker.security, broker.mechanism) == (user, "SASL_PLAINTEXT", "SCRAM-SHA-512")
    assert broker.password == (secrets / f"kafka_{user}_password").read_text()


@pytest.mark.parametrize("user", ["owner", "writer"])
def test_a_store_address_has_the_password_of_which_clickhouse_has_the_digest(secrets: Path, user: str) -> None:
    address = parse_address((secrets / f"clickhouse_url_{user}").read_text())
    users = ElementTree.parse(secrets / "clickhouse_users.xml").getroot().find("users")
    assert users is not None
    assert users.findtext(f"{user}/password_sha256_hex") == hashlib.sha256(address.password.encode()).hexdigest()
    assert address.database == "tablewatch"


def test_clickhouse_has_no_user_without_a_password_and_grafana_only_reads(secrets: Path) -> None:
    text = (secrets / "clickhouse_users.xml").read_text()
    assert "DIGEST" not in text
    assert '<default remove="remove"/>' in text
    users = ElementTree.fromstring(text).find("users")
    assert users is not None
    assert all(user.find("password_sha256_hex") is not None for user in users if user.tag != "default")
    grants = " ".join(query.text or "" for query in users.findall("grafana/grants/query"))
    assert set(re.findall(r"GRANT (.*?) ON", grants)) == {"SELECT"}


def test_the_example_of_a_routing_file_is_one(secrets: Path) -> None:
    routing = read_routing(secrets / "alert_routes.toml")
    assert {role for person in routing.people.values() for role in person.roles} >= {"shift_manager", "administrator"}


def test_a_program_that_is_missing_is_named_and_nothing_is_made(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    for name in ("sh", "dirname", "mkdir", "chmod", "head", "od", "tr", "base64", "cut", "sed", "cat"):
        found = shutil.which(name)
        assert found is not None
        (tmp_path / "bin" / name).symlink_to(found)
    done = subprocess.run(
        [MAKE_SECRETS, tmp_path / "secrets"], env={"PATH": str(tmp_path / "bin")}, capture_output=True, check=False
    )
    assert done.returncode == 1
    assert done.stderr == b"sha256sum or shasum is needed and not installed\n"
    assert list((tmp_path / "secrets").iterdir()) == []
