"""The one way to ClickHouse: a pool of clickhouse-driver clients, safe for threads, patient while the store is away."""

import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from threading import Lock
from typing import Any, TypeVar

from clickhouse_driver import Client
from clickhouse_driver import errors as driver_errors
from clickhouse_driver.util.escape import escape_param

from store import driver_columns
from store.address import SETTING, Address, parse_address
from store.errors import (
    AccessRefused,
    PartUnreadable,
    QueryRefused,
    SchemaTooOld,
    StoreUnavailable,
    StoreUnreachable,
)

_SETTINGS: Mapping[str, Any] = {
    # An insert is acknowledged when it is in the table, not when it is in a buffer.
    "async_insert": 0,
    "distributed_foreground_insert": 1,
    # A repeated batch is dropped by its token, in the views' targets too.
    "insert_deduplicate": 1,
    "deduplicate_blocks_in_dependent_materialized_views": 1,
    # A broken clock may spread one batch over many months: it is stored all the same.
    "max_partitions_per_insert_block": 0,
    # What an index says is asked for while a question is planned, not by each reader of a part: for one round the
    # engine takes longer to set up the readers of parts that do not hold it than to find that out. A server that does
    # not know this setting (before 25.9) plans in no other way, and passes over what is not marked as important.
    "use_skip_indexes_on_data_read": 0,
}

# ClickHouse's codes for "not now": time-outs, too many queries or parts, memory, disk, replicas, Keeper, shutting down.
_NOT_NOW = frozenset({159, 160, 198, 202, 203, 209, 210, 225, 236, 241, 242, 243, 252, 279, 285, 286, 319, 999})
_DISK_FULL = "No space left on device"
_REFUSED = frozenset({164, 192, 193, 194, 497, 516})
# Checksums that do not match, data that is corrupt or cannot be decompressed, a codec that there is not.
_UNREADABLE = frozenset({40, 246, 271, 432})
_NO_SUCH_TABLE = frozenset({16, 60, 81})

# What the driver says when bytes do not go on as they should: the other side died in the middle of them.
_BROKEN_OFF = (
    driver_errors.UnexpectedPacketFromServerError,
    driver_errors.UnknownPacketFromServerError,
    driver_errors.ChecksumDoesntMatchError,
    driver_errors.UnknownCompressionMethod,
    driver_errors.PartiallyConsumedQueryError,
)

_IDLE_CLIENTS = 16
_REVISION = 54440
"""The protocol as it was before every column of a block got a byte of its own, which the embedded server would have to
look for in all that it sends. Nothing that came later is used here."""


driver_columns.mend()
# What the driver logs, with a trace at every try while the store is away, is said by our own errors.
logging.getLogger("clickhouse_driver").setLevel(logging.CRITICAL)

Row = tuple[Any, ...]
Columns = list[tuple[Any, ...]]
Parameters = Mapping[str, Any]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait for a store that is away, and how."""

    total: float | None = 10.0
    """Seconds after which StoreUnavailable is raised; None: never."""
    first: float = 0.05
    """Seconds before the first new try; doubled each time."""
    longest: float = 5.0
    """Seconds between two tries at most."""
    wait: Callable[[float], object] = time.sleep
    """Waits so many seconds. ``threading.Event.wait`` fits: when it gives back true, waiting is given up."""
    told: Callable[[StoreUnavailable, float], None] = lambda _error, _pause: None
    """Is told each time why there is a wait, and how long."""

    def outlast(self, attempt: Callable[[], T]) -> T:
        """Tries until it works; StoreUnavailable is the only error that is waited out. What a try itself took counts:
        one that waits for an answer may take longer than all pauses."""
        pause, spent, began = self.first, 0.0, time.monotonic()
        while True:
            try:
                return attempt()
            except StoreUnavailable as error:
                if self.total is not None and max(spent, time.monotonic() - began) + pause > self.total:
                    raise
                self.told(error, pause)
                if self.wait(pause):
                    raise
                spent += pause
                pause = min(pause * 2, self.longest)


class _AskingClient(Client):  # type: ignore[misc]  # the driver has no types
    """The driver's client, which may be told to ask before an insert ends."""

    may_end: Callable[[], None] | None = None
    _blocks_to_come = 0

    def send_data(self, sample_block: Any, data: Any, types_check: bool = False, columnar: bool = False) -> Any:
        """Called by the driver for all blocks of an insert and its end."""
        self._blocks_to_come = len(range(0, len(data[0]), self.connection.context.client_settings["insert_block_size"]))
        return super().send_data(sample_block, data, types_check, columnar)

    def receive_profile_events(self) -> None:
        """Called by the driver after every block that it has sent, and once more after the end: too late to ask."""
        super().receive_profile_events()
        if self._blocks_to_come > 0 and self.may_end is not None:
            self.may_end()
        self._blocks_to_come -= 1


