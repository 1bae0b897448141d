"""Whatever arrives at the port, the server says what is wrong, hangs up, and goes on serving others."""

from __future__ import annotations

import random

import pytest
from clickhouse_driver import Client
from clickhouse_driver.errors import ServerException

from store.embedded import faults
from store.embedded.frames import Method, write_frames
from store.embedded.packets import FromClient, FromServer
from store.embedded.process import EmbeddedClickHouse
from store.embedded.wire import text, varint
from tests.store.embedded.conftest import Connect
from tests.store.embedded.raw_client import PLAIN_REVISION, RawClient

HUGE = varint((1 << 63) - 1)


def _hello(user: str, password: str, revision: int = PLAIN_REVISION) -> bytes:
    names = text("raw") + varint(1) + varint(0) + varint(revision)
    return varint(FromClient.HELLO) + names + text("") + text(user) + text(password)


@pytest.mark.parametrize(("user", "password"), [("", ""), ("nobody", "PASSWORD"), ("USER", "wrong"), ("USER", "")])
def test_a_wrong_user_or_password_is_refused(server: EmbeddedClickHouse, user: str, password: str) -> None:
    client = Client(
        server.host,
        server.port,
        user=user.replace("USER", server.user),
        password=password.replace("PASSWORD", server.password),
    )
    with pytest.raises(ServerException) as raised:
        client.execute("SELECT 1")
    assert raised.value.code == 516


def test_a_refusal_does_not_tell_whether_the_user_exists(server: EmbeddedClickHouse) -> None:
    messages = []
    for user in (server.user, "x" * len(server.user)):
        with RawClient(server) as raw:
            raw.send(_hello(user, "wrong"))
            messages.append(raw.refusal().message.replace(user, "USER"))
            assert raw.is_closed()
    assert messages[0] == messages[1]


def test_a_query_before_hello_is_refused(server: EmbeddedClickHouse) -> None:
    with RawClient(server) as raw:
        raw.send(varint(FromClient.QUERY), text("SELECT 1"))
        assert raw.refusal().code == faults.UNEXPECTED_PACKET_FROM_CLIENT
        assert raw.is_closed()


def test_an_unknown_database_is_refused(connect: Connect) -> None:
    with pytest.raises(ServerException) as raised:
        connect(database="no_such_database").execute("SELECT 1")
    assert raised.value.code == 81


def test_a_client_too_old_is_told(server: EmbeddedClickHouse) -> None:
    with RawClient(server) as raw:
        raw.send(_hello(server.user, server.password, revision=54000))
        assert "54000" in raw.refusal().message


