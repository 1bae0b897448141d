"""The way to the store: addresses, many threads, a store that is away, and errors named by what happens next."""

import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from store.address import Address, parse_address
from store.connect import Patience, Store, connect
from store.embedded.process import EmbeddedClickHouse
from store.errors import AccessRefused, QueryRefused, SchemaTooOld, StoreUnavailable, WrongAddress
from store.migrate import check, migrate
from store.render import SchemaSettings

NO_ONE = "clickhouse://tw:secret@127.0.0.1:9/tablewatch"
"""Nobody listens at the port of the discard protocol."""


@pytest.mark.parametrize(
    ("url", "address"),
    [
        (
            "clickhouse://anna:p%40ss%2F@db.example:9440/floor",
            Address("db.example", 9440, "anna", "p@ss/", "floor"),
        ),
        ("clickhouse://db.example", Address("db.example")),
        (
            "clickhouses://u@[::1]:9001/x?insert_quorum=2",
            Address("::1", 9001, "u", "", "x", True, {"insert_quorum": "2"}),
        ),
    ],
)
def test_an_address_is_read(url: str, address: Address) -> None:
    assert parse_address(url) == address


@pytest.mark.parametrize(
    "url",
    [
        "",
        "http://user:secret@host/db",
        "clickhouse://",
        "clickhouse://u:secret@h:port/db",
        "clickhouse://u:secret@h/a-b",
    ],
)
def test_a_wrong_address_is_refused_without_telling_the_password(url: str) -> None:
    with pytest.raises(WrongAddress) as refused:
        parse_address(url)
    assert "secret" not in str(refused.value)
    assert str(refused.value).startswith("TABLEWATCH_CLICKHOUSE_URL")
    assert "secret" not in repr(parse_address("clickhouse://u:secret@h/db"))


@pytest.mark.parametrize(
    ("host", "here"),
    [("127.0.0.1", True), ("[::1]", True), ("localhost", True), ("10.0.0.7", False), ("127.0.0.1.example", False)],
)
def test_only_a_loopback_address_is_on_this_machine(host: str, here: bool) -> None:
    assert parse_address(f"clickhouse://{host}/floor").on_this_machine is here


def test_a_store_that_is_away_is_waited_for_with_growing_pauses_and_then_told() -> None:
    pauses: list[float] = []
    reasons: list[StoreUnavailable] = []
    patience = Patience(
        total=10, first=1, longest=4, wait=pauses.append, told=lambda error, _pause: reasons.append(error)
    )
    with pytest.raises(StoreUnavailable, match=r"127\.0\.0\.1:9 cannot be reached"):
        connect(NO_ONE, patience=patience).query("SELECT 1")
    assert pauses == [1, 2, 4]
    assert len(reasons) == 3


