"""Signing in: passwords, lockout, sessions that end, requests of other pages, forged cookies."""

import asyncio
from pathlib import Path
from string import ascii_lowercase, digits

import pytest

from console.auth import passwords
from console.auth.pace import Pace
from console.auth.passwords import WeakPassword
from console.auth.people import FAILURES, LOCK_SECONDS, InvalidPerson, People, Person, Refusal
from console.auth.sessions import Sessions
from console.database import Database
from tests.console.house import PASSWORD, ConsoleServer, await_that
from tests.streams.pipeline import Pipeline

pytestmark = pytest.mark.xdist_group("console")


class Clock:
    """A clock that tests set."""

    def __init__(self) -> None:
        self.now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def database(tmp_path: Path) -> Database:
    return Database(tmp_path)


@pytest.fixture
def people(database: Database, clock: Clock) -> People:
    made = People(database, clock)
    made.add("mei", "operator", PASSWORD)
    return made


def signed_in(people: People, password: str = PASSWORD) -> Person | Refusal:
    return asyncio.run(people.sign_in("mei", password))


def test_what_is_kept_is_no_password_and_its_owners_alone(database: Database, people: People) -> None:
    assert database.path.stat().st_mode & 0o077 == 0
    database.close()
    assert PASSWORD.encode() not in database.path.read_bytes()
    assert b"$argon2id$" in database.path.read_bytes()


@pytest.mark.parametrize("password", ["short", "mei-and-more-of-it", "aaaaaaaaaaaaaaaa", "x" * 257])
def test_a_weak_password_is_refused(people: People, password: str) -> None:
    with pytest.raises(WeakPassword):
        people.change_password("mei", password)


def test_whoever_the_provider_lets_in_gets_a_password_that_holds_no_name_however_short() -> None:
    names = [first + second for first in ascii_lowercase + digits for second in ascii_lowercase + digits + "._-"]
    made = {passwords.nobodys() for _ in range(20)}
    assert len(made) == 20
    for each in made:
        for name in names:
            passwords.check_strength(name, each)


@pytest.mark.parametrize("name", ["", "A", "Mei", "mei lin", "../mei", "m" * 65])
def test_a_name_that_cannot_be_told_apart_is_refused(people: People, name: str) -> None:
    with pytest.raises(InvalidPerson):
        people.add(name, "operator", PASSWORD)


def test_after_failures_even_the_right_password_waits(people: People, clock: Clock) -> None:
    for _ in range(FAILURES):
        assert isinstance(signed_in(people, "wrong wrong wrong"), Refusal)
    assert isinstance(signed_in(people), Refusal)
    clock.now += LOCK_SECONDS + 1
    assert isinstance(signed_in(people), Person)


def test_a_right_password_in_between_forgives_failures(people: People) -> None:
    for _ in range(3):
        for _ in range(FAILURES - 1):
            signed_in(people, "wrong wrong wrong")
        assert isinstance(signed_in(people), Person)


def test_a_session_ends_after_its_hours_and_when_no_page_is_open(
    database: Database, people: People, clock: Clock
) -> None:
    sessions = Sessions(database, hours=12, idle_minutes=60, clock=clock)
    token = sessions.begin("mei", "127.0.0.1")
    for _ in range(23):
        clock.now += 30 * 60
        assert sessions.find(token) is not None
    clock.now += 31 * 60
    assert sessions.find(token) is None
    idle = sessions.begin("mei", "127.0.0.1")
    clock.now += 61 * 60
    assert sessions.find(idle) is None


def test_a_new_password_and_being_disabled_end_all_sessions(database: Database, people: People) -> None:
    sessions = Sessions(database)
    first = sessions.begin("mei", "")
    people.change_password("mei", "another " + PASSWORD)
    assert sessions.find(first) is None
    second = sessions.begin("mei", "")
    people.disable("mei")
    assert sessions.find(second) is None
    assert isinstance(signed_in(people, "another " + PASSWORD), Refusal)


def test_a_bucket_fills_again_with_time(clock: Clock) -> None:
    pace = Pace(burst=3, per_second=1, clock=clock)
    assert [pace.allows("a") for _ in range(4)] == [True, True, True, False]
    assert pace.allows("b")
    clock.now += 0.25
    assert pace.seconds_left("a") == 1
    clock.now += 0.75
    assert pace.allows("a")
    assert not pace.allows("a")


def test_of_too_many_attempts_it_is_told_when_the_next_one_comes_through(clock: Clock) -> None:
    pace = Pace(burst=10, per_second=10 / 60, clock=clock)
    assert all(pace.allows("a") for _ in range(10))
    assert not pace.allows("a")
    assert pace.seconds_left("a") == 6
    clock.now += 2.5
    assert not pace.allows("a")
    assert pace.seconds_left("a") == 4
    clock.now += 4
    assert pace.allows("a")


