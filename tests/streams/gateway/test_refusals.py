"""Refusals: who may say what, what a body may be, and a reason for each event that is refused; then nothing is sent."""

import random
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from streams.gateway.checking import MAX_EVENTS, MOST_PROBLEMS, Mode, Refused, check
from streams.gateway.description import MAX_BODY
from streams.gateway.tokens import Device
from tests.streams.gateway.floor import BATCH, ONE, READER, Floor, card, event, heartbeat, running

BET = {"shoe": "S1", "round": 1, "bet": "b1", "position": 1, "player": None, "wager": "tie", "amount": 5}


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Floor]:
    with running(tmp_path_factory.mktemp("gateway")) as gateway:
        yield gateway


@pytest.fixture(scope="module")
def token(floor: Floor) -> str:
    return floor.device()


def refused(answer: httpx.Response, status: int) -> dict[str, Any]:
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.headers["x-content-type-options"] == "nosniff"
    problem: dict[str, Any] = answer.json()
    assert problem["status"] == status
    return problem


@pytest.mark.parametrize(
    "sent",
    [
        "",
        "Bearer",
        "Basic dXNlcjpwYXNzd29yZA==",
        "Bearer nonsense",
        "Bearer twg_000000000000_" + "A" * 43,
        "Bearer twg_' OR 1=1 --",
        "Bearer " + "x" * 5000,
        "Bearer \xff\xfe",
    ],
)
def test_without_a_known_token_nobody_is_heard(floor: Floor, sent: str) -> None:
    answer = httpx.post(
        f"{floor.url}/v1/events",
        content=orjson.dumps(card()),
        headers={b"Authorization": sent.encode("latin-1"), b"Content-Type": ONE.encode()},
    )
    refused(answer, 401)
    assert answer.headers["www-authenticate"].startswith("Bearer")


def test_a_token_with_one_sign_changed_is_another_token(floor: Floor, token: str) -> None:
    changed = token[:-1] + ("A" if token[-1] != "A" else "B")
    refused(floor.post(changed, [card()]), 401)


@pytest.mark.parametrize(
    ("wrong", "word"),
    [
        (card(1, subject="BT13"), "table 'BT13'"),
        (card(1, source="/tables/BT12/rfid"), "'/tables/BT12/rfid'"),
        (event("bet.placed.v1", BET, 1), "card-reader with this token may not send bet.placed.v1"),
        (event("round.closed.v1", {"shoe": "S1", "round": 1}, 1), "may not send round.closed.v1"),
    ],
)
def test_another_table_source_or_type_is_refused_with_its_reason_and_nothing_is_sent(
    floor: Floor, token: str, wrong: dict[str, object], word: str
) -> None:
    before = floor.records()
    problem = refused(floor.post(token, [card(0), wrong, heartbeat(2)]), 403)
    (only,) = problem["problems"]
    assert problem["detail"] == f"1 of 3 events are refused, and none was sent; {only['reason']}"
    assert (only["index"], only["id"]) == (1, "e1")
    assert word in only["reason"]
    assert floor.records() == before


def test_a_token_may_be_narrower_than_its_kind(floor: Floor) -> None:
    narrow = floor.device("cards only", types=["card.drawn.v1"])
    assert floor.post(narrow, [card(90)]).status_code == 202
    refused(floor.post(narrow, [heartbeat(91)]), 403)


def test_a_sensor_says_nothing_about_corrections_and_a_display_nothing_about_rounds(floor: Floor) -> None:
    sensor = floor.device("sensor", "bet-sensor")
    paid = {"shoe": "S", "round": 1, "bet": "b", "paid": 1, "collected": 0, "by": "pit_supervisor"}
    refused(floor.post(sensor, [event("bet.corrected.v1", paid)]), 403)
    display = floor.device("display", "display")
    refused(floor.post(display, [event("round.closed.v1", {"shoe": "S", "round": 1})]), 403)


