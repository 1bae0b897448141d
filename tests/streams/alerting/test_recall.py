"""Without its journal the service goes by the store: nobody is told twice, and nothing that is open is dropped."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from store.connect import Patience, Store, connect
from store.rows.alerts import Alert, AlertHistory, AlertStep
from streams.alerting.acts import Act, SystemAct, decide
from streams.alerting.desk import record_raised
from streams.alerting.intake import RECALL_MS, Intake
from streams.alerting.journal import Journal
from streams.alerting.life import SYSTEM, raised_step
from streams.alerting.places import Places
from streams.alerting.self_test import alarm
from streams.alerting.service import AlertService
from tests.streams.alerting.room import Room
from tests.streams.alerting.test_rules import ROUTING, alert, at

NOW = at("12:00")
RAISED = at("11:50")
"""Ten minutes ago: both steps of the escalation (after 2 and after 5 minutes) are due."""
FOUND = alert(id="f" * 32, time=RAISED * 1000, raised=RAISED)
BEGUN = (raised_step(FOUND.id, RAISED * 1000),)
SEEN = Act(deed="acknowledge", by="anna", role="shift_manager", at=RAISED * 1000 + 10)
RESOLVED = Act(
    deed="resolve", by="anna", role="shift_manager", at=RAISED * 1000 + 20, disposition="confirmed", note="so it was"
)
REOPENED = Act(deed="reopen", by="anna", role="shift_manager", at=RAISED * 1000 + 30, note="look again")
CLEARED = SystemAct(deed="clear", at=RAISED * 1000 + 20)
AGAIN = SystemAct(deed="raise again", at=RAISED * 1000 + 30)
ESCALATED = SystemAct(deed="escalate", at=RAISED * 1000 + 15)


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    made = Journal(tmp_path)
    yield made
    made.close()


@pytest.fixture
def intake(journal: Journal) -> Intake:
    nowhere = connect("clickhouse://default@127.0.0.1:9/tablewatch", patience=Patience(total=0.0))
    return Intake(journal, ROUTING, Places(nowhere, journal))


def sent(found: Alert = FOUND, opening: int = 0) -> AlertStep:
    name = f"{found.id} {opening} raised 0 anna 0"
    detail = {"message": name, "person": "anna", "line": 0, "kind": "raised"}
    moment = RAISED * 1000 + 5 + 30 * opening
    return AlertStep(alert=found.id, id=f"sent.{name} 0", at=moment, action="sent", by=SYSTEM, detail=detail)


def after(steps: tuple[AlertStep, ...], *acts: Act | SystemAct) -> tuple[AlertStep, ...]:
    for act in acts:
        added = decide(steps, act, FOUND.id)
        assert isinstance(added, tuple)
        steps += added
    return steps


def waiting(journal: Journal) -> list[str]:
    rows = journal._rows("SELECT kind, person FROM message WHERE status IN ('waiting', 'held') ORDER BY number")
    return [f"{kind} {person}" for kind, person in rows]


def test_an_alert_of_which_nobody_was_told_is_told_and_has_its_time_to_be_acknowledged(
    journal: Journal, intake: Intake
) -> None:
    intake.recall([AlertHistory(FOUND, BEGUN)], NOW)
    intake.escalate(NOW + 119_999)
    assert waiting(journal) == ["raised anna"]
    intake.escalate(NOW + 120_000)
    assert waiting(journal) == ["raised anna", "escalated carl"]


def test_an_alert_without_its_first_step_is_told_and_stored_whole(journal: Journal, intake: Intake) -> None:
    intake.recall([AlertHistory(FOUND, ())], NOW)
    assert waiting(journal) == ["raised anna"]
    assert [owed.kind for owed in journal.owed(9)] == ["alert"]


def test_what_the_store_knows_to_be_sent_is_not_sent_again_and_escalates(journal: Journal, intake: Intake) -> None:
    intake.recall([AlertHistory(FOUND, (*BEGUN, sent()))], NOW)
    assert waiting(journal) == []
    intake.escalate(NOW)
    assert waiting(journal) == ["escalated carl"]


def test_a_step_of_the_escalation_that_is_done_is_not_done_again(journal: Journal, intake: Intake) -> None:
    intake.recall([AlertHistory(FOUND, after((*BEGUN, sent()), ESCALATED))], NOW)
    intake.escalate(NOW)
    intake.escalate(NOW)
    assert waiting(journal) == ["escalated ada"]


@pytest.mark.parametrize("acts", [(SEEN,), (SEEN, RESOLVED), (CLEARED,)])
def test_what_somebody_attends_to_or_is_cleared_calls_nobody(
    journal: Journal, intake: Intake, acts: tuple[Act | SystemAct, ...]
) -> None:
    intake.recall([AlertHistory(FOUND, after(BEGUN, *acts))], NOW)
    intake.escalate(NOW + RECALL_MS)
    assert waiting(journal) == []


def test_an_alert_that_was_raised_again_is_told_again_unless_it_was(journal: Journal, intake: Intake) -> None:
    steps = after((*BEGUN, sent()), CLEARED, AGAIN)
    intake.recall([AlertHistory(FOUND, steps)], NOW)
    assert waiting(journal) == ["raised anna"]
    known = journal.alert(FOUND.id)
    assert known is not None
    assert (known.opening, known.state) == (1, "reopened")


def test_an_alert_that_was_raised_again_and_told_is_not_told_once_more(journal: Journal, intake: Intake) -> None:
    intake.recall([AlertHistory(FOUND, (*after((*BEGUN, sent()), CLEARED, AGAIN), sent(opening=1)))], NOW)
    assert waiting(journal) == []


def test_an_alert_that_a_person_reopened_escalates_and_is_told_to_nobody_else(journal: Journal, intake: Intake) -> None:
    intake.recall([AlertHistory(FOUND, after((*BEGUN, sent()), SEEN, RESOLVED, REOPENED))], NOW)
    assert waiting(journal) == []
    intake.escalate(NOW)
    assert waiting(journal) == ["escalated carl"]


def test_a_failed_self_test_of_which_nobody_was_told_goes_to_the_administrators(
    journal: Journal, intake: Intake
) -> None:
    found = alarm("run", "nothing came", RAISED)
    intake.recall([AlertHistory(found, (raised_step(found.id, RAISED * 1000),))], NOW)
    assert waiting(journal) == ["raised ada"]


def test_an_alert_that_the_journal_knows_is_left_to_it(journal: Journal, intake: Intake) -> None:
    intake.raise_alert(FOUND, RAISED)
    intake.recall([AlertHistory(FOUND, BEGUN)], at("23:00"))
    assert waiting(journal) == ["raised anna"], "by now, bob is on duty"


def test_one_alert_that_cannot_be_recalled_keeps_no_other_back(journal: Journal, intake: Intake) -> None:
    broken = alert(id="b" * 32, raised=RAISED, detail={"time_zone": 7})
    histories = [AlertHistory(each, (raised_step(each.id, RAISED * 1000),)) for each in (broken, FOUND)]
    with journal.transaction():
        intake.recall(histories, NOW)
    assert waiting(journal) == ["raised anna"]


def test_an_alert_of_more_than_a_day_ago_wakes_nobody(tmp_path: Path, store: Store) -> None:
    room = Room(tmp_path, store)
    young = alert(id="1" * 32, time=NOW * 1000, raised=NOW - RECALL_MS + 1_000)
    old = alert(id="2" * 32, time=NOW * 1000, raised=NOW - RECALL_MS - 1_000)
    record_raised(store, [young, old])
    service = AlertService(room.broker, store, ROUTING, tmp_path / "alerts", clock=lambda: NOW / 1000)
    service._recall()
    service.intake.escalate(NOW + RECALL_MS)
    assert service.journal._rows("SELECT DISTINCT alert FROM message") == [(young.id,)]
    service.journal.close()
    room.close()
