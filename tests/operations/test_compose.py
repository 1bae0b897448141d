"""docker-compose.yml: valid by the compose specification, real commands and settings, closed but for what is opened."""

import re
import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path
from xml.etree import ElementTree

import orjson
import pytest
from jsonschema import Draft202012Validator

from dashboards.boards.pipeline import PIPELINE
from dashboards.rules import RULES
from dashboards.sources import Prom
from store.embedded import engine
from tests.operations.commands import help_of, unknown_settings
from tests.operations.places import COMPOSE, MAKE_SECRETS, ROOT, compose, ours, services
from tests.services.fixtures import absent

OPEN = {"gateway": "8480", "console": "8470", "grafana": "3000"}
"""What people open, and devices send to."""


def _schema() -> Draft202012Validator:
    """The JSON schema of the compose specification, as the package check-jsonschema carries it."""
    package = find_spec("check_jsonschema")
    assert package is not None and package.submodule_search_locations is not None
    (folder,) = package.submodule_search_locations
    return Draft202012Validator(
        orjson.loads((Path(folder) / "builtin_schemas" / "vendor" / "compose-spec.json").read_bytes())
    )


def test_it_is_valid_by_the_compose_specification() -> None:
    assert [error.message for error in _schema().iter_errors(compose())] == []


def test_the_specification_tells_what_it_does_not_know() -> None:
    wrong = compose()
    wrong["services"]["worker"]["memmory"] = "1g"
    assert any("memmory" in error.message for error in _schema().iter_errors(wrong))


def _client() -> list[str] | None:
    """The compose client, of whichever kind is installed."""
    for client in (["docker", "compose"], ["docker-compose"]):
        if (
            shutil.which(client[0])
            and not subprocess.run([*client, "version"], check=False, capture_output=True).returncode
        ):
            return client
    return None


@pytest.mark.docker_client
def test_the_client_accepts_it_without_an_engine() -> None:
    client = _client()
    if client is None:
        absent("docker_client", "no docker compose client is installed (Debian: apt-get install docker-compose)")
        raise AssertionError
    run = subprocess.run(
        [*client, "-f", str(COMPOSE), "config", "--quiet"], check=False, capture_output=True, text=True, timeout=60
    )
    assert run.returncode == 0, run.stderr


def test_every_setting_in_it_is_known() -> None:
    for name, service in ours().items():
        assert unknown_settings(set(service.get("environment", {}))) == set(), name
    assert unknown_settings({"TABLEWATCH_BROKR"}) == {"TABLEWATCH_BROKR"}


def test_every_command_and_option_in_it_is_real() -> None:
    assert help_of(["work"]) is None
    for name, service in ours().items():
        if service.get("entrypoint") == ["sh", "-c"]:
            (line,) = service["command"]
            lines = [part.split() for part in line.split("|")]
            assert all(words[0] == "tablewatch" for words in lines), name
            commands = [[words[1], *(word for word in words if word.startswith("--"))] for words in lines]
        else:
            commands = [service["command"]]
        for command in commands:
            said = help_of(command)
            assert said is not None, (name, command)
            assert {word for word in command if word.startswith("--")} <= set(re.findall(r"--[a-z-]+", said))


def test_all_parts_are_there_and_two_workers() -> None:
    assert services().keys() == {
        "kafka", "clickhouse", "topics", "migrate", "worker", "alerts", "watches", "gateway", "console", "chain",
        "simulator", "prometheus", "grafana",
    }  # fmt: skip
    assert services()["worker"]["deploy"]["replicas"] == 2
    assert services()["simulator"]["profiles"] == ["simulator"]


def test_only_what_people_open_is_reachable_and_that_from_this_machine_alone() -> None:
    published = {name: service["ports"] for name, service in services().items() if "ports" in service}
    assert published.keys() == OPEN.keys()
    for name, ports in published.items():
        (port,) = ports
        said = re.fullmatch(r"\$\{\w+:-(.*?)\}:(\d+):(\d+)", port)
        assert said is not None, port
        assert said.groups() == ("127.0.0.1", OPEN[name], OPEN[name])
    assert compose()["networks"]["inside"] == {"internal": True}
    beyond = {name for name, service in services().items() if "outside" in service["networks"]}
    assert beyond == {*OPEN, "alerts"}


@pytest.mark.parametrize("name", sorted(services()))
def test_a_container_is_nobody_special_limited_and_pinned(name: str) -> None:
    service = services()[name]
    uid, _, _ = service["user"].partition(":")
    assert int(uid) > 0
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert {"cpus", "memory"} <= service["deploy"]["resources"]["limits"].keys()
    assert re.search(r":v?\d+\.\d+(\.\d+)?$", service["image"])
    assert "privileged" not in service
    if service["restart"] != "no" and not service.get("profiles"):
        assert service["healthcheck"]["test"][0] == "CMD"