def test_each_event_that_breaks_the_contract_is_named(floor: Floor, token: str) -> None:
    before = floor.records()
    bad_card = card(1) | {"data": {"shoe": "S1", "round": 1, "draw": 1, "card": "1X"}}
    no_zone = card(3, time="2026-01-01T00:00:00")
    problem = refused(floor.post(token, [card(0), bad_card, card(2, subject="X"), no_zone, {"id": 5}, 17]), 422)
    named = [(each["index"], each["id"]) for each in problem["problems"]]
    assert named == [(1, "e1"), (2, "e2"), (3, "e3"), (4, None), (5, None)]
    reasons = [each["reason"] for each in problem["problems"]]
    assert "not a card of either deck" in reasons[0]
    assert "table 'X'" in reasons[1]
    assert reasons[2].startswith("time:")
    assert floor.records() == before


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        (b"", ONE, 400),
        (b"   ", BATCH, 400),
        (b"nonsense", "application/json", 400),
        (b'{"half": ', ONE, 400),
        (b"[1, 2", BATCH, 400),
        (b"\xff\xfe\x00", "application/json", 400),
        (b"\xef\xbb\xbf{}", ONE, 400),
        (b'"text"', "application/json", 400),
        (b"17", "application/json", 400),
        (b"null", "application/json", 400),
        (b"{}", BATCH, 400),
        (b"[]", ONE, 400),
        (b"[]", BATCH, 422),
        (b"{}", ONE, 422),
        (b"[[]]", BATCH, 422),
        (b'{"a": NaN}', ONE, 400),
        (b"[" * 50_000, BATCH, 400),
        (b'{"a":' * 50_000, ONE, 400),
        (b"{}", "text/plain", 415),
        (b"{}", "", 415),
        (b"{}", ONE + "; charset=latin-1", 415),
        (b"[" + b",".join([b"{}"] * (MAX_EVENTS + 1)) + b"]", BATCH, 413),
    ],
)
def test_a_body_that_holds_no_events_is_refused(floor: Floor, token: str, body: bytes, kind: str, status: int) -> None:
    before = floor.records()
    refused(floor.post(token, body, kind), status)
    assert floor.records() == before
    assert floor.ready()


@pytest.mark.parametrize("name", ["NaN", "Infinity", "-Infinity"])
@pytest.mark.parametrize("mode", [ONE, BATCH])
def test_what_is_no_number_of_json_is_named_with_its_place(floor: Floor, token: str, name: str, mode: str) -> None:
    body = orjson.dumps(card() | {"id": "NaN"}).replace(b'"draw":1', b'"draw": ' + name.encode())
    assert name.encode() in body
    problem = refused(floor.post(token, b"[" + body + b"]" if mode == BATCH else body, mode), 400)
    assert problem["detail"].startswith(f"the body is not JSON: {name} is no number of JSON, at line 1 column ")


@pytest.mark.parametrize("kind", [ONE, BATCH, "application/json"])
def test_a_byte_order_mark_is_called_one(floor: Floor, token: str, kind: str) -> None:
    problem = refused(floor.post(token, b"\xef\xbb\xbf" + orjson.dumps(card()), kind), 400)
    assert problem["detail"] == "the body begins with a byte order mark, which is no JSON: send it without"


def test_of_two_faults_of_json_the_first_is_named(floor: Floor, token: str) -> None:
    problem = refused(floor.post(token, b'{"\xc3\xa9":\n -Infinity,}', ONE), 400)
    assert problem["detail"] == "the body is not JSON: -Infinity is no number of JSON, at line 2 column 2"
    problem = refused(floor.post(token, b'{"a": 1,, "b": NaN}', ONE), 400)
    assert problem["detail"].startswith("the body is not JSON: not JSON: ")


def test_compressed_bodies_and_binary_mode_are_not_taken(floor: Floor, token: str) -> None:
    refused(floor.post(token, b"x", ONE, **{"Content-Encoding": "gzip"}), 415)
    assert "binary" in str(
        refused(floor.post(token, card()["data"], "application/json", **{"ce-id": "1"}), 415)["detail"]
    )


def test_a_body_over_the_bound_is_refused_announced_or_not(floor: Floor, token: str) -> None:
    full = orjson.dumps([card(number) for number in range(3000)])
    assert len(full) < MAX_BODY
    padded = full[:-1] + b" " * (MAX_BODY - len(full)) + b"]"
    assert len(padded) == MAX_BODY
    assert floor.post(token, padded).json() == {"accepted": 3000}
    refused(floor.post(token, padded + b" "), 413)

    def parts() -> Iterator[bytes]:
        for _ in range(17):
            yield b" " * 65_536

    answer = httpx.post(
        f"{floor.url}/v1/events",
        content=parts(),
        headers={"Authorization": f"Bearer {token}", "Content-Type": BATCH},
        timeout=60,
    )
    refused(answer, 413)
    assert floor.pending() == 0


