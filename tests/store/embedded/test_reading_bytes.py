"""The reader: however the bytes are cut into pieces, the same is read, and the sink gets all of it, in order."""

from __future__ import annotations

from itertools import pairwise

import pytest
from clickhouse_cityhash.cityhash import CityHash128  # type: ignore[import-untyped]  # it has no types
from clickhouse_driver.streams.compressed import CompressedBlockInputStream
from hypothesis import given
from hypothesis import strategies as st

from store.embedded import faults
from store.embedded.blocks import skip_block
from store.embedded.column_types import Array, Fixed, LowCardinality, Nullable, Strings, Tuple, layout
from store.embedded.faults import ConnectionEnded, ProtocolError, ServerError
from store.embedded.frames import FRAME, FrameSource, Method, read_frame, write_frames
from store.embedded.wire import Source, text, varint


class Pieces(Source):
    """Gives the bytes of a list, one piece at a time."""

    def __init__(self, pieces: list[bytes]) -> None:
        super().__init__()
        self._pieces = [piece for piece in pieces if piece]

    def more(self) -> bytes:
        if not self._pieces:
            raise ConnectionEnded("no more")
        return self._pieces.pop(0)


def _cut(raw: bytes, places: list[int]) -> list[bytes]:
    edges = [0, *sorted(place % (len(raw) + 1) for place in places), len(raw)]
    return [raw[start:end] for start, end in pairwise(edges)]


@given(st.lists(st.binary(max_size=300)), st.lists(st.integers(0, 10_000)), st.binary(max_size=5))
def test_strings_are_skipped_however_the_bytes_are_cut(strings: list[bytes], places: list[int], rest: bytes) -> None:
    raw = b"".join(varint(len(string)) + string for string in strings)
    source = Pieces(_cut(raw + rest, places))
    taken: list[bytes] = []
    source.start_sink(taken.append)
    source.skip_strings(len(strings))
    source.end_sink()
    assert b"".join(taken) == raw
    assert source.take(len(rest)) == rest


@given(st.integers(0, 50), st.lists(st.integers(0, 10_000)), st.data())
def test_a_block_ends_where_the_next_packet_begins(rows: int, places: list[int], data: st.DataObject) -> None:
    strings = [data.draw(st.binary(max_size=200)) for _ in range(rows)]
    sizes = [data.draw(st.integers(0, 3)) for _ in range(rows)]
    offsets = [sum(sizes[: place + 1]) for place in range(rows)]
    column_b = b"".join(varint(len(string)) + string for string in strings)
    column_c = b"".join(offset.to_bytes(8, "little") for offset in offsets) + bytes(4 * sum(sizes))
    raw = (
        (varint(3) + varint(rows))
        + (text("a") + text("UInt64") + bytes(8 * rows))
        + (text("b") + text("String") + column_b)
        + (text("c") + text("Array(Nullable(UInt8))") + column_c[: 8 * rows + 2 * sum(sizes)])
    )
    source = Pieces(_cut(raw + b"next", places))
    assert skip_block(source) == (3, rows)
    assert source.take(4) == b"next"


@given(st.integers(0, (1 << 64) - 1))
def test_numbers_are_written_as_they_are_read(value: int) -> None:
    assert Pieces([varint(value)]).varint() == value


def test_a_string_beyond_the_bound_is_refused_by_its_length_alone() -> None:
    with pytest.raises(ProtocolError) as raised:
        Pieces([varint(1 << 40)]).text()
    assert raised.value.code == faults.TOO_LARGE_STRING_SIZE


def test_half_a_value_is_the_end_of_the_connection() -> None:
    for raw in (b"", varint(5) + b"abc", b"\x80"):
        with pytest.raises(ConnectionEnded):
            Pieces([raw]).skip_strings(1)


@pytest.mark.parametrize("method", list(Method))
@pytest.mark.parametrize("size", [0, 1, 1000, FRAME, FRAME + 1, 3 * FRAME])
def test_frames_give_back_what_went_in(method: Method, size: int) -> None:
    data = (bytes(range(256)) * (size // 256 + 1))[:size]
    source = FrameSource(Pieces([write_frames(data, method)]))
    assert source.take(size) == data


@pytest.mark.parametrize("method", [Method.LZ4, Method.ZSTD])
def test_frames_can_be_read_by_clickhouse_driver(method: Method) -> None:
    class Stream:
        def __init__(self, raw: bytes) -> None:
            self._raw = raw

        def read(self, size: int) -> bytes:
            piece, self._raw = self._raw[:size], self._raw[size:]
            return piece

        def read_one(self) -> int:
            return self.read(1)[0]

    data = b"punto banco " * 1000
    stream = CompressedBlockInputStream(Stream(write_frames(data, method)), None)
    assert stream.read_block() == data


@pytest.mark.parametrize("place", [0, 15, 16, 20, 24, -1])
def test_the_checksum_covers_the_whole_frame(place: int) -> None:
    frame = bytearray(write_frames(b"data" * 100, Method.LZ4))
    frame[place] ^= 0x01
    with pytest.raises((ProtocolError, ConnectionEnded)):
        read_frame(Pieces([bytes(frame)]))


def test_a_frame_of_an_unknown_method_is_named() -> None:
    framed = b"\x77" + write_frames(b"data", Method.NONE)[17:]
    value = CityHash128(framed)
    checksum = (value >> 64).to_bytes(8, "little") + (value & (1 << 64) - 1).to_bytes(8, "little")
    with pytest.raises(ProtocolError, match="0x77") as raised:
        read_frame(Pieces([checksum + framed]))
    assert raised.value.code == faults.UNKNOWN_COMPRESSION_METHOD


def test_types_are_taken_apart() -> None:
    assert layout("Array(Nullable(String))") == Array(Nullable(Strings()))
    assert layout("LowCardinality(Nullable(FixedString(3)))") == LowCardinality(Fixed(3))
    assert layout("Map(String, Tuple(a UInt8, `b, c` Decimal(20, 3)))") == Array(
        Tuple((Strings(), Tuple((Fixed(1), Fixed(16)))))
    )
    assert layout("Enum8('a, (b' = 1, 'it\\'s' = 2)") == Fixed(1)
    assert layout("DateTime64(6, 'Asia/Singapore')") == Fixed(8)


@pytest.mark.parametrize("name", ["", "Array", "Array()", "Array(String", "FixedString(0)", "Dynamic", "Tuple()"])
def test_a_type_that_cannot_be_skipped_is_refused(name: str) -> None:
    with pytest.raises(ProtocolError):
        layout(name)


def test_the_code_is_read_out_of_what_the_engine_says() -> None:
    error = ServerError.from_engine(
        RuntimeError(
            "Streaming query failed: Code: 60. DB::Exception: No table 't'. (UNKNOWN_TABLE) (version 26.9.2.1)"
        )
    )
    assert (error.code, error.message) == (60, "DB::Exception: No table 't'. (UNKNOWN_TABLE)")
    assert ServerError.from_engine(RuntimeError("something else")).code == 1002
