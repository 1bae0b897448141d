"""A transport that is closed is a connection that is broken, whatever loop runs: aiokafka connects anew then."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
import uvloop
from aiokafka.errors import KafkaConnectionError

from streams.kafka_connection import KafkaConnection


class _Request:
    """What aiokafka asks of a request, down to bytes."""

    def prepare(self, _: Any) -> "_Request":
        return self

    def build_request_header(self, **_: Any) -> "_Request":
        return self

    def encode(self) -> bytes:
        return b"?"


async def _write_to_a_closed_transport(send: Callable[[KafkaConnection], Any]) -> None:
    async def hang_up(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.close()

    server = await asyncio.start_server(hang_up, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    connection = KafkaConnection("127.0.0.1", port)
    connection._reader, connection._writer = await asyncio.open_connection("127.0.0.1", port)
    connection._read_task = asyncio.create_task(asyncio.sleep(60))
    connection._writer.transport.abort()
    await asyncio.sleep(0.05)
    try:
        send(connection)
    finally:
        assert not connection.connected()
        server.close()


@pytest.mark.parametrize(
    "send",
    [lambda connection: connection.send(_Request()), lambda connection: connection._send_sasl_token(b"token")],
    ids=["request", "token"],
)
def test_under_uvloop_a_closed_transport_is_a_broken_connection(send: Callable[[KafkaConnection], Any]) -> None:
    asked: Coroutine[Any, Any, None] = _write_to_a_closed_transport(send)
    with pytest.raises(KafkaConnectionError, match="broken"):
        uvloop.run(asked)