GREETING_SECONDS = 15.0
"""A server that was reached has greeted by then; a long statement may be silent for much longer."""


def _greeted_in_time(connection: Any) -> None:
    """Some other service at a mistyped port says nothing: the driver would wait for it as for a long statement."""
    receive = connection.receive_hello

    def receive_hello() -> None:
        connection.socket.settimeout(GREETING_SECONDS)
        receive()
        connection.socket.settimeout(connection.send_receive_timeout)

    connection.receive_hello = receive_hello


class Store:
    """ClickHouse as the rest of the house sees it. Each call takes a client of its own; threads may share the store."""

    def __init__(
        self,
        address: Address,
        settings: Mapping[str, Any],
        patience: Patience,
        may_end: Callable[[], None] | None = None,
        named: Address | None = None,
    ) -> None:
        self.address = address
        self._named = named or address
        """The address that errors name: the one that people have set."""
        self.patience = patience
        self._may_end = may_end
        self._settings = {**_SETTINGS, **address.settings, **settings}
        self._idle: list[Client] = []
        self._lock = Lock()

    def patient(self, patience: Patience) -> "Store":
        """The same store with another patience."""
        return Store(self.address, self._settings, patience, self._may_end)

    def asking(self, may_end: Callable[[], None]) -> "Store":
        """The same store for a writer that may lose its right to write while it does: ``may_end`` is called before the
        end of every insert is sent, which makes it count, and raises where it must not."""
        return Store(self.address, self._settings, self.patience, may_end)

    def in_database(self, database: str) -> "Store":
        """The same server, another database."""
        return Store(replace(self.address, database=database), self._settings, self.patience, self._may_end)

    def beside_database(self) -> "Store":
        """The same server, before it is known whether it has the database."""
        beside = replace(self.address, database="default")
        return Store(beside, self._settings, self.patience, self._may_end, self._named)

    def query(self, sql: str, parameters: Parameters | None = None, *, settings: Parameters | None = None) -> list[Row]:
        """All rows of a SELECT. ``%(name)s`` in the statement stands for a parameter."""

        def attempt() -> list[Row]:
            with self._client() as client:
                rows: list[Row] = client.execute(sql, _given(parameters), settings=dict(settings or {}))
                return rows

        return self.patience.outlast(attempt)

    def columns(self, sql: str, parameters: Parameters | None = None, *, as_bytes: bool = False) -> Columns:
        """The result of a SELECT column by column; empty when there are no rows. ``as_bytes``: strings undecoded."""

        def attempt() -> Columns:
            with self._client() as client:
                found: Columns = client.execute(
                    sql, _given(parameters), columnar=True, settings={"strings_as_bytes": as_bytes}
                )
                return found

        return self.patience.outlast(attempt)

    def blocks(
        self, sql: str, parameters: Parameters | None = None, *, as_bytes: bool = False, rows: int = 8192
    ) -> Iterator[Columns]:
        """The result of a SELECT in blocks of so many rows, in bounded memory. What breaks off is not tried again."""
        client = self.patience.outlast(self._take)
        finished = False
        try:
            with _named_by_consequence(self._named):
                found = client.execute_iter(
                    sql,
                    _given(parameters),
                    chunk_size=max(rows, 2),
                    settings={"strings_as_bytes": as_bytes, "max_block_size": rows},
                )
                for chunk in found:
                    yield list(zip(*chunk, strict=True))
            finished = True
        finally:
            if finished:
                self._give_back(client)
            else:
                client.disconnect()

    def insert(self, table: str, columns: Mapping[str, Sequence[Any]], token: str | None = None) -> None:
        """Inserts columns of equal length; the same token twice inserts once, within the table's window."""
        names = ", ".join(f"`{name}`" for name in columns)
        data = list(columns.values())
        if not data or not data[0]:
            return
        # In the statement it need not be set before and taken back after it, which the embedded server does by SETs.
        named = "" if token is None else f" SETTINGS insert_deduplication_token = {escape_param(token, None)}"

        def attempt() -> None:
            with self._client() as client:
                client.execute(f"INSERT INTO {table} ({names}){named} VALUES", data, columnar=True)

        self.patience.outlast(attempt)

    def command(self, sql: str, parameters: Parameters | None = None, *, settings: Parameters | None = None) -> None:
        """A statement without a result; it is sent again when the store went away, so it must bear that."""
        self.query(sql, parameters, settings=settings)

    def close(self) -> None:
        """Closes all idle connections; the store can be used again."""
        with self._lock:
            clients, self._idle = self._idle, []
        for client in clients:
            client.disconnect()

    @contextmanager
    def _client(self) -> Iterator[Client]:
        client = self._take()
        with _named_by_consequence(self._named):
            yield client
        self._give_back(client)

    def _take(self) -> Client:
        with self._lock:
            if self._idle:
                return self._idle.pop()
        client = _AskingClient(
            host=self.address.host,
            port=self.address.port,
            user=self.address.user,
            password=self.address.password,
            database=self.address.database,
            secure=self.address.secure,
            # Where no network is saved anything, packing and unpacking only takes time.
            compression=False if self.address.on_this_machine else "lz4",
            settings=self._settings,
            client_name="tablewatch",
            client_revision=_REVISION,
        )
        client.may_end = self._may_end
        _greeted_in_time(client.connection)
        return client

    def _give_back(self, client: Client) -> None:
        with self._lock:
            if len(self._idle) < _IDLE_CLIENTS:
                self._idle.append(client)
                return
        client.disconnect()


