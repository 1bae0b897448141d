"""Compressed frames: CityHash128 of what follows, method, sizes, and LZ4, ZSTD or plain bytes."""

from __future__ import annotations

import struct
from enum import IntEnum
from typing import Final

import zstd  # type: ignore[import-untyped]  # has no types
from clickhouse_cityhash.cityhash import CityHash128  # type: ignore[import-untyped]  # has no types
from lz4 import block as lz4

from store.embedded import faults
from store.embedded.faults import ProtocolError
from store.embedded.wire import Source

FRAME: Final = 1 << 20
"""Uncompressed bytes of a frame that this server writes."""
MAX_FRAME: Final = 1 << 30
"""ClickHouse's own bound on either size of a frame."""
_HEADER: Final = struct.Struct("<BII")
_HASH: Final = struct.Struct("<QQ")
_HALF: Final = (1 << 64) - 1


class Method(IntEnum):
    """The method byte of a frame."""

    NONE = 0x02
    LZ4 = 0x82
    ZSTD = 0x90


class FrameSource(Source):
    """Reads the bytes inside a run of frames."""

    def __init__(self, raw: Source) -> None:
        super().__init__()
        self._raw = raw

    def more(self) -> bytes:
        # A frame may be empty; what follows it is then the next one.
        while True:
            data = read_frame(self._raw)
            if data:
                return data


def read_frame(source: Source) -> bytes:
    """One frame, its checksum verified."""
    expected = source.take(_HASH.size)
    header = source.take(_HEADER.size)
    method, compressed_size, size = _HEADER.unpack(header)
    if not _HEADER.size <= compressed_size <= MAX_FRAME or size > MAX_FRAME:
        raise ProtocolError(faults.CANNOT_DECOMPRESS, f"DB::Exception: a frame of {compressed_size} and {size} bytes")
    body = source.take(compressed_size - _HEADER.size)
    if _checksum(header + body) != expected:
        raise ProtocolError(faults.CHECKSUM_DOESNT_MATCH, "DB::Exception: Checksum doesn't match: corrupted data")
    try:
        if method == Method.LZ4:
            data = lz4.decompress(body, uncompressed_size=size)
        elif method == Method.ZSTD:
            data = zstd.decompress(body)
        elif method == Method.NONE:
            data = body
        else:
            raise ProtocolError(
                faults.UNKNOWN_COMPRESSION_METHOD,
                f"DB::Exception: Unknown compression method 0x{method:02x}; LZ4, ZSTD and NONE are known",
            )
    except (ValueError, RuntimeError, MemoryError, lz4.LZ4BlockError, zstd.Error) as error:
        raise ProtocolError(faults.CANNOT_DECOMPRESS, f"DB::Exception: Cannot decompress a frame: {error}") from None
    if len(data) != size:
        raise ProtocolError(faults.CANNOT_DECOMPRESS, f"DB::Exception: a frame of {size} bytes held {len(data)}")
    return bytes(data)


def write_frames(data: bytes, method: Method) -> bytes:
    """The data as a run of frames."""
    out = bytearray()
    for start in range(0, len(data), FRAME):
        piece = data[start : start + FRAME]
        if method == Method.LZ4:
            body = lz4.compress(piece, store_size=False)
        elif method == Method.ZSTD:
            body = zstd.compress(piece, 1)
        else:
            body = piece
        framed = _HEADER.pack(method, _HEADER.size + len(body), len(piece)) + body
        out += _checksum(framed)
        out += framed
    return bytes(out)


def _checksum(framed: bytes) -> bytes:
    value = CityHash128(framed)
    # The hash comes as one number whose upper half goes first on the wire.
    return _HASH.pack(value >> 64, value & _HALF)
