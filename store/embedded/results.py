"""Runs a statement and streams its result: blocks as they are made, progress, profile, end."""

from __future__ import annotations

import logging
from contextlib import closing
from typing import Final

from store.embedded import faults, packets
from store.embedded.blocks import Whole, columns_of, empty_block, skip_block
from store.embedded.engine import Chunk, Session
from store.embedded.faults import ProtocolError, ServerError
from store.embedded.frames import Method
from store.embedded.packets import Progress
from store.embedded.peer import Peer
from store.embedded.statements import Statement
from store.embedded.watch import CancelWatch

_HEAD: Final = 20
"""Two numbers of at most ten bytes: columns and rows."""
_logger: Final = logging.getLogger(__name__)


def answer(statement: Statement, session: Session, peer: Peer, method: Method | None, watch: CancelWatch) -> None:
    """Everything that the client gets for a statement without data of its own. A cancelled one just ends."""
    reply = _Reply(peer, method)
    with watch.watching(peer.socket, session.tag, cancelled=peer.has_cancelled) as watched:
        try:
            # Closed here and not by the garbage collector: the engine's stream must end before its session does.
            with closing(session.run(statement, reply.progress)) as chunks:
                for chunk in chunks:
                    reply.chunk(chunk)
                    if watched.cancelled:
                        break
            if not reply.blocks and statement.has_result and not watched.cancelled:
                peer.send_block(empty_block(session.header(statement)), method)
        except ServerError as error:
            if not (watched.cancelled and error.code == faults.QUERY_WAS_CANCELLED):
                raise
    reply.end()


class _Reply:
    """What has been sent so far."""

    def __init__(self, peer: Peer, method: Method | None) -> None:
        self._peer = peer
        self._method = method
        self._told = Progress()
        self._read = Progress()
        self._rows = 0
        self._size = 0
        self.blocks = 0

    def progress(self, now: Progress) -> None:
        """Called by the engine every 100 ms, on the thread that runs the query."""
        try:
            self._peer.send(packets.progress(now.since(self._told), self._peer.revision))
        except OSError as lost:
            # The next block will meet the same and end the query; the engine must not see an exception here.
            _logger.debug("nobody to tell: %s", lost)
        self._told = now

    def chunk(self, chunk: Chunk) -> None:
        for block in _split(chunk):
            # The names go with the first rows: each packet of its own would wake the client for little.
            self._peer.send(self._packed(block) if self.blocks else self._header(block) + self._packed(block))
            self.blocks += 1
            self._size += len(block)
            self._rows += _rows(block)
        self._read = self._read.plus(chunk.read)

    def _packed(self, block: bytes) -> bytes:
        try:
            return self._peer.packed(block, self._method)
        except ProtocolError as unknown:
            # Where columns end must be known to answer clients of today; only what they receive is named in the text.
            raise ServerError(unknown.code, unknown.message.replace("cannot receive", "cannot send")) from None

    def _header(self, block: bytes) -> bytes:
        """Names and types in a block without rows, first of all, as ClickHouse has it: there some clients look."""
        try:
            columns = columns_of(Whole(block))
        except ProtocolError as unknown:
            # Where the end of a column cannot be found, the names of those behind it cannot either.
            _logger.debug("a result without a header: %s", unknown)
            return b""
        return self._peer.packed(empty_block(columns), self._method)

    def end(self) -> None:
        self._peer.send(
            packets.profile_info(self._rows, self.blocks, self._size)
            + packets.progress(self._read.since(self._told), self._peer.revision)
            + packets.end_of_stream()
        )


def _rows(block: bytes) -> int:
    head = Whole(block[:_HEAD])
    head.varint()
    return head.varint()


def _split(chunk: Chunk) -> list[bytes]:
    """The blocks of a chunk, each to become a packet of its own. As a rule there is one, and its rows tell so."""
    if not chunk.native:
        return []
    if _rows(chunk.native) == chunk.rows:
        return [chunk.native]
    source = Whole(chunk.native)
    blocks: list[bytes] = []
    start = 0
    while source.available:
        skip_block(source)
        blocks.append(chunk.native[start : source.position])
        start = source.position
    return blocks
