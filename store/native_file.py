"""Files in ClickHouse's Native format, gzipped: blocks of columns, as ``clickhouse-local`` reads and writes them."""

import gzip
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from clickhouse_driver.block import ColumnOrientedBlock
from clickhouse_driver.bufferedreader import BufferedSocketReader
from clickhouse_driver.bufferedwriter import BufferedSocketWriter
from clickhouse_driver.connection import ServerInfo
from clickhouse_driver.context import Context
from clickhouse_driver.streams.native import BlockInputStream, BlockOutputStream

Column = tuple[str, str]
"""Name and type."""

_BUFFER = 1 << 20


class NativeWriter:
    """Writes blocks to a file; the same blocks give the same bytes."""

    def __init__(self, path: Path, columns: Sequence[Column]) -> None:
        self._columns = list(columns)
        self._file = path.open("wb")
        # No name and no time in the header, so that the digest tells contents alone; the fastest level, because
        # raw bytes and money compress well at any.
        self._gzip = gzip.GzipFile(filename="", mode="wb", compresslevel=1, fileobj=self._file, mtime=0)
        self._stream = BlockOutputStream(BufferedSocketWriter(_Socket(self._gzip), _BUFFER), _plain_context())

    def write(self, block: Sequence[Sequence[Any]]) -> None:
        """Appends a block of columns."""
        self._stream.write(ColumnOrientedBlock(self._columns, [list(column) for column in block]))

    def close(self) -> None:
        self._gzip.close()
        self._file.close()


def read_native(path: Path) -> Iterator[list[tuple[Any, ...]]]:
    """The blocks of a file, one after the other; strings as bytes."""
    with gzip.open(path, "rb") as unpacked:
        reader = BufferedSocketReader(_Socket(unpacked), _BUFFER)
        stream = BlockInputStream(reader, _plain_context())
        while True:
            try:
                block = stream.read()
            except EOFError:
                return
            yield list(block.get_columns())


class _Socket:
    """What the driver's buffers ask of a socket, on a file."""

    def __init__(self, file: gzip.GzipFile) -> None:
        self._file = file

    def sendall(self, data: bytes) -> None:
        self._file.write(data)

    def recv_into(self, buffer: bytearray) -> int:
        return self._file.readinto(buffer)


def _plain_context() -> Context:
    """Revision 0: blocks without the extras that the protocol adds to the format."""
    context = Context()
    context.server_info = ServerInfo("file", 0, 0, 0, 0, "UTC", "file", 0)
    context.settings = {}
    context.client_settings = {
        "strings_as_bytes": True,
        "strings_encoding": "utf-8",
        "use_numpy": False,
        "input_format_null_as_default": False,
        "namedtuple_as_json": False,
    }
    return context
