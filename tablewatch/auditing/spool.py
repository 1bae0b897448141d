"""Lines under keys, in the order in which they came: in memory, and in a temporary file beyond a bound."""

import errno
import tempfile
from array import array
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO, Final, Generic, NamedTuple, Self, TypeVar

Key = TypeVar("Key")

MEMORY: Final = 128 << 20
"""Bytes of lines that are held in memory."""
_OBJECT: Final = 64
"""Bytes that Python takes for a line beside its own."""
_CHUNK: Final = 20_000
"""So many lines are written, and read again, at once."""


class NoRoomError(Exception):
    """The temporary file cannot be written: make room, or name another folder."""


@contextmanager
def temporary_file_errors() -> Iterator[None]:
    """Tells an error of the temporary file from all others."""
    try:
        yield
    except OSError as error:
        # Asking for the folder when there is none that can be written fails in the same way.
        folder = tempfile.tempdir or "the temporary folder"
        reason = "it is full" if error.errno == errno.ENOSPC else error.strerror or "it cannot be written"
        raise NoRoomError(
            f"The events do not fit into memory, and not into {folder} either: {reason}. "
            "Make room there, or set TMPDIR to a folder on a larger disk."
        ) from error


class _Chunk(NamedTuple):
    """Lines in the file: their bytes, and behind them their numbers."""

    start: int
    size: int
    lines: int


class Kept:
    """The lines of one key."""

    __slots__ = ("chunks", "lines", "numbers", "written")

    def __init__(self) -> None:
        self.chunks: list[_Chunk] = []
        self.written = 0
        """How many lines are in the file."""
        self.lines: list[bytes] = []
        """Those that are in memory, the last ones."""
        self.numbers = array("q")
        """A number for each of them, such as that of the line in its file."""


class Spool(Generic[Key]):
    """Lines, none of which holds a line break, under keys. Use it as a context: the file is gone at its end, and also
    if the process is killed, as it has no name."""

    def __init__(self, memory: int = MEMORY) -> None:
        self._memory = memory
        self._held = 0
        self._file: BinaryIO | None = None
        self._end = 0
        self._kept: dict[Key, Kept] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if self._file is not None:
            # What a full disk did not take is tried once more at the closing; that error was told already.
            with suppress(OSError):
                self._file.close()

    def __iter__(self) -> Iterator[Key]:
        return iter(self._kept)

    def count(self, key: Key) -> int:
        """How many lines are under a key."""
        kept = self._kept.get(key)
        return 0 if kept is None else kept.written + len(kept.lines)

    def kept(self, key: Key) -> Kept:
        """The lines of a key, for adding to them; tell ``added`` afterwards how much that was."""
        kept = self._kept.get(key)
        if kept is None:
            kept = self._kept[key] = Kept()
        return kept

    def add(self, key: Key, line: bytes, number: int) -> None:
        """Add one line."""
        kept = self.kept(key)
        kept.lines.append(line)
        kept.numbers.append(number)
        self.added(1, len(line))

    def added(self, lines: int, size: int) -> None:
        """Lines were added: what is in memory goes to the file when it is too much."""
        self._held += size + lines * _OBJECT
        if self._held > self._memory:
            with temporary_file_errors():
                self._write()

    def _write(self) -> None:
        if self._file is None:
            self._file = tempfile.TemporaryFile()  # noqa: SIM115  # open as long as the spool is
        self._file.seek(self._end)
        for kept in self._kept.values():
            for start in range(0, len(kept.lines), _CHUNK):
                lines, numbers = kept.lines[start : start + _CHUNK], kept.numbers[start : start + _CHUNK]
                content = b"\n".join(lines)
                self._file.write(content)
                self._file.write(numbers.tobytes())
                kept.chunks.append(_Chunk(self._end, len(content), len(lines)))
                self._end += len(content) + len(lines) * numbers.itemsize
            kept.written += len(kept.lines)
            kept.lines.clear()
            del kept.numbers[:]
        self._file.flush()
        self._held = 0

    def read(self, key: Key) -> "Iterator[tuple[list[bytes], array[int]]]":
        """The lines of a key with their numbers, in the order in which they were added, some at a time."""
        kept = self._kept.get(key)
        if kept is None:
            return
        for chunk in kept.chunks:
            assert self._file is not None
            self._file.seek(chunk.start)
            content = self._file.read(chunk.size)
            numbers = array("q")
            numbers.fromfile(self._file, chunk.lines)
            yield content.split(b"\n"), numbers
        if kept.lines:
            yield kept.lines, kept.numbers

    def forget(self, key: Key) -> None:
        """The lines of a key are not needed any more."""
        kept = self._kept.pop(key, None)
        if kept is not None:
            self._held -= sum(map(len, kept.lines)) + len(kept.lines) * _OBJECT


class Shelf:
    """Pieces of output that are kept until their turn comes: in memory, and in a temporary file beyond a bound."""

    def __init__(self, memory: int = MEMORY) -> None:
        # A bound of 0 would mean none.
        self._file = tempfile.SpooledTemporaryFile(max_size=max(1, memory))  # noqa: SIM115  # open as long as this is
        self._end = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        # As above: what a full disk did not take was told when it was put.
        with suppress(OSError):
            self._file.close()

    def put(self, content: bytes) -> tuple[int, int]:
        """Put a piece down; where it lies and how long it is."""
        place = self._end, len(content)
        with temporary_file_errors():
            self._file.seek(self._end)
            self._file.write(content)
        self._end += len(content)
        return place

    def get(self, place: tuple[int, int]) -> bytes:
        """A piece that was put down."""
        with temporary_file_errors():
            self._file.seek(place[0])
            return self._file.read(place[1])
