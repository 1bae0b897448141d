"""Findings by id in their last state; alerts with every step of their life."""

import pytest

from store.connect import Store
from store.read.alerts import (
    AlertMark,
    alert,
    alert_marks,
    alert_times,
    alerts_beginning,
    alerts_between,
    alerts_by_id,
    claimants,
    closed_alerts,
    open_alerts,
)
from store.read.findings import FindingFilter, findings, findings_of_round, findings_of_shift
from store.read.findings import finding as finding_by_id
from store.rows.alerts import Alert, AlertStep
from store.rows.verdicts import RoundKey
from store.write.alerts import claim_place, write_alert_steps, write_alerts
from store.write.findings import write_findings
from tests.store.floor import ARRIVAL, SECOND, START, finding, state


def test_a_finding_comes_back_as_it_was_published(store: Store) -> None:
    found = finding("payout-wrong", "BT1", expected={"paid": 5}, actual={"paid": 7}, bet="b1", rule="dragon-tiger 5.1")
    written = state(found, time=START + 3, raised=ARRIVAL + 4)
    write_findings(store, [written])
    assert finding_by_id(store, found.id) == written
    assert finding_by_id(store, "0" * 32) is None


def test_the_state_with_the_highest_version_counts_in_whatever_order_they_come(store: Store) -> None:
    raised = state(finding("late-bet", "BT1"), version=1)
    cleared = state(finding("late-bet", "BT1", cleared=True), version=2, raised=ARRIVAL + 9)
    write_findings(store, [cleared])
    write_findings(store, [raised])
    assert finding_by_id(store, raised.finding.id) == cleared
    assert findings_of_shift(store, START, START + SECOND) == []
    assert findings_of_round(store, RoundKey("BT1", "S1", 1)) == [cleared]


def test_all_findings_of_a_shift_come_by_time_devices_and_statistics_included(store: Store) -> None:
    states = [
        state(finding("device-gap", "BT2", shoe=None, round=None, about="/reader 5"), time=START + 50),
        state(finding("late-bet", "BT1"), time=START),
        state(finding("event-rejected", None, shoe=None, round=None), time=START + 20),
        state(finding("hold-out-of-range", "BT3", basis="statistics", p_value=1e-7), time=START + 30),
        state(finding("late-bet", "BT1", number=2), time=START + SECOND),
    ]
    write_findings(store, states)
    assert findings_of_shift(store, START, START + SECOND) == sorted(states[:4], key=lambda each: each.time)
    assert findings_of_shift(store, START, START + 2 * SECOND, tables=("BT1",)) == [states[1], states[4]]
    assert findings(store, FindingFilter(severities=("medium",))) == [states[3]]
    assert findings(store, FindingFilter(code="late-bet"), limit=1) == [states[1]]


def _alert(name: str, raised: int = ARRIVAL) -> Alert:
    return Alert(
        id=name,
        finding=finding("late-bet", "BT1").id,
        table="BT1",
        shoe="S1",
        round=1,
        code="late-bet",
        severity="critical",
        pit="P1",
        game="no_commission",
        message="Bet b1 came 2 s late.",
        time=START,
        raised=raised,
        detail={"cameras": ["C1", "C2"]},
    )


def _step(name: str, place: int, action: str, after: str | None = None, **said: str) -> AlertStep:
    return AlertStep(
        alert=name,
        id=f"{name}-{place}",
        at=START + place * SECOND,
        action=action,
        state=after,
        detail={"n": place},
        **said,
    )


def test_an_alert_comes_with_its_steps_in_their_order(store: Store) -> None:
    steps = [
        _step("A1", 0, "raised", "open", by="worker"),
        _step("A1", 1, "sent", recipient="mailto:shift@example.com"),
        _step("A1", 5, "acknowledged", "acknowledged", by="anna", role="gaming_shift_manager"),
        _step("A1", 9, "resolved", "resolved", by="anna", disposition="confirmed", note="paid back"),
    ]
    write_alerts(store, [_alert("A1")])
    write_alert_steps(store, steps[2:])
    write_alert_steps(store, steps[:3])
    history = alert(store, "A1")
    assert history is not None
    assert history.alert == _alert("A1")
    assert list(history.steps) == steps
    assert history.state == "resolved"
    assert alert(store, "A9") is None


def test_an_alert_is_open_until_its_last_state_says_otherwise(store: Store) -> None:
    write_alerts(store, [_alert(name, ARRIVAL + place) for place, name in enumerate(("A1", "A2", "A3", "A4"))])
    write_alert_steps(
        store,
        [
            _step("A1", 0, "raised", "open"),
            _step("A1", 1, "resolved", "resolved"),
            _step("A2", 0, "raised", "open"),
            _step("A2", 1, "resolved", "resolved"),
            _step("A2", 2, "reopened", "open"),
            _step("A2", 3, "noted"),
            _step("A3", 0, "raised", "open"),
            _step("A3", 1, "cleared", "cleared"),
        ],
    )
    assert [each.alert.id for each in open_alerts(store)] == ["A2", "A4"]
    assert [each.alert.id for each in alerts_between(store, ARRIVAL + 1, ARRIVAL + 3)] == ["A2", "A3"]


