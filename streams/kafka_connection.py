"""A connection to Kafka that is broken when its transport is closed, also under uvloop.

To who writes to a transport that is closed, uvloop says RuntimeError; aiokafka knows of an OSError alone (its issue
1038). After a broker's restart that ended, without a word, the task that keeps a client's metadata: a worker then
looked for its coordinator for ever, and acknowledged nothing more.
"""

from typing import Any

import aiokafka.conn
from aiokafka.conn import AIOKafkaConnection, CloseReason
from aiokafka.errors import KafkaConnectionError


class KafkaConnection(AIOKafkaConnection):  # type: ignore[misc]  # aiokafka has no types
    """aiokafka's connection, which says so when it is broken."""

    def send(self, request: Any, expect_response: bool = True) -> Any:
        """Send a request; gives what awaits the answer."""
        try:
            return super().send(request, expect_response)
        except RuntimeError as error:
            raise self._broken(error) from error

    def _send_sasl_token(self, payload: bytes, expect_response: bool = True) -> Any:
        try:
            return super()._send_sasl_token(payload, expect_response)
        except RuntimeError as error:
            raise self._broken(error) from error

    def _broken(self, error: RuntimeError) -> KafkaConnectionError:
        self.close(reason=CloseReason.CONNECTION_BROKEN)
        return KafkaConnectionError(f"Connection at {self.host}:{self.port} broken: {error}")


def use_such_connections() -> None:
    """Let the clients of this process have such connections: aiokafka has no other place to say so."""
    aiokafka.conn.AIOKafkaConnection = KafkaConnection
