"""The other end of a connection: what it sends is read here, and what it is told goes out here."""

from __future__ import annotations

import logging
import socket
from typing import Final

from store.embedded import faults, packets
from store.embedded.blocks import INFO, Column, empty_block, skip_block, skip_info, with_marks
from store.embedded.faults import ProtocolError, ServerError
from store.embedded.frames import FrameSource, Method, write_frames
from store.embedded.packets import FromClient
from store.embedded.wire import SocketSource, Source

_logger: Final = logging.getLogger(__name__)

_EVENTS: Final = [
    Column("host_name", "String"),
    Column("current_time", "DateTime"),
    Column("thread_id", "UInt64"),
    Column("type", "Enum8('increment' = 1, 'gauge' = 2)"),
    Column("name", "String"),
    Column("value", "Int64"),
]


class Peer:
    """A client, by its socket."""

    def __init__(self, client: socket.socket) -> None:
        self.socket = client
        self.source = SocketSource(client)
        self.revision = packets.REVISION

    def send(self, packet: bytes) -> None:
        self.socket.sendall(packet)

    def send_block(self, block: bytes, method: Method | None) -> None:
        """A Data packet with a block from its number of columns on."""
        self.send(self.packed(block, method))

    def packed(self, block: bytes, method: Method | None) -> bytes:
        """The same, to be sent with others."""
        whole = self._written(block)
        return packets.data(whole if method is None else write_frames(whole, method))

    def send_events(self) -> None:
        """To a client that waits for them between the blocks of an insert: counts, of which there are none here."""
        if self.revision >= packets.WITH_EVENTS_IN_INSERTS:
            self.send(packets.profile_events(self._written(empty_block(_EVENTS))))

    def _written(self, block: bytes) -> bytes:
        return INFO + (with_marks(block) if self._marked else block)

    @property
    def _marked(self) -> bool:
        return self.revision >= packets.WITH_SERIALIZATION_MARKS

    def skip_block(self, blocks: Source) -> tuple[int, int]:
        """Passes over a block as this client writes them; gives the numbers of columns and rows."""
        return skip_block(blocks, marked=self._marked)

    def say_last(self, error: ServerError) -> None:
        """Tells an error to a client that may be gone already, and that nothing will follow."""
        try:
            self.send(packets.exception(error))
            self.socket.shutdown(socket.SHUT_WR)
        except OSError as lost:
            _logger.debug("nobody to tell: %s", lost)

    @property
    def has_cancelled(self) -> bool:
        """Whether a Cancel was read ahead, where nobody can hear it by listening to the socket."""
        source = self.source
        return bool(source.available) and source.buffer[source.position] == FromClient.CANCEL

    def begin_block(self, method: Method | None) -> tuple[str, Source]:
        """After the type of a Data packet: the name of its table, and where its block can be read from."""
        name = self.source.text()
        blocks: Source = self.source if method is None else FrameSource(self.source)
        skip_info(blocks)
        return name, blocks

    def end_block(self, blocks: Source) -> None:
        """A block and the frames around it end together."""
        if blocks is not self.source and blocks.available:
            raise ProtocolError(faults.INCORRECT_DATA, "DB::Exception: bytes after the end of a block in its frame")

    def skip_data(self, method: Method | None) -> tuple[str, int]:
        """Passes over a Data packet after its type; gives the name of its table and its number of columns."""
        name, blocks = self.begin_block(method)
        columns, _ = self.skip_block(blocks)
        self.end_block(blocks)
        return name, columns
