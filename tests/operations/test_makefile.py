"""`make install` and `make demo`, as far as the environment that they install into."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="no make here")


def made(folder: Path, pip_works: bool, venv_works: bool) -> subprocess.CompletedProcess[str]:
    """What `make install` says in a folder with an environment that has, or lacks, pip; nothing is installed."""
    for name in ("Makefile", "pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, folder)
    of_environment, of_machine = folder / ".venv" / "bin" / "python", folder / "python"
    of_environment.parent.mkdir(parents=True)
    of_environment.write_text(f'#!/bin/sh\ncase "$*" in "-m pip --version") exit {int(not pip_works)};; esac\nexit 7\n')
    of_machine.write_text(
        f'#!/bin/sh\ncase "$*" in "-m venv"*) echo "asked for: $*"; exit {int(not venv_works)};; esac\n'
        f'exec {sys.executable} "$@"\n'
    )
    for each in (of_environment, of_machine):
        each.chmod(0o755)
    return subprocess.run(
        ["make", "install", f"PYTHON={of_machine}"], cwd=folder, capture_output=True, text=True, timeout=60, check=False
    )


def test_an_environment_that_was_made_half_is_made_again(tmp_path: Path) -> None:
    assert "asked for: -m venv --clear .venv" in made(tmp_path, pip_works=False, venv_works=True).stdout


def test_an_environment_with_pip_is_kept(tmp_path: Path) -> None:
    assert "asked for" not in made(tmp_path, pip_works=True, venv_works=True).stdout


def test_where_no_environment_can_be_made_what_is_lacking_is_named(tmp_path: Path) -> None:
    done = made(tmp_path, pip_works=False, venv_works=False)
    assert done.returncode == 2
    assert "Could not make .venv. On Debian and Ubuntu: apt-get install python3-venv" in done.stdout
    assert "Installing" not in done.stdout
