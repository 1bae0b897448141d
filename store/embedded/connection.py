"""One client's connection: says hello, then answers one packet after the other until the client goes."""

from __future__ import annotations

import logging
import socket
import threading
from contextlib import ExitStack
from typing import Final

from store.embedded import faults, handshake, packets
from store.embedded.blocks import INFO, empty_block, skip_block, skip_info
from store.embedded.column_types import layout
from store.embedded.engine import Chunk, Engine, Insertion, Session
from store.embedded.faults import ConnectionEnded, ProtocolError, ServerError
from store.embedded.frames import FrameSource, Method, write_frames
from store.embedded.handshake import Identity
from store.embedded.packets import FromClient, FromServer, Progress, Query
from store.embedded.statements import Insert, Statement, quote_name, understand
from store.embedded.watch import CancelWatch
from store.embedded.wire import SocketSource, Source, text, varint

HANDSHAKE_SECONDS: Final = 10.0
STALL_SECONDS: Final = 300.0
"""A client that stops in the middle of a packet, or does not take what it asked for, is given up."""
_EMPTY_BLOCK: Final = b"\x00\x00"
_logger: Final = logging.getLogger(__name__)


class Connection:
    """Serves one socket, on a thread of its own."""

    def __init__(self, client: socket.socket, engine: Engine, identity: Identity, watch: CancelWatch) -> None:
        self._socket = client
        self._engine = engine
        self._identity = identity
        self._watch = watch
        self._source = SocketSource(client)
        self._session: Session
        self._revision = packets.REVISION
        self._state = threading.Lock()
        self._busy = False
        self._stopping = False

    # The life of a connection

    def serve(self) -> None:
        """From hello to goodbye; never raises."""
        with ExitStack() as at_end:
            at_end.callback(self._socket.close)
            try:
                self._socket.settimeout(HANDSHAKE_SECONDS)
                if not self._greet():
                    return
                at_end.callback(self._session.close)
                self._socket.settimeout(STALL_SECONDS)
                while self._wait():
                    self._answer()
            except ConnectionEnded as ended:
                _logger.debug("connection ended: %s", ended)
            except ProtocolError as error:
                self._tell(error)
            except OSError as error:
                _logger.debug("connection lost: %s", error)
            except Exception:
                _logger.exception("a connection ended by a fault of the server")

    def stop(self) -> None:
        """Ends the connection after the query in hand, or at once when there is none."""
        with self._state:
            self._stopping = True
            if not self._busy:
                self._shut()

    def abort(self) -> None:
        """Ends the query in hand too."""
        self._watch.cancel(self)
        self._shut()

    def _shut(self) -> None:
        try:
            self._socket.shutdown(socket.SHUT_RD)
        except OSError as error:
            _logger.debug("already gone: %s", error)

    def _greet(self) -> bool:
        try:
            hello = handshake.read_hello(self._source)
            handshake.check(hello, self._identity)
            self._session = self._engine.session(hello.database)
        except ServerError as error:
            self._tell(error)
            return False
        self._revision = hello.revision
        self._send(handshake.answer(hello, self._identity))
        return True

    def _tell(self, error: ServerError) -> None:
        try:
            self._send(packets.exception(error))
            self._socket.shutdown(socket.SHUT_WR)
        except OSError as lost:
            _logger.debug("nobody to tell: %s", lost)

    def _send(self, packet: bytes) -> None:
        self._socket.sendall(packet)

    def _wait(self) -> bool:
        """Waits, without limit, for the next packet; False when the client is gone or the server is stopping."""
        with self._state:
            self._busy = False
            if self._stopping:
                return False
        if not self._source.available:
            self._socket.settimeout(None)
            try:
                self._source.fill()
            except ConnectionEnded:
                return False
            finally:
                self._socket.settimeout(STALL_SECONDS)
        with self._state:
            self._busy = True
        return True

    # Packets

    def _answer(self) -> None:
        kind = self._source.varint()
        if kind == FromClient.PING:
            self._send(packets.pong())
        elif kind == FromClient.QUERY:
            self._query(packets.read_query(self._source, self._revision, self._engine.setting_types))
        elif kind == FromClient.TABLES_STATUS:
            self._tables_status()
        elif kind == FromClient.CANCEL:
            # It crossed with the end of the query that it was meant for.
            return
        elif kind == FromClient.DATA:
            # The rest of an insert that failed was read already; what comes now belongs to nothing.
            raise ProtocolError(faults.UNEXPECTED_PACKET_FROM_CLIENT, "DB::Exception: Data without a query")
        else:
            raise ProtocolError(faults.UNKNOWN_PACKET_FROM_CLIENT, f"DB::Exception: Unknown packet {kind} from client")

    def _query(self, query: Query) -> None:
        method = _method(query)
        self._skip_external_tables(method)
        try:
            self._session.apply(query.settings)
            statement = understand(query.sql)
            if statement.insert is not None:
                self._insert(statement.insert, method)
            else:
                self._run(statement, method)
        except ProtocolError:
            raise
        except ServerError as error:
            self._send(packets.exception(error))

    def _skip_external_tables(self, method: Method | None) -> None:
        """After a query come the client's temporary tables, none as a rule, and an empty block."""
        while True:
            kind = self._source.varint()
            if kind != FromClient.DATA:
                raise ProtocolError(
                    faults.UNEXPECTED_PACKET_FROM_CLIENT, f"DB::Exception: packet {kind} where the query's data was due"
                )
            name = self._source.text()
            columns, _ = self._skip_one_block(method)
            if not columns:
                return
            raise ProtocolError(
                faults.NOT_IMPLEMENTED,
                f"DB::Exception: the embedded server takes no external table ({name}). (NOT_IMPLEMENTED)",
            )

    def _skip_one_block(self, method: Method | None) -> tuple[int, int]:
        blocks = self._blocks(method)
        skip_info(blocks)
        return skip_block(blocks)

    def _blocks(self, method: Method | None) -> Source:
        return self._source if method is None else FrameSource(self._source)

    # Results

    def _run(self, statement: Statement, method: Method | None) -> None:
        told = Progress()
        read = Progress()
        rows = blocks = size = 0

        def tell(now: Progress) -> None:
            nonlocal told
            try:
                self._send(packets.progress(now.since(told), self._revision))
            except OSError as lost:
                _logger.debug("nobody to tell: %s", lost)
            told = now

        with self._watch.watching(self, self._socket, self._session.tag) as watched:
            try:
                for chunk in self._session.run(statement, tell):
                    read = Progress(
                        read.rows + chunk.read.rows,
                        read.bytes + chunk.read.bytes,
                        0,
                        read.written_rows + chunk.read.written_rows,
                        read.written_bytes + chunk.read.written_bytes,
                    )
                    for block in _split(chunk):
                        self._send_block(INFO + block, method)
                        blocks += 1
                        size += len(block)
                    rows += chunk.rows if chunk.native else 0
                    if watched.cancelled:
                        break
                if not blocks and statement.has_result and not watched.cancelled:
                    self._send_block(empty_block(self._session.header(statement)), method)
            except ServerError as error:
                if not (watched.cancelled and error.code == faults.QUERY_WAS_CANCELLED):
                    raise
        self._send(
            packets.profile_info(rows, blocks, size)
            + packets.progress(read.since(told), self._revision)
            + packets.end_of_stream()
        )

    def _send_block(self, block: bytes, method: Method | None) -> None:
        self._send(packets.data(block if method is None else write_frames(block, method)))

    # Inserts

    def _insert(self, insert: Insert, method: Method | None) -> None:
        columns = self._session.columns(insert)
        for column in columns:
            try:
                layout(column.type)
            except ProtocolError as error:
                raise ServerError(error.code, error.message) from None
        insertion = self._session.insert(insert)
        try:
            self._send_block(empty_block(columns), method)
            finished = self._receive(insertion, method)
        except ServerError as error:
            insertion.cancel()
            self._send(packets.exception(error))
            if isinstance(error, ProtocolError):
                raise ConnectionEnded("what follows cannot be understood") from None
            self._discard(method)
            return
        except BaseException:
            insertion.cancel()
            raise
        if not finished:
            insertion.cancel()
            self._send(packets.end_of_stream())
            return
        written = insertion.finish()
        self._send(packets.progress(written, self._revision) + packets.end_of_stream())

    def _receive(self, insertion: Insertion, method: Method | None) -> bool:
        """Feeds the client's blocks to the insert, until the empty one; False when the client cancels."""
        while True:
            kind = self._source.varint()
            if kind == FromClient.CANCEL:
                return False
            if kind == FromClient.PING:
                self._send(packets.pong())
                continue
            if kind != FromClient.DATA:
                raise ProtocolError(
                    faults.UNEXPECTED_PACKET_FROM_CLIENT, f"DB::Exception: packet {kind} in the middle of an insert"
                )
            self._source.text()
            blocks = self._blocks(method)
            skip_info(blocks)
            blocks.start_sink(insertion.append)
            try:
                columns, rows = skip_block(blocks)
                if not columns:
                    return True
                if rows:
                    blocks.end_sink()
            finally:
                blocks.drop_sink()

    def _discard(self, method: Method | None) -> None:
        """Reads the rest of an insert that has failed."""
        while True:
            kind = self._source.varint()
            if kind == FromClient.CANCEL:
                return
            if kind != FromClient.DATA:
                raise ProtocolError(
                    faults.UNEXPECTED_PACKET_FROM_CLIENT, f"DB::Exception: packet {kind} in the middle of an insert"
                )
            self._source.text()
            columns, _ = self._skip_one_block(method)
            if not columns:
                return

    # What else clients ask

    def _tables_status(self) -> None:
        names = [(self._source.text(), self._source.text()) for _ in range(min(self._source.varint(), 10_000))]
        packet = varint(FromServer.TABLES_STATUS)
        there = []
        for database, table in names:
            target = f"{quote_name(database)}.{quote_name(table)}"
            statement = understand(f"EXISTS TABLE {target}")
            if any(chunk.native.endswith(b"\x01") for chunk in self._session.run(statement, lambda _: None)):
                there.append((database, table))
        packet += varint(len(there))
        for database, table in there:
            packet += text(database) + text(table) + b"\x00"  # not replicated
        self._send(packet)


class _Bytes(Source):
    """A source over bytes that are all there."""

    def __init__(self, raw: bytes) -> None:
        super().__init__()
        self.buffer += raw

    def more(self) -> bytes:
        raise ConnectionEnded("half a block")


def _split(chunk: Chunk) -> list[bytes]:
    """The blocks of a chunk, each to become a packet of its own. As a rule there is one, and its rows tell so."""
    if not chunk.native:
        return []
    head = _Bytes(chunk.native[:20])
    head.varint()
    if head.varint() == chunk.rows:
        return [chunk.native]
    source = _Bytes(chunk.native)
    blocks: list[bytes] = []
    start = 0
    while source.available:
        skip_block(source)
        blocks.append(chunk.native[start : source.position])
        start = source.position
    return blocks


def _method(query: Query) -> Method | None:
    """How the blocks of a query's answer are compressed: as the client chose, LZ4 if it did not."""
    if not query.compressed:
        return None
    chosen = next((s.value.upper() for s in query.settings if s.name == "network_compression_method"), "LZ4")
    return {"ZSTD": Method.ZSTD, "NONE": Method.NONE}.get(chosen, Method.LZ4)
