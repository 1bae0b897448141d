"""Hello and who is there: the first packets of a connection."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass
from typing import Final

from store.embedded import faults, packets
from store.embedded.faults import ProtocolError, ServerError
from store.embedded.packets import FromClient, FromServer
from store.embedded.wire import Source, text, varint

_NAME: Final = "ClickHouse"
_MAX_NAME: Final = 4096
_HTTP_FIRST_BYTES: Final = (ord("G"), ord("P"), ord("H"), ord("O"), ord("D"))


@dataclass(frozen=True, slots=True)
class Hello:
    """What a client says first."""

    client: str
    revision: int
    """The lower one of the client's and this server's."""
    database: str
    user: str
    password: str


@dataclass(frozen=True, slots=True)
class Identity:
    """What this server says of itself, and whom it lets in."""

    version: tuple[int, int, int]
    time_zone: str
    user: str
    password: str


def read_hello(source: Source) -> Hello:
    """The client's first packet; anything else is told off in words that its owner can understand."""
    kind = source.uint8()
    if kind != FromClient.HELLO:
        if kind in _HTTP_FIRST_BYTES:
            raise ProtocolError(
                faults.CLIENT_HAS_CONNECTED_TO_WRONG_PORT,
                "DB::Exception: this is ClickHouse's native protocol, not HTTP: use a native client, such as "
                "clickhouse-driver. (CLIENT_HAS_CONNECTED_TO_WRONG_PORT)",
            )
        raise ProtocolError(
            faults.UNEXPECTED_PACKET_FROM_CLIENT,
            f"DB::Exception: a connection begins with Hello, not with packet {kind}",
        )
    client = source.text(_MAX_NAME)
    source.varint()
    source.varint()
    revision = source.varint()
    hello = Hello(
        client,
        min(revision, packets.REVISION),
        source.text(_MAX_NAME),
        source.text(_MAX_NAME),
        source.text(_MAX_NAME),
    )
    if revision < packets.MINIMUM_REVISION:
        raise ProtocolError(
            faults.NOT_IMPLEMENTED,
            f"DB::Exception: the client speaks revision {revision}; the oldest one known is {packets.MINIMUM_REVISION}",
        )
    return hello


def read_addendum(source: Source, revision: int) -> None:
    """What newer clients add when they have heard the server's Hello: a quota key."""
    if revision >= packets.WITH_ADDENDUM:
        source.text(_MAX_NAME)


def check(hello: Hello, identity: Identity) -> None:
    """User and password, compared in constant time, and without telling which of the two was wrong."""
    right_user = hmac.compare_digest(_digest(hello.user), _digest(identity.user))
    right_password = hmac.compare_digest(_digest(hello.password), _digest(identity.password))
    if not (right_user and right_password):
        raise ServerError(
            faults.AUTHENTICATION_FAILED,
            f"DB::Exception: {hello.user}: Authentication failed: password is incorrect, or there is no user with "
            "such name. (AUTHENTICATION_FAILED)",
        )


def _digest(secret: str) -> bytes:
    # Digests have one length, so the comparison does not tell the length of the secret either.
    return hashlib.sha256(secret.encode()).digest()


def answer(hello: Hello, identity: Identity) -> bytes:
    """The server's Hello."""
    major, minor, patch = identity.version
    packet = (varint(FromServer.HELLO) + text(_NAME) + varint(major) + varint(minor) + varint(packets.REVISION)) + text(
        identity.time_zone
    )
    if hello.revision >= packets.WITH_DISPLAY_NAME:
        packet += text("tablewatch")
    if hello.revision >= packets.WITH_VERSION_PATCH:
        packet += varint(patch)
    return packet
