"""The names of column types, taken apart: `Array(Nullable(String))` becomes a tree that can be skipped over."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from store.embedded import faults
from store.embedded.faults import ProtocolError

_WIDTHS: Final = {
    "Bool": 1,
    "Int8": 1,
    "UInt8": 1,
    "Int16": 2,
    "UInt16": 2,
    "Int32": 4,
    "UInt32": 4,
    "Int64": 8,
    "UInt64": 8,
    "Int128": 16,
    "UInt128": 16,
    "Int256": 32,
    "UInt256": 32,
    "BFloat16": 2,
    "Float32": 4,
    "Float64": 8,
    "Date": 2,
    "Date32": 4,
    "DateTime": 4,
    "DateTime64": 8,
    "Time": 4,
    "Time64": 8,
    "UUID": 16,
    "IPv4": 4,
    "IPv6": 16,
    "Enum8": 1,
    "Enum16": 2,
    "Decimal32": 4,
    "Decimal64": 8,
    "Decimal128": 16,
    "Decimal256": 32,
    "Nothing": 1,
}
_GEOMETRY: Final = {
    "Point": "Tuple(Float64, Float64)",
    "Ring": "Array(Point)",
    "LineString": "Array(Point)",
    "MultiLineString": "Array(LineString)",
    "Polygon": "Array(Ring)",
    "MultiPolygon": "Array(Polygon)",
}
_ELEMENT_NAME: Final = re.compile(r"(?:[A-Za-z_][\w.]*|`(?:[^`\\]|\\.)*`)\s+(?=[A-Z])")
MAX_DEPTH: Final = 64


@dataclass(frozen=True, slots=True)
class Fixed:
    """Every value has the same width."""

    width: int


@dataclass(frozen=True, slots=True)
class Strings:
    """Every value is a length and that many bytes."""


@dataclass(frozen=True, slots=True)
class JsonText:
    """A JSON column that the client sends as text; its prefix says so."""


@dataclass(frozen=True, slots=True)
class Nullable:
    """A byte a value, null or not, and then the values."""

    inner: Layout


@dataclass(frozen=True, slots=True)
class Array:
    """The end of each array, and then the elements of all."""

    inner: Layout


@dataclass(frozen=True, slots=True)
class Tuple:
    """One column after the other."""

    inner: tuple[Layout, ...]


@dataclass(frozen=True, slots=True)
class LowCardinality:
    """A dictionary of the block, and a key into it for each value."""

    inner: Layout


@dataclass(frozen=True, slots=True)
class Variant:
    """A byte a value that says which alternative it is (255: null), and then the values of each alternative."""

    inner: tuple[Layout, ...]


Layout = Fixed | Strings | JsonText | Nullable | Array | Tuple | LowCardinality | Variant


@lru_cache(maxsize=4096)
def layout(name: str, depth: int = 0) -> Layout:
    """How the values of a type lie in a Native block; raises ProtocolError for a type whose end cannot be found."""
    name = name.strip()
    base, arguments = _split(name)
    if depth > MAX_DEPTH:
        raise ProtocolError(faults.NOT_IMPLEMENTED, "DB::Exception: a type nested too deeply")
    deeper = depth + 1
    if base == "String":
        return Strings()
    if base == "FixedString":
        return Fixed(_number(arguments[0], name))
    if base in _WIDTHS:
        return Fixed(_WIDTHS[base])
    if base.startswith("Interval"):
        return Fixed(8)
    if base == "Decimal":
        return Fixed(_decimal_width(_number(arguments[0], name) if arguments else 10))
    if base in _GEOMETRY:
        return layout(_GEOMETRY[base], deeper)
    if base == "Nullable" and len(arguments) == 1:
        return Nullable(layout(arguments[0], deeper))
    if base == "Array" and len(arguments) == 1:
        return Array(layout(arguments[0], deeper))
    if base == "LowCardinality" and len(arguments) == 1:
        inner = layout(arguments[0], deeper)
        # The dictionary of LowCardinality(Nullable(T)) holds T; its first entry stands for null.
        return LowCardinality(inner.inner if isinstance(inner, Nullable) else inner)
    if base == "Map" and len(arguments) == 2:
        return Array(Tuple((layout(arguments[0], deeper), layout(arguments[1], deeper))))
    if base == "Tuple" and arguments:
        return Tuple(tuple(layout(_unnamed(argument), deeper) for argument in arguments))
    if base == "Nested" and arguments:
        return Array(Tuple(tuple(layout(_unnamed(argument), deeper) for argument in arguments)))
    if base == "SimpleAggregateFunction" and len(arguments) == 2:
        return layout(arguments[1], deeper)
    if base == "Variant" and arguments:
        return Variant(tuple(layout(argument, deeper) for argument in sorted(arguments)))
    if base == "JSON":
        return JsonText()
    raise ProtocolError(
        faults.NOT_IMPLEMENTED,
        f"DB::Exception: the embedded server cannot receive columns of type {name[:200]}: insert a String or a plain "
        "type and convert it in an INSERT ... SELECT. (NOT_IMPLEMENTED)",
    )


def _split(name: str) -> tuple[str, list[str]]:
    """`Map(String, Array(UInt8))` is `Map` and its arguments, split at the commas that are its own."""
    opening = name.find("(")
    if opening < 0:
        return name, []
    if not name.endswith(")"):
        raise ProtocolError(faults.INCORRECT_DATA, f"DB::Exception: not a type: {name[:200]}")
    arguments: list[str] = []
    level = 0
    start = opening + 1
    quote = ""
    place = start
    end = len(name) - 1
    while place < end:
        character = name[place]
        if quote:
            if character == "\\":
                place += 1
            elif character == quote:
                quote = ""
        elif character in "'`\"":
            quote = character
        elif character == "(":
            level += 1
        elif character == ")":
            level -= 1
        elif character == "," and not level:
            arguments.append(name[start:place].strip())
            start = place + 1
        place += 1
    last = name[start:end].strip()
    if last:
        arguments.append(last)
    return name[:opening], arguments


def _unnamed(argument: str) -> str:
    found = _ELEMENT_NAME.match(argument)
    return argument[found.end() :] if found else argument


def _number(argument: str, name: str) -> int:
    if not argument.isdecimal() or not 0 < int(argument) <= 1 << 24:
        raise ProtocolError(faults.INCORRECT_DATA, f"DB::Exception: not a type: {name[:200]}")
    return int(argument)


def _decimal_width(precision: int) -> int:
    return 4 if precision <= 9 else 8 if precision <= 18 else 16 if precision <= 38 else 32