def test_no_log_is_filled_with_the_drivers_traces_while_the_store_is_away(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("WARNING"), pytest.raises(StoreUnavailable):
        connect(NO_ONE, patience=Patience(total=0.2)).query("SELECT 1")
    assert not caplog.records


@pytest.mark.parametrize("answer", [b"", b"HTTP/1.1 400 Bad Request\r\n\r\n", b"\x00\x05Click"])
def test_something_that_answers_otherwise_than_a_store_is_waited_out_too(answer: bytes) -> None:
    """A store that is just dying, or a proxy before it: not a reason to give up."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            for _ in range(2):
                connection, _ = listener.accept()
                with connection:
                    connection.recv(4096)
                    connection.sendall(answer)

        server = threading.Thread(target=serve, daemon=True)
        server.start()
        url = f"clickhouse://u@127.0.0.1:{listener.getsockname()[1]}/x"
        tried: list[float] = []
        with pytest.raises(StoreUnavailable):
            connect(url, patience=Patience(total=1.5, first=1, wait=tried.append)).query("SELECT 1")
        assert tried == [1]
        server.join(5)


def test_something_that_says_nothing_is_given_up_before_a_long_statement_would_be(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("store.connect.GREETING_SECONDS", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as mute:
        store = connect(f"clickhouse://default@127.0.0.1:{mute.getsockname()[1]}/x", patience=Patience(total=0.0))
        with pytest.raises(StoreUnavailable, match="did not answer in time: it hangs, or something else listens there"):
            store.query("SELECT 1")


def test_the_time_that_tries_take_is_patience_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("store.connect.GREETING_SECONDS", 0.3)
    with socket.create_server(("127.0.0.1", 0)) as mute:
        tried: list[float] = []
        # Pauses of no time at all never come to a second by themselves.
        patience = Patience(total=1.0, first=0.0, longest=0.0, wait=tried.append)
        url = f"clickhouse://default@127.0.0.1:{mute.getsockname()[1]}/x"
        with pytest.raises(StoreUnavailable):
            connect(url, patience=patience).query("SELECT 1")
    assert 0 < len(tried) <= 4


def test_waiting_for_ever_ends_when_the_worker_stops() -> None:
    stop = threading.Event()
    tried: list[float] = []

    def told(_error: StoreUnavailable, pause: float) -> None:
        tried.append(pause)
        if len(tried) == 4:
            stop.set()

    patience = replace(Patience(total=None), first=0.001, wait=stop.wait, told=told)
    with pytest.raises(StoreUnavailable):
        connect(NO_ONE, patience=patience).insert("events", {"table": ["BT1"]})
    assert len(tried) == 4


def test_a_refusal_is_not_waited_out(store: Store) -> None:
    def never(_pause: float) -> None:
        raise AssertionError("nothing to wait for")

    patient = store.patient(Patience(wait=never))
    with pytest.raises(QueryRefused) as refused:
        patient.query("SELEKT 1")
    assert refused.value.code == 62
    with pytest.raises(SchemaTooOld, match="tablewatch store migrate") as lacking:
        patient.query("SELECT * FROM tables_of_the_future")
    assert "Stack trace" not in str(lacking.value), "that says nothing to people"


def test_a_user_who_is_refused_is_told_with_the_setting_and_the_database_that_was_set(store: Store) -> None:
    stranger = Store(replace(store.address, user="nobody", password="wrong"), {}, Patience(total=0))
    named = rf"{store.address} \(TABLEWATCH_CLICKHOUSE_URL\) refuses user 'nobody'"
    for ask in (
        lambda: stranger.query("SELECT 1"),
        lambda: check(stranger),
        lambda: migrate(stranger, SchemaSettings()),
    ):
        with pytest.raises(AccessRefused, match=named):
            ask()


def test_many_threads_share_a_store(own_store: Store) -> None:
    store = own_store
    store.command("CREATE TABLE t (n UInt64) ENGINE = MergeTree ORDER BY n")

    def work(number: int) -> int:
        store.insert("t", {"n": [number]})
        return int(store.query("SELECT %(n)s + 1", {"n": number})[0][0])

    with ThreadPoolExecutor(12) as pool:
        assert list(pool.map(work, range(60))) == list(range(1, 61))
    assert store.query("SELECT count(), uniqExact(n) FROM t") == [(60, 60)]


def test_parameters_are_values_and_never_sql(store: Store) -> None:
    hostile = "x'; DROP TABLE events; -- \\' %(name)s %s \0\n牌"
    assert store.query("SELECT %(name)s", {"name": hostile}) == [(hostile,)]
    assert store.query("SELECT '100%'") == [("100%",)]


def test_a_long_result_comes_block_by_block_and_may_be_left_early(store: Store) -> None:
    total = 0
    for block in store.blocks("SELECT number, toString(number) FROM numbers(100000)"):
        assert len(block) == 2
        assert len(block[0]) <= 8192
        total += len(block[0])
    assert total == 100_000
    first = next(iter(store.blocks("SELECT number FROM numbers(10000000)")))
    assert first[0][:3] == (0, 1, 2)
    assert store.query("SELECT 1") == [(1,)]
    assert list(store.blocks("SELECT 1 WHERE 0")) == []


def test_an_empty_insert_is_nothing(store: Store) -> None:
    store.insert("events", {"table": [], "shoe": []})
    store.insert("events", {})
    assert store.query("SELECT count() FROM events") == [(0,)]


def test_the_same_token_inserts_once_also_after_a_new_connection(store: Store) -> None:
    for _ in range(2):
        store.insert("alerts", {"alert": ["A1"], "raised": [1_767_268_800_000]}, token="one")
        store.close()
    assert store.query("SELECT count() FROM alerts") == [(1,)]


def test_a_token_is_a_value_and_holds_for_its_insert_alone(store: Store) -> None:
    odd = "a's \\ 50%' VALUES, async_insert = 1"
    for number, token in enumerate((odd, odd, "another", odd, None)):
        store.insert("alerts", {"alert": [f"A{number}"], "raised": [1_767_268_800_000]}, token)
    assert store.query("SELECT alert FROM alerts ORDER BY alert") == [("A0",), ("A2",), ("A4",)]


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[EmbeddedClickHouse]:
    with EmbeddedClickHouse(tmp_path / "data") as server:
        yield server


def test_an_insert_outlasts_a_store_that_is_killed_and_comes_back(
    own_server: EmbeddedClickHouse, tmp_path: Path
) -> None:
    """The connection that the insert would have used is dead; the store is away for a while, then there again."""
    store = connect(own_server.url)
    store.command("CREATE TABLE t (n UInt64) ENGINE = MergeTree ORDER BY n")
    store.insert("t", {"n": [1]})
    own_server.kill()
    back: list[EmbeddedClickHouse] = []

    def come_back(pause: float) -> None:
        if not back:
            again = EmbeddedClickHouse(
                tmp_path / "data", port=own_server.port, user=own_server.user, password=own_server.password
            )
            again.start()
            back.append(again)

    try:
        patient = store.patient(replace(Patience(total=None), wait=come_back))
        patient.insert("t", {"n": [2]})
        assert store.query("SELECT n FROM t ORDER BY n") == [(1,), (2,)]
    finally:
        store.close()
        for again in back:
            again.stop()
    assert len(back) == 1


class _Lost(Exception):
    """The writer's right is over."""


@pytest.mark.parametrize("rows", [1, 2, 4, 5])
def test_an_insert_is_asked_for_after_each_of_its_blocks_and_never_after_its_end(own_store: Store, rows: int) -> None:
    own_store.command("CREATE TABLE some (n UInt64) ENGINE = MergeTree ORDER BY n")
    there: list[Any] = []
    writing = Store(
        own_store.address, {"insert_block_size": 2}, Patience(),
        lambda: there.append(own_store.query("SELECT count() FROM some")),
    )  # fmt: skip
    writing.insert("some", {"n": list(range(rows))})
    assert len(there) == (rows + 1) // 2 and set(map(repr, there)) == {"[(0,)]"}
    assert own_store.query("SELECT count() FROM some") == [(rows,)]
    writing.close()


def test_an_insert_whose_writer_lost_its_right_in_the_middle_leaves_nothing(own_store: Store) -> None:
    own_store.command("CREATE TABLE some (n UInt64) ENGINE = MergeTree ORDER BY n")
    lost = False

    def may_end() -> None:
        if lost:
            raise _Lost

    writing = own_store.asking(may_end)
    writing.insert("some", {"n": [1]})
    lost = True
    with pytest.raises(_Lost):
        writing.patient(Patience(total=0.0)).insert("some", {"n": [2]})
    assert writing.query("SELECT n FROM some") == [(1,)], "reading needs no right"
    lost = False
    writing.insert("some", {"n": [3]})
    assert own_store.query("SELECT n FROM some ORDER BY n") == [(1,), (3,)]
    writing.close()
