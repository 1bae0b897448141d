"""One client's connection: says hello, then answers one packet after the other until the client goes."""

from __future__ import annotations

import logging
import socket
import threading
from contextlib import ExitStack
from typing import Final

from store.embedded import faults, handshake, inserts, packets, results
from store.embedded.engine import Engine, Session
from store.embedded.faults import ConnectionEnded, ProtocolError, ServerError
from store.embedded.frames import Method
from store.embedded.handshake import Identity
from store.embedded.packets import FromClient, FromServer, Query
from store.embedded.peer import Peer
from store.embedded.statements import understand, unquote
from store.embedded.watch import CancelWatch
from store.embedded.wire import text, varint

HANDSHAKE_SECONDS: Final = 10.0
STALL_SECONDS: Final = 300.0
"""A client that stops in the middle of a packet, or does not take what it asked for, is given up."""
MAX_TABLES: Final = 10_000
_NO_SHARD: Final = (
    "DB::Exception: the embedded server is no shard: this query is one server's part of a distributed query (a"
    " Distributed table, remote() or cluster()), whose unfinished result the embedded engine cannot give. Ask this"
    " server directly, or let a ClickHouse server hold the shard. (NOT_IMPLEMENTED)"
)
_logger: Final = logging.getLogger(__name__)


class Connection:
    """Serves one socket, on a thread of its own."""

    def __init__(self, client: socket.socket, engine: Engine, identity: Identity, watch: CancelWatch) -> None:
        self._peer = Peer(client)
        self._engine = engine
        self._identity = identity
        self._watch = watch
        self._session: Session
        self._state = threading.Lock()
        self._busy = True
        self._stopping = False

    def serve(self) -> None:
        """From hello to goodbye; never raises."""
        with ExitStack() as at_end:
            at_end.callback(self._peer.socket.close)
            try:
                self._peer.socket.settimeout(HANDSHAKE_SECONDS)
                if not self._greet():
                    return
                at_end.callback(self._session.close)
                self._peer.socket.settimeout(STALL_SECONDS)
                while self._wait():
                    self._answer()
            except ConnectionEnded as ended:
                _logger.debug("connection ended: %s", ended)
            except ProtocolError as error:
                self._peer.say_last(error)
            except OSError as error:
                _logger.debug("connection lost: %s", error)
            except Exception:  # a fault of ours on one connection must not end the others
                _logger.exception("a connection ended by a fault of the server")

    def stop(self) -> None:
        """Ends the connection after the query in hand, or at once when there is none. For other threads."""
        with self._state:
            self._stopping = True
            if not self._busy:
                self._hang_up()

    def abort(self) -> None:
        """Ends the query in hand too. For other threads."""
        self._watch.cancel(self._peer.socket)
        self._hang_up()

    def _hang_up(self) -> None:
        try:
            self._peer.socket.shutdown(socket.SHUT_RD)
        except OSError as error:
            _logger.debug("already gone: %s", error)

    def _greet(self) -> bool:
        try:
            hello = handshake.read_hello(self._peer.source)
            handshake.check(hello, self._identity)
            self._session = self._engine.session(hello.database)
        except ServerError as error:
            _logger.warning("a client was refused: %s", error.message)
            self._peer.say_last(error)
            return False
        self._peer.revision = hello.revision
        self._peer.send(handshake.answer(hello, self._identity))
        handshake.read_addendum(self._peer.source, hello.revision)
        return True

    def _wait(self) -> bool:
        """Waits, without limit, for the next packet; False when the client is gone or the server is stopping."""
        with self._state:
            self._busy = False
            if self._stopping:
                return False
        if not self._peer.source.available:
            self._peer.socket.settimeout(None)
            try:
                self._peer.source.fill()
            except ConnectionEnded:
                return False
            self._peer.socket.settimeout(STALL_SECONDS)
        with self._state:
            self._busy = True
        return True

    def _answer(self) -> None:
        source = self._peer.source
        kind = source.varint()
        if kind == FromClient.PING:
            self._peer.send(packets.pong())
        elif kind == FromClient.QUERY:
            self._query(packets.read_query(source, self._peer.revision, self._engine.setting_types))
        elif kind == FromClient.TABLES_STATUS:
            self._tables_status()
        elif kind == FromClient.CANCEL:
            return  # it crossed with the end of the query that it was meant for
        elif kind == FromClient.DATA:
            raise ProtocolError(faults.UNEXPECTED_PACKET_FROM_CLIENT, "DB::Exception: Data without a query")
        else:
            raise ProtocolError(faults.UNKNOWN_PACKET_FROM_CLIENT, f"DB::Exception: Unknown packet {kind} from client")

    def _query(self, query: Query) -> None:
        method = _method(query)
        try:
            self._skip_external_tables(method)
            if query.of_a_shard:
                raise ServerError(faults.NOT_IMPLEMENTED, _NO_SHARD)
            self._session.apply(query.settings)
            self._session.parameters = {each.name: unquote(each.value) for each in query.parameters}
            statement = understand(query.sql)
            if statement.insert is not None:
                inserts.receive(statement.insert, self._session, self._peer, method)
            else:
                results.answer(statement, self._session, self._peer, method, self._watch)
        except ProtocolError:
            raise
        except ServerError as error:
            self._peer.send(packets.exception(error))

    def _skip_external_tables(self, method: Method | None) -> None:
        """After a query come the client's temporary tables, none as a rule, and an empty block."""
        refused = ""
        while True:
            kind = self._peer.source.varint()
            if kind != FromClient.DATA:
                raise ProtocolError(
                    faults.UNEXPECTED_PACKET_FROM_CLIENT, f"DB::Exception: packet {kind} where the query's data was due"
                )
            name, columns = self._peer.skip_data(method)
            if not columns:
                break
            refused = name
        if refused:
            raise ServerError(
                faults.NOT_IMPLEMENTED,
                f"DB::Exception: the embedded server takes no external table ({refused}): insert it into a table "
                "first. (NOT_IMPLEMENTED)",
            )

    def _tables_status(self) -> None:
        source = self._peer.source
        count = source.varint()
        if count > MAX_TABLES:
            raise ProtocolError(faults.INCORRECT_DATA, f"DB::Exception: the status of {count} tables")
        asked = [(source.text(), source.text()) for _ in range(count)]
        there = [name for name in asked if self._session.has_table(*name)]
        not_replicated = b"\x00"
        self._peer.send(
            varint(FromServer.TABLES_STATUS)
            + varint(len(there))
            + b"".join(text(database) + text(table) + not_replicated for database, table in there)
        )


def _method(query: Query) -> Method | None:
    """How the blocks of an answer are compressed: as the client chose, and LZ4 if it did not."""
    if not query.compressed:
        return None
    chosen = next((s.value.upper() for s in query.settings if s.name == "network_compression_method"), "LZ4")
    return {"ZSTD": Method.ZSTD, "NONE": Method.NONE}.get(chosen, Method.LZ4)
