"""Reading JSON lines from a stream block by block: bounded in memory whatever the length of a line."""

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

STANDARD_INPUT: Final = Path("-")
BLOCK: Final = 1 << 20
LONGEST: Final = 16 << 20
"""A line of more bytes than this is refused without being kept in memory."""
MARK: Final = b"\xef\xbb\xbf"
"""The byte order mark that some systems begin a file with: it belongs to the file and not to its first line."""
SHOWN: Final = 1 << 10
"""So many of its first bytes are kept all the same."""


class LongLine(NamedTuple):
    """What is kept of a line that is too long."""

    beginning: bytes
    size: int
    sha256: str
    """Of all its bytes."""


@contextmanager
def opened(files: Sequence[Path]) -> Iterator[list[tuple[str | None, BinaryIO]]]:
    """These files, each with the name that tells it from the others, None where there is one; ``-`` is standard input,
    as is no file at all.

    All are opened at once: one that is not there is told before the others are read.
    """
    with ExitStack() as stack:
        yield [
            (_name(path) if len(files) > 1 else None, stack.enter_context(path.open("rb")))
            if path != STANDARD_INPUT
            else ("standard input" if len(files) > 1 else None, sys.stdin.buffer)
            for path in files or [STANDARD_INPUT]
        ]


def _name(path: Path) -> str:
    """Of a file, for people; names of files may have bytes that are no text."""
    return os.fsencode(path).decode(errors="replace")


def blocks_of_lines(
    stream: BinaryIO, longest: int = LONGEST, refused: list[LongLine] | None = None
) -> Iterator[tuple[list[bytes | None], int]]:
    """The lines of a stream in blocks, each with the number of bytes read for it; None stands for a line that is too
    long, of which ``refused`` is told more, in their order. The last line may lack its newline.

    A block is handed out as soon as it is there, so that whoever types or pipes line by line is answered line by line.
    """
    read = getattr(stream, "read1", stream.read)
    line = _Line(longest, refused, MARK)
    while block := read(BLOCK):
        head, newline, rest = block.partition(b"\n")
        line.add(head)
        if not newline:
            yield [], len(block)
            continue
        lines: list[bytes | None] = [line.end()]
        *whole, tail = rest.split(b"\n")
        lines.extend(whole)
        line = _Line(longest, refused)
        line.add(tail)
        yield lines, len(block)
    if line.size:
        yield [line.end()], 0


class _Line:
    """A line whose end has not been read."""

    def __init__(self, longest: int, refused: list[LongLine] | None, mark: bytes = b"") -> None:
        self._mark = mark
        """What the line may begin with that is no part of it."""
        self.size = 0
        self._kept: list[bytes] = []
        self._beginning = b""
        self._hash = None if refused is None else sha256()
        self._longest, self._refused = longest, refused

    def add(self, part: bytes) -> None:
        self.size += len(part)
        self._kept.append(part)
        if self.size <= self._longest:
            return
        if not self._beginning:
            self._beginning = b"".join(self._kept)[:SHOWN]
        if self._hash is not None:
            for each in self._kept:
                self._hash.update(each)
        self._kept.clear()

    def end(self) -> bytes | None:
        if self.size <= self._longest:
            return b"".join(self._kept).removeprefix(self._mark)
        if self._refused is not None and self._hash is not None:
            self._refused.append(LongLine(self._beginning, self.size, self._hash.hexdigest()))
        return None
