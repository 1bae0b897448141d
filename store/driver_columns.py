"""What the driver's columns do otherwise here: they are let go of at once, copied once, and columns of few different
values, or of ticks, are written without looking at each item in Python."""

from collections.abc import Iterator, Sequence
from itertools import count
from typing import Any
from weakref import proxy

import numpy as np
from clickhouse_driver import client
from clickhouse_driver.columns.base import CommonSerialization
from clickhouse_driver.columns.datetimecolumn import DateTime64Column
from clickhouse_driver.columns.lowcardinalitycolumn import LowCardinalityColumn
from clickhouse_driver.writer import write_binary_int64

_AS_THE_DRIVER_DOES = LowCardinalityColumn._write_data
_PREPARED = DateTime64Column.prepare_items
_IN_CHUNKS = client.column_chunks
_KEYS: tuple[np.dtype[Any], ...] = tuple(map(np.dtype, ("<u1", "<u2", "<u4", "<u8")))
"""The sizes of a key, by the number that the protocol has for them."""


def _know_weakly(serialization: Any, column: Any) -> None:
    """The driver makes a column and its serialization for every column of every statement, and lets each hold the
    other: they stayed until cycles were looked for among all that a worker holds, which takes a second of it."""
    serialization.column = proxy(column)


def _write_few_values(column: Any, items: Sequence[Any], buffer: Any) -> None:
    """A column of few different values, written as their list and a key for each item. The driver looks at the items
    one by one, which was a sixth of all that it takes to write a worker's rows."""
    if column.nested_column.nullable:
        _AS_THE_DRIVER_DOES(column, items, buffer)
        return
    key_of = dict(zip(dict.fromkeys(items), count()))
    if not key_of:
        return
    size = next(size for size, key in enumerate(_KEYS) if len(key_of) <= 1 << 8 * key.itemsize)
    write_binary_int64(column.serialization_type | size, buffer)
    write_binary_int64(len(key_of), buffer)
    column.nested_column.write_data(list(key_of), buffer)
    write_binary_int64(len(items), buffer)
    buffer.write(np.fromiter(map(key_of.__getitem__, items), _KEYS[size], len(items)).tobytes())


def _leave_ticks_alone(column: Any, items: Any) -> Any:
    """Times are written here as whole ticks: there is nothing to do for them."""
    if not column.nullable and set(map(type, items)) == {int}:
        return items
    return _PREPARED(column, items)


def _together(columns: Sequence[Sequence[Any]], rows: int) -> Iterator[list[list[Any]]]:
    """The columns of the blocks of an insert, of so many rows at most. The driver copies every column twice. Once it
    has to be: some of its columns are written by changing their items, and an insert may have to be tried again."""
    if not columns or len(columns[0]) > rows or len({len(column) for column in columns}) > 1:
        yield from _IN_CHUNKS(columns, rows)
    elif len(columns[0]):
        yield [list(column) for column in columns]


def mend() -> None:
    """Have all columns do so."""
    client.column_chunks = _together
    DateTime64Column.prepare_items = _leave_ticks_alone
    CommonSerialization.__init__ = _know_weakly
    LowCardinalityColumn._write_data = _write_few_values
