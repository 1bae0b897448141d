"""The file that checkpoints are appended to: read once, and anew where somebody else wrote to it."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from replay.chain import published as of_file
from replay.chain.note import CheckpointInvalid, sign
from replay.chain.published import CheckpointFile, NoCheckpoint, published, read_published
from store.rows.proof import Checkpoint


@pytest.fixture
def three() -> list[Checkpoint]:
    """Three checkpoints, one after another; the time of the second one is a whole second."""
    key, found = Ed25519PrivateKey.generate(), list[Checkpoint]()
    for size, at in ((1, 1_767_268_800_123), (5, 1_767_268_810_000), (9, 1_767_268_820_456)):
        found.append(sign(key, "main", size, bytes([size]) * 32, at, bytes(32), found[-1] if found else None))
    return found


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many checkpoints each reading of the file gave."""
    counted: list[int] = []

    def counting(lines: Iterable[str]) -> Iterator[Checkpoint]:
        counted.append(0)
        for each in read_published(lines):
            counted[-1] += 1
            yield each

    monkeypatch.setattr(of_file, "read_published", counting)
    return counted


def test_what_is_appended_is_the_last_and_is_read_by_others(
    three: list[Checkpoint], reads: list[int], tmp_path: Path
) -> None:
    path = tmp_path / "checkpoints.txt"
    kept = CheckpointFile(path)
    assert kept.last() is None
    for each in three:
        kept.append([each])
        assert kept.last() == each
    assert reads == []
    assert CheckpointFile(path).last() == three[2]
    assert reads == [3]


def test_it_is_read_again_where_somebody_else_wrote_to_it_or_took_it_away(
    three: list[Checkpoint], reads: list[int], tmp_path: Path
) -> None:
    path = tmp_path / "checkpoints.txt"
    kept = CheckpointFile(path)
    kept.append(three[:1])
    CheckpointFile(path).append(three[1:2])
    assert [kept.last(), kept.last()] == [three[1], three[1]]
    assert reads == [2]
    path.rename(tmp_path / "put away.txt")
    assert kept.last() is None
    kept.append(three)
    assert kept.last() == three[2]
    path.write_bytes(path.read_bytes() + b"something else\n")
    for _ in range(2):
        with pytest.raises(CheckpointInvalid, match="belongs to no checkpoint"):
            kept.last()


def test_checkpoints_are_read_as_they_were_published(three: list[Checkpoint]) -> None:
    lines = "\n".join(published(each).decode() for each in three).splitlines(keepends=True)
    assert list(read_published(lines)) == list(read_published(["\n", *lines])) == three
    with pytest.raises(NoCheckpoint):
        list(read_published(lines, "other"))


@pytest.mark.parametrize("line", range(9))
@pytest.mark.parametrize("instead", [[], ["something else\n"]], ids=["lost", "changed"])
def test_no_line_is_lost_or_changed_unseen(three: list[Checkpoint], line: int, instead: list[str]) -> None:
    lines = published(three[0]).decode().splitlines(keepends=True)
    assert len(lines) == 9
    try:
        found = list(read_published([*lines[:line], *instead, *lines[line + 1 :]]))
    except CheckpointInvalid:
        return
    assert [each.note for each in found] != [three[0].note], "what was signed is another text"