def test_the_alerts_that_were_closed_last_are_found_by_when_they_were_closed(store: Store) -> None:
    names = ("A1", "A2", "A3", "A4", "A5")
    write_alerts(store, [_alert(name, ARRIVAL + place) for place, name in enumerate(names)])
    raised = [_step(name, 0, "raised", "raised") for name in names]
    acts = [
        _step("A1", 9, "resolved", "resolved"),
        _step("A2", 3, "cleared", "cleared"),
        _step("A3", 5, "resolved", "resolved"),
        _step("A3", 6, "reopened", "reopened"),
        _step("A4", 4, "resolved", "resolved"),
        _step("A4", 8, "noted"),
    ]
    write_alert_steps(store, [*raised, *acts])

    def closed(since: int, most: int) -> list[str]:
        return [each.alert.id for each in closed_alerts(store, since, most)]

    assert closed(ARRIVAL - 1, 10) == ["A1", "A4", "A2"]
    assert closed(ARRIVAL - 1, 2) == ["A1", "A4"]
    assert closed(ARRIVAL + 1, 10) == ["A4", "A2"], "A1 was raised before"
    assert closed(ARRIVAL + 4_000, 10) == []
    (last,) = closed_alerts(store, ARRIVAL - 1, 1)
    assert [step.action for step in last.steps] == ["raised", "resolved"]


def test_an_alert_that_was_closed_in_another_month_than_it_was_raised_in_is_found(store: Store) -> None:
    month = 40 * 24 * 3600
    write_alerts(store, [_alert("A1")])
    write_alert_steps(store, [_step("A1", 0, "raised", "raised"), _step("A1", month, "resolved", "resolved")])
    assert [each.alert.id for each in closed_alerts(store, ARRIVAL - 1, 10)] == ["A1"]
    write_alert_steps(store, [_step("A1", 2 * month, "reopened", "reopened")])
    assert closed_alerts(store, ARRIVAL - 1, 10) == []


def test_alerts_are_found_by_the_first_characters_of_their_ids(store: Store) -> None:
    write_alerts(store, [_alert("ab1", ARRIVAL + 9), _alert("ab%"), _alert("b")])
    assert [each.alert.id for each in alerts_beginning(store, "ab", 10)] == ["ab%", "ab1"]
    assert [each.alert.id for each in alerts_beginning(store, "ab%", 10)] == ["ab%"]
    assert len(alerts_beginning(store, "", 2)) == 2
    assert alerts_beginning(store, "c", 10) == []


def test_two_people_who_acknowledge_at_once_are_both_on_record_and_the_first_counts(store: Store) -> None:
    write_alerts(store, [_alert("A1")])
    write_alert_steps(store, [_step("A1", 7, "acknowledged", "acknowledged", by="bob")])
    write_alert_steps(store, [_step("A1", 5, "acknowledged", "acknowledged", by="anna")])
    history = alert(store, "A1")
    assert history is not None
    assert [step.by for step in history.steps if step.action == "acknowledged"] == ["anna", "bob"]
    (times,) = alert_times(store, ARRIVAL, ARRIVAL + 1)
    assert times.acknowledged == START + 5 * SECOND


def test_of_all_who_claim_a_place_in_a_history_the_store_keeps_the_first(store: Store) -> None:
    for claimant in ("anna", "bob"):
        claim_place(store, "A1", 1, 0, START, claimant)
    claim_place(store, "A1", 1, 1, START, "bob")
    claim_place(store, "A1", 11, 0, START, "carl")
    assert claimants(store, "A1", 1) == {0: "anna", 1: "bob"}
    assert claimants(store, "A1", 2) == {}
    write_alerts(store, [_alert("A1")])
    history = alert(store, "A1")
    assert history is not None
    assert history.steps == (), "a claim is no step"


def test_a_mark_changes_with_every_step_and_tells_whether_an_alert_is_open(store: Store) -> None:
    write_alerts(store, [_alert("A1"), _alert("A2")])
    steps = [_step("A1", 0, "raised", "raised"), _step("A2", 0, "raised", "raised"), _step("A2", 1, "sent")]
    write_alert_steps(store, steps)
    write_alert_steps(store, steps[:1])
    assert alert_marks(store) == {"A1": AlertMark(1, True), "A2": AlertMark(2, True)}
    write_alert_steps(store, [_step("A1", 2, "cleared", "cleared")])
    assert alert_marks(store) == {"A2": AlertMark(2, True)}
    assert alert_marks(store, ["A1"]) == {"A1": AlertMark(2, False), "A2": AlertMark(2, True)}
    assert [each.alert.id for each in alerts_by_id(store, ["A2", "A9"])] == ["A2"]


def test_times_to_acknowledge_and_to_resolve_are_known_over_months(store: Store) -> None:
    month = 40 * 24 * 3600
    write_alerts(store, [_alert("A1"), _alert("A2")])
    write_alert_steps(
        store,
        [
            _step("A1", 3, "acknowledged", "acknowledged"),
            _step("A1", month, "resolved", "resolved", disposition="false alarm"),
        ],
    )
    first, second = alert_times(store, ARRIVAL, ARRIVAL + 1)
    assert (first.acknowledged, first.resolved) == (START + 3 * SECOND, START + month * SECOND)
    assert (first.state, first.disposition) == ("resolved", "false alarm")
    assert (second.state, second.acknowledged, second.resolved) == (None, None, None)


@pytest.mark.parametrize("version", [-1, 1 << 20])
def test_a_version_that_cannot_be_put_in_order_is_refused(version: int) -> None:
    with pytest.raises(ValueError, match="beyond what the store can put in order"):
        state(finding("late-bet", "BT1"), version=version)
