"""The image: only what runs, each package pinned with its digests, nobody special inside."""

import importlib.metadata
import re
import runpy
import tomllib
from fnmatch import fnmatch

import pytest
from packaging.requirements import Requirement

from tests.operations.places import ROOT

PINS = runpy.run_path(str(ROOT / "deploy/docker/runtime_pins.py"))
DOCKERFILE = (ROOT / "Dockerfile").read_text()


def _runtime() -> dict[str, str]:
    pyproject, constraints = (ROOT / "pyproject.toml").read_text(), (ROOT / "constraints.txt").read_text()
    return {PINS["normal"](re.split(r"[=\[]", lines)[0]): lines for lines in PINS["needed"](pyproject, constraints)}


def test_everything_that_is_needed_at_run_time_is_pinned_with_digests() -> None:
    runtime = _runtime()
    assert all("--hash=sha256:" in lines for lines in runtime.values())
    pending, seen = ["tablewatch"], set()
    while pending:
        name = pending.pop()
        try:
            needs = importlib.metadata.requires(name) or []
        except importlib.metadata.PackageNotFoundError:
            continue  # of another platform than this one
        for requirement in map(Requirement, needs):
            needed = PINS["normal"](requirement.name)
            if (requirement.marker is None or requirement.marker.evaluate({"extra": ""})) and needed not in seen:
                assert needed in runtime, f"{name} needs {needed}"
                seen.add(needed)
                pending.append(needed)
    assert {"faust-streaming", "chdb", "fastapi", "orjson"} <= seen


@pytest.mark.parametrize("tool", ["pytest", "mypy", "ruff", "playwright", "hypothesis", "jsonschema"])
def test_what_only_tests_and_lint_need_stays_out(tool: str) -> None:
    assert tool not in _runtime()


def test_every_version_of_a_package_that_depends_on_the_python_there_is_kept() -> None:
    pins = [
        f"some=={number} ; python_full_version {than} '3.12' \\\n    # via project"
        for number, than in ((1, "<"), (2, ">="))
    ]
    assert PINS["needed"]('[project]\ndependencies = ["some"]', "\n".join(pins)) == pins


def test_a_dependency_that_is_not_pinned_is_told() -> None:
    with pytest.raises(SystemExit, match="not pinned: nowhere"):
        PINS["needed"]('[project]\ndependencies = ["nowhere>=1"]', "orjson==3 \\\n    --hash=sha256:00\n    # via x\n")


def test_the_image_has_every_room_and_nothing_else() -> None:
    copied = set(re.findall(r"^COPY (\w+) \1$", DOCKERFILE, re.MULTILINE))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    packages = set(project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"])
    assert copied == packages
    ignored = (ROOT / ".dockerignore").read_text().splitlines()
    assert ignored[0] == "*"
    assert packages <= {line[1:] for line in ignored if line.startswith("!")}
    assert not any(fnmatch("deploy/compose/secrets", line[1:]) for line in ignored if line.startswith("!"))


def test_the_image_is_built_in_stages_from_a_pinned_base_and_runs_as_nobody_special() -> None:
    bases = re.findall(r"^FROM (\S+)", DOCKERFILE, re.MULTILINE)
    assert len(bases) == 2
    assert all(re.fullmatch(r"python:\d+\.\d+\.\d+-slim-\w+", base) for base in bases)
    assert re.findall(r"^USER (\d+)", DOCKERFILE, re.MULTILINE) == ["10001"]
    assert DOCKERFILE.rindex("USER 10001") < DOCKERFILE.index("ENTRYPOINT")
