"""Makes kafka-python's clients; one that does not come through to its broker leaves nothing behind.

A consumer and an admin client start a thread of their own before they ask a broker, and raise out of their making when
none answers. Nobody has such a client then, and it could not be closed either: its thread, which holds it, waits for
ever, with its selector, a pair of sockets and the last one that was refused. A service that tries again for an hour
gathered hundreds of them.
"""

import logging
from collections.abc import Callable
from typing import Any, TypeVar

from kafka import KafkaProducer
from kafka.errors import KafkaTimeoutError
from kafka.net.compat import KafkaNetClient

logger = logging.getLogger(__name__)

Client = TypeVar("Client")


def opened(kind: Callable[..., Client], **options: Any) -> Client:
    """A client of this kind, for the caller to close; what it raises while it is made is raised, and all is closed."""
    networks: list[KafkaNetClient] = []

    def network(**settings: Any) -> KafkaNetClient:
        networks.append(KafkaNetClient(**settings))
        return networks[-1]

    try:
        return kind(**options, kafka_client=network)
    except BaseException:
        for each in networks:
            _close(each)
        raise


def _close(network: KafkaNetClient) -> None:
    try:
        network.close()
    except Exception:  # why the client was not made is what its caller has to know
        logger.warning("what was left of a Kafka client could not be closed", exc_info=True)


def close(producer: KafkaProducer, seconds: float) -> None:
    """Close a producer, also one with something on the way that no broker takes: it would say that in place of whatever
    its caller has to tell, and go on trying in a thread of its own."""
    try:
        producer.close(timeout=seconds)
    except KafkaTimeoutError:
        producer._sender.force_close()
