"""Receives an INSERT: the columns that it wants go out, blocks come in and go to the engine as they arrive."""

from __future__ import annotations

from store.embedded import faults, packets
from store.embedded.blocks import empty_block
from store.embedded.column_types import layout
from store.embedded.engine import Session
from store.embedded.faults import ProtocolError, ServerError
from store.embedded.frames import Method
from store.embedded.insertion import Insertion
from store.embedded.packets import FromClient
from store.embedded.peer import Peer
from store.embedded.statements import Insert


def receive(insert: Insert, session: Session, peer: Peer, method: Method | None) -> None:
    """From the sample block to the acknowledgement, which is sent when the rows are on the disk.

    A ServerError that is raised here has met a client that has sent no data yet, or all of it.
    """
    columns = session.columns(insert)
    for column in columns:
        try:
            layout(column.type)
        except ProtocolError as error:
            raise ServerError(error.code, error.message) from None
    feed = _Feed(session.insert(insert))
    try:
        peer.send_block(empty_block(columns), method)
        complete = _blocks(feed, peer, method)
    except BaseException:
        feed.cancel()
        raise
    if feed.error is not None:
        return
    if not complete:
        feed.cancel()
        peer.send(packets.end_of_stream())
        return
    written = feed.insertion.finish()
    peer.send(packets.progress(written, peer.revision) + packets.end_of_stream())


class _Feed:
    """Takes the bytes of blocks until the engine refuses them; what follows is then passed over."""

    def __init__(self, insertion: Insertion) -> None:
        self.insertion = insertion
        self.error: ServerError | None = None

    def append(self, native: bytes) -> None:
        if self.error is None:
            try:
                self.insertion.append(native)
            except ServerError as error:
                self.error = error

    def cancel(self) -> None:
        self.insertion.cancel()


def _blocks(feed: _Feed, peer: Peer, method: Method | None) -> bool:
    """Feeds the client's blocks until the empty one; False when the client cancels. A refusal is told once, at once."""
    told = False
    while True:
        kind = peer.source.varint()
        if kind == FromClient.CANCEL:
            return False
        if kind == FromClient.PING:
            peer.send(packets.pong())
            continue
        if kind != FromClient.DATA:
            raise ProtocolError(
                faults.UNEXPECTED_PACKET_FROM_CLIENT, f"DB::Exception: packet {kind} in the middle of an insert"
            )
        _, blocks = peer.begin_block(method)
        blocks.start_sink(feed.append)
        try:
            columns, rows = peer.skip_block(blocks)
            if rows:
                blocks.end_sink()
                feed.insertion.end_block()
        finally:
            blocks.drop_sink()
        peer.end_block(blocks)
        if feed.error is None:
            peer.send_events()
        if not columns:
            return True
        if feed.error is not None and not told:
            told = True
            feed.cancel()
            peer.send(packets.exception(feed.error))
