"""deploy/kubernetes: valid by Kubernetes' own schemas, real commands and settings, nobody special in any pod."""

import shutil
import subprocess
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import kubernetes_validate
import pytest
import yaml

from store.address import parse_address
from streams.alerting.rules import parse_routing
from streams.broker_url import parse_broker
from tests.operations.commands import help_of, unknown_settings
from tests.operations.places import ROOT, ours, services

FOLDER = ROOT / "deploy" / "kubernetes"
KUBERNETES = "1.37"
Manifest = dict[str, Any]


def _manifests() -> list[Manifest]:
    listed = yaml.safe_load((FOLDER / "kustomization.yaml").read_text())["resources"]
    return [each for name in listed for each in yaml.safe_load_all((FOLDER / name).read_text())]


def _pods() -> Iterator[tuple[str, Manifest]]:
    for manifest in _manifests():
        spec = manifest.get("spec", {})
        template = spec.get("jobTemplate", {}).get("spec", spec).get("template")
        if template:
            yield manifest["metadata"]["name"], template["spec"]


PODS = [pytest.param(name, pod, id=name) for name, pod in _pods()]
NAMES = [f"{each['kind']} {each['metadata']['name']}" for each in _manifests()]


def faults(manifest: Manifest) -> list[str]:
    """What Kubernetes' schema does not accept."""
    try:
        kubernetes_validate.validate(manifest, KUBERNETES, strict=True)
    except kubernetes_validate.ValidationError as error:
        return [str(error.message)]
    return []


@pytest.mark.parametrize("manifest", _manifests(), ids=NAMES)
def test_a_manifest_is_valid_by_kubernetes_own_schema(manifest: Manifest) -> None:
    assert faults(manifest) == []


def test_the_schema_tells_what_it_does_not_know() -> None:
    worker = deepcopy(next(each for each in _manifests() if each["kind"] == "Deployment"))
    worker["spec"]["replicaz"] = 3
    assert any("replicaz" in fault for fault in faults(worker))
    worker = deepcopy(next(each for each in _manifests() if each["kind"] == "Deployment"))
    worker["spec"]["template"]["spec"]["containers"][0]["ports"][0]["containerPort"] = "many"
    assert faults(worker)


def test_the_base_is_one_that_kustomize_builds() -> None:
    """By kubectl where it is; each file is listed once, and none is left over."""
    listed = yaml.safe_load((FOLDER / "kustomization.yaml").read_text())["resources"]
    there = {path.name for path in FOLDER.glob("*.yaml")}
    assert {*listed, "kustomization.yaml", "secret.example.yaml"} == there
    if shutil.which("kubectl"):
        built = subprocess.run(["kubectl", "kustomize", FOLDER], check=True, capture_output=True, text=True, timeout=60)
        manifests = list(yaml.safe_load_all(built.stdout))
        assert len(manifests) == len(_manifests())
        assert [fault for manifest in manifests for fault in faults(manifest)] == []
        images = {each for each in built.stdout.split() if each.startswith("tablewatch:")}
        assert images == {services()["worker"]["image"]}


@pytest.mark.parametrize(("name", "pod"), PODS)
def test_a_pod_runs_a_real_command_with_known_settings(name: str, pod: Manifest) -> None:
    (container,) = pod["containers"]
    assert help_of(container["args"]) is not None
    names = {each["name"] for each in container.get("env", [])}
    settings = next(each for each in _manifests() if each["kind"] == "ConfigMap")["data"]
    assert unknown_settings(names | set(settings)) == set()
    assert not names & set(settings)


@pytest.mark.parametrize(("name", "pod"), PODS)
def test_a_pod_is_nobody_special_and_limited(name: str, pod: Manifest) -> None:
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert pod["automountServiceAccountToken"] is False
    (container,) = pod["containers"]
    assert container["securityContext"]["readOnlyRootFilesystem"] is True
    assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
    assert "memory" in container["resources"]["limits"]
    assert "memory" in container["resources"]["requests"]
    if pod.get("restartPolicy") != "OnFailure":
        assert {"livenessProbe", "readinessProbe", "startupProbe"} <= container.keys()


@pytest.mark.parametrize(("name", "pod"), PODS)
def test_a_pod_gets_its_own_secrets_alone_and_finds_them_where_its_settings_say(name: str, pod: Manifest) -> None:
    example = yaml.safe_load((FOLDER / "secret.example.yaml").read_text())["stringData"]
    (items,) = [each["secret"]["items"] for each in pod["volumes"] if "secret" in each]
    assert {each["key"] for each in items} <= example.keys()
    (container,) = pod["containers"]
    said = {each["value"] for each in container["env"] if each["value"].startswith("/run/secrets/")}
    assert said == {f"/run/secrets/tablewatch/{each['path']}" for each in items}
    mounted = {each["name"] for each in container["volumeMounts"]}
    assert mounted <= {each["name"] for each in pod["volumes"]} | {"data"}


def test_the_example_of_a_secret_is_of_the_form_that_parts_read() -> None:
    example = yaml.safe_load((FOLDER / "secret.example.yaml").read_text())
    assert faults(example) == []
    for name, value in example["stringData"].items():
        if name.startswith("broker_url"):
            assert str(parse_broker(value)).startswith(f"kafka://{name.removeprefix('broker_url_')}@")
        elif name.startswith("clickhouse_url"):
            assert parse_address(value).user == name.removeprefix("clickhouse_url_")
        else:
            assert parse_routing(value).people


def test_workers_leave_one_at_a_time_and_have_the_time_to_finish() -> None:
    worker = next(each for each in _manifests() if each["kind"] == "Deployment")["spec"]
    settings = next(each for each in _manifests() if each["kind"] == "ConfigMap")["data"]
    assert worker["strategy"]["rollingUpdate"] == {"maxUnavailable": 1, "maxSurge": 0}
    grace = worker["template"]["spec"]["terminationGracePeriodSeconds"]
    assert grace >= int(settings["TABLEWATCH_STOP_SECONDS"]) + 10


@pytest.mark.parametrize("name", ["alerts", "chain"])
def test_one_for_a_site_with_a_volume_of_its_own(name: str) -> None:
    part = next(each for each in _manifests() if each["kind"] == "StatefulSet" and each["metadata"]["name"] == name)
    assert part["spec"]["replicas"] == 1
    assert [each["metadata"]["name"] for each in part["spec"]["volumeClaimTemplates"]] == ["data"]


def test_every_service_of_compose_that_a_real_floor_needs_has_its_pod() -> None:
    started = {
        name
        for name, part in ours().items()
        if part.get("profiles", ["chain"]) == ["chain"] and part["restart"] != "no"
    }
    assert {"worker", "watches", "chain"} <= started
    assert started <= {name for name, _ in _pods()}
