"""Starting, stopping, being killed; and the plain sentence for each reason not to start."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from clickhouse_driver import Client
from clickhouse_driver.errors import ServerException

from store.embedded.faults import (
    AddressUnusable,
    CannotStart,
    FolderInUse,
    FolderOfNewerVersion,
    FolderUnusable,
    NotLoopback,
    PortInUse,
)
from store.embedded.process import EmbeddedClickHouse
from store.embedded.server import GIVES_WAY, serve


def _serve(data: Path, host: str = "127.0.0.1", port: int = 0) -> None:
    serve(data, host, port, "user", "password", "tablewatch")


def test_a_folder_in_use_names_the_process_that_uses_it(server: EmbeddedClickHouse) -> None:
    with pytest.raises(FolderInUse, match=rf"in use by process {server.pid}\b.*Stop that server"):
        _serve(server.data)


def test_a_port_in_use_is_named(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(PortInUse, match=rf"Port {port} .* in use"):
            _serve(tmp_path, port=port)


def test_an_address_that_cannot_be_had(tmp_path: Path) -> None:
    with pytest.raises(AddressUnusable, match="Cannot listen at port 99999"):
        _serve(tmp_path, port=99_999)


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.1", "example.org"])  # noqa: S104 - refused
def test_only_this_machine_is_served(tmp_path: Path, host: str) -> None:
    with pytest.raises(NotLoopback, match="loopback"):
        _serve(tmp_path, host=host)


@pytest.mark.parametrize("written", [{"layout": 2, "engine": "26.9.2"}, {"layout": 1, "engine": "99.1.1"}])
def test_a_folder_of_a_newer_version_is_left_alone(tmp_path: Path, written: dict[str, object]) -> None:
    version = tmp_path / "version.json"
    version.write_text(json.dumps(written))
    with pytest.raises(FolderOfNewerVersion, match="Upgrade Tablewatch"):
        _serve(tmp_path)
    assert json.loads(version.read_text()) == written


def test_a_folder_of_an_older_version_is_taken_over(tmp_path: Path) -> None:
    version = tmp_path / "version.json"
    version.write_text(json.dumps({"layout": 1, "engine": "25.1.1"}))
    with EmbeddedClickHouse(tmp_path) as server:
        assert Client.from_url(server.url).execute("SELECT 1") == [(1,)]
    assert json.loads(version.read_text())["engine"].split(".")[0] != "25"


def test_a_version_that_cannot_be_read_is_no_reason_to_guess(tmp_path: Path) -> None:
    (tmp_path / "version.json").write_text("torn")
    with pytest.raises(FolderUnusable, match="cannot be read"):
        _serve(tmp_path)


def test_a_path_that_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(FolderUnusable, match="cannot be used"):
        _serve(tmp_path / "file" / "data")
    with pytest.raises(FolderUnusable, match="question mark"):
        _serve(tmp_path / "what?")


def test_a_process_that_cannot_start_says_why(server: EmbeddedClickHouse, tmp_path: Path) -> None:
    with pytest.raises(CannotStart, match=f"Port {server.port} "):
        EmbeddedClickHouse(tmp_path, port=server.port).start()


def test_data_and_databases_outlive_a_stop_and_a_kill(tmp_path: Path) -> None:
    server = EmbeddedClickHouse(
        tmp_path / "a folder & more", database="night_shift", user="the user", password="p@ss:/?"
    )
    for number, end in enumerate((server.stop, server.kill, server.stop)):
        server.start()
        client = Client.from_url(server.url)
        assert client.execute("SELECT currentDatabase()") == [("night_shift",)]
        client.execute("CREATE TABLE IF NOT EXISTS t (a UInt64) ENGINE = MergeTree ORDER BY a")
        client.execute("INSERT INTO t VALUES", [(number,)])
        assert client.execute("SELECT a FROM t ORDER BY a") == [(n,) for n in range(number + 1)]
        client.disconnect()
        end()


def test_the_server_gives_way_to_the_worker_beside_it(server: EmbeddedClickHouse) -> None:
    """Alerts come before storing."""
    ours = os.getpriority(os.PRIO_PROCESS, 0)
    assert os.getpriority(os.PRIO_PROCESS, server.pid) == min(19, ours + GIVES_WAY)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_stop_finishes_the_queries_in_hand(tmp_path: Path, number: signal.Signals) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "store.embedded", "--data", str(tmp_path), "--url", "clickhouse://u:p@127.0.0.1:0/tw"],
        stdout=subprocess.PIPE,
    )
    assert process.stdout is not None
    port = int(process.stdout.readline().split()[1])
    client, idle = (Client("127.0.0.1", port, user="u", password="p", database="tw") for _ in range(2))
    answers: list[object] = []
    slow = "SELECT sum(sleepEachRow(0.2)) + 42 FROM numbers(6) SETTINGS max_block_size = 1"
    asking = threading.Thread(target=lambda: answers.append(client.execute(slow)))
    asking.start()
    while not idle.execute("SELECT count() FROM system.processes WHERE query = %(query)s", {"query": slow})[0][0]:
        time.sleep(0.02)
    process.send_signal(number)
    asking.join(120)
    assert answers == [[(42,)]]
    assert process.wait(120) == 0
    process.stdout.close()


def test_a_server_ends_with_the_process_that_started_it(tmp_path: Path) -> None:
    starter = (
        "import sys, time; from pathlib import Path; from store.embedded.process import EmbeddedClickHouse\n"
        f"server = EmbeddedClickHouse(Path({str(tmp_path)!r})); server.start(); print(server.pid, flush=True)\n"
        "time.sleep(600)"
    )
    parent = subprocess.Popen([sys.executable, "-c", starter], stdout=subprocess.PIPE)
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    parent.kill()
    parent.wait()
    parent.stdout.close()
    until = time.monotonic() + 240
    while Path(f"/proc/{pid}").exists() and "Z" not in Path(f"/proc/{pid}/stat").read_text().split()[2]:
        assert time.monotonic() < until, "the server outlived its parent"
        time.sleep(0.05)


def _small_disk(folder: Path, mebibytes: int) -> list[str]:
    """A command that runs in a mount space of its own, in which the folder is a small disk."""
    mount = ["unshare", "-rm", "mount", "-t", "tmpfs", "tmpfs", str(folder)]
    if shutil.which("unshare") is None or subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("this machine does not let a test mount a small disk (unshare -rm)")
    serve_it = f"exec {sys.executable} -m store.embedded --data {folder} --url clickhouse://u:p@127.0.0.1:0/tw"
    return ["unshare", "-rm", "sh", "-c", f"mount -t tmpfs -o size={mebibytes}m tmpfs {folder} && {serve_it}"]


def test_a_full_disk_at_the_start_is_told(tmp_path: Path) -> None:
    done = subprocess.run(_small_disk(tmp_path, 16), check=False, capture_output=True, text=True, timeout=60)
    assert done.returncode == 3
    assert "MiB left" in done.stderr
    assert "Free some space" in done.stderr


def test_a_disk_that_fills_up_refuses_inserts_and_keeps_what_was_acknowledged(tmp_path: Path) -> None:
    process = subprocess.Popen(_small_disk(tmp_path, 96), stdout=subprocess.PIPE)
    assert process.stdout is not None
    try:
        port = int(process.stdout.readline().split()[1])
        client = Client("127.0.0.1", port, user="u", password="p", database="tw")
        client.execute("CREATE TABLE ballast (a String) ENGINE = MergeTree ORDER BY tuple()")
        client.execute("INSERT INTO ballast VALUES", [(os.urandom(5_000_000).hex(),)])
        client.execute("CREATE TABLE t (a UInt64, b String) ENGINE = MergeTree ORDER BY a")
        acknowledged: list[int] = []
        with pytest.raises(ServerException) as raised:
            for number in range(100):
                client.execute("INSERT INTO t VALUES", [(number, os.urandom(500_000).hex())])
                acknowledged.append(number)
        assert raised.value.code == 243
        assert "is full" in raised.value.message
        assert client.execute("SELECT a FROM t ORDER BY a") == [(number,) for number in acknowledged]
        client.execute("DROP TABLE ballast SYNC")
        client.execute("INSERT INTO t VALUES", [(1000, "after")])
        assert client.execute("SELECT count() FROM t") == [(len(acknowledged) + 1,)]
        client.disconnect()
    finally:
        process.terminate()
        process.wait(120)
        process.stdout.close()