def _given(parameters: Parameters | None) -> dict[str, Any] | None:
    # Without parameters the driver leaves the statement alone, per cent signs included.
    return dict(parameters) if parameters else None


def connect(url: str, *, settings: Mapping[str, Any] | None = None, patience: Patience | None = None) -> Store:
    """The store at an address such as ``clickhouse://user:password@host:port/database``; connects when first used."""
    return Store(parse_address(url), settings or {}, patience or Patience())


@contextmanager
def _named_by_consequence(address: Address) -> Iterator[None]:
    """Turns the driver's errors into ours, and lets go of a connection that was in the middle of something."""
    try:
        yield
    except driver_errors.SocketTimeoutError as error:
        place = f"{address.host}:{address.port}"
        raise StoreUnreachable(
            f"the store at {place} did not answer in time: it hangs, or something else listens there"
        ) from error
    except (EOFError, OSError, driver_errors.NetworkError) as error:
        # Without the database: nobody has come so far as to learn whether there is one.
        place = f"{address.host}:{address.port}"
        raise StoreUnreachable(f"the store at {place} cannot be reached: {error or type(error).__name__}") from error
    except _BROKEN_OFF as error:
        raise StoreUnreachable(f"the store at {address.host}:{address.port} broke off: {error}") from error
    except driver_errors.ServerException as error:
        # Behind it the server's own stack follows, which says nothing to people.
        said = str(error.message).partition("Stack trace:")[0].strip()
        if error.code in _NOT_NOW or _DISK_FULL in said:
            raise StoreUnavailable(f"the store at {address} cannot just now: {said}") from error
        if error.code in _REFUSED:
            raise AccessRefused(f"the store at {address} ({SETTING}) refuses user {address.user!r}: {said}") from error
        if error.code in _NO_SUCH_TABLE:
            raise SchemaTooOld(
                f"the store at {address} lacks a table or column; run: tablewatch store migrate ({said})"
            ) from error
        if error.code in _UNREADABLE:
            raise PartUnreadable(
                "a part of it cannot be read, since bytes on disk are not those that were written (checksum); run:"
                f" tablewatch replay verify --chain, which names the part. The store at {address} says: {said}",
                error.code,
            ) from error
        raise QueryRefused(f"the store at {address} says: {said}", error.code) from error
