"""What a check of the chain answers where checkpoints, keys or leaves are not those that were: words and exit codes."""

import time
from dataclasses import replace
from pathlib import Path

import orjson
import pytest
from typer.testing import CliRunner

from replay.chain.keys import KeyRing
from replay.chain.note import CheckpointInvalid
from replay.chain.published import published, read_published
from replay.chain.seal import Sealer
from replay.chain.verify import verify_chain
from store.connect import Store
from store.read.checkpoints import checkpoints
from store.rows.proof import Checkpoint
from store.write.proof import write_keys
from store.write.verdicts import write_verdicts
from tablewatch.command import app
from tests.audit.case import Case
from tests.replay.commands import Run, said_by
from tests.replay.evidence import LATER, ring_in, sealed_evening
from tests.replay.stored import fill
from tests.store.floor import ARRIVAL, judged


@pytest.fixture
def ring(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> KeyRing:
    """The keys of the data folder that commands use."""
    monkeypatch.setenv("TABLEWATCH_DATA", str(tmp_path / "data"))
    return ring_in(tmp_path / "data")


@pytest.fixture
def sealed(store: Store, ring: KeyRing) -> list[Checkpoint]:
    """A store with two checkpoints."""
    first = sealed_evening(store, ring)
    write_verdicts(store, [judged("BT1", revision=2, at=LATER - 5)])
    second = Sealer(store, ring, lambda: LATER).seal()
    assert second is not None
    return [first, second]


def _kept(folder: Path, checkpoints: list[Checkpoint]) -> Path:
    """The file that `chain run` appends to."""
    file = folder / "checkpoints.txt"
    file.write_bytes(b"".join(published(each) + b"\n" for each in checkpoints))
    return file


def test_a_file_without_a_checkpoint_is_refused_as_one_kept_elsewhere(
    run: Run, sealed: list[Checkpoint], tmp_path: Path
) -> None:
    file = tmp_path / "README.md"
    for content in ("", "\n\n", "# Tablewatch\n\nIt watches tables.\n"):
        file.write_text(content)
        refused = run("verify", "--chain", "--checkpoints", str(file))
        assert refused.exit_code == 2 and "Whole" not in refused.stdout
        assert refused.stderr.startswith(f"{file} holds no checkpoint: name the file ")
        assert "`tablewatch chain run`" in refused.stderr and "--file" in refused.stderr


def test_a_check_says_how_many_checkpoints_the_file_held(run: Run, sealed: list[Checkpoint], tmp_path: Path) -> None:
    file = _kept(tmp_path, sealed)
    told = run("verify", "--chain", "--checkpoints", str(file))
    assert told.exit_code == 0
    assert f"{file} holds 2 checkpoints, the last of {sealed[-1].size} leaves" in said_by(told)
    assert orjson.loads(run("verify", "--chain", "--checkpoints", str(file), "--json").stdout)["elsewhere"] == 2
    assert orjson.loads(run("verify", "--chain", "--json").stdout)["elsewhere"] == 0
    _kept(tmp_path, sealed[:1])
    assert "holds 1 checkpoint, " in said_by(run("verify", "--chain", "--checkpoints", str(file)))


def test_a_file_that_is_cut_off_is_refused_in_words(run: Run, sealed: list[Checkpoint], tmp_path: Path) -> None:
    file = _kept(tmp_path, sealed)
    whole = file.read_text("utf-8")
    second = whole.index("tablewatch/main\n", 10)
    words = {
        second + 20: "checkpoint 2 of the file, in line 11, cannot be read: it is cut off before its signature",
        whole.rindex("— ") + 22: "it is cut off inside its signature",
        whole.rindex("=") - 7: "it is cut off inside its signature",
        second + 9: "line 11 of the file belongs to no checkpoint",
    }
    for length, expected in words.items():
        file.write_text(whole[:length], "utf-8")
        refused = run("verify", "--chain", "--checkpoints", str(file))
        assert refused.exit_code == 2
        assert expected in refused.stderr and "whole copy" in refused.stderr, refused.stderr


def test_nothing_is_appended_to_a_file_that_is_not_one_of_checkpoints(
    run: Run, sealed: list[Checkpoint], tmp_path: Path
) -> None:
    file = _kept(tmp_path, sealed)
    for content in (b"# Tablewatch\n", b"\xff\xfe", file.read_bytes()[:-30]):
        file.write_bytes(content)
        refused = CliRunner().invoke(app, ["chain", "checkpoint", "--file", str(file)])
        assert refused.exit_code == 2 and "Nothing was sealed, and nothing appended to it" in refused.stderr
        assert file.read_bytes() == content


def test_behind_a_file_whose_last_checkpoint_was_altered_nothing_is_sealed(
    run: Run, store: Store, sealed: list[Checkpoint], tmp_path: Path
) -> None:
    file = _kept(tmp_path, sealed)
    lines = file.read_text("utf-8").splitlines(keepends=True)
    last = max(number for number, line in enumerate(lines) if line.startswith("time "))
    lines[last] = lines[last].replace("Z", "").rstrip()[:-1] + "9Z\n"
    file.write_text("".join(lines), "utf-8")
    altered = file.read_bytes()
    stopped = CliRunner().invoke(app, ["chain", "checkpoint", "--file", str(file)])
    assert stopped.exit_code == 1
    assert "says something else in the store: one of the two was altered" in stopped.stderr
    assert f"Look with: tablewatch replay verify --chain --checkpoints {file}" in stopped.stderr
    assert file.read_bytes() == altered and checkpoints(store, "main") == sealed


def test_what_cannot_be_a_file_of_checkpoints_is_said_before_anything_is_sealed(
    run: Run, store: Store, sealed: list[Checkpoint], tmp_path: Path
) -> None:
    (tmp_path / "one").write_text("")
    for wrong in (tmp_path, tmp_path / "one" / "checkpoints.txt"):
        refused = CliRunner().invoke(app, ["chain", "checkpoint", "--file", str(wrong)])
        assert refused.exit_code == 2
        assert refused.stderr.startswith(f"{wrong} cannot be the file of checkpoints: ") and "--file" in refused.stderr
    assert checkpoints(store, "main") == sealed


@pytest.mark.parametrize(
    ("place", "line"),
    [(0, "line 1 of the file belongs to no checkpoint"), (1, "line 11 of the file belongs to no checkpoint")],
)
def test_a_checkpoint_whose_first_line_was_changed_is_not_passed_over(
    sealed: list[Checkpoint], place: int, line: str
) -> None:
    notes = [published(each).decode() + "\n" for each in sealed]
    notes[place] = notes[place].replace("tablewatch/main\n", "tablewatch/mein\n")
    with pytest.raises(CheckpointInvalid, match=line):
        list(read_published("".join(notes).splitlines(keepends=True)))


def _made_anew(store: Store, folder: Path) -> KeyRing:
    """The chain of a store made anew by somebody with a key of his own."""
    for table in ("leaves", "checkpoints", "signing_keys", "tree_nodes"):
        store.command(f"TRUNCATE TABLE {table}")
    strange = ring_in(folder / "strange")
    assert Sealer(store, strange, lambda: LATER + 1).seal() is not None
    return strange


def test_a_chain_made_anew_with_another_key_is_an_alarm_and_no_typing_error(
    run: Run, store: Store, ring: KeyRing, sealed: list[Checkpoint], tmp_path: Path
) -> None:
    ours = ring.known()[0].key_id
    forger = _made_anew(store, tmp_path).known()[0].key_id
    last = checkpoints(store, "main")[-1]
    told = run("verify", "--chain", "--trust", ours)
    assert told.exit_code == 1
    assert f"--trust: nothing in the store is signed with key {ours}: its 1 checkpoint is signed with {forger}." in (
        told.stderr
    )
    assert "mistyped" in told.stderr and "made anew by somebody else" in told.stderr
    assert f"the last is of {last.size} leaves, root {last.root.hex()}" in told.stderr
    said = run("verify", "--chain", "--json", "--trust", ours)
    report = orjson.loads(said.stdout)
    assert said.exit_code == 1 and report["whole"] is False
    [only] = report["tampering"]
    assert only["kind"] == "checkpoint" and f"nothing in the store is signed with key {ours}" in only["detail"]
    assert run("prove", "BT1/S1/1", "--trust", ours).exit_code == 1
    # That the forger left the casino's key where it was makes no difference.
    write_keys(store, ring.known())
    again = run("verify", "--chain", "--trust", ours)
    assert again.exit_code == 1 and f"nothing in the store is signed with key {ours}" in again.stderr


def test_what_a_stranger_sealed_is_neither_proved_nor_exported_where_the_key_folder_is(
    run: Run, store: Store, ring: KeyRing, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(store, Case().round(bets={"b1": ("player", 100)}, settled={"b1": (100, 0)}).lines())
    forger = _made_anew(store, tmp_path).known()[0].key_id
    case = tmp_path / "case.zip"
    commands = (("prove", "BT1/S1/1"), ("export", "BT1/S1/1", "-o", str(case)))
    for command in commands:
        refused = run(*command)
        assert refused.exit_code == 1
        assert f"it is signed with key {forger}, which nobody vouches for" in refused.stderr
        assert not case.exists()

    monkeypatch.setenv("TABLEWATCH_DATA", str(tmp_path / "auditor"))
    for command in commands:
        on_its_word = run(*command)
        assert on_its_word.exit_code == 0
        assert f"Believed: {forger}, ON THE STORE'S OWN WORD" in on_its_word.output
        named = run(*command, "--trust", forger)
        assert named.exit_code == 0 and f"Believed: {forger}, as you named it" in named.output
        assert run(*command, "--trust", ring.known()[0].key_id).exit_code == 1


def test_what_is_no_name_of_a_key_and_an_empty_store_are_a_wrong_use(
    run: Run, store: Store, ring: KeyRing, tmp_path: Path
) -> None:
    ours = ring.known()[0].key_id
    empty = run("verify", "--chain", "--trust", ours)
    assert empty.exit_code == 2 and "it knows none" in empty.stderr
    sealed_evening(store, ring)
    for mistyped in (ours[:-1], ours.upper() if ours.upper() != ours else "x" * 16, "not-a-key"):
        refused = run("verify", "--chain", "--trust", mistyped)
        assert refused.exit_code == 2
        assert f"--trust: {mistyped} is no name of a key, which is 16 digits from 0 to f" in refused.stderr


def test_keys_that_are_gone_from_the_store_are_named_by_every_check_alike(
    run: Run, store: Store, ring: KeyRing, sealed: list[Checkpoint], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = ring.known()[0].key_id
    store.command("TRUNCATE TABLE signing_keys")
    put_back = "where it is yours, `tablewatch chain checkpoint` with its key folder puts it back"
    for trust in ((), ("--trust", key)):
        told = run("verify", "--chain", *trust)
        assert told.exit_code == 1 and "NOT whole: 1 not as sealed" in told.stdout
        assert f"key {key} was removed: the store does not have it, and 2 checkpoints are signed with it" in told.stdout
        assert put_back in told.stdout and f"Believed: {key}" in told.stdout
    for trust in ((), ("--trust", key)):
        refused = run("prove", "BT1/S1/1", *trust)
        assert refused.exit_code == 1
        assert f"the store does not have key {key}, with which it is signed; {put_back}" in refused.stderr
    refused = run("export", "BT1/S1/1", "-o", str(tmp_path / "case.zip"))
    assert refused.exit_code == 1 and put_back in refused.stderr

    # An auditor elsewhere has no key folder: each checkpoint holds the key that signed it.
    monkeypatch.setenv("TABLEWATCH_DATA", str(tmp_path / "auditor"))
    elsewhere = run("verify", "--chain", "--trust", key)
    assert elsewhere.exit_code == 1 and "NOT whole: 1 not as sealed" in elsewhere.stdout

    monkeypatch.setenv("TABLEWATCH_DATA", str(tmp_path / "data"))
    assert CliRunner().invoke(app, ["chain", "checkpoint"]).exit_code == 0
    assert run("verify", "--chain", "--trust", key).exit_code == 0
    assert run("prove", "BT1/S1/1").exit_code == 0


def test_a_row_with_another_key_under_the_name_of_one_is_no_row_of_it(
    run: Run, store: Store, ring: KeyRing, sealed: list[Checkpoint]
) -> None:
    key = ring.known()[0].key_id
    store.command("TRUNCATE TABLE signing_keys")
    write_keys(store, [replace(ring.known()[0], public_key=bytes(32))])
    told = run("verify", "--chain")
    assert told.exit_code == 1 and f"key {key} was removed" in told.stdout
    assert CliRunner().invoke(app, ["chain", "checkpoint"]).exit_code == 0
    assert run("verify", "--chain").exit_code == 0


def test_a_key_that_is_lost_with_its_folder_and_gone_from_the_store_is_taken_from_its_checkpoints(
    run: Run, store: Store, ring: KeyRing, sealed: list[Checkpoint], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = ring.known()[0].key_id
    store.command("TRUNCATE TABLE signing_keys")
    monkeypatch.setenv("TABLEWATCH_DATA", str(tmp_path / "new"))
    ring_in(tmp_path / "new")
    assert CliRunner().invoke(app, ["keys", "lost", key]).exit_code == 0
    assert CliRunner().invoke(app, ["chain", "checkpoint"]).exit_code == 0
    assert run("verify", "--chain").exit_code == 0


def test_leaves_behind_the_last_checkpoint_are_counted_and_not_called_whole(
    run: Run, store: Store, sealed: list[Checkpoint], tmp_path: Path
) -> None:
    first, second = sealed
    behind = second.size - first.size
    assert "under no checkpoint" not in run("verify", "--chain").stdout
    store.command(f"ALTER TABLE checkpoints DELETE WHERE size > {first.size} SETTINGS mutations_sync = 2")
    told = run("verify", "--chain")
    assert told.exit_code == 0
    said = said_by(told)
    assert f"{behind} leaves are under no checkpoint" in said
    assert "the next `tablewatch chain checkpoint` covers them" in said and "--checkpoints FILE" in said
    assert "Whole: all that" not in said
    assert f"Whole as far as the last checkpoint, of {first.size} leaves: " in said
    assert f"of the {behind} leaves behind it nothing is proved." in said
    assert orjson.loads(run("verify", "--chain", "--json").stdout)["under_no_checkpoint"] == behind
    kept = run("verify", "--chain", "--checkpoints", str(_kept(tmp_path, sealed)))
    assert kept.exit_code == 1 and f"checkpoint {second.size} was removed" in said_by(kept)

    store.command("TRUNCATE TABLE checkpoints")
    none_left = run("verify", "--chain")
    assert none_left.exit_code == 1 and f"{second.size} leaves are under no checkpoint" in said_by(none_left)


def test_leaves_that_are_sealed_while_the_check_runs_are_under_their_checkpoint(
    store: Store, ring: KeyRing, sealed: list[Checkpoint]
) -> None:
    write_verdicts(store, [judged("BT1", revision=3, at=LATER + 5)])

    def seal_meanwhile(step: str) -> None:
        if step == "leaves":
            assert Sealer(store, ring, lambda: LATER + 10).seal() is not None

    report = verify_chain(store, own=ring.known(), told=seal_meanwhile)
    assert report.whole and report.size == sealed[-1].size and report.under_no_checkpoint == 0


def test_a_verdict_that_was_put_in_deviates_and_one_that_is_not_sealed_yet_does_not(
    run: Run, store: Store, sealed: list[Checkpoint], tmp_path: Path
) -> None:
    write_verdicts(store, [judged("BT2", revision=2, at=LATER + 5)])
    waits = run("prove", "BT2/S1/1")
    assert waits.exit_code == 2 and "is not sealed yet" in waits.stderr
    write_verdicts(store, [judged("BT1", revision=3, at=ARRIVAL)])
    put_in = run("prove", "BT1/S1/1")
    assert put_in.exit_code == 1
    assert "is older than the last checkpoint and not in the chain" in put_in.stderr
    assert run("export", "BT1/S1/1", "-o", str(tmp_path / "case.zip")).exit_code == 1


def test_what_may_still_be_sealed_after_a_pause_is_not_said_to_be_put_in(
    run: Run, store: Store, ring: KeyRing, sealed: list[Checkpoint]
) -> None:
    """The store was away: writers come back with what they held, and have ten minutes from the first checkpoint on."""
    now = time.time_ns() // 1_000_000
    write_verdicts(store, [judged("BT2", revision=2, at=now - 1_000)])
    assert Sealer(store, ring, lambda: now).seal() is not None
    write_verdicts(store, [judged("BT1", revision=3, at=now - 3_600_000)])
    assert run("verify", "--chain").exit_code == 0
    waits = run("prove", "BT1/S1/1")
    assert waits.exit_code == 2 and "is not sealed yet" in waits.stderr
