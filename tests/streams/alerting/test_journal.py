"""What the alert service must not forget: whole or not at all, bounded, critical first, and one process at a time."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from store.rows.alerts import Alert, AlertStep
from streams.alerting.journal import Journal
from streams.alerting.journal_file import JournalInUse
from streams.alerting.message import Kind
from streams.alerting.outbox import Planned
from streams.embedded.log import Place
from tests.streams.alerting.test_rules import alert

NOW = 1_760_000_000_000
PLACE = Place("audit.alerts", 0)


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    made = Journal(tmp_path)
    yield made
    made.close()


def known(journal: Journal, name: str, severity: str = "critical", raised: int = NOW) -> Alert:
    made = alert(id=name, severity=severity, raised=raised)
    journal.add_alert(made, raised, None)
    return made


def plan(journal: Journal, name: str, severity: str = "critical", kind: Kind = "raised", **more: Any) -> None:
    fields: dict[str, Any] = {
        "id": f"{name} {kind}",
        "alert": name,
        "person": "anna",
        "line": 0,
        "kind": kind,
        "severity": severity,
        "why": "",
        "made_ms": NOW,
        "due_ms": NOW,
        "held": False,
    }
    journal.plan([Planned(**(fields | more))])


def names(journal: Journal, now: int = NOW) -> list[str]:
    parcel = journal.next_parcel("anna", 0, now, 20)
    return [] if parcel is None else [each.id for each in parcel.alerts]


def test_one_process_has_it(tmp_path: Path, journal: Journal) -> None:
    with pytest.raises(JournalInUse, match="another alert service"):
        Journal(tmp_path)


def test_the_place_in_the_topic_moves_with_what_was_planned_or_not_at_all(journal: Journal) -> None:
    with pytest.raises(RuntimeError), journal.transaction():
        known(journal, "a")
        plan(journal, "a")
        journal.move_on({PLACE: 7})
        raise RuntimeError
    assert journal.positions() == {}
    assert journal.ready_lines(NOW) == []
    with journal.transaction():
        journal.move_on({PLACE: 7})
    assert journal.positions() == {PLACE: 7}


def test_a_message_is_planned_once(journal: Journal) -> None:
    known(journal, "a")
    plan(journal, "a")
    plan(journal, "a")
    assert names(journal) == ["a"]
    assert names(journal) == []


def test_critical_goes_first_and_together_and_the_rest_one_by_one(journal: Journal) -> None:
    for name, severity in (("a", "high"), ("b", "critical"), ("c", "high"), ("d", "critical")):
        known(journal, name, severity)
        plan(journal, name, severity)
    assert [names(journal) for _ in range(4)] == [["b", "d"], ["a"], ["c"], []]


def test_what_was_on_its_way_goes_again_as_it_was_and_says_so(journal: Journal) -> None:
    for name in ("a", "b", "c"):
        known(journal, name)
    plan(journal, "a")
    plan(journal, "b")
    assert names(journal) == ["a", "b"]
    plan(journal, "c")
    assert journal.after_restart() == 1
    parcel = journal.next_parcel("anna", 0, NOW, 20)
    assert parcel is not None
    assert ([each.id for each in parcel.alerts], parcel.repeat) == (["a", "b"], True)
    assert names(journal) == ["c"]


def test_what_failed_waits_and_goes_with_the_next_critical_one_at_once(journal: Journal) -> None:
    for name in ("a", "b"):
        known(journal, name)
    plan(journal, "a")
    parcel = journal.next_parcel("anna", 0, NOW, 20)
    assert parcel is not None
    journal.again(parcel, NOW + 60_000)
    assert names(journal) == []
    plan(journal, "b")
    assert names(journal) == ["a", "b"]


def test_what_is_held_goes_together_when_it_is_due_and_its_group_waits_another_window(journal: Journal) -> None:
    for name in ("a", "b", "c"):
        known(journal, name, "high")
        plan(journal, name, "high", held=True, due_ms=NOW + (9 if name == "c" else 5), group="g")
    assert journal.release_held(NOW + 4, 300) == 0
    assert names(journal, NOW + 4) == []
    assert journal.release_held(NOW + 5, 300) == 2
    assert journal.window("anna", 0, "g") == NOW + 305
    assert names(journal, NOW + 5) == ["a", "b"]


def test_those_who_were_told_are_known_and_what_has_not_left_is_dropped(journal: Journal) -> None:
    known(journal, "a")
    plan(journal, "a")
    plan(journal, "a", person="bob", id="other")
    assert names(journal) == ["a"]
    assert journal.told_of("a") == [("anna", 0)]
    assert journal.drop("a") == 1
    assert journal.ready_lines(NOW) == []


def test_what_the_store_is_owed_is_bounded_and_failed_attempts_go_first(journal: Journal) -> None:
    for number in range(6):
        action = "failed" if number % 2 else "sent"
        journal.owe_steps([AlertStep(alert="a", id=str(number), at=number, action=action)])
    assert journal.trim(4) == 2
    assert [owed.body["id"] for owed in journal.owed(9)] == ["0", "2", "4", "5"]
    journal.paid(journal.owed(9)[1].number)
    assert [owed.body["id"] for owed in journal.owed(9)] == ["4", "5"]
    assert journal.trim(4) == 0


def test_old_closed_alerts_are_forgotten_and_open_ones_are_not(journal: Journal) -> None:
    for name in ("old", "open", "waiting"):
        known(journal, name, raised=NOW)
    known(journal, "new", raised=NOW + 10)
    plan(journal, "waiting")
    for name in ("old", "new", "waiting"):
        journal.attended(name, "resolved")
    journal.forget(NOW + 5)
    assert [name for name in ("old", "open", "new", "waiting") if journal.alert(name)] == ["open", "new", "waiting"]
    assert journal.open_by_severity() == {"critical": 1}
