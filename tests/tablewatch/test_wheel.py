"""The wheel: built, installed into an empty environment, and used from a folder that knows nothing of the checkout."""

import json
import os
import re
import signal
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import httpx
import pytest

pytestmark = pytest.mark.xdist_group("wheel")

CHECKOUT = Path(__file__).parents[2]
ROOMS = (
    "games", "schemas", "audit", "simulator", "store", "streams", "replay", "console", "dashboards", "tablewatch",
)  # fmt: skip
PATIENCE_SECONDS = 120


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=CHECKOUT, check=True, capture_output=True, timeout=PATIENCE_SECONDS)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def command(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`tablewatch` of an environment that has the wheel; what it depends on is seen in the one that runs the tests."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, symlinks=True)
    python = folder / "bin" / "python"
    install = [sys.executable, "-m", "pip", "--python", str(python), "install", "--no-deps", "--no-index", str(wheel)]
    subprocess.run(install, check=True, capture_output=True, timeout=PATIENCE_SECONDS)
    # Plain paths: their own .pth files, and with them the checkout, are not followed.
    (own,) = folder.glob("lib/python*/site-packages")
    (own / "dependencies.pth").write_text("\n".join(each for each in sys.path if each.endswith("-packages")))
    return folder / "bin" / "tablewatch"


@pytest.fixture
def surroundings(tmp_path: Path) -> dict[str, str]:
    """A home with nothing in it, and no settings."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("TABLEWATCH_", "PYTHON"))}
    return {**kept, "HOME": str(tmp_path)}


def run(command: Path, *words: str, at: Path, env: dict[str, str], said: str = "") -> str:
    done = subprocess.run(
        [command, *words], cwd=at, env=env, input=said, capture_output=True, text=True, timeout=PATIENCE_SECONDS,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_file_of_a_room_is_in_the_wheel(wheel: Path) -> None:
    there = {
        str(file.relative_to(CHECKOUT))
        for room in ROOMS
        for file in (CHECKOUT / room).rglob("*")
        if file.is_file() and "__pycache__" not in file.parts and not file.name.startswith(".")
    }
    with zipfile.ZipFile(wheel) as packed:
        names = set(packed.namelist())
    assert there - names == set()
    for suffix in (".sql", ".js", ".css", ".html", ".json", ".yaml"):
        assert any(name.endswith(suffix) for name in names), suffix
    assert not [name for name in names if name.startswith(("tests/", "bench/"))]


def test_the_command_runs_what_was_installed(command: Path, tmp_path: Path, surroundings: dict[str, str]) -> None:
    assert run(command, "--version", at=tmp_path, env=surroundings).startswith("tablewatch ")
    python = command.with_name("python")
    places = f"import {', '.join(ROOMS)}; print(*({', '.join(f'{room}.__file__' for room in ROOMS)},))"
    found = run(python, "-c", places, at=tmp_path, env=surroundings).split()
    assert all(Path(place).is_relative_to(command.parents[1]) for place in found), found


def test_rounds_are_settled(command: Path, tmp_path: Path, surroundings: dict[str, str]) -> None:
    asked = {"id": "r1", "game": "no_commission", "decks": 8, "cards": ["9H", "2C", "KS", "4D"], "stake": "100"}
    answer = json.loads(run(command, "settle", at=tmp_path, env=surroundings, said=json.dumps(asked) + "\n"))
    assert answer["id"] == "r1"
    assert answer["outcome"]["winner"] == "player"


def test_completion_is_installed_and_completes(command: Path, tmp_path: Path, surroundings: dict[str, str]) -> None:
    # The shell is found by looking at who started the command; `true` keeps bash from stepping aside for it.
    run(Path("/bin/bash"), "-c", f"{command} --install-completion; true", at=tmp_path, env=surroundings)
    script = tmp_path / ".bash_completions" / "tablewatch.sh"
    assert str(script) in (tmp_path / ".bashrc").read_text()
    typed = f"source {script}; COMP_WORDS=(tablewatch se); COMP_CWORD=1; _tablewatch_completion {command};"
    told = run(Path("/bin/bash"), "-c", f'{typed} echo "${{COMPREPLY[@]}}"', at=tmp_path, env=surroundings)
    assert told.split() == ["settle"]


def test_the_demo_runs_from_an_empty_folder(command: Path, tmp_path: Path, surroundings: dict[str, str]) -> None:
    demo = subprocess.Popen(
        [command, "demo", "--tables", "2", "--port", "0"], cwd=tmp_path, env=surroundings, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    try:
        assert demo.stdout is not None
        printed = ""
        for line in demo.stdout:
            printed += line
            if "Ctrl-C" in line:
                break
        found = re.search(r"http://127\.0\.0\.1:\d+", printed)
        assert found, printed
        page = httpx.get(f"{found[0]}/", headers={"Accept": "text/html"}, timeout=60)
        assert "Sign in" in page.text
        links = re.findall(r'(?:src|href)="([^"#]+\.(?:js|css))"', page.text)
        assert links
        for link in links:
            assert httpx.get(str(page.url.join(link)), timeout=60).status_code == 200, link
        # Another terminal is at this floor once it has read the file that the demo names.
        told = re.search(r"another terminal: +\. (\S+)", printed)
        assert told, printed
        assert Path(told[1]).parent == tmp_path / "data" / "demo"
        asked = f". {told[1]}; {command} doctor --json"
        health = json.loads(run(Path("/bin/bash"), "-c", asked, at=tmp_path, env=surroundings))
        assert {check["name"]: check["ok"] for check in health["checks"]}["store"]
        # What is done by hand beside it has topics of its own.
        assert "made table.cards" in run(command, "topics", "create", at=tmp_path, env=surroundings)
    finally:
        demo.send_signal(signal.SIGINT)
        code = demo.wait(PATIENCE_SECONDS)
    assert code == 0