def test_too_many_attempts_to_sign_in_are_refused_with_the_seconds_to_wait(
    console: ConsoleServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(console.parts.signing_in, "allows", lambda _address: False)
    monkeypatch.setattr(console.parts.signing_in, "seconds_left", lambda _address: 6)
    with console.client(None) as client:
        answers = [client.post("/api/v1/session", json={"name": "auditor", "password": PASSWORD})]
    with console.client("auditor") as client:
        answers.append(client.put("/api/v1/session/password", json={"current": PASSWORD, "new": PASSWORD}))
    for answer in answers:
        assert (answer.status_code, answer.headers["retry-after"]) == (429, "6")
        assert answer.json()["detail"] == "too many attempts from this address: wait 6 seconds"


def test_the_cookie_is_kept_from_scripts_and_other_pages(console: ConsoleServer) -> None:
    with console.client(None) as client:
        answer = client.post("/api/v1/session", json={"name": "Auditor ", "password": PASSWORD})
        assert answer.status_code == 200
        assert answer.json()["role"] == "auditor"
        cookie = answer.headers["set-cookie"].lower()
        assert "httponly" in cookie
        assert "samesite=strict" in cookie
        client.headers["X-CSRF-Token"] = answer.json()["csrf"]
        assert client.get("/api/v1/floor").status_code == 200
        kept = client.cookies["tablewatch"]
        assert client.delete("/api/v1/session").status_code == 204
        client.cookies.set("tablewatch", kept)
        assert client.get("/api/v1/floor").status_code == 401


def test_every_refusal_reads_the_same(console: ConsoleServer) -> None:
    with console.client(None) as client:
        said = {
            client.post("/api/v1/session", json={"name": name, "password": "wrong " + PASSWORD}).text
            for name in ("operator", "nobody-here")
        }
        assert len(said) == 1
        client.post("/api/v1/session", json={"name": "operator", "password": PASSWORD})


@pytest.mark.parametrize("cookie", ["forged", "A" * 43, "A" * 5000, "../../etc/passwd", "%00"])
def test_a_forged_cookie_is_nobody(console: ConsoleServer, cookie: str) -> None:
    with console.client(None) as client:
        assert client.get("/api/v1/floor", headers={"Cookie": f"tablewatch={cookie}"}).status_code == 401


def test_what_changes_something_needs_the_token_of_the_session(console: ConsoleServer) -> None:
    with console.client("shift_manager") as client, console.client("shift_manager") as other:
        path = f"/api/v1/alerts/{'0' * 32}/acknowledge"
        right = client.headers.pop("X-CSRF-Token")
        assert client.post(path).status_code == 403
        assert client.post(path, headers={"X-CSRF-Token": other.headers["X-CSRF-Token"]}).status_code == 403
        assert client.post(path, headers={"X-CSRF-Token": right}).status_code == 404


@pytest.mark.parametrize(
    "headers", [{"Origin": "https://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"}]
)
def test_another_page_can_neither_act_nor_sign_in(console: ConsoleServer, headers: dict[str, str]) -> None:
    with console.client("shift_manager") as client:
        assert client.post(f"/api/v1/alerts/{'0' * 32}/acknowledge", headers=headers).status_code == 403
        given = {"name": "operator", "password": PASSWORD}
        assert client.post("/api/v1/session", json=given, headers=headers).status_code == 403


def test_sign_ins_are_in_the_access_log_of_the_store(console: ConsoleServer, ground: Pipeline) -> None:
    with console.client(None) as client:
        client.post("/api/v1/session", json={"name": "sign-in-test", "password": PASSWORD})
    await_that(
        lambda: ground.store.query(
            "SELECT 1 FROM access_log WHERE who = 'sign-in-test' AND action = 'sign-in refused'"
        ),
        "the refusal is logged",
    )


def test_the_own_password_can_be_changed_and_ends_the_session(console: ConsoleServer) -> None:
    console.parts.people.add("pw-test", "auditor", PASSWORD)
    with console.client(None) as client:
        given = {"name": "pw-test", "password": PASSWORD}
        client.headers["X-CSRF-Token"] = client.post("/api/v1/session", json=given).json()["csrf"]
        change = {"current": "not " + PASSWORD, "new": "quite another one"}
        assert client.put("/api/v1/session/password", json=change).status_code == 403
        assert (
            client.put("/api/v1/session/password", json=change | {"current": PASSWORD, "new": "x"}).status_code == 422
        )
        same = client.put("/api/v1/session/password", json={"current": PASSWORD, "new": PASSWORD})
        assert (same.status_code, "is the one you have" in same.text) == (422, True)
        assert client.put("/api/v1/session/password", json=change | {"current": PASSWORD}).status_code == 204
        assert client.get("/api/v1/session").status_code == 401
