"""Checkpoints as they go out, to the topic and into a file that is kept elsewhere, and as they come back from there."""

import base64
import os
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Final

from replay.chain.note import ORIGIN, TREE, CheckpointInvalid, key_id_of
from store.rows.proof import Checkpoint

_SIGNATURE_BYTES: Final = 4 + 64
"""In a published note four bytes of the key's name stand before the signature."""


class NoCheckpoint(CheckpointInvalid):
    """A file is not one of checkpoints."""


def published(checkpoint: Checkpoint) -> bytes:
    """A checkpoint as it goes to the topic and the file: the note and its signature as a signed note has them."""
    public_hash = bytes.fromhex(checkpoint.key_id)[:4]
    signature = base64.b64encode(public_hash + checkpoint.signature).decode()
    return f"{checkpoint.note}\n— {ORIGIN}{checkpoint.tree} {signature}\n".encode()


def read_published(lines: Iterable[str], tree: str = TREE) -> Iterator[Checkpoint]:
    """The checkpoints of a file by its lines, one after another: in a year there are millions. None of an empty one;
    whatever else stands in it may have been one."""
    origin = f"{ORIGIN}{tree}\n"
    held: list[str] = []
    number, began, count = 0, 1, -1
    for number, line in enumerate(lines, 1):
        if line == origin:
            if (made := _of_lines(held, tree, count, began)) is not None:
                yield made
            held, began, count = [], number, count + 1
        held.append(line)
    if count < 0 and any(line.strip() for line in held):
        raise NoCheckpoint("it holds no checkpoint")
    if (made := _of_lines(held, tree, count, began)) is not None:
        yield made


class CheckpointFile:
    """The file that checkpoints are appended to. It is read whole where it is not as this process left it: nothing is
    appended behind what is not whole."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._last: Checkpoint | None = None
        self._left: tuple[int, ...] = ()

    def last(self) -> Checkpoint | None:
        """The last checkpoint in it; None where there is none, or no file."""
        if (state := self._state()) != self._left:
            self._last = None
            if state:
                with self.path.open(encoding="utf-8") as lines:
                    for each in read_published(lines):
                        self._last = each
            self._left = state
        return self._last

    def append(self, made: Sequence[Checkpoint]) -> None:
        """Append these, which are later than its last one, and wait until the disk has them."""
        with self.path.open("ab") as out:
            out.write(b"".join(published(each) + b"\n" for each in made))
            out.flush()
            os.fsync(out.fileno())
        self._last, self._left = made[-1], self._state()

    def _state(self) -> tuple[int, ...]:
        """What tells whether somebody else has written to it, or taken it away."""
        try:
            found = self.path.stat()
        except FileNotFoundError:
            return ()
        return found.st_ino, found.st_size, found.st_mtime_ns


def _of_lines(lines: Sequence[str], tree: str, number: int, began: int) -> Checkpoint | None:
    """The checkpoint that these lines are; None of what stands before the first one, where it is blank."""
    if number < 0:
        _none_but_blank(lines, began)
        return None
    body = 1
    while body < len(lines) and lines[body] != "\n":
        body += 1
    signed = lines[body + 1] if body + 1 < len(lines) and lines[body + 1].startswith("— ") else ""
    try:
        made = _read_one(tree, "".join(lines[1:body]).removesuffix("\n"), signed.removeprefix("— "))
    except CheckpointInvalid as error:
        raise CheckpointInvalid(
            f"checkpoint {number + 1} of the file, in line {began}, cannot be read: {error}"
        ) from error
    _none_but_blank(lines[body + 2 :], began + body + 2)
    return made


def _none_but_blank(lines: Iterable[str], began: int) -> None:
    for number, line in enumerate(lines, began):
        if line.strip():
            raise CheckpointInvalid(f"line {number} of the file belongs to no checkpoint")


def _read_one(tree: str, body: str, signature: str) -> Checkpoint:
    """One checkpoint of a file: what stands between its first line and its signature, and that."""
    if not signature:
        raise CheckpointInvalid("it is cut off before its signature")
    try:
        raw = base64.b64decode(signature.removeprefix(f"{ORIGIN}{tree}").strip(), validate=True)
    except ValueError:
        raw = b""
    if len(raw) != _SIGNATURE_BYTES:
        raise CheckpointInvalid("it is cut off inside its signature, or that was changed")
    try:
        size, root, *rest = body.split("\n")
        fields = dict(line.split(" ", 1) for line in rest)
        # What was signed is the text itself: a time that is written otherwise is found by its signature.
        at = datetime.fromisoformat(fields["time"])
        return Checkpoint(
            tree=tree,
            size=int(size),
            root=base64.b64decode(root, validate=True),
            at=round(at.timestamp() * 1000),
            key_id=key_id_of(base64.b64decode(fields["key"], validate=True)),
            signature=raw[4:],
            note=f"{ORIGIN}{tree}\n{body}\n",
        )
    except (ValueError, KeyError) as error:
        raise CheckpointInvalid("its lines were changed") from error
