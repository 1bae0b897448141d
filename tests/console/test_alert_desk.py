"""The alert desk over the API: one life of an alert, two people at once, notes, hand-over, a thousand alerts."""

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import orjson
import pytest

from store.rows.alerts import Alert
from streams.alerting.acts import Act
from streams.alerting.desk import Done, perform, record_raised
from streams.alerting.raising import UNKNOWN_PLACE, alert_of
from tests.console.house import ConsoleServer, await_that, console_server, impatient, made_up_finding
from tests.streams.pipeline import Pipeline

pytestmark = pytest.mark.xdist_group("console")


def raised(console: ConsoleServer, number: int, **more: Any) -> str:
    """A new alert on the desk."""
    finding = made_up_finding(number, **more)
    console.raise_findings([finding])
    await_that(lambda: console.parts.live.floor.alerts.get(finding.id), "the alert is on the desk")
    return finding.id


def test_an_alert_lives_from_raised_to_reopened(console: ConsoleServer) -> None:
    path = f"/api/v1/alerts/{raised(console, 1)}"
    with console.client("shift_manager") as manager, console.client("operator") as operator:
        assert operator.post(f"{path}/acknowledge").json()["state"] == "acknowledged"
        taken = manager.post(f"{path}/take").json()
        assert (taken["state"], taken["holder"]) == ("taken", "shift-manager")
        assert manager.post(f"{path}/resolve", json={"disposition": "confirmed", "note": ""}).status_code == 422
        assert manager.post(f"{path}/resolve", json={"disposition": "whatever", "note": "x"}).status_code == 422
        done = manager.post(f"{path}/resolve", json={"disposition": "false alarm", "note": "Looked at it."}).json()
        assert (done["state"], done["open"], done["disposition"]) == ("resolved", False, "false alarm")
        assert operator.post(f"{path}/reopen", json={"note": "no"}).status_code == 403
        again = manager.post(f"{path}/reopen", json={"note": "Another look."}).json()
        assert again["open"]
        assert [step["action"] for step in again["steps"]] == [
            "raised", "acknowledged", "taken", "resolved", "reopened",
        ]  # fmt: skip
        assert again["steps"][3]["note"] == "Looked at it."


def test_closed_alerts_are_told_last_closed_first_with_who_closed_them_and_when(console: ConsoleServer) -> None:
    first, second = (raised(console, number, table="CLOSING") for number in (11, 12))
    with console.client("shift_manager") as manager:
        for alert in (second, first):
            known = manager.get(f"/api/v1/alerts/{alert}").json()
            assert known["closed"] is None
            done = manager.post(f"/api/v1/alerts/{alert}/resolve", json={"disposition": "test", "note": "Seen."}).json()
            assert done["closed"] == {"by": "shift-manager", "at": done["steps"][-1]["at"]}
        told = manager.get("/api/v1/alerts", params={"state": "closed", "table": "CLOSING"}).json()["alerts"]
        assert [each["id"] for each in told] == [first, second]
        everything = manager.get("/api/v1/alerts", params={"state": "all", "table": "CLOSING"}).json()["alerts"]
        assert [each["id"] for each in everything] == [second, first], "those raised last first"


@pytest.mark.parametrize("empty", ["", None])
def test_a_resolution_without_what_it_was_is_refused_in_words(console: ConsoleServer, empty: str | None) -> None:
    alert = raised(console, 13)
    with console.client("shift_manager") as manager:
        answer = manager.post(f"/api/v1/alerts/{alert}/resolve", json={"disposition": empty, "note": "Seen."})
        assert answer.status_code == 422
        (error,) = answer.json()["errors"]
        assert error == "body.disposition: say what it was: confirmed, false alarm, test, training"
        assert manager.get(f"/api/v1/alerts/{alert}").json()["open"]


def test_of_two_who_acknowledge_at_once_one_is_told_who_was_first(console: ConsoleServer) -> None:
    path = f"/api/v1/alerts/{raised(console, 2)}/acknowledge"
    with console.client("shift_manager") as one, console.client("operator") as other, ThreadPoolExecutor(2) as at_once:
        answers: list[httpx.Response] = list(at_once.map(lambda client: client.post(path), (one, other)))
    assert sorted(answer.status_code for answer in answers) == [200, 409]
    winner = next(answer for answer in answers if answer.status_code == 200).json()["acknowledged"]["by"]
    loser = next(answer for answer in answers if answer.status_code == 409)
    assert winner in loser.json()["detail"]


def test_an_act_is_told_to_all_pages(console: ConsoleServer) -> None:
    alert = raised(console, 3)
    with console.client("auditor") as page, page.stream("GET", "/api/v1/floor/stream") as answer:
        lines = answer.iter_lines()
        next(line for line in lines if line.startswith("data: ") and alert in line)
        with console.client("operator") as operator:
            operator.post(f"/api/v1/alerts/{alert}/acknowledge")
        # Frames from before the act may still come.
        told = (orjson.loads(line[6:]) for line in lines if line.startswith("data: ") and alert in line)
        states = (each["state"] for frame in told for each in frame["alerts"] if each["id"] == alert)
        assert "acknowledged" in states


