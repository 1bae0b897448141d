"""A client that sends whatever bytes a test wants, and reads what the server answers."""

from __future__ import annotations

import socket
from dataclasses import dataclass

from store.embedded.blocks import INFO, empty_block, skip_block, skip_info
from store.embedded.packets import FromClient, FromServer
from store.embedded.process import EmbeddedClickHouse
from store.embedded.wire import SocketSource, text, varint


@dataclass(frozen=True, slots=True)
class Refusal:
    """An Exception packet."""

    code: int
    message: str


PLAIN_REVISION = 54440
"""The last one without bytes between a column's type and its values, and without anything after Hello."""


class RawClient:
    """Speaks the protocol by hand."""

    def __init__(self, server: EmbeddedClickHouse) -> None:
        self.socket = socket.create_connection((server.host, server.port), timeout=30)
        self.source = SocketSource(self.socket)
        self._server = server

    def __enter__(self) -> RawClient:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def send(self, *pieces: bytes) -> None:
        self.socket.sendall(b"".join(pieces))

    def hello(self, database: str = "", revision: int = PLAIN_REVISION) -> None:
        """Says hello and takes the answer, or fails."""
        self.send(
            varint(FromClient.HELLO),
            text("raw"),
            varint(1),
            varint(0),
            varint(revision),
            text(database),
            text(self._server.user),
            text(self._server.password),
        )
        assert self.source.varint() == FromServer.HELLO
        assert self.source.text() == "ClickHouse"
        for _ in range(3):
            self.source.varint()
        self.source.text()
        self.source.text()
        self.source.varint()

    def query(self, sql: str, *, kind: int = 1, stage: int = 2) -> None:
        """A Query packet and the empty block after it: a first query, of which the whole result is wanted."""
        client_info = bytes([kind]) + text("") * 3 + b"\x01" + text("") * 3 + varint(1) * 3 + text("") + varint(0)
        self.send(
            varint(FromClient.QUERY),
            text(""),
            client_info,
            text(""),
            varint(stage),
            varint(0),
            text(sql),
            self.data(b""),
        )

    @staticmethod
    def data(native: bytes) -> bytes:
        """A Data packet; without a block, the one that ends the data."""
        block = INFO + (native or empty_block([]))
        return varint(FromClient.DATA) + text("") + block

    def refusal(self) -> Refusal:
        """The Exception packet that must come now."""
        kind = self.source.varint()
        assert kind == FromServer.EXCEPTION, kind
        code = int.from_bytes(self.source.take(4), "little")
        self.source.text()
        message = self.source.text()
        self.source.text()
        self.source.uint8()
        return Refusal(code, message)

    def block(self) -> bytes:
        """The Data packet that must come now, in Native format."""
        kind = self.source.varint()
        assert kind == FromServer.DATA, kind
        self.source.text()
        skip_info(self.source)
        pieces: list[bytes] = []
        self.source.start_sink(pieces.append)
        skip_block(self.source)
        self.source.end_sink()
        return b"".join(pieces)

    def result(self) -> list[bytes]:
        """The blocks up to the end of the stream, without the first, which has names and types and no rows."""
        blocks: list[bytes] = []
        while True:
            kind = self._peek()
            if kind == FromServer.DATA:
                blocks.append(self.block())
                continue
            self.source.varint()
            if kind == FromServer.END_OF_STREAM:
                return blocks[1:]
            if kind == FromServer.PROGRESS:
                for _ in range(5):
                    self.source.varint()
            elif kind == FromServer.PROFILE_INFO:
                for _ in range(3):
                    self.source.varint()
                self.source.skip(3)
            else:
                raise AssertionError(f"packet {kind} in a result")

    def _peek(self) -> int:
        if not self.source.available:
            self.source.fill()
        return self.source.buffer[self.source.position]

    def is_closed(self) -> bool:
        """Whether the server has hung up."""
        return self.socket.recv(1) == b""
