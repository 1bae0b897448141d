"""Sealing, proving, exporting and re-auditing as people type it: what is printed, and the exit codes."""

import fcntl
import re
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import orjson
import pytest
from typer.testing import CliRunner, Result

from replay.chain.note import read_published
from replay.chain.verify import ChainReport, verify_chain
from simulator.floor import simulate
from store.connect import Store, connect
from store.migrate import migrate
from store.read.proof import access_entries, checkpoints
from store.rows.proof import AccessEntry
from store.write.proof import write_access
from streams.embedded.log import Log
from tablewatch.command import app
from tablewatch.commands import chain
from tests.replay.stored import fill
from tests.store.floor import LONG
from tests.streams.pipeline import StoreProcess


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


@pytest.fixture
def floor(own_store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A store with a floor in it, and the name of one of its rounds."""
    migrate(own_store, LONG)
    address = own_store.address
    url = f"clickhouse://{address.user}:{address.password}@{address.host}:{address.port}/{address.database}"
    monkeypatch.setenv("TABLEWATCH_CLICKHOUSE_URL", url)
    monkeypatch.setenv("TABLEWATCH_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("TABLEWATCH_USER", "otto")
    rounds = fill(own_store, list(simulate(tables=2, rounds=3, seed=4, games=["tiger"])))
    return str(rounds[0].key)


def test_a_round_from_the_seal_to_a_bundle_that_a_stranger_checks(floor: str, own_store: Store, tmp_path: Path) -> None:
    assert run("chain", "checkpoint").exit_code == 2
    assert run("replay", "prove", floor).exit_code == 2
    said = run("keys", "list").output
    assert said.startswith("There is no key in ") and "`tablewatch keys make`" in said and "TABLEWATCH_DATA" in said
    made = run("keys", "make")
    assert made.exit_code == 0
    assert run("keys", "make").exit_code == 2
    assert run("topics", "create").exit_code == 0
    sealed = run("chain", "checkpoint", "--publish")
    assert sealed.exit_code == 0, sealed.output
    kept = read_published((tmp_path / "data" / "checkpoints.txt").read_text("utf-8"))
    assert kept == checkpoints(own_store, "main")
    with Log(tmp_path / "data" / "log") as log:
        (sent,) = log.read("audit.checkpoints", 0, 0)
    assert sent.value is not None and read_published(sent.value.decode()) == kept

    proof = run("replay", "prove", floor)
    assert proof.exit_code == 0, proof.output
    said = orjson.loads(proof.stdout)
    assert said["round"] == floor
    rows, size = len(said["rows"]), said["checkpoint"]["size"]
    believed = f"Believed: {said['checkpoint']['key_id']}, of the key folder here or as vouched for."
    assert proof.stderr == (
        f"Proved: All {rows} rows of the round are under checkpoint {size}, unchanged.\n{believed}\n"
    )
    assert {orjson.loads(row["content"])["kind"] for row in said["rows"]} == {"record", "verdict", "round"}

    case = tmp_path / "case.zip"
    exported = run("replay", "export", floor, "-o", str(case))
    assert exported.exit_code == 0 and believed in exported.stdout
    with zipfile.ZipFile(case) as archive:
        archive.extractall(tmp_path / "case")
    key = orjson.loads(run("keys", "list", "--json").output)["key_id"]
    checked = subprocess.run(
        [sys.executable, "-I", str(tmp_path / "case" / "verify.py"), "--trust", key],
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert checked.returncode == 0, checked.stdout
    assert run("replay", "export", "NO/S1/1", "-o", str(case)).exit_code == 2
    assert run("replay", "export", floor, "-o", str(tmp_path / "none" / "case.zip")).exit_code == 2

    actions = {entry.action for entry in access_entries(own_store)}
    assert {"replay prove", "replay export"} <= actions
    assert run("keys", "rotate").exit_code == 0
    heads, first, second = run("keys", "list").output.splitlines()
    assert heads.split("  ")[0] == "key" and heads.endswith("its private half")
    assert key in first and key in second and "otto" in second, "the old key vouches for the new one"
    assert run("chain", "checkpoint").exit_code == 0
    whole = run("replay", "verify", "--chain", "--json", "--checkpoints", str(tmp_path / "data" / "checkpoints.txt"))
    assert whole.exit_code == 0, whole.output
    assert orjson.loads(whole.output)["checkpoints"] == 2


def test_no_bundle_is_written_under_a_forged_checkpoint(floor: str, own_store: Store, tmp_path: Path) -> None:
    run("keys", "make")
    assert run("chain", "checkpoint").exit_code == 0
    forge = "ALTER TABLE checkpoints UPDATE signature = reverse(signature) WHERE 1 SETTINGS mutations_sync = 2"
    own_store.command(forge)
    case = tmp_path / "case.zip"
    done = run("replay", "export", floor, "-o", str(case))
    assert done.exit_code == 1 and not case.exists()
    assert (
        "is not to be believed: its signature" in done.stderr and "run: tablewatch replay verify --chain" in done.stderr
    )


def test_a_proof_under_a_forged_checkpoint_says_that_it_is_the_checkpoint(floor: str, own_store: Store) -> None:
    run("keys", "make")
    assert run("chain", "checkpoint").exit_code == 0
    forge = "ALTER TABLE checkpoints UPDATE signature = reverse(signature) WHERE 1 SETTINGS mutations_sync = 2"
    own_store.command(forge)
    done = run("replay", "prove", floor)
    assert done.exit_code == 1 and done.stdout == ""
    (last,) = checkpoints(own_store, "main")
    believed = f"checkpoint {last.size}, under which the round is, is not to be believed: its signature is not that of"
    assert believed in done.stderr
    assert "run: tablewatch replay verify --chain" in done.stderr


def test_a_store_of_which_nothing_is_sealed_is_not_called_whole(floor: str) -> None:
    found = run("replay", "verify", "--chain")
    assert found.exit_code == 1
    assert (
        "Nothing is sealed yet" in found.stdout and "tablewatch keys make, then: tablewatch chain run" in found.stdout
    )
    assert run("keys", "make").exit_code == 0
    assert "keys make" not in run("replay", "verify", "--chain").stdout
    assert "0 not as sealed" not in found.stdout, "that reads as a proof"
    said = run("replay", "verify", "--chain", "--json")
    told = orjson.loads(said.stdout)
    assert said.exit_code == 1 and told["sealed"] is False and told["whole"] is False
    assert told["tampering"] == [] and told["rows"] > 0
    run("keys", "make")
    assert run("chain", "checkpoint").exit_code == 0
    sealed = run("replay", "verify", "--chain", "--json")
    assert sealed.exit_code == 0 and orjson.loads(sealed.stdout)["sealed"] is True


def test_a_row_that_was_put_in_is_named_until_a_person_accepts_it(floor: str, own_store: Store) -> None:
    run("keys", "make")
    assert run("chain", "checkpoint").exit_code == 0
    write_access(own_store, [AccessEntry(id="e1", at=1_767_268_800_000_000, who="x", role="", action="replay show")])
    found = run("replay", "verify", "--chain")
    assert found.exit_code == 1
    assert "access e1 was inserted" in found.output
    assert run("chain", "accept", "--reason", "a desk was cut off").exit_code == 0
    assert run("replay", "verify", "--chain").exit_code == 0
    accepted = [entry for entry in access_entries(own_store) if entry.action == "chain accept"]
    assert [entry.detail["reason"] for entry in accepted] == ["a desk was cut off"]
    assert run("chain", "accept", "--reason", "again").output == "No row is late.\n"


def test_a_check_that_was_sealed_meanwhile_is_not_called_one_of_none(
    floor: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sealer goes on beside a check, and may seal the check's own entry in the access log before it is counted."""
    run("keys", "make")
    run("chain", "checkpoint")

    def sealed_meanwhile(store: Store, **asked: Any) -> ChainReport:
        report = verify_chain(store, **asked)
        assert report.waiting == 1
        report.waiting = 0
        return report

    monkeypatch.setattr("tablewatch.commands.replay_chain.verify_chain", sealed_meanwhile)
    assert " 0 not sealed yet, 0 past their retention," in run("replay", "verify", "--chain").stdout


def test_a_check_says_whom_it_believes_and_whether_all_is_whole(
    floor: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("keys", "make")
    run("chain", "checkpoint")
    first = orjson.loads(run("keys", "list", "--json").output)["key_id"]
    here = run("replay", "verify", "--chain")
    assert "under 1 checkpoint: 0 not as sealed, 1 not sealed yet (this look is one of them)" in here.stdout
    assert f"Believed: {first}, of the key folder here" in here.stdout
    assert here.stdout.endswith("Whole: all that is sealed is as it was sealed.\n")

    assert f"--trust {first}" in run("keys", "rotate").output
    run("chain", "checkpoint")
    second = orjson.loads(run("keys", "list", "--json").output.splitlines()[1])["key_id"]
    monkeypatch.setenv("TABLEWATCH_DATA", str(tmp_path / "auditor"))
    alone = run("replay", "verify", "--chain")
    assert alone.exit_code == 0 and f"Believed: {first}, {second}, ON THE STORE'S OWN WORD" in alone.stdout
    assert run("replay", "verify", "--chain", "--trust", first).exit_code == 0
    half = run("replay", "verify", "--chain", "--trust", second)
    assert half.exit_code == 1 and "NOT whole" in half.stdout
    assert f"key {second} was made by rotating key {first}" in half.stderr
    assert run("replay", "verify", "--chain", "--trust", second, "--trust", first).stderr == ""
    unknown = run("replay", "verify", "--chain", "--trust", "0123456789abcdef")
    assert unknown.exit_code == 1 and f"checkpoints are signed with {first}, {second}" in unknown.stderr
    assert run("replay", "prove", floor, "--trust", first).exit_code == 0
    assert run("replay", "prove", floor, "--trust", "0123456789abcdef").exit_code == 1


def test_who_accepts_beside_a_sealer_is_told_to_stop_it_first(floor: str, tmp_path: Path) -> None:
    run("keys", "make")
    assert run("chain", "checkpoint").exit_code == 0
    with (tmp_path / "data" / "chain.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        accepted, sealed = run("chain", "accept", "--reason", "cut off"), run("chain", "checkpoint")
    assert (accepted.exit_code, sealed.exit_code) == (2, 2)
    folder = tmp_path / "data"
    busy = f"Another process seals with the data folder {folder} (it holds {folder / 'chain.lock'})"
    first = "stop `tablewatch chain run` first, and start it again afterwards"
    elsewhere = "To seal another store, set TABLEWATCH_DATA to a data folder of its own.\n"
    assert accepted.stderr == f"{busy}; {first}. {elsewhere}"
    assert sealed.stderr == f"{busy}; one a store is enough. {elsewhere}"


def test_a_lost_key_folder_is_said_to_be_lost_before_another_key_seals_on(
    floor: str, own_store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("keys", "make")
    run("chain", "checkpoint")
    lost = orjson.loads(run("keys", "list", "--json").output)["key_id"]
    assert "nothing is to be done" in run("keys", "lost", lost).output
    monkeypatch.setenv("TABLEWATCH_DATA", str(tmp_path / "new"))
    mistyped = run("chain", "checkpoint")
    assert mistyped.exit_code == 2 and "Is TABLEWATCH_DATA right?" in mistyped.output
    run("keys", "make")
    new = orjson.loads(run("keys", "list", "--json").output)["key_id"]
    for sealing in (("chain", "checkpoint"), ("chain", "run")):
        refused = run(*sealing)
        assert refused.exit_code == 2 and f"tablewatch keys lost {lost}" in refused.output
    assert run("keys", "lost", "0123456789abcdef").exit_code == 2
    said_so = run("keys", "lost", lost)
    assert said_so.exit_code == 0
    trusted = [word for name in sorted((lost, new)) for word in ("--trust", name)]
    assert said_so.output.strip().endswith(" ".join(trusted))
    assert run("chain", "checkpoint").exit_code == 0
    assert run("replay", "verify", "--chain", *trusted).exit_code == 0
    assert run("replay", "verify", "--chain").exit_code == 0
    assert run("replay", "prove", floor).exit_code == 0
    said = [entry for entry in access_entries(own_store) if entry.action == "keys lost"]
    assert [(entry.who, entry.detail["key"]) for entry in said] == [("otto", lost)]


def test_of_a_lost_folder_with_a_key_that_was_rotated_every_key_is_asked_for(
    floor: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("keys", "make")
    run("chain", "checkpoint")
    run("keys", "rotate")
    run("chain", "checkpoint")
    first, second = (orjson.loads(line)["key_id"] for line in run("keys", "list", "--json").output.splitlines())
    monkeypatch.setenv("TABLEWATCH_DATA", str(tmp_path / "new"))
    run("keys", "make")
    new = orjson.loads(run("keys", "list", "--json").output)["key_id"]
    half = run("keys", "lost", second)
    assert half.exit_code == 0
    assert half.output.strip().endswith(f"tablewatch keys lost {first}")
    assert "--trust" not in half.output
    whole = run("keys", "lost", first)
    trusted = [word for name in sorted((first, new)) for word in ("--trust", name)]
    assert whole.output.strip().endswith(" ".join(trusted))
    assert run("chain", "checkpoint").exit_code == 0
    assert run("replay", "verify", "--chain").exit_code == 0
    assert run("replay", "verify", "--chain", *trusted).exit_code == 0


def test_a_re_audit_says_what_it_did_and_what_differs(floor: str, own_store: Store) -> None:
    fine = run("replay", "reaudit", "--json")
    assert fine.exit_code == 0, fine.output
    assert orjson.loads(fine.output)["games"] == {"tiger": 6}
    table, shoe, number = floor.split("/")
    own_store.command(
        f"ALTER TABLE rounds UPDATE pairs = 3 - pairs WHERE table = '{table}' AND shoe = '{shoe}' AND round = {number}",
        settings={"mutations_sync": 2},
    )
    wrong = run("replay", "reaudit")
    assert wrong.exit_code == 1
    assert f"{floor} r1 differs in outcome: the judge stands by the verdict" in wrong.output
    assert " 1 differs; of " in wrong.output
    assert run("replay", "reaudit", "--outcomes", "--table", "nowhere").exit_code == 0
    assert run("replay", "reaudit", "--game", "poker").exit_code == 2


def test_a_broken_chain_is_not_sealed_on(floor: str, own_store: Store) -> None:
    run("keys", "make")
    run("chain", "checkpoint")
    own_store.command("ALTER TABLE leaves DELETE WHERE position = 3", settings={"mutations_sync": 2})
    stopped = run("chain", "checkpoint")
    assert stopped.exit_code == 1
    assert stopped.output.count("tablewatch replay verify --chain") == 1, stopped.output


@contextmanager
def _sealing(*options: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """`chain run` at work, and the address on which it tells how it is."""
    command = [sys.executable, "-c", "from tablewatch.command import main; main()", "chain", "run", "--port", "0"]
    service = subprocess.Popen([*command, *options], stderr=subprocess.PIPE, text=True)
    try:
        assert service.stderr is not None
        port = next(found[1] for line in service.stderr if (found := re.search(r"metrics on port (\d+)", line)))
        yield service, f"http://127.0.0.1:{port}"
    finally:
        service.kill()
        service.communicate(timeout=120)


def test_the_service_seals_what_comes_and_ends_with_0_on_sigterm(floor: str, own_store: Store, tmp_path: Path) -> None:
    run("keys", "make")
    with _sealing("--every", "0.2", "--no-publish") as (service, _):
        file = tmp_path / "data" / "checkpoints.txt"
        assert _until(lambda: file.exists() and len(read_published(file.read_text("utf-8"))) == 1)
        assert run("chain", "checkpoint").exit_code == 2, "one process seals a store"
        now = time.time_ns() // 1_000
        write_access(own_store, [AccessEntry(id="e1", at=now, who="x", role="", action="replay show")])
        assert _until(lambda: len(read_published(file.read_text("utf-8"))) == 2)
        service.send_signal(signal.SIGTERM)
        assert service.wait(120) == 0
    assert run("replay", "verify", "--chain").exit_code == 0


def test_the_service_waits_for_a_key_and_tells_how_it_is(floor: str, own_store: Store) -> None:
    with _sealing("--every", "0.2", "--no-publish", "--await-key") as (service, address):
        assert _until(lambda: "run: tablewatch keys make" in httpx.get(f"{address}/readyz").text)
        assert httpx.get(f"{address}/readyz").status_code == 503
        assert httpx.get(f"{address}/healthz").status_code == 200
        assert checkpoints(own_store, "main") == []
        assert run("keys", "make").exit_code == 0
        assert _until(lambda: httpx.get(f"{address}/readyz").status_code == 200)
        (made,) = checkpoints(own_store, "main")
        told = httpx.get(f"{address}/metrics").text
        assert f"tablewatch_sealed_leaves {float(made.size)}" in told
        assert "tablewatch_seal_unsent 0.0" in told
        service.send_signal(signal.SIGTERM)
        assert service.wait(120) == 0


def test_a_service_that_waits_for_a_key_can_be_stopped(floor: str) -> None:
    with _sealing("--await-key") as (service, address):
        assert _until(lambda: "run: tablewatch keys make" in httpx.get(f"{address}/readyz").text)
        service.send_signal(signal.SIGTERM)
        assert service.wait(120) == 0


def test_a_service_whose_store_is_away_waits_for_it_and_can_be_stopped(
    floor: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("keys", "make")
    monkeypatch.setenv("TABLEWATCH_CLICKHOUSE_URL", "clickhouse://default@127.0.0.1:1/tablewatch")
    with _sealing("--no-publish") as (service, address):
        assert _until(lambda: "cannot be reached" in httpx.get(f"{address}/readyz").text)
        service.send_signal(signal.SIGTERM)
        assert service.wait(120) == 0


def test_a_service_whose_store_went_away_can_be_stopped(
    floor: str, own_store: Store, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    run("keys", "make")
    server = StoreProcess(tmp_path / "clickhouse")
    server.start()
    try:
        migrate(connect(server.url), LONG)
        monkeypatch.setenv("TABLEWATCH_CLICKHOUSE_URL", server.url)
        with _sealing("--every", "0.2", "--no-publish") as (service, address):
            assert _until(lambda: httpx.get(f"{address}/readyz").status_code == 200)
            server.stop(signal.SIGKILL)
            assert _until(lambda: httpx.get(f"{address}/readyz").status_code == 503)
            service.send_signal(signal.SIGTERM)
            assert service.wait(120) == 0
    finally:
        server.stop(signal.SIGKILL)


def test_without_a_key_and_nobody_asked_to_wait_it_ends(floor: str) -> None:
    ended = run("chain", "run", "--no-publish")
    assert ended.exit_code == 2
    assert "tablewatch keys make" in ended.output


def test_a_look_that_lasts_too_long_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    sealing = chain._Service(10.0, tmp_path / "checkpoints.txt", to_topic=False)
    assert sealing.lacks == "nothing was sealed since the start"
    sealing._why = None
    assert sealing.lacks is None
    now = time.monotonic()
    monkeypatch.setattr(chain.time, "monotonic", lambda: now + 100)
    assert sealing.lacks == "nothing was sealed for 100 seconds"


def _until(holds: Callable[[], bool], seconds: float = 240.0) -> bool:
    """Whether it comes to hold in good time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if holds():
            return True
        time.sleep(0.1)
    return False