def test_a_browser_is_told_that_this_is_not_http(server: EmbeddedClickHouse) -> None:
    with RawClient(server) as raw:
        raw.send(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        refusal = raw.refusal()
        assert refusal.code == faults.CLIENT_HAS_CONNECTED_TO_WRONG_PORT
        assert "HTTP" in refusal.message


def test_garbage_harms_nobody_else(server: EmbeddedClickHouse, client: Client) -> None:
    dice = random.Random(7)  # a fixed seed: the same garbage each time
    for size in (1, 2, 17, 300, 70_000):
        for prefix in (b"", b"\x00", _hello(server.user, server.password)):
            with RawClient(server) as raw:
                raw.send(prefix + dice.randbytes(size))
    assert client.execute("SELECT 1") == [(1,)]


@pytest.mark.parametrize("length", [1, 5, 20])
def test_half_a_packet_and_then_nothing(server: EmbeddedClickHouse, client: Client, length: int) -> None:
    with RawClient(server) as raw:
        raw.send(_hello(server.user, server.password)[:length])
    with RawClient(server) as raw:
        raw.hello()
        raw.send((varint(FromClient.QUERY) + text("id") + b"\x01" + text("user") * 3)[:length])
    assert client.execute("SELECT 1") == [(1,)]


def test_an_unknown_packet_is_named(server: EmbeddedClickHouse) -> None:
    with RawClient(server) as raw:
        raw.hello()
        raw.send(varint(77))
        refusal = raw.refusal()
        assert (refusal.code, "77" in refusal.message) == (faults.UNKNOWN_PACKET_FROM_CLIENT, True)
        assert raw.is_closed()


@pytest.mark.parametrize(
    ("packet", "code"),
    [
        (varint(FromClient.QUERY) + HUGE, faults.TOO_LARGE_STRING_SIZE),
        (varint(FromClient.QUERY) + b"\xff" * 11, faults.INCORRECT_DATA),
        (varint(FromClient.TABLES_STATUS) + HUGE, faults.INCORRECT_DATA),
        (RawClient.data(b""), faults.UNEXPECTED_PACKET_FROM_CLIENT),
    ],
    ids=["a query id of 2^63 bytes", "a number without end", "2^63 tables", "data of no query"],
)
def test_a_length_beyond_reason_is_refused_before_anything_is_held(
    server: EmbeddedClickHouse, packet: bytes, code: int
) -> None:
    with RawClient(server) as raw:
        raw.hello()
        raw.send(packet)
        assert raw.refusal().code == code
        assert raw.is_closed()


@pytest.mark.parametrize(
    "block",
    [
        HUGE + varint(1),
        varint(1) + HUGE,
        varint(1) + varint(1) + HUGE,
        varint(1) + varint(1) + text("a") + text("Array(" * 200 + "UInt8" + ")" * 200),
        varint(1) + varint(1) + text("a") + text("Array(UInt8)") + (1 << 62).to_bytes(8, "little"),
        varint(1) + varint(1) + text("a") + text("FixedString(99999999999)"),
        varint(1) + varint(1) + text("a") + text("LowCardinality(String)") + (9).to_bytes(8, "little"),
        varint(1) + varint(1) + text("a") + text("NoSuchType"),
    ],
    ids=[
        "columns",
        "rows",
        "a name",
        "a type nested 200 times",
        "an array",
        "a width",
        "a version of LowCardinality",
        "an unknown type",
    ],
)
def test_a_block_that_cannot_be_is_refused(
    server: EmbeddedClickHouse, client: Client, database: str, block: bytes
) -> None:
    client.execute("CREATE TABLE t (a UInt8) ENGINE = MergeTree ORDER BY a")
    with RawClient(server) as raw:
        raw.hello(database)
        raw.query("INSERT INTO t VALUES")
        raw.block()
        raw.send(raw.data(block))
        assert raw.refusal().code in (
            faults.INCORRECT_DATA,
            faults.NOT_IMPLEMENTED,
            faults.TOO_LARGE_STRING_SIZE,
        )
        assert raw.is_closed()
    assert client.execute("SELECT count() FROM t") == [(0,)]


def _broken_frames() -> dict[str, tuple[bytes, int]]:
    frame = write_frames(b"\x01\x00\x02\xff\xff\xff\xff\x00\x00\x00", Method.LZ4)
    flipped = frame[:-1] + bytes((frame[-1] ^ 1,))
    plain = write_frames(b"\x01\x00\x02\xff\xff\xff\xff\x00\x00\x00and more", Method.NONE)
    too_large = frame[:17] + b"\xff\xff\xff\x7f" + frame[21:]
    return {
        "a flipped bit": (flipped, faults.CHECKSUM_DOESNT_MATCH),
        "bytes after the block": (plain, faults.INCORRECT_DATA),
        "two gigabytes": (too_large, faults.CANNOT_DECOMPRESS),
    }


@pytest.mark.parametrize("broken", _broken_frames())
def test_a_broken_frame_is_refused(server: EmbeddedClickHouse, broken: str) -> None:
    frame, code = _broken_frames()[broken]
    client_info = b"\x01" + text("") * 3 + b"\x01" + text("") * 3 + varint(1) * 3 + text("") + varint(0)
    with RawClient(server) as raw:
        raw.hello()
        raw.send(varint(FromClient.QUERY), text(""), client_info, text(""), varint(2), varint(1), text("SELECT 1"))
        raw.send(varint(FromClient.DATA), text(""), frame)
        assert raw.refusal().code == code
        assert raw.is_closed()


def test_ping_between_queries(server: EmbeddedClickHouse) -> None:
    with RawClient(server) as raw:
        raw.hello()
        raw.send(varint(FromClient.PING) * 3)
        assert [raw.source.varint() for _ in range(3)] == [FromServer.PONG] * 3


@pytest.mark.parametrize(("kind", "stage"), [(2, 2), (1, 1), (2, 0)])
def test_a_query_of_another_server_to_its_shard_is_refused_with_the_reason(
    server: EmbeddedClickHouse, kind: int, stage: int
) -> None:
    with RawClient(server) as raw:
        raw.hello()
        raw.query("SELECT count() FROM numbers(5)", kind=kind, stage=stage)
        refused = raw.refusal()
        assert refused.code == faults.NOT_IMPLEMENTED
        assert "no shard" in refused.message
        assert "distributed query" in refused.message
        raw.query("SELECT 5")
        assert raw.result()[0].endswith(b"\x05")


def test_packets_sent_ahead_are_answered_in_turn(server: EmbeddedClickHouse) -> None:
    with RawClient(server) as raw:
        raw.hello()
        raw.query("SELECT sleep(0.2), 1")
        raw.query("SELECT 2")
        raw.send(varint(FromClient.PING))
        assert raw.result()[0].endswith(b"\x01")
        assert raw.result()[0].endswith(b"\x02")
        assert raw.source.varint() == FromServer.PONG


def test_the_status_of_tables(server: EmbeddedClickHouse, client: Client, database: str) -> None:
    client.execute("CREATE TABLE t (a UInt8) ENGINE = Memory")
    with RawClient(server) as raw:
        raw.hello()
        raw.send(varint(FromClient.TABLES_STATUS), varint(2), text(database), text("t"), text(database), text("u"))
        assert raw.source.varint() == FromServer.TABLES_STATUS
        assert raw.source.varint() == 1
        assert (raw.source.text(), raw.source.text(), raw.source.uint8()) == (database, "t", 0)
