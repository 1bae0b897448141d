"""Reading JSON lines from a stream block by block: bounded in memory whatever the length of a line."""

from collections.abc import Iterator
from typing import BinaryIO, Final

BLOCK: Final = 1 << 20
LONGEST: Final = 16 << 20
"""A line of more bytes than this is refused without being kept in memory."""


def blocks_of_lines(stream: BinaryIO, longest: int = LONGEST) -> Iterator[tuple[list[bytes | None], int]]:
    """The lines of a stream in blocks, each with the number of bytes read for it; None stands for a line that is too
    long. The last line may lack its newline.

    A block is handed out as soon as it is there, so that whoever types or pipes line by line is answered line by line.
    """
    read = getattr(stream, "read1", stream.read)
    kept: list[bytes] = []
    length = 0
    while block := read(BLOCK):
        head, newline, rest = block.partition(b"\n")
        length += len(head)
        if length <= longest:
            kept.append(head)
        else:
            kept.clear()
        if not newline:
            yield [], len(block)
            continue
        lines: list[bytes | None] = [b"".join(kept) if length <= longest else None]
        *whole, tail = rest.split(b"\n")
        lines.extend(whole)
        kept, length = [tail], len(tail)
        yield lines, len(block)
    if length:
        yield [b"".join(kept) if length <= longest else None], 0
