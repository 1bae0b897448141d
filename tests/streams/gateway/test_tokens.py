"""Tokens: hashed at rest, bound, revoked at once; a file that cannot be trusted lets nobody in and says why."""

import hashlib
import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import orjson
import pytest

from schemas.topics import HEARTBEAT, INPUT
from streams.gateway.kinds import KINDS
from streams.gateway.tokens import Devices, InvalidDevice, TokenFile, TokensUnreadable
from tests.streams.gateway.floor import READER, card, running


@pytest.fixture
def tokens(tmp_path: Path) -> TokenFile:
    return TokenFile(tmp_path / "data" / "tokens.json")


def add(tokens: TokenFile, name: str = "reader-12") -> str:
    return tokens.add(name, "card-reader", ["BT12"], [READER])[1]


def test_kinds_are_the_writers_of_the_topics_and_send_what_those_carry() -> None:
    assert sorted(KINDS) == sorted(writer for topic in INPUT for writer in topic.writers)
    for topic in INPUT:
        for writer in topic.writers:
            kind = KINDS[writer]
            assert kind.topic(HEARTBEAT) == kind.home == topic.name
            assert HEARTBEAT in kind.types
            assert kind.types - set(topic.types) <= {"bet.corrected.v1"}
    assert {each for kind in KINDS.values() for each in kind.types} == {each for topic in INPUT for each in topic.types}
    assert KINDS["card-reader"].types == {
        "shoe.loaded.v1", "shoe.cutting_card.v1", "shoe.ended.v1", "card.drawn.v1", HEARTBEAT
    }  # fmt: skip


def test_a_token_is_hashed_at_rest_in_a_file_of_its_owner(tokens: TokenFile) -> None:
    before = os.umask(0)
    try:
        token = add(tokens)
    finally:
        os.umask(before)
    content = tokens.path.read_text()
    assert token not in content
    assert token.split("_", 2)[2] not in content
    assert hashlib.sha256(token.encode()).hexdigest() in content
    assert stat.S_IMODE(tokens.path.stat().st_mode) == 0o600
    assert [path.name for path in tokens.path.parent.iterdir() if path.suffix == ".new"] == []


def test_tokens_are_found_by_their_secret_and_nothing_less(tokens: TokenFile) -> None:
    first, second = add(tokens, "one"), add(tokens, "two")
    devices = Devices(tokens.path)
    assert [getattr(devices.find(token), "name", None) for token in (first, second)] == ["one", "two"]
    # The id of one with the secret of the other.
    assert devices.find(first[:16] + second[16:]) is None
    assert devices.find(first[:-1]) is None
    assert devices.find(first + "A") is None
    assert devices.find("") is None
    assert devices.find("\udcff") is None


def test_a_revoked_token_ends_at_once_and_its_name_is_free(tokens: TokenFile) -> None:
    token, other = add(tokens), add(tokens, "other")
    devices = Devices(tokens.path)
    assert (devices.check(), devices.find(token) is None) == (2, False)
    revoked = tokens.revoke("reader-12")
    assert revoked.revoked is not None
    assert (devices.check(), devices.find(token) is None, devices.find(other) is None) == (1, True, False)
    fresh = add(tokens)
    assert devices.find(token) is None
    assert devices.find(fresh) is not None
    assert [device.name for device in tokens.devices()] == ["reader-12", "other", "reader-12"]
    with pytest.raises(InvalidDevice, match="no device nobody has a token"):
        tokens.revoke("nobody")


