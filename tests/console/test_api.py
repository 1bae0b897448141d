"""The API on a judged floor: what the wall, a table and the access log tell, and to whom."""

import re
from contextlib import ExitStack

import orjson
import pytest

from console.api.streaming import MOST_STREAMS
from console.auth.roles import ROLES, SEES_PLAYERS, Role
from console.masking import MASK
from store.read.alerts import open_alerts
from tests.console.house import NOWHERE, ConsoleServer, await_that, console_server, impatient, made_up_finding, say
from tests.streams.pipeline import Pipeline

pytestmark = pytest.mark.xdist_group("console")


def test_the_wall_has_every_table_with_its_last_round(console: ConsoleServer, ground: Pipeline) -> None:
    with console.client("operator") as client:
        told = client.get("/api/v1/floor").json()
    stored = ground.store.query(
        "SELECT table, argMax(shoe, opened) AS last_shoe, argMax(round, opened) FROM rounds FINAL GROUP BY table"
    )
    assert {table for table, *_ in stored} <= set(told["tables"])
    for table, shoe, last in stored:
        row = told["tables"][table]
        if row["shoe"] == shoe:
            assert row["round"] >= last
        judged = ground.store.query(
            "SELECT count() FROM rounds FINAL WHERE table = %(table)s AND shoe = %(shoe)s",
            {"table": table, "shoe": row["shoe"]},
        )[0][0]
        assert len(row["beads"]) == 2 * judged
    assert any(told["tables"][table]["shoe"] == shoe for table, shoe, _ in stored)


def test_findings_on_the_wall_are_the_open_alerts(console: ConsoleServer) -> None:
    with console.client("shift_manager") as client:
        told = client.get("/api/v1/floor").json()
        listed = client.get("/api/v1/alerts", params={"count": 500}).json()
    counted = sum(sum(row["findings"]) for row in told["tables"].values())
    of_no_table = sum(alert["table"] is None for alert in told["alerts"])
    assert counted + of_no_table == told["open_alerts"] == listed["total"] > 0


def test_pages_are_told_where_the_parts_stand(console: ConsoleServer) -> None:
    with console.client("auditor") as client:
        await_that(lambda: client.get("/api/v1/floor").json()["status"]["store"]["state"] == "ok", "the store is there")
        await_that(lambda: client.get("/api/v1/floor").json()["status"]["lag"] == 0, "all is judged and stored")
        status = client.get("/api/v1/floor").json()["status"]
    assert status["feed"]["state"] == "ok"


@pytest.mark.parametrize("role", ROLES)
def test_player_ids_are_for_those_who_need_them(console: ConsoleServer, ground: Pipeline, role: Role) -> None:
    players = {row[0] for row in ground.store.query("SELECT DISTINCT player FROM player_rounds")}
    assert players
    with console.client(role) as client:
        tables = client.get("/api/v1/floor").json()["tables"]
        told = [client.get(f"/api/v1/tables/{table}").text for table in tables]
    seen = {player for player in players if any(player in text for text in told)}
    assert bool(seen) == (role in SEES_PLAYERS)
    assert any(MASK in text for text in told) == (role not in SEES_PLAYERS)


def test_a_stream_begins_with_the_whole_floor_and_goes_on(console: ConsoleServer) -> None:
    with console.client("operator") as client, client.stream("GET", "/api/v1/floor/stream") as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        lines = answer.iter_lines()
        events = []
        for line in lines:
            if line.startswith("event: "):
                events.append(line.removeprefix("event: "))
                told = orjson.loads(next(lines).removeprefix("data: "))
                assert told["at"] > 1_700_000_000_000
            if len(events) == 3:
                break
    assert events == ["snapshot", "delta", "delta"]


def test_a_stream_is_resumed_by_the_last_event_id(console: ConsoleServer) -> None:
    with console.client("operator") as client:
        with client.stream("GET", "/api/v1/floor/stream") as answer:
            first = next(line for line in answer.iter_lines() if line.startswith("id: ")).removeprefix("id: ")
        headers = {"Last-Event-ID": first}
        with client.stream("GET", "/api/v1/floor/stream", headers=headers) as answer:
            event = next(line for line in answer.iter_lines() if line.startswith("event: "))
    assert event == "event: delta"


def test_a_table_is_told_as_its_events_come(console_of_its_own: ConsoleServer) -> None:
    with console_of_its_own.client("auditor") as client:
        table = sorted(client.get("/api/v1/floor").json()["tables"])[0]
        with client.stream("GET", f"/api/v1/tables/{table}/stream") as answer:
            lines = answer.iter_lines()
            next(line for line in lines if line.startswith("event: snapshot"))
            say(console_of_its_own.broker, table, "shoe.loaded.v1", "other-reader", 0, shoe="told live", decks=8)
            told = next(line for line in lines if line.startswith("data: ") and "told live" in line)
    assert orjson.loads(told.removeprefix("data: "))["sections"]["shoe"]["decks"] == 8


def test_a_table_nobody_has_heard_of_is_404(console: ConsoleServer) -> None:
    with console.client("auditor") as client:
        for path in ("", "/stream", "/hold"):
            assert client.get(f"/api/v1/tables/nowhere{path}").status_code == 404


def test_hold_stands_beside_its_band(console: ConsoleServer) -> None:
    with console.client("auditor") as client:
        tables = client.get("/api/v1/floor").json()["tables"]
        holds = [client.get(f"/api/v1/tables/{table}/hold").json() for table in tables]
    assert any(hold["rounds"] for hold in holds)
    for hold in holds:
        assert hold["low"] <= hold["expected"] <= hold["high"]
        if hold["rounds"]:
            assert hold["handle"] > 0
            assert hold["path"][-1][0] == hold["rounds"]
            assert hold["path"][-1][1] == hold["win"]


