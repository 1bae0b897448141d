"""The self-test of the alerts: its table is shown to nobody, its outcome to those who rely on it."""

from dataclasses import replace

import pytest

from console.advice import advice_for
from console.live.floor import Floor
from schemas.findings import finding_json
from schemas.topics import ALERTS, topic_of
from store.rows.alerts import AlertHistory
from streams.alerting.life import raised_step
from streams.alerting.raising import SELF_TEST_TABLE
from streams.alerting.self_test import CODE, FAILED_CODE, alarm, fault, shoe_of
from streams.alerting.standstill import CODE as NOT_JUDGED
from tests.console.house import ConsoleServer, await_that, made_up_finding

RUN = "1700000000000"
AT = 1_700_000_000_000


def told_of_a_run(floor: Floor, run: str, at: int, *, heard: bool = True) -> None:
    """The events of a run, and the finding about them."""
    for line in fault(run, at * 1000):
        floor.take_record(topic_of("table.configured.v1") or "", line, at)
    if heard:
        finding = replace(made_up_finding(1, CODE, SELF_TEST_TABLE), shoe=shoe_of(run))
        floor.take_record(ALERTS.name, finding_json(finding), at)


def test_its_table_is_on_no_wall_and_its_finding_on_no_desk() -> None:
    floor = Floor()
    told_of_a_run(floor, RUN, AT)
    assert floor.events == 8
    assert floor.tables == {}
    assert len(floor.alerts) == 0
    assert floor.alerts.open_count.total() == 0
    assert (floor.self_test.outcome, floor.self_test.at) == ("passed", AT)


def test_nothing_is_claimed_before_a_run() -> None:
    floor = Floor()
    told_of_a_run(floor, RUN, AT, heard=False)
    assert (floor.self_test.outcome, floor.self_test.at) == ("none", None)


def failed(run: str, at: int) -> AlertHistory:
    alert = alarm(run, "its alert did not come within 30 s", at)
    return AlertHistory(alert, (raised_step(alert.id, at * 1000),))


def test_a_run_that_failed_is_told_until_another_passes() -> None:
    floor = Floor()
    told_of_a_run(floor, "1", AT)
    floor.take_history(failed("2", AT + 60_000))
    assert (floor.self_test.outcome, floor.self_test.at) == ("failed", AT + 60_000)
    # The alarm itself is an alert that somebody has to see to.
    assert floor.alerts.open_count["critical"] == 1
    told_of_a_run(floor, "3", AT + 120_000)
    assert (floor.self_test.outcome, floor.self_test.at) == ("passed", AT + 120_000)


@pytest.mark.parametrize("alarm_first", [True, False])
def test_an_alert_that_comes_after_the_alarm_about_its_run_is_too_late(alarm_first: bool) -> None:
    floor = Floor()
    if alarm_first:
        floor.take_history(failed(RUN, AT))
    told_of_a_run(floor, RUN, AT + 10_000)
    if not alarm_first:
        floor.take_history(failed(RUN, AT))
    assert floor.self_test.outcome == "failed"


def test_what_is_of_no_round_has_an_advice_that_sends_nobody_to_a_round() -> None:
    for code in (FAILED_CODE, NOT_JUDGED):
        assert "tablewatch doctor" in advice_for(code)
        assert "round" not in advice_for(code)


@pytest.mark.xdist_group("console")
def test_shift_manager_and_administrator_are_told_of_a_run_and_nobody_sees_its_table(console: ConsoleServer) -> None:
    finding = replace(made_up_finding(1, CODE, SELF_TEST_TABLE), shoe=shoe_of(RUN))
    console.raise_findings([finding])
    await_that(lambda: console.parts.live.floor.self_test.outcome == "passed", "the run is heard of")
    for role in ("shift_manager", "administrator"):
        with console.client(role) as somebody:
            assert somebody.get("/api/v1/self-test").json()["outcome"] == "passed"
    with console.client("auditor") as auditor:
        floor = auditor.get("/api/v1/floor").json()
        assert SELF_TEST_TABLE not in floor["tables"]
        assert finding.id not in {alert["id"] for alert in floor["alerts"]}
        assert auditor.get(f"/api/v1/alerts/{finding.id}").status_code == 404
        assert auditor.get(f"/api/v1/tables/{SELF_TEST_TABLE}").status_code == 404
