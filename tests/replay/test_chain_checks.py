"""What a check of the chain answers where checkpoints, keys or leaves are not those that were: words and exit codes."""

from pathlib import Path

import orjson
import pytest
from typer.testing import CliRunner

from replay.chain.keys import KeyRing
from replay.chain.note import CheckpointInvalid, published, read_published
from replay.chain.seal import Sealer
from store.connect import Store
from store.rows.proof import Checkpoint
from store.write.verdicts import write_verdicts
from tablewatch.command import app
from tests.replay.commands import Run, said_by
from tests.replay.evidence import LATER, ring_in, sealed_evening
from tests.store.floor import judged


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
        assert refused.exit_code == 2 and "Nothing was appended to it" in refused.stderr
        assert file.read_bytes() == content


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
        read_published("".join(notes))
