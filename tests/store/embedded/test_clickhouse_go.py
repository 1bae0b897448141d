"""clickhouse-go 2, which Grafana's ClickHouse plugin is made of, reads from the server and inserts into it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from store.embedded.process import EmbeddedClickHouse

PROGRAM = Path(__file__).parent / "clickhouse_go"


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("go") is None:
        pytest.skip("Go is not installed")
    built = tmp_path_factory.mktemp("go") / "clickhouse_go"
    done = subprocess.run(
        ["go", "build", "-o", str(built), "."], cwd=PROGRAM, capture_output=True, text=True, timeout=540, check=False
    )
    if done.returncode and "dial tcp" in done.stderr:
        pytest.skip(f"the Go modules cannot be fetched here: {done.stderr.splitlines()[-1]}")
    assert done.returncode == 0, done.stderr
    return built


@pytest.mark.go
@pytest.mark.parametrize("compression", ["none", "lz4", "zstd"])
def test_clickhouse_go_reads_and_inserts(
    server: EmbeddedClickHouse, database: str, program: Path, compression: str
) -> None:
    done = subprocess.run(
        [str(program), f"{server.host}:{server.port}", database, server.user, server.password, compression],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "ok\n"), done.stderr