def test_what_breaks_the_contract_is_said_first_by_the_answer_and_the_log(
    floor: Floor, token: str, caplog: pytest.LogCaptureFixture
) -> None:
    foreign = [card(number, subject="X") for number in range(MOST_PROBLEMS)]
    problem = refused(floor.post(token, [*foreign, card(MOST_PROBLEMS, time="soon")]), 422)
    *others, broken = problem["problems"]
    assert [each["index"] for each in others] == list(range(MOST_PROBLEMS - 1))
    assert (broken["index"], broken["reason"][:5]) == (MOST_PROBLEMS, "time:")
    named = f"{MOST_PROBLEMS} of them are named"
    said = f"{MOST_PROBLEMS + 1} of {MOST_PROBLEMS + 1} events are refused, and none was sent ({named}); "
    assert problem["detail"] == said + broken["reason"]
    assert caplog.messages[-1].endswith(": 422, " + problem["detail"])


def test_an_answer_names_a_bounded_number_of_problems(floor: Floor, token: str) -> None:
    problem = refused(floor.post(token, [{}] * 1000), 422)
    assert len(problem["problems"]) == MOST_PROBLEMS
    assert str(problem["detail"]).startswith("1000 of 1000 events are refused")


def test_a_body_that_does_not_come_is_not_waited_for(tmp_path: Path) -> None:
    with running(tmp_path, body_seconds=0.2) as floor:
        token = floor.device()
        address = httpx.URL(floor.url)
        with socket.create_connection((address.host, address.port or 80), timeout=60) as line:
            head = f"POST /v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\nContent-Type: {ONE}\r\n"
            line.sendall(head.encode() + b"Content-Length: 100\r\n\r\n{")
            assert line.recv(4096).startswith(b"HTTP/1.1 408")
        assert floor.pending() == 0


SCRIPT = "<script>alert(1)</script>"


def test_script_in_names_is_data_and_nothing_else(floor: Floor) -> None:
    token = floor.device(SCRIPT, tables=[SCRIPT], sources=[SCRIPT])
    raw = orjson.dumps(card(1, subject=SCRIPT, source=SCRIPT))
    assert floor.post(token, raw, ONE).status_code == 202
    assert raw in floor.raws("table.cards")
    answer = floor.post(token, [card(1, subject=SCRIPT + "x", source=SCRIPT, id=SCRIPT)])
    problem = refused(answer, 403)
    assert problem["problems"][0]["id"] == SCRIPT
    assert "html" not in answer.headers["content-type"]


def test_other_paths_and_methods_are_answered_in_kind(floor: Floor) -> None:
    refused(floor.get("/v1/events"), 405)
    refused(floor.get("/docs"), 404)
    refused(floor.get("/../../etc/passwd"), 404)


DEVICE = Device(
    id="0" * 12,
    name="reader",
    kind="card-reader",
    tables=("BT12",),
    sources=(READER,),
    digest="0" * 64,
    made="2026-01-01T00:00:00Z",
)


def _dumps(value: object) -> bytes:
    try:
        return orjson.dumps(value)
    except TypeError:
        return b""


@settings(deadline=None, max_examples=300, suppress_health_check=[HealthCheck.too_slow])
@given(
    body=st.one_of(
        st.binary(max_size=200),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.text(max_size=5),
            lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner, max_size=4),
            max_leaves=12,
        ).map(_dumps),
    ),
    mode=st.sampled_from(list(Mode)),
)
def test_no_garbage_passes_or_fails_the_check(body: bytes, mode: Mode) -> None:
    assert isinstance(check(body, mode, DEVICE), Refused)


@settings(deadline=None, max_examples=300)
@given(seed=st.integers(0, 2**32))
def test_a_damaged_batch_passes_whole_or_not_at_all(seed: int) -> None:
    chance = random.Random(seed)
    good = bytearray(orjson.dumps([card(number) for number in range(4)]))
    for _ in range(chance.randint(1, 3)):
        good[chance.randrange(len(good))] = chance.randrange(256)
    found = check(bytes(good), Mode.BATCH, DEVICE)
    if not isinstance(found, Refused):
        items = b",".join(each.raw for each in found)
        assert orjson.loads(b"[" + items + b"]") == orjson.loads(bytes(good))
        assert all(each[:2] == ("table.cards", "BT12") for each in found)
