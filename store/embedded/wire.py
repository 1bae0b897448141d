"""Bytes in and bytes out: a buffered reader that never trusts a length, and encoders of the protocol's small types."""

from __future__ import annotations

import socket
import struct
from collections.abc import Callable
from typing import Final

from store.embedded import faults
from store.embedded.faults import ConnectionEnded, ProtocolError

RECEIVE: Final = 1 << 18
HAND_OVER: Final = 1 << 20
MAX_STRING: Final = 1 << 26
"""Names, settings and query texts; the strings of a column are skipped piece by piece and have no bound here."""


class Source:
    """A reader over a growing buffer. While a sink is set, every byte that was passed over is handed to it in order."""

    def __init__(self) -> None:
        self.buffer = bytearray()
        self.position = 0
        self._sink: Callable[[bytes], None] | None = None

    def more(self) -> bytes | bytearray | memoryview:
        """The next bytes of the stream, at least one; raises ConnectionEnded where there are none."""
        raise NotImplementedError

    @property
    def available(self) -> int:
        return len(self.buffer) - self.position

    def fill(self) -> None:
        """Gets more bytes, after letting go of those that were passed over."""
        if self.position and (self._sink is None or self.position >= HAND_OVER or self.position == len(self.buffer)):
            self._let_go()
        self.buffer += self.more()

    def _let_go(self) -> None:
        if self._sink is not None and self.position:
            self._sink(bytes(memoryview(self.buffer)[: self.position]))
        del self.buffer[: self.position]
        self.position = 0

    def start_sink(self, sink: Callable[[bytes], None]) -> None:
        """From here on, what is passed over goes to the sink."""
        self._let_go()
        self._sink = sink

    def end_sink(self) -> None:
        """Hands over what is left and stops."""
        self._let_go()
        self._sink = None

    def drop_sink(self) -> None:
        """Stops without handing over: the sink has failed."""
        self._sink = None

    def take(self, size: int) -> bytes:
        """Exactly that many bytes, to keep. The size must have been bounded by the caller."""
        while len(self.buffer) - self.position < size:
            self.fill()
        start = self.position
        self.position = start + size
        return bytes(memoryview(self.buffer)[start : self.position])

    def skip(self, size: int) -> None:
        """Passes over that many bytes; only what arrives is ever held."""
        left = size
        while True:
            here = len(self.buffer) - self.position
            if here >= left:
                self.position += left
                return
            self.position += here
            left -= here
            self.fill()

    def leave_out(self) -> int:
        """The next byte, which the sink does not get."""
        self._let_go()
        while not self.buffer:
            self.fill()
        return self.buffer.pop(0)

    def skip_strings(self, count: int) -> None:
        """Passes over that many length-prefixed strings; the one hot loop of the server."""
        left = count
        while left:
            buffer = self.buffer
            position = self.position
            end = len(buffer)
            while left and position < end:
                length = buffer[position]
                if length < 0x80:
                    step = position + length + 1
                else:
                    if end - position < 10:
                        break
                    length, after = _varint_at(buffer, position)
                    step = after + length
                if step > end:
                    break
                position = step
                left -= 1
            self.position = position
            if left:
                # One string by the careful way: its length or its end is not here yet.
                self.skip(self.varint())
                left -= 1

    def uint8(self) -> int:
        if self.position >= len(self.buffer):
            self.fill()
        value = self.buffer[self.position]
        self.position += 1
        return value

    def varint(self) -> int:
        if self.position < len(self.buffer) and (only := self.buffer[self.position]) < 0x80:
            self.position += 1
            return only
        value = shift = 0
        while True:
            byte = self.uint8()
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7
            if shift > 63:
                raise ProtocolError(faults.INCORRECT_DATA, "DB::Exception: a number of more than 64 bits")

    def uint64(self) -> int:
        return int.from_bytes(self.take(8), "little")

    def text(self, limit: int = MAX_STRING) -> str:
        length = self.varint()
        if length > limit:
            raise ProtocolError(
                faults.TOO_LARGE_STRING_SIZE, f"DB::Exception: a string of {length} bytes, where {limit} are the most"
            )
        return self.take(length).decode("utf-8", "replace")


def _varint_at(buffer: bytearray, position: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = buffer[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, position
        shift += 7
        if shift > 63:
            raise ProtocolError(faults.INCORRECT_DATA, "DB::Exception: a number of more than 64 bits")


class SocketSource(Source):
    """Reads from a socket."""

    def __init__(self, connection: socket.socket) -> None:
        super().__init__()
        self._connection = connection
        self._piece = bytearray(RECEIVE)

    def more(self) -> memoryview:
        try:
            count = self._connection.recv_into(self._piece)
        except TimeoutError:
            raise ConnectionEnded("the client stopped in the middle of a packet") from None
        except OSError as error:
            raise ConnectionEnded(str(error)) from None
        if not count:
            raise ConnectionEnded("the client closed the connection")
        return memoryview(self._piece)[:count]


def varint(value: int) -> bytes:
    if value < 0x80:
        return bytes((value,))
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def text(value: str) -> bytes:
    raw = value.encode()
    return varint(len(raw)) + raw


def int32(value: int) -> bytes:
    return struct.pack("<i", value)