def test_the_parts_start_in_order() -> None:
    after = {name: service.get("depends_on", {}) for name, service in services().items()}
    assert after["topics"] == {"kafka": {"condition": "service_healthy"}}
    assert after["migrate"] == {"clickhouse": {"condition": "service_healthy"}}
    done = {"condition": "service_completed_successfully"}
    for name in ("worker", "alerts", "console", "chain"):
        assert after[name] == {"topics": done, "migrate": done}
    assert after["gateway"] == after["simulator"] == {"topics": done}


def test_no_secret_is_in_the_file_and_every_secret_is_made(tmp_path: Path) -> None:
    subprocess.run([MAKE_SECRETS, tmp_path / "secrets"], check=True, capture_output=True)
    made = {path.name for path in (tmp_path / "secrets").iterdir()}
    declared = compose()["secrets"]
    assert {Path(each["file"]).name for each in declared.values()} <= made
    for name, service in services().items():
        used = {each if isinstance(each, str) else each["source"] for each in service.get("secrets", [])}
        assert used <= declared.keys(), name
        for setting, value in service.get("environment", {}).items():
            assert not re.search(r"PASSWORD|TOKEN|SECRET", setting) or setting.endswith("_FILE"), (name, setting)
            if str(value).startswith("/run/secrets/"):
                assert Path(value).name in used, (name, setting)


def test_what_a_container_waits_for_to_stop_is_longer_than_what_it_needs() -> None:
    worker = services()["worker"]
    assert int(worker["stop_grace_period"].rstrip("s")) > int(worker["environment"]["TABLEWATCH_STOP_SECONDS"]) + 10


def test_its_store_acknowledges_and_merges_as_the_embedded_one_does() -> None:
    """Neither takes back in a power cut what workers have acknowledged to the broker."""
    embedded = ElementTree.fromstring(engine.CONFIGURATION)
    here = ElementTree.parse(ROOT / "deploy" / "compose" / "clickhouse" / "config.xml").getroot()
    settings = [{each.tag: each.text for each in root.iterfind("merge_tree/*")} for root in (embedded, here)]
    assert settings[0] == settings[1]
    assert settings[1]["fsync_after_insert"] == "1"


def test_files_that_are_mounted_are_there() -> None:
    for name, service in services().items():
        for volume in service.get("volumes", []):
            source = volume.split(":")[0]
            assert (ROOT / source).exists() if source.startswith(".") else source in compose()["volumes"], (
                name,
                volume,
            )


def test_prometheus_asks_under_the_names_that_dashboards_and_rules_use() -> None:
    jobs = set(re.findall(r"job_name: (\S+)", (ROOT / "deploy/compose/prometheus/prometheus.yml").read_text()))
    asked = orjson.dumps([panel.json(1, 0, 0) for panel in PIPELINE.panels]).decode()
    asked += " ".join(rule.query.expression for rule in RULES if isinstance(rule.query, Prom)).replace('"', '\\"')
    for named in re.findall(r'job=~?\\"([^"\\]+)\\"', asked):
        group = re.fullmatch(r"(.*)\((.*)\)", named)
        wanted = {group[1] + each for each in group[2].split("|")} if group else {named}
        assert wanted <= jobs
    assert {"tablewatch-worker", "tablewatch-gateway", "tablewatch-alerts"} <= jobs


def test_ports_that_prometheus_asks_are_those_that_parts_answer_on() -> None:
    text = (ROOT / "deploy/compose/prometheus/prometheus.yml").read_text()
    environment = {name: service.get("environment", {}) for name, service in services().items()}
    assert f"port: {environment['worker']['TABLEWATCH_METRICS_PORT']}" in text
    assert f"alerts:{environment['alerts']['TABLEWATCH_ALERTS_PORT']}" in text
    assert f"gateway:{environment['gateway']['TABLEWATCH_GATEWAY_PORT']}" in text
    assert f"console:{environment['console']['TABLEWATCH_CONSOLE_METRICS_PORT']}" in text
    for name in ("worker", "alerts", "console"):
        assert environment[name]["TABLEWATCH_METRICS_HOST"] == "0.0.0.0"  # noqa: S104 - inside its own network
    for name in ("worker", "alerts", "gateway", "console"):
        (port,) = re.findall(r"127\.0\.0\.1:(\d+)", services()[name]["healthcheck"]["test"][-1])
        assert port in {str(value) for value in environment[name].values()}
