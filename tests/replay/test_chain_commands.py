"""Sealing, proving, exporting and re-auditing as people type it: what is printed, and the exit codes."""

import fcntl
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import orjson
import pytest

from replay.chain.published import read_published
from replay.chain.verify import ChainReport, verify_chain
from store.connect import Store
from store.read.checkpoints import checkpoints
from store.read.proof import access_entries
from store.rows.proof import AccessEntry
from store.write.proof import write_access
from streams.embedded.log import Log
from tests.replay.commands import typed
from tests.replay.evidence import kept_in


def test_a_round_from_the_seal_to_a_bundle_that_a_stranger_checks(floor: str, own_store: Store, tmp_path: Path) -> None:
    assert typed("chain", "checkpoint").exit_code == 2
    assert typed("replay", "prove", floor).exit_code == 2
    said = typed("keys", "list").output
    assert said.startswith("There is no key in ") and "`tablewatch keys make`" in said and "TABLEWATCH_DATA" in said
    made = typed("keys", "make")
    assert made.exit_code == 0
    assert typed("keys", "make").exit_code == 2
    assert typed("topics", "create").exit_code == 0
    sealed = typed("chain", "checkpoint", "--publish")
    assert sealed.exit_code == 0, sealed.output
    kept = kept_in(tmp_path / "data" / "checkpoints.txt")
    assert kept == checkpoints(own_store, "main")
    with Log(tmp_path / "data" / "log") as log:
        (sent,) = log.read("audit.checkpoints", 0, 0)
    assert sent.value is not None and list(read_published(sent.value.decode().splitlines(keepends=True))) == kept

    proof = typed("replay", "prove", floor)
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
    exported = typed("replay", "export", floor, "-o", str(case))
    assert exported.exit_code == 0 and believed in exported.stdout
    with zipfile.ZipFile(case) as archive:
        archive.extractall(tmp_path / "case")
    key = orjson.loads(typed("keys", "list", "--json").output)["key_id"]
    checked = subprocess.run(
        [sys.executable, "-I", str(tmp_path / "case" / "verify.py"), "--trust", key],
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert checked.returncode == 0, checked.stdout
    assert typed("replay", "export", "NO/S1/1", "-o", str(case)).exit_code == 2
    assert typed("replay", "export", floor, "-o", str(tmp_path / "none" / "case.zip")).exit_code == 2

    actions = {entry.action for entry in access_entries(own_store)}
    assert {"replay prove", "replay export"} <= actions
    assert typed("keys", "rotate").exit_code == 0
    heads, first, second = typed("keys", "list").output.splitlines()
    assert heads.split("  ")[0] == "key" and heads.endswith("its private half")
    assert key in first and key in second and "otto" in second, "the old key vouches for the new one"
    assert typed("chain", "checkpoint").exit_code == 0
    whole = typed("replay", "verify", "--chain", "--json", "--checkpoints", str(tmp_path / "data" / "checkpoints.txt"))
    assert whole.exit_code == 0, whole.output
    assert orjson.loads(whole.output)["checkpoints"] == 2


def test_no_bundle_is_written_under_a_forged_checkpoint(floor: str, own_store: Store, tmp_path: Path) -> None:
    typed("keys", "make")
    assert typed("chain", "checkpoint").exit_code == 0
    forge = "ALTER TABLE checkpoints UPDATE signature = reverse(signature) WHERE 1 SETTINGS mutations_sync = 2"
    own_store.command(forge)
    case = tmp_path / "case.zip"
    done = typed("replay", "export", floor, "-o", str(case))
    assert done.exit_code == 1 and not case.exists()
    assert (
        "is not to be believed: its signature" in done.stderr and "run: tablewatch replay verify --chain" in done.stderr
    )


def test_a_proof_under_a_forged_checkpoint_says_that_it_is_the_checkpoint(floor: str, own_store: Store) -> None:
    typed("keys", "make")
    assert typed("chain", "checkpoint").exit_code == 0
    forge = "ALTER TABLE checkpoints UPDATE signature = reverse(signature) WHERE 1 SETTINGS mutations_sync = 2"
    own_store.command(forge)
    done = typed("replay", "prove", floor)
    assert done.exit_code == 1 and done.stdout == ""
    (last,) = checkpoints(own_store, "main")
    believed = f"checkpoint {last.size}, under which the round is, is not to be believed: its signature is not that of"
    assert believed in done.stderr
    assert "run: tablewatch replay verify --chain" in done.stderr


def test_a_store_of_which_nothing_is_sealed_is_not_called_whole(floor: str) -> None:
    found = typed("replay", "verify", "--chain")
    assert found.exit_code == 1
    assert (
        "Nothing is sealed yet" in found.stdout and "tablewatch keys make, then: tablewatch chain run" in found.stdout
    )
    assert typed("keys", "make").exit_code == 0
    assert "keys make" not in typed("replay", "verify", "--chain").stdout
    assert "0 not as sealed" not in found.stdout, "that reads as a proof"
    said = typed("replay", "verify", "--chain", "--json")
    told = orjson.loads(said.stdout)
    assert said.exit_code == 1 and told["sealed"] is False and told["whole"] is False
    assert told["tampering"] == [] and told["rows"] > 0
    typed("keys", "make")
    assert typed("chain", "checkpoint").exit_code == 0
    sealed = typed("replay", "verify", "--chain", "--json")
    assert sealed.exit_code == 0 and orjson.loads(sealed.stdout)["sealed"] is True


def test_a_row_that_was_put_in_is_named_until_a_person_accepts_it(floor: str, own_store: Store) -> None:
    typed("keys", "make")
    assert typed("chain", "checkpoint").exit_code == 0
    write_access(own_store, [AccessEntry(id="e1", at=1_767_268_800_000_000, who="x", role="", action="replay show")])
    found = typed("replay", "verify", "--chain")
    assert found.exit_code == 1
    assert "access e1 was inserted" in found.output
    assert typed("chain", "accept", "--reason", "a desk was cut off").exit_code == 0
    assert typed("replay", "verify", "--chain").exit_code == 0
    accepted = [entry for entry in access_entries(own_store) if entry.action == "chain accept"]
    assert [entry.detail["reason"] for entry in accepted] == ["a desk was cut off"]
    assert typed("chain", "accept", "--reason", "again").output == "No row is late.\n"


def test_a_check_that_was_sealed_meanwhile_is_not_called_one_of_none(
    floor: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sealer goes on beside a check, and may seal the check's own entry in the access log before it is counted."""
    typed("keys", "make")
    typed("chain", "checkpoint")

    def sealed_meanwhile(store: Store, **asked: Any) -> ChainReport:
        report = verify_chain(store, **asked)
        assert report.waiting == 1
        report.waiting = 0
        return report

    monkeypatch.setattr("tablewatch.commands.replay_chain.verify_chain", sealed_meanwhile)
    assert " 0 not sealed yet, 0 past their retention," in typed("replay", "verify", "--chain").stdout


def test_a_check_says_whom_it_believes_and_whether_all_is_whole(
    floor: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    typed("keys", "make")
    typed("chain", "checkpoint")
    first = orjson.loads(typed("keys", "list", "--json").output)["key_id"]
    here = typed("replay", "verify", "--chain")
    assert "under 1 checkpoint: 0 not as sealed, 1 not sealed yet (this look is one of them)" in here.stdout
    assert f"Believed: {first}, of the key folder here" in here.stdout
    assert here.stdout.endswith("Whole: all that is sealed is as it was sealed.\n")

    assert f"--trust {first}" in typed("keys", "rotate").output
    typed("chain", "checkpoint")
    second = orjson.loads(typed("keys", "list", "--json").output.splitlines()[1])["key_id"]
    monkeypatch.setenv("TABLEWATCH_DATA", str(tmp_path / "auditor"))
    alone = typed("replay", "verify", "--chain")
    assert alone.exit_code == 0 and f"Believed: {first}, {second}, ON THE STORE'S OWN WORD" in alone.stdout
    assert typed("replay", "verify", "--chain", "--trust", first).exit_code == 0
    half = typed("replay", "verify", "--chain", "--trust", second)
    assert half.exit_code == 1 and "NOT whole" in half.stdout
    assert f"key {second} was made by rotating key {first}" in half.stderr
    assert typed("replay", "verify", "--chain", "--trust", second, "--trust", first).stderr == ""
    unknown = typed("replay", "verify", "--chain", "--trust", "0123456789abcdef")
    assert unknown.exit_code == 1 and f"checkpoints are signed with {first}, {second}" in unknown.stderr
    assert typed("replay", "prove", floor, "--trust", first).exit_code == 0
    assert typed("replay", "prove", floor, "--trust", "0123456789abcdef").exit_code == 1


def test_who_accepts_beside_a_sealer_is_told_to_stop_it_first(floor: str, tmp_path: Path) -> None:
    typed("keys", "make")
    assert typed("chain", "checkpoint").exit_code == 0
    with (tmp_path / "data" / "chain.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        accepted, sealed = typed("chain", "accept", "--reason", "cut off"), typed("chain", "checkpoint")
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
    typed("keys", "make")
    typed("chain", "checkpoint")
    lost = orjson.loads(typed("keys", "list", "--json").output)["key_id"]
    assert "nothing is to be done" in typed("keys", "lost", lost).output
    monkeypatch.setenv("TABLEWATCH_DATA", str(tmp_path / "new"))
    mistyped = typed("chain", "checkpoint")
    assert mistyped.exit_code == 2 and "Is TABLEWATCH_DATA right?" in mistyped.output
    typed("keys", "make")
    new = orjson.loads(typed("keys", "list", "--json").output)["key_id"]
    for sealing in (("chain", "checkpoint"), ("chain", "run")):
        refused = typed(*sealing)
        assert refused.exit_code == 2 and f"tablewatch keys lost {lost}" in refused.output
    assert typed("keys", "lost", "0123456789abcdef").exit_code == 2
    said_so = typed("keys", "lost", lost)
    assert said_so.exit_code == 0
    trusted = [word for name in sorted((lost, new)) for word in ("--trust", name)]
    assert said_so.output.strip().endswith(" ".join(trusted))
    assert typed("chain", "checkpoint").exit_code == 0
    assert typed("replay", "verify", "--chain", *trusted).exit_code == 0
    assert typed("replay", "verify", "--chain").exit_code == 0
    assert typed("replay", "prove", floor).exit_code == 0
    said = [entry for entry in access_entries(own_store) if entry.action == "keys lost"]
    assert [(entry.who, entry.detail["key"]) for entry in said] == [("otto", lost)]


def test_of_a_lost_folder_with_a_key_that_was_rotated_every_key_is_asked_for(
    floor: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    typed("keys", "make")
    typed("chain", "checkpoint")
    typed("keys", "rotate")
    typed("chain", "checkpoint")
    first, second = (orjson.loads(line)["key_id"] for line in typed("keys", "list", "--json").output.splitlines())
    monkeypatch.setenv("TABLEWATCH_DATA", str(tmp_path / "new"))
    typed("keys", "make")
    new = orjson.loads(typed("keys", "list", "--json").output)["key_id"]
    half = typed("keys", "lost", second)
    assert half.exit_code == 0
    assert half.output.strip().endswith(f"tablewatch keys lost {first}")
    assert "--trust" not in half.output
    whole = typed("keys", "lost", first)
    trusted = [word for name in sorted((first, new)) for word in ("--trust", name)]
    assert whole.output.strip().endswith(" ".join(trusted))
    assert typed("chain", "checkpoint").exit_code == 0
    assert typed("replay", "verify", "--chain").exit_code == 0
    assert typed("replay", "verify", "--chain", *trusted).exit_code == 0


def test_a_re_audit_says_what_it_did_and_what_differs(floor: str, own_store: Store) -> None:
    fine = typed("replay", "reaudit", "--json")
    assert fine.exit_code == 0, fine.output
    assert orjson.loads(fine.output)["games"] == {"tiger": 6}
    table, shoe, number = floor.split("/")
    own_store.command(
        f"ALTER TABLE rounds UPDATE pairs = 3 - pairs WHERE table = '{table}' AND shoe = '{shoe}' AND round = {number}",
        settings={"mutations_sync": 2},
    )
    wrong = typed("replay", "reaudit")
    assert wrong.exit_code == 1
    assert f"{floor} r1 differs in outcome: the judge stands by the verdict" in wrong.output
    assert " 1 differs; of " in wrong.output
    assert typed("replay", "reaudit", "--outcomes", "--table", "nowhere").exit_code == 0
    assert typed("replay", "reaudit", "--game", "poker").exit_code == 2


def test_behind_a_checkpoint_that_was_handed_out_and_is_gone_nothing_is_sealed(
    floor: str, own_store: Store, tmp_path: Path
) -> None:
    """Whoever takes the last checkpoint out with all that it covers, or puts an older store in place."""
    typed("keys", "make")
    typed("chain", "checkpoint")
    typed("replay", "show", floor)
    typed("chain", "checkpoint")
    file = tmp_path / "data" / "checkpoints.txt"
    first, second = kept_in(file)
    before = file.read_bytes()
    for table, place in (("checkpoints", "size"), ("leaves", "position + 1")):
        own_store.command(f"ALTER TABLE {table} DELETE WHERE {place} > {first.size}", settings={"mutations_sync": 2})
    for command in (("chain", "checkpoint"), ("chain", "run", "--no-publish")):
        stopped = typed(*command)
        assert stopped.exit_code == 1, stopped.output
        assert f"ends with a checkpoint of {second.size} leaves" in stopped.output
        assert f"tablewatch replay verify --chain --checkpoints {file}" in stopped.output
    assert checkpoints(own_store, "main") == [first]
    assert file.read_bytes() == before
    # The auditor has the file, and knows why.
    another = tmp_path / "another.txt"
    assert typed("chain", "checkpoint", "--file", str(another)).exit_code == 0
    assert len(kept_in(another)) == 2 and file.read_bytes() == before


def test_a_broken_chain_is_not_sealed_on(floor: str, own_store: Store) -> None:
    typed("keys", "make")
    typed("chain", "checkpoint")
    own_store.command("ALTER TABLE leaves DELETE WHERE position = 3", settings={"mutations_sync": 2})
    stopped = typed("chain", "checkpoint")
    assert stopped.exit_code == 1
    assert stopped.output.count("tablewatch replay verify --chain") == 1, stopped.output