@pytest.mark.parametrize(
    ("name", "kind", "tables", "sources", "types", "words"),
    [
        ("", "card-reader", ["T"], ["/r"], None, "name"),
        ("two\nlines", "card-reader", ["T"], ["/r"], None, "cannot be printed"),
        ("\x1b[2Jclear", "card-reader", ["T"], ["/r"], None, "cannot be printed"),
        ("n", "toaster", ["T"], ["/r"], None, "no kind of device"),
        ("n", "card-reader", [], ["/r"], None, "tables"),
        ("n", "card-reader", ["T"], [""], None, "sources"),
        ("n", "card-reader", ["T"], ["/r"], ["bet.placed.v1"], "may not send bet.placed.v1"),
        ("n", "display", ["T"], ["/r"], ["no.such.v1"], "may not send no.such.v1"),
        ("taken", "card-reader", ["T"], ["/r"], None, "taken has a token"),
    ],
)
def test_what_no_token_can_be_made_for_is_said(
    tokens: TokenFile, name: str, kind: str, tables: list[str], sources: list[str], types: list[str] | None, words: str
) -> None:
    add(tokens, "taken")
    before = tokens.path.read_bytes()
    with pytest.raises(InvalidDevice, match=words):
        tokens.add(name, kind, tables, sources, types)
    assert tokens.path.read_bytes() == before


def damaged(tokens: TokenFile, how: str) -> None:
    content = orjson.loads(tokens.path.read_bytes())
    device = content["devices"][0]
    if how == "empty":
        tokens.path.write_bytes(b"")
    elif how == "half":
        tokens.path.write_bytes(tokens.path.read_bytes()[:100])
    elif how == "binary":
        tokens.path.write_bytes(b"\x00\xff" * 50)
    elif how == "writable":
        tokens.path.chmod(0o666)
    elif how == "folder":
        tokens.path.unlink()
        tokens.path.mkdir()
    else:
        if how == "newer":
            content["format"] = 2
        elif how == "digest":
            device["digest"] = "secret-that-must-not-be-repeated"
        elif how == "kind":
            device["kind"] = "toaster"
        elif how == "field":
            device["admin"] = True
        elif how == "twice":
            content["devices"].append(device)
        tokens.path.write_bytes(orjson.dumps(content))


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ("empty", "not JSON"),
        ("half", "not JSON"),
        ("binary", "not JSON"),
        ("writable", "chmod 600"),
        ("folder", "cannot be read"),
        ("newer", "format"),
        ("digest", "devices.0.digest"),
        ("kind", "no kind of device"),
        ("field", "devices.0.admin"),
        ("twice", "same id"),
    ],
)
def test_a_file_that_cannot_be_trusted_lets_nobody_in_and_is_left_as_it_is(
    tokens: TokenFile, how: str, words: str
) -> None:
    token = add(tokens)
    devices = Devices(tokens.path)
    assert devices.find(token) is not None
    damaged(tokens, how)
    before = tokens.path.read_bytes() if tokens.path.is_file() else None
    for attempt in (tokens.devices, lambda: add(tokens, "more"), lambda: devices.find(token), devices.check):
        with pytest.raises(TokensUnreadable, match=words) as caught:
            attempt()
        assert str(tokens.path) in str(caught.value)
        assert "must-not-be-repeated" not in str(caught.value)
    assert (tokens.path.read_bytes() if tokens.path.is_file() else None) == before


def test_a_gateway_whose_tokens_are_damaged_asks_devices_to_wait_and_recovers(tmp_path: Path) -> None:
    with running(tmp_path) as floor:
        token = floor.device()
        good = floor.tokens.path.read_bytes()
        floor.tokens.path.write_bytes(good[:50])
        answer = floor.post(token, [card()])
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")
        assert str(tmp_path) not in answer.text
        assert not floor.ready()
        floor.tokens.path.write_bytes(good)
        assert floor.ready()
        assert floor.post(token, [card()]).status_code == 202
        floor.tokens.revoke("reader-12")
        assert floor.post(token, [card(1)]).status_code == 401


def test_commands_at_the_same_time_lose_no_token(tokens: TokenFile) -> None:
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda number: add(TokenFile(tokens.path), f"device {number}"), range(24)))
    devices = Devices(tokens.path)
    assert devices.check() == 24
    assert all(devices.find(token) is not None for token in made)