def test_alerts_are_handed_over_to_people_who_may_have_them(console: ConsoleServer) -> None:
    path = f"/api/v1/alerts/{raised(console, 4)}"
    with console.client("shift_manager") as manager:
        assert manager.post(f"{path}/hand-over", json={"to": "operator"}).status_code == 409
        manager.post(f"{path}/take")
        assert manager.post(f"{path}/hand-over", json={"to": "nobody"}).status_code == 422
        assert manager.post(f"{path}/hand-over", json={"to": "auditor"}).status_code == 409
        handed = manager.post(f"{path}/hand-over", json={"to": "operator", "note": "End of my shift."}).json()
    assert handed["holder"] == "operator"
    assert handed["steps"][-1]["note"] == "End of my shift."


def test_what_went_to_somebody_else_meanwhile_is_taken_from_nobody_who_was_not_named(console: ConsoleServer) -> None:
    alert = raised(console, 12_001)
    path = f"/api/v1/alerts/{alert}"
    with console.client("shift_manager") as manager, console.client("operator") as operator:
        assert operator.post(f"{path}/take").json()["holder"] == "operator"
        given = {"to": "administrator", "holder": "shift-manager"}
        refused = manager.post(f"{path}/hand-over", json=given)
        assert refused.status_code == 409
        assert refused.json()["detail"].startswith("It is with operator now")
        assert manager.post(f"{path}/hand-over", json={**given, "holder": ""}).status_code == 409
        assert operator.get(path).json()["holder"] == "operator"
        handed = manager.post(f"{path}/hand-over", json={**given, "holder": "operator"})
        assert handed.json()["holder"] == "administrator"


def test_a_note_stays_with_the_alert_whatever_it_holds(console: ConsoleServer) -> None:
    alert = raised(console, 5)
    words = "<script>alert(1)</script> ' \" \\ %s é 表 \n next line"
    with console.client("auditor") as auditor:
        assert auditor.post(f"/api/v1/alerts/{alert}/note", json={"note": words}).status_code == 200
        assert auditor.get(f"/api/v1/alerts/{alert}").json()["steps"][-1]["note"] == words
        assert auditor.post(f"/api/v1/alerts/{alert}/note", json={"note": "x" * 4001}).status_code == 422


def test_an_alert_that_never_was_is_404(console: ConsoleServer) -> None:
    with console.client("shift_manager") as manager:
        for act in ("acknowledge", "take"):
            assert manager.post(f"/api/v1/alerts/{'f' * 32}/{act}").status_code == 404
        assert manager.get("/api/v1/alerts/not-an-id").status_code == 422


def test_what_was_closed_is_on_the_desk_of_a_console_that_starts_again(
    ground: Pipeline, tmp_path_factory: pytest.TempPathFactory
) -> None:
    store = impatient(ground.environment["TABLEWATCH_CLICKHOUSE_URL"])
    yesterday = time.time_ns() // 1_000_000 - 24 * 3600 * 1000
    closed: list[Alert] = []
    for number in (31_001, 31_002):
        # So long ago that no topic tells of it any more.
        finding = made_up_finding(number, table="GONE")
        closed.append(alert_of(finding, UNKNOWN_PLACE, yesterday + number, {}))
        record_raised(store, closed[-1:])
        act = Act(
            deed="resolve", by="anna", role="shift_manager", at=time.time_ns() // 1000, disposition="test", note="Done."
        )
        assert isinstance(perform(store, closed[-1].id, act), Done)
    folder = tmp_path_factory.mktemp("again")
    with console_server(folder, ground.broker, store) as again, again.client("shift_manager") as manager:

        def told() -> list[dict[str, Any]]:
            answer = manager.get("/api/v1/alerts", params={"state": "closed", "table": "GONE"}).json()
            return list(answer["alerts"])

        await_that(told, "the closed alerts are there")
        assert [each["id"] for each in told()] == [closed[1].id, closed[0].id], "the latest first"
        assert "GONE" not in manager.get("/api/v1/floor").json()["tables"], "a table that is gone stays off the wall"
        reopened = manager.post(f"/api/v1/alerts/{closed[0].id}/reopen", json={"note": "Another look."}).json()
        assert (reopened["open"], reopened["state"]) == (True, "reopened")
        resolution = {"disposition": "test", "note": "Seen."}
        assert not manager.post(f"/api/v1/alerts/{closed[0].id}/resolve", json=resolution).json()["open"]


def test_a_thousand_alerts_are_counted_and_paged(console: ConsoleServer) -> None:
    findings = [made_up_finding(number, "position-not-on-layout", table="FLOOD") for number in range(1, 1001)]
    console.raise_findings(findings)
    with console.client("operator") as client:

        def all_there() -> bool:
            return bool(client.get("/api/v1/alerts", params={"table": "FLOOD"}).json()["total"] == 1000)

        await_that(all_there, "all are there")
        pages = [
            client.get("/api/v1/alerts", params={"table": "FLOOD", "start": start, "count": 500}).json()["alerts"]
            for start in (0, 500, 1000)
        ]
    assert [len(page) for page in pages] == [500, 500, 0]
    assert len({alert["id"] for page in pages for alert in page}) == 1000