def test_every_look_is_in_the_access_log(console: ConsoleServer, ground: Pipeline) -> None:
    alert = open_alerts(ground.store) or None
    with console.client("shift_manager") as client:
        listed = client.get("/api/v1/alerts").json()["alerts"][0]
        client.get(f"/api/v1/alerts/{listed['id']}")
    assert alert is None or alert
    with console.client("auditor") as auditor:

        def logged() -> bool:
            entries = auditor.get("/api/v1/access-log", params={"hours": 1}).json()["entries"]
            return any(
                entry["action"] == "looked at an alert"
                and entry["who"] == "shift-manager"
                and entry["detail"] == {"alert": listed["id"]}
                for entry in entries
            )

        await_that(logged, "the look is in the log")


def test_what_stays_on_the_screen_is_looked_at_once(console: ConsoleServer, ground: Pipeline) -> None:
    finding = made_up_finding(9_450, message="Looked at once.")
    console.raise_findings([finding])
    await_that(lambda: console.parts.live.floor.alerts.get(finding.id), "the alert is there")
    looks = "SELECT count() FROM access_log WHERE action = 'looked at an alert' AND position(detail, %(alert)s) > 0"
    with console.client("operator") as client, console.client("auditor") as other:
        client.get(f"/api/v1/alerts/{finding.id}")
        for _ in range(3):
            client.get(f"/api/v1/alerts/{finding.id}?still=true")
        other.get(f"/api/v1/alerts/{finding.id}?still=true")
        client.get(f"/api/v1/alerts/{finding.id}")
    await_that(lambda: ground.store.query(looks, {"alert": finding.id})[0][0] >= 3, "the looks are in the log")
    assert ground.store.query(looks, {"alert": finding.id})[0][0] == 3


def test_what_waits_for_the_store_is_not_lost(ground: Pipeline, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("waiting")
    with console_server(folder, ground.broker, impatient(NOWHERE)) as away, away.client("auditor") as client:
        client.delete("/api/v1/session")
        assert away.parts.access is not None
    store = impatient(ground.environment["TABLEWATCH_CLICKHOUSE_URL"])
    before = ground.store.query("SELECT count() FROM access_log WHERE action = 'signed out' AND who = 'auditor'")[0][0]
    with console_server(folder, ground.broker, store):
        await_that(
            lambda: ground.store.query(
                "SELECT count() FROM access_log WHERE action = 'signed out' AND who = 'auditor'"
            )[0][0] == before + 1,
            "the entry has come",
        )  # fmt: skip


def test_people_are_managed_by_administrators_and_never_by_themselves(console: ConsoleServer) -> None:
    with console.client("administrator") as client:
        new = {"name": "lee", "role": "auditor", "password": "a long enough one"}
        assert client.post("/api/v1/people", json=new).status_code == 201
        assert client.post("/api/v1/people", json=new).status_code == 422
        assert client.patch("/api/v1/people/lee", json={"role": "operator"}).json()["role"] == "operator"
        assert client.patch("/api/v1/people/lee", json={"disabled": True}).json()["disabled"]
        assert client.patch("/api/v1/people/administrator", json={"role": "operator"}).status_code == 409
        assert client.patch("/api/v1/people/administrator", json={"disabled": True}).status_code == 409
        assert client.patch("/api/v1/people/nobody", json={"disabled": True}).status_code == 404
        people = client.get("/api/v1/people").json()
        names = [person["name"] for person in people]
        assert names == sorted(names)
        assert all(person["own_password"] for person in people)
    with console.client("shift_manager") as client:
        assert "lee" not in [each["name"] for each in client.get("/api/v1/colleagues").json()]


def test_without_a_store_the_floor_is_live_and_says_so(
    ground: Pipeline, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("away")
    with console_server(folder, ground.broker, impatient(NOWHERE)) as away, away.client("shift_manager") as client:
        # The topics are read from a few minutes back: what was raised before the test may lie further.
        away.raise_findings([made_up_finding(21_000)])
        await_that(lambda: client.get("/api/v1/floor").json()["open_alerts"], "the floor comes from the topics")
        await_that(
            lambda: client.get("/api/v1/floor").json()["status"]["store"]["state"] == "away", "the store is away"
        )
        told = client.get("/api/v1/floor").json()
        assert told["tables"] and told["open_alerts"] > 0
        answer = client.post(f"/api/v1/alerts/{told['alerts'][0]['id']}/acknowledge")
        assert answer.status_code == 503
        assert answer.headers["retry-after"]
        assert not re.search(r"Traceback|127\.0\.0\.1:9|File \"", answer.text)


def test_a_session_has_only_so_many_streams(console: ConsoleServer) -> None:
    with console.client("operator") as client, ExitStack() as open_streams:
        kept = []
        for _ in range(MOST_STREAMS):
            answer = open_streams.enter_context(client.stream("GET", "/api/v1/floor/stream"))
            assert answer.status_code == 200
            kept.append(answer.iter_lines())
            next(kept[-1])
        with client.stream("GET", "/api/v1/floor/stream") as one_more:
            assert one_more.status_code == 429
        with console.client("operator") as other, other.stream("GET", "/api/v1/floor/stream") as theirs:
            assert theirs.status_code == 200
    with console.client("operator") as again:
        assert again.get("/api/v1/floor").status_code == 200
