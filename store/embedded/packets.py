"""The packets of ClickHouse's native protocol, as far as revision 54459 has them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from store.embedded import faults
from store.embedded.faults import ProtocolError, ServerError
from store.embedded.wire import Source, int32, text, varint

REVISION: Final = 54459
"""What this server announces: the first with parameters of queries. From 54460 on, more is told than it has."""
MINIMUM_REVISION: Final = 54060
WITH_TIME_ZONE: Final = 54058
WITH_DISPLAY_NAME: Final = 54372
WITH_VERSION_PATCH: Final = 54401
WITH_WRITE_INFO: Final = 54420
WITH_SETTINGS_AS_STRINGS: Final = 54429
WITH_SECRET_OF_SERVERS: Final = 54441
WITH_TRACES: Final = 54442
WITH_FORWARDED_FOR: Final = 54443
WITH_REFERER: Final = 54447
WITH_DISTRIBUTED_DEPTH: Final = 54448
WITH_START_TIME: Final = 54449
WITH_PARALLEL_REPLICAS: Final = 54453
WITH_SERIALIZATION_MARKS: Final = 54454
"""From here on every column of a block has a byte behind its type that says whether its values are written in an
unusual way, which the engine's Native format does not write: it is put in and taken out here."""
WITH_EVENTS_IN_INSERTS: Final = 54456
"""From here on a client waits for the server's counts after each block that it inserts."""
WITH_ADDENDUM: Final = 54458
WITH_PARAMETERS: Final = 54459
MAX_SETTINGS: Final = 10_000
_IMPORTANT: Final = 1
_TRACE_AND_SPAN: Final = 24
"""Bytes of the two numbers that name a trace."""
_SECONDARY: Final = 2
"""The kind of a query that a server sends to another on behalf of its own client."""
_COMPLETE: Final = 2
"""The stage of a result that nothing has to be done to."""
_SQL_INTERFACE_TCP: Final = 1
_SQL_INTERFACE_HTTP: Final = 2


class FromClient(IntEnum):
    """Packets that a client sends."""

    HELLO = 0
    QUERY = 1
    DATA = 2
    CANCEL = 3
    PING = 4
    TABLES_STATUS = 5


class FromServer(IntEnum):
    """Packets that a server sends."""

    HELLO = 0
    DATA = 1
    EXCEPTION = 2
    PROGRESS = 3
    PONG = 4
    END_OF_STREAM = 5
    PROFILE_INFO = 6
    TABLES_STATUS = 9
    PROFILE_EVENTS = 14


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting of one query."""

    name: str
    value: str
    important: bool
    """An unknown one is then an error; otherwise it is passed over."""


@dataclass(frozen=True, slots=True)
class Query:
    """A Query packet."""

    id: str
    settings: tuple[Setting, ...]
    compressed: bool
    sql: str
    parameters: tuple[Setting, ...] = ()
    """What stands for ``{name:Type}`` in the text; each value a string literal."""
    of_a_shard: bool = False
    """Whether another server asks for its part of a distributed query, whose result only that server can finish."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a query has come; in a packet, the increase since the packet before."""

    rows: int = 0
    bytes: int = 0
    total_rows: int = 0
    written_rows: int = 0
    written_bytes: int = 0

    def plus(self, more: Progress) -> Progress:
        return Progress(
            self.rows + more.rows,
            self.bytes + more.bytes,
            self.total_rows + more.total_rows,
            self.written_rows + more.written_rows,
            self.written_bytes + more.written_bytes,
        )

    def since(self, earlier: Progress) -> Progress:
        return Progress(
            max(0, self.rows - earlier.rows),
            max(0, self.bytes - earlier.bytes),
            max(0, self.total_rows - earlier.total_rows),
            max(0, self.written_rows - earlier.written_rows),
            max(0, self.written_bytes - earlier.written_bytes),
        )


def read_query(source: Source, revision: int, setting_types: dict[str, str]) -> Query:
    """A Query packet after its type. `setting_types` is needed by clients that send settings in binary."""
    query_id = source.text()
    kind = _skip_client_info(source, revision)
    settings = _read_settings(source, revision, setting_types)
    if revision >= WITH_SECRET_OF_SERVERS:
        source.text()
    stage = source.varint()
    compressed = source.varint()
    sql = source.text()
    parameters = _read_settings(source, revision, {}) if revision >= WITH_PARAMETERS else ()
    of_a_shard = kind == _SECONDARY or stage != _COMPLETE
    return Query(query_id, settings, bool(compressed), sql, parameters, of_a_shard)


