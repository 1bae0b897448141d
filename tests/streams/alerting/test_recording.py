"""The thread between journal and store goes on whatever happens to either, and the service says when it does not."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from store.connect import Store
from store.errors import StoreUnavailable
from store.rows.alerts import Alert, AlertStep
from streams.alerting import recording
from streams.alerting.acts import Refusal, SystemAct
from streams.alerting.desk import Done, alert_with_steps, perform, record_raised
from streams.alerting.intake import Intake
from streams.alerting.journal import Journal
from streams.alerting.life import life_of
from streams.alerting.places import Places
from streams.alerting.recipients import next_escalation
from streams.alerting.recording import Recorder
from tests.streams.alerting.room import Room
from tests.streams.alerting.test_rules import alert
from tests.streams.alerting.webhook import until

NOW = 1_760_000_000_000


@pytest.fixture
def room(tmp_path: Path, store: Store) -> Iterator[Room]:
    made = Room(tmp_path, store)
    yield made
    made.close()


@pytest.mark.parametrize("full", [("owed",), ("paid",), ("owed_count",), ("owed", "trim")])
def test_a_disk_that_was_full_once_keeps_no_step_from_the_store(
    room: Room, monkeypatch: pytest.MonkeyPatch, full: tuple[str, ...]
) -> None:
    monkeypatch.setattr(recording, "PAUSE_SECONDS", 0.01)
    journal = Journal(room.folder / "alerts")
    places = Places(room.store, journal)
    recorder = Recorder(room.store, journal, Intake(journal, room.routing(), places), places)
    failed = [fail_once(monkeypatch, journal, name) for name in full]
    found = alert(id="f" * 32, time=NOW * 1000, raised=NOW)
    record_raised(room.store, [found])
    journal.owe_steps([AlertStep(alert=found.id, id="noted.1", at=NOW * 1000 + 1, action="noted")])
    recorder.start()
    until(lambda: all(failed))
    until(lambda: "noted" in _actions(room, found.id))
    until(lambda: journal.owed_count() == 0 and not recorder.away)
    assert recorder.alive
    recorder.stop(60)
    assert not recorder.alive
    journal.close()


def fail_once(monkeypatch: pytest.MonkeyPatch, journal: Journal, name: str) -> list[str]:
    """The first call finds no room; what is given back is empty until then."""
    works, failed = getattr(journal, name), list[str]()

    def full(*values: Any) -> Any:
        if not failed:
            failed.append(name)
            raise sqlite3.OperationalError("database or disk is full")
        return works(*values)

    monkeypatch.setattr(journal, name, full)
    return failed


def test_a_service_whose_recorder_is_gone_is_not_ready(room: Room) -> None:
    with room.service() as serving:
        until(lambda: serving.ready)
        serving.recorder.stop(60)
        assert not serving.ready


def _actions(room: Room, name: str) -> list[str]:
    history = alert_with_steps(room.store, name)
    return [] if history is None else [step.action for step in history.steps]


@pytest.mark.parametrize(("took", "again"), [(0.01, 1.0), (0.3, 2.7), (5.0, 5.0), (40.0, 5.0)])
def test_what_people_did_is_asked_for_soon_however_long_the_store_took_the_last_time(took: float, again: float) -> None:
    assert recording.next_look(100.0, 100.0 + took) == pytest.approx(100.0 + took + again)


CHAIN = """
[people.bob]
roles = ["operator"]
urls = ["{bob}"]

[[escalation]]
severity = ["critical"]
chain = [
    {{ after = "1s", tell = ["operator"] }},
    {{ after = "2s", tell = ["shift_manager"] }},
    {{ after = "3s", tell = ["administrator"] }},
]
"""


@pytest.mark.parametrize("done", range(1, 4))
def test_what_was_done_before_the_store_went_away_is_not_done_again(
    room: Room, monkeypatch: pytest.MonkeyPatch, done: int
) -> None:
    journal = Journal(room.folder / "alerts")
    places = Places(room.store, journal)
    routing = room.routing(CHAIN)
    intake = Intake(journal, routing, places)
    recorder = Recorder(room.store, journal, intake, places)
    found = alert(id="f" * 32, time=NOW * 1000, raised=NOW)
    intake.raise_alert(found, NOW)
    intake.escalate(NOW + 1_000)
    intake.escalate(NOW + 2_000)
    intake.clear_alert(found.id, NOW + 2_500)
    acts = list[str]()

    def gone_after_some(store: Store, name: str, act: SystemAct, known: Alert | None) -> Done | Refusal:
        if len(acts) == done:
            raise StoreUnavailable("the store is away")
        acts.append(act.deed)
        answer = perform(store, name, act, known)
        if len(acts) == 3:
            raise StoreUnavailable("the store did it and went away")
        return answer

    with monkeypatch.context() as patched:
        patched.setattr(recording, "perform", gone_after_some)
        with pytest.raises(StoreUnavailable):
            recorder.pay()
    assert len(acts) == done
    before = alert_with_steps(room.store, found.id)
    assert before is not None
    if done == 2:
        due = next_escalation(routing, found.severity, life_of(before.steps))
        assert due is not None
        assert (due[0], due[1].tell) == (NOW + 3_000, ("administrator",))
    recorder.pay()
    assert _actions(room, found.id) == ["raised", "escalated", "escalated", "cleared"]
    journal.close()
