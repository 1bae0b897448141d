"""Blocks of columns: the head of one, an empty one with names and types, and finding the end of one by skipping."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from store.embedded import faults
from store.embedded.column_types import (
    Array,
    Fixed,
    JsonText,
    Layout,
    LowCardinality,
    Nullable,
    Strings,
    Tuple,
    Variant,
    layout,
)
from store.embedded.faults import ConnectionEnded, ProtocolError
from store.embedded.wire import Source, text, varint

INFO: Final = b"\x01\x00\x02\xff\xff\xff\xff\x00"
"""BlockInfo: field 1 (is_overflows) 0, field 2 (bucket_num) -1, end."""
MAX_COLUMNS: Final = 10_000
MAX_ROWS: Final = 1 << 40
_USUAL: Final = b"\x00"
_KEY_WIDTHS: Final = (1, 2, 4, 8)
_HAS_GLOBAL_DICTIONARY: Final = 1 << 8
_HAS_ADDITIONAL_KEYS: Final = 1 << 9
_JSON_AS_TEXT: Final = 1


class Whole(Source):
    """A source over bytes that are all there."""

    def __init__(self, raw: bytes) -> None:
        super().__init__()
        self.buffer += raw

    def more(self) -> bytes:
        raise ConnectionEnded("half a block")


@dataclass(frozen=True, slots=True)
class Column:
    """A column's name and the name of its type."""

    name: str
    type: str


def empty_block(columns: list[Column]) -> bytes:
    """A block without rows that tells names and types; without columns, that nothing follows."""
    body = b"".join(text(column.name) + text(column.type) for column in columns)
    return varint(len(columns)) + varint(0) + body


def skip_info(source: Source) -> None:
    """Passes over BlockInfo."""
    while field := source.varint():
        if field == 1:
            source.skip(1)
        elif field == 2:
            source.skip(4)
        else:
            raise ProtocolError(faults.INCORRECT_DATA, f"DB::Exception: unknown field {field} in BlockInfo")


def skip_block(source: Source, *, marked: bool = False) -> tuple[int, int]:
    """Passes over a block from its number of columns on; gives the numbers of columns and rows. ``marked``: each column
    has a byte behind its type, which the source's sink does not get."""
    columns, rows = _sizes(source)
    for _ in range(columns):
        column = _head(source)
        if marked and source.leave_out():
            raise ProtocolError(
                faults.NOT_IMPLEMENTED,
                f"DB::Exception: the values of column {column.name} are written in an unusual way (as sparse)",
            )
        _skip_values(source, column, rows)
    return columns, rows


def with_marks(block: bytes) -> bytes:
    """A block with a byte behind the type of each column: its values are written in the usual way."""
    source = Whole(block)
    columns, rows = _sizes(source)
    pieces: list[bytes] = []
    start = 0
    for left in range(columns, 0, -1):
        column = _head(source)
        pieces.append(block[start : source.position])
        start = source.position
        if left > 1:
            _skip_values(source, column, rows)
    return _USUAL.join([*pieces, block[start:]])


def columns_of(source: Source) -> list[Column]:
    """Names and types of a block, which is passed over from its number of columns on as far as to the last name."""
    columns, rows = _sizes(source)
    found = []
    for left in range(columns, 0, -1):
        # The values of the last column, often the longest, need no end here.
        found.append(_head(source))
        if left > 1:
            _skip_values(source, found[-1], rows)
    return found


def _sizes(source: Source) -> tuple[int, int]:
    columns = source.varint()
    rows = source.varint()
    if columns > MAX_COLUMNS or rows > MAX_ROWS:
        raise ProtocolError(faults.INCORRECT_DATA, f"DB::Exception: a block of {columns} columns and {rows} rows")
    return columns, rows


def _head(source: Source) -> Column:
    return Column(source.text(), source.text())


def _skip_values(source: Source, column: Column, rows: int) -> None:
    lay = layout(column.type)
    if rows:
        skip_prefix(source, lay)
        skip_values(source, lay, rows)


def skip_prefix(source: Source, lay: Layout) -> None:
    """What stands before the values: versions of dictionaries, variants and JSON."""
    if isinstance(lay, LowCardinality):
        version = source.uint64()
        if version != 1:
            raise ProtocolError(faults.INCORRECT_DATA, f"DB::Exception: version {version} of a LowCardinality column")
        skip_prefix(source, lay.inner)
    elif isinstance(lay, Variant):
        if source.uint64() != 0:
            raise ProtocolError(faults.NOT_IMPLEMENTED, "DB::Exception: compact discriminators of a Variant column")
        for inner in lay.inner:
            skip_prefix(source, inner)
    elif isinstance(lay, JsonText):
        if source.uint64() != _JSON_AS_TEXT:
            raise ProtocolError(faults.NOT_IMPLEMENTED, "DB::Exception: a JSON column that is not sent as text")
    elif isinstance(lay, Nullable | Array):
        skip_prefix(source, lay.inner)
    elif isinstance(lay, Tuple):
        for inner in lay.inner:
            skip_prefix(source, inner)


def skip_values(source: Source, lay: Layout, rows: int) -> None:
    """Passes over the values of a column."""
    if not rows:
        return
    match lay:
        case Fixed(width):
            source.skip(width * rows)
        case Strings() | JsonText():
            source.skip_strings(rows)
        case Nullable(inner):
            source.skip(rows)
            skip_values(source, inner, rows)
        case Array(inner):
            source.skip(8 * (rows - 1))
            elements = source.uint64()
            if elements > MAX_ROWS:
                raise ProtocolError(faults.INCORRECT_DATA, f"DB::Exception: arrays of {elements} elements in a block")
            skip_values(source, inner, elements)
        case Tuple(parts):
            for part in parts:
                skip_values(source, part, rows)
        case LowCardinality(inner):
            _skip_low_cardinality(source, inner, rows)
        case Variant(parts):
            counts = [0] * 256
            left = rows
            while left:
                piece = source.take(min(left, 1 << 16))
                left -= len(piece)
                for alternative in range(len(parts)):
                    counts[alternative] += piece.count(alternative)
            for alternative, part in enumerate(parts):
                skip_values(source, part, counts[alternative])


def _skip_low_cardinality(source: Source, inner: Layout, rows: int) -> None:
    left = rows
    while left:
        kind = source.uint64()
        if kind & _HAS_GLOBAL_DICTIONARY or kind & 0xFF >= len(_KEY_WIDTHS):
            raise ProtocolError(faults.INCORRECT_DATA, f"DB::Exception: kind {kind} of a LowCardinality column")
        if kind & _HAS_ADDITIONAL_KEYS:
            skip_values(source, inner, min(source.uint64(), MAX_ROWS))
        keys = source.uint64()
        if not 0 < keys <= left:
            raise ProtocolError(faults.INCORRECT_DATA, f"DB::Exception: {keys} keys of a LowCardinality column")
        source.skip(keys * _KEY_WIDTHS[kind & 0xFF])
        left -= keys