def _skip_client_info(source: Source, revision: int) -> int:
    """Passes over what the client says of itself; gives the kind of query."""
    kind = source.uint8()
    if not kind:
        return kind
    for _ in range(3):  # initial user, query id and address
        source.text()
    if revision >= WITH_START_TIME:
        source.uint64()
    interface = source.uint8()
    if interface == _SQL_INTERFACE_TCP:
        for _ in range(3):  # user of the operating system, host name, client name
            source.text()
        for _ in range(3):  # version major, minor, revision
            source.varint()
    elif interface == _SQL_INTERFACE_HTTP:
        source.uint8()
        source.text()
        for since in (WITH_FORWARDED_FOR, WITH_REFERER):
            if revision >= since:
                source.text()
    else:
        raise ProtocolError(faults.INCORRECT_DATA, f"DB::Exception: a query by interface {interface}")
    source.text()  # quota key
    if revision >= WITH_DISTRIBUTED_DEPTH:
        source.varint()
    if interface == _SQL_INTERFACE_TCP and revision >= WITH_VERSION_PATCH:
        source.varint()
    if revision >= WITH_TRACES and source.uint8():
        source.skip(_TRACE_AND_SPAN)
        source.text()
        source.uint8()
    if revision >= WITH_PARALLEL_REPLICAS:
        for _ in range(3):
            source.varint()
    return kind


def _read_settings(source: Source, revision: int, setting_types: dict[str, str]) -> tuple[Setting, ...]:
    settings: list[Setting] = []
    while name := source.text():
        if len(settings) >= MAX_SETTINGS:
            raise ProtocolError(faults.INCORRECT_DATA, f"DB::Exception: more than {MAX_SETTINGS} settings in a query")
        if revision >= WITH_SETTINGS_AS_STRINGS:
            flags = source.varint()
            settings.append(Setting(name, source.text(), bool(flags & _IMPORTANT)))
            continue
        kind = setting_types.get(name)
        if kind is None:
            # Without its type, the end of its value cannot be found.
            raise ProtocolError(faults.UNKNOWN_SETTING, f"DB::Exception: Unknown setting '{name}'. (UNKNOWN_SETTING)")
        settings.append(Setting(name, str(source.varint()) if _is_number(kind) else source.text(), True))
    return tuple(settings)


def _is_number(kind: str) -> bool:
    return kind.removesuffix("Auto") in ("UInt64", "Int64", "Int32", "NonZeroUInt64", "Bool", "MaxThreads") or kind in (
        "Seconds",
        "Milliseconds",
    )


def data(block: bytes) -> bytes:
    """A Data packet with a block that is ready to go."""
    return varint(FromServer.DATA) + text("") + block


def profile_events(block: bytes) -> bytes:
    """A ProfileEvents packet, whose block is never compressed."""
    return varint(FromServer.PROFILE_EVENTS) + text("") + block


def exception(error: ServerError) -> bytes:
    """An Exception packet, without a stack trace and without a nested one."""
    return (
        varint(FromServer.EXCEPTION)
        + int32(error.code)
        + text("DB::Exception")
        + text(error.message)
        + text("")
        + b"\x00"
    )


def progress(increase: Progress, revision: int) -> bytes:
    """A Progress packet."""
    packet = varint(FromServer.PROGRESS) + varint(increase.rows) + varint(increase.bytes) + varint(increase.total_rows)
    if revision >= WITH_WRITE_INFO:
        packet += varint(increase.written_rows) + varint(increase.written_bytes)
    return packet


def profile_info(rows: int, blocks: int, size: int) -> bytes:
    """A ProfileInfo packet; the engine does not tell what a LIMIT cut off."""
    return varint(FromServer.PROFILE_INFO) + varint(rows) + varint(blocks) + varint(size) + b"\x00\x00\x00"


def pong() -> bytes:
    return varint(FromServer.PONG)


def end_of_stream() -> bytes:
    return varint(FromServer.END_OF_STREAM)
