"""Killed twenty times under insert load: every acknowledged row is there once, and none is half written."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import store


def test_twenty_kills_lose_nothing_and_double_nothing() -> None:
    script = Path(store.__file__).parent.parent / "bench" / "store_kills.py"
    done = subprocess.run(
        [sys.executable, str(script), "--kills", "20"], capture_output=True, text=True, timeout=540, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "each once, none half written" in done.stdout
