"""From a finding on the topic to a person, and back: told, held back, escalated, cleared; every step in the store."""

import signal
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from schemas.findings import Finding, finding_json
from schemas.topics import ALERTS
from store.connect import Patience, Store, connect
from store.migrate import migrate
from store.render import SchemaSettings
from store.rows.alerts import AlertHistory
from streams.alerting.acts import Act, Refusal, decide
from streams.alerting.desk import Done, alert_with_steps, open_alerts, perform
from streams.alerting.intake import Intake
from streams.alerting.journal import Journal
from streams.alerting.life import life_of, raised_step
from streams.alerting.places import Places
from streams.alerting.raising import SELF_TEST_TABLE
from streams.alerting.recipients import next_escalation
from streams.alerting.recording import Recorder
from streams.alerting.rules import NOBODY
from streams.feed import FeedRecord
from tests.store.floor import finding
from tests.streams.alerting.room import Room
from tests.streams.alerting.webhook import until
from tests.streams.pipeline import StoreProcess


@pytest.fixture
def room(tmp_path: Path, store: Store) -> Iterator[Room]:
    made = Room(tmp_path, store)
    yield made
    made.close()


def history_of(room: Room, found: Finding) -> AlertHistory:
    history = alert_with_steps(room.store, found.id)
    assert history is not None
    return history


def actions(room: Room, found: Finding) -> list[str]:
    history = alert_with_steps(room.store, found.id)
    return [] if history is None else [step.action for step in history.steps]


def test_a_finding_reaches_those_whom_the_rules_name_and_every_step_is_stored(room: Room) -> None:
    late = finding("late-bet", "BT1")
    low = finding("position-not-on-layout", "BT1")
    with room.service():
        room.say(late, low)
        until(lambda: room.hook.messages("anna") and room.hook.messages("ada"))
        until(lambda: "sent" in actions(room, late) and "sent" in actions(room, low))
    assert room.hook.titles("anna") == ["CRITICAL late-bet at BT1"]
    assert room.hook.titles("ada") == ["LOW position-not-on-layout at BT1"], "no rule names it: otherwise"
    assert late.message in room.hook.messages("anna")[0]["message"]
    steps = history_of(room, late).steps
    assert [(step.action, step.by, step.recipient) for step in steps] == [
        ("raised", "tablewatch", ""),
        ("sent", "tablewatch", "Anna Tan by json"),
    ]


def test_a_repeated_finding_is_told_once_also_over_a_restart(room: Room) -> None:
    late = finding("late-bet", "BT1")
    with room.service():
        room.say(late, late)
        until(lambda: room.hook.messages("anna"))
    with room.service():
        other = finding("late-bet", "BT1", number=2)
        room.say(late, other)
        until(lambda: len(room.hook.messages("anna")) > 1)
    assert len(room.hook.messages("anna")) == 2
    assert other.id[:8] in room.hook.messages("anna")[1]["message"]


def test_a_service_without_its_journal_asks_the_store_who_was_told(room: Room) -> None:
    late = finding("late-bet", "BT1")
    with room.service():
        room.say(late)
        until(lambda: "sent" in actions(room, late))
    (room.folder / "alerts").rename(room.folder / "lost")
    with room.service():
        room.say(finding("late-bet", "BT1", number=2))
        until(lambda: len(room.hook.messages("anna")) == 2)
    assert [late.id[:8] in message["message"] for message in room.hook.messages("anna")] == [True, False]


def test_a_broken_reader_sends_one_message_and_one_digest_and_everything_critical_at_once(room: Room) -> None:
    gaps = [finding("device-gap", "BT1", shoe=None, round=None, about=f"/reader {n}") for n in range(38)]
    bets = [finding("late-bet", "BT1", number=number) for number in range(1, 31)]
    routing = room.routing('[limits]\nwindow = "2s"\n')
    with room.service(routing):
        room.say(*gaps[:20], *bets, *gaps[20:])
        until(lambda: any("and 36 more" in title for title in room.hook.titles("anna")))
        until(lambda: "sent" in actions(room, gaps[-1]))
    messages = room.hook.messages("anna")
    about_gaps = [message for message in messages if "device-gap" in message["title"]]
    assert len(about_gaps) == 2
    assert "… and 27 more." in about_gaps[1]["message"]
    critical = [message["message"] for message in messages if "late-bet" in message["title"]]
    assert all(sum(each.id[:8] in message for message in critical) == 1 for each in bets)
    assert "held back" in actions(room, gaps[-1])
    assert "held back" not in actions(room, bets[-1])


def test_a_cleared_finding_tells_those_who_were_told_and_nobody_else(room: Room) -> None:
    late = finding("late-bet", "BT1")
    with room.service():
        room.say(late)
        until(lambda: room.hook.messages("anna"))
        room.say(replace(late, cleared=True), replace(late, cleared=True))
        until(lambda: len(room.hook.messages("anna")) == 2)
        until(lambda: "told cleared" in actions(room, late))
        until(lambda: open_alerts(room.store) == [])
    assert room.hook.titles("anna")[1] == "Cleared: CRITICAL late-bet at BT1"
    assert room.hook.messages("ada") == []


def test_what_was_held_back_and_is_cleared_is_not_told_at_all(room: Room) -> None:
    first, second = (finding("device-gap", "BT1", shoe=None, round=None, about=f"/reader {n}") for n in range(2))
    with room.service(room.routing('[limits]\nwindow = "3s"\n')):
        room.say(first, second)
        until(lambda: room.hook.messages("anna"))
        room.say(replace(second, cleared=True))
        until(lambda: "cleared" in actions(room, second))
        third = finding("late-bet", "BT1")
        room.say(third)
        until(lambda: len(room.hook.messages("anna")) == 2)
    assert [second.id[:8] in message["message"] for message in room.hook.messages("anna")] == [False, False]


def test_a_finding_that_comes_back_after_it_was_cleared_is_told_again(room: Room) -> None:
    late = finding("late-bet", "BT1")
    with room.service():
        room.say(late, replace(late, cleared=True), late)
        until(lambda: actions(room, late).count("sent") == 1 and "raised again" in actions(room, late))
    assert life_of(history_of(room, late).steps).state == "reopened"


ESCALATION = """
[people.bob]
roles = ["operator"]
urls = ["{bob}"]

[[escalation]]
severity = ["critical"]
chain = [{{ after = "1s", tell = ["operator"] }}, {{ after = "2s", tell = ["administrator"] }}]
"""


def test_what_nobody_acknowledges_goes_to_the_next_role_and_then_to_the_one_after(room: Room) -> None:
    late = finding("late-bet", "BT1")
    with room.service(room.routing(ESCALATION)):
        room.say(late)
        until(lambda: room.hook.messages("ada"))
        until(lambda: actions(room, late).count("escalated") == 2)
    assert room.hook.titles("bob") == ["Not acknowledged: CRITICAL late-bet at BT1"]
    assert room.hook.titles("ada") == ["Not acknowledged: CRITICAL late-bet at BT1"]
    assert len(room.hook.messages("anna")) == 1
    life = life_of(history_of(room, late).steps)
    assert (life.state, life.escalations) == ("escalated", 2)
    assert [step.role for step in life.standing if step.action == "escalated"] == ["operator", "administrator"]


def test_an_acknowledgement_at_the_desk_stops_the_escalation(room: Room) -> None:
    late, other = finding("late-bet", "BT1"), finding("late-bet", "BT1", number=2)
    journal = Journal(room.folder / "alerts")
    places = Places(room.store, journal)
    intake = Intake(journal, room.routing(ESCALATION), places)
    recorder = Recorder(room.store, journal, intake, places)
    start = 1_760_000_000_000
    records = [FeedRecord(ALERTS.name, 0, n, start, None, finding_json(f), {}) for n, f in enumerate((late, other))]
    intake.take(records, start)
    recorder.pay()
    seen = Act(deed="acknowledge", by="anna", role="shift_manager", at=start * 1000 + 5)
    assert isinstance(perform(room.store, late.id, seen), Done)
    recorder.look()
    intake.escalate(start + 999)
    recorder.pay()
    assert "escalated" not in actions(room, other), "not before its time"
    intake.escalate(start + 1_000)
    recorder.pay()
    assert actions(room, other).count("escalated") == 1
    assert actions(room, late) == ["raised", "acknowledged"]
    assert journal.ready_lines(start + 1_000) == [("anna", 0), ("bob", 0)]
    parcel = journal.next_parcel("bob", 0, start + 1_000, 20)
    assert parcel is not None
    assert [alert.id for alert in parcel.alerts] == [other.id]
    journal.close()


def test_what_nobody_has_acknowledged_escalates_by_the_routing_that_is_in_force_now(room: Room) -> None:
    late, taken = finding("late-bet", "BT1"), finding("late-bet", "BT1", number=2)
    journal = Journal(room.folder / "alerts")
    places = Places(room.store, journal)
    start = 1_760_000_000_000
    records = [FeedRecord(ALERTS.name, 0, n, start, None, finding_json(f), {}) for n, f in enumerate((late, taken))]
    before = Intake(journal, room.routing(ESCALATION), places)
    before.take(records, start)
    journal.attended(taken.id, "taken")
    after = Intake(journal, room.routing(ESCALATION.replace('"1s"', '"90s"').replace('"2s"', '"120s"')), places)
    assert [known.alert.id for known in journal.due_alerts(start + 1_000)] == [late.id]
    after.take_up_routing()
    assert journal.due_alerts(start + 89_999) == []
    assert [known.alert.id for known in journal.due_alerts(start + 90_000)] == [late.id]
    journal.close()


def test_without_a_routing_file_alerts_come_to_the_desk_and_nobody_is_told(room: Room) -> None:
    late = finding("late-bet", "BT1")
    with room.service(NOBODY):
        room.say(late)
        until(lambda: actions(room, late) == ["raised"])
        room.say(replace(late, cleared=True))
        until(lambda: open_alerts(room.store) == [])
    assert room.hook.got == []


def test_the_desks_clock_knows_when_an_alert_escalates_next(room: Room) -> None:
    routing = room.routing(ESCALATION)
    steps = [raised_step("a", 1_000_000)]
    due = next_escalation(routing, "critical", life_of(steps))
    assert due is not None
    assert (due[0], due[1].tell) == (2_000, ("operator",))
    seen = decide(steps, Act(deed="acknowledge", by="anna", role="operator", at=5), "a")
    assert not isinstance(seen, Refusal)
    assert next_escalation(routing, "critical", life_of([*steps, *seen])) is None
    assert next_escalation(routing, "low", life_of(steps)) is None


def test_nobody_hears_of_the_table_of_the_self_test(room: Room) -> None:
    with room.service():
        room.say(finding("late-bet", SELF_TEST_TABLE), finding("late-bet", "BT1"))
        until(lambda: room.hook.messages("anna"))
    assert room.hook.titles("anna") == ["CRITICAL late-bet at BT1"]
    assert room.hook.messages("ada") == []


def test_an_address_that_is_away_is_tried_again_and_holds_nobody_else_up(room: Room) -> None:
    more = '[people.bob]\nroles = ["shift_manager"]\nurls = ["{bob}"]\n'
    late = finding("late-bet", "BT1")
    away = True
    room.hook.on_message = lambda path, _: 503 if away and path == "/anna" else 200
    with room.service(room.routing(more)):
        room.say(late)
        until(lambda: "failed" in actions(room, late))
        assert len(room.hook.messages("bob")) == 1
        away = False
        until(lambda: room.hook.messages("anna"))
        until(lambda: actions(room, late).count("sent") == 2)
    failed = [step for step in history_of(room, late).steps if step.action == "failed"]
    assert failed[0].recipient == "Anna Tan by json"
    assert "503" in failed[0].note
    assert len(room.hook.messages("anna")) == 1


def test_a_target_that_is_down_gets_its_messages_when_it_is_up_again_each_once(room: Room) -> None:
    found = [finding("late-bet", "BT1", number=number) for number in range(1, 6)]
    room.hook.down()
    with room.service():
        room.say(*found[:3])
        until(lambda: "failed" in actions(room, found[0]))
        room.say(*found[3:])
        until(lambda: "failed" in actions(room, found[4]))
        room.hook.up()
        until(lambda: all("sent" in actions(room, each) for each in found))
    texts = [message["message"] for message in room.hook.messages("anna")]
    assert [sum(each.id[:8] in text for text in texts) for each in found] == [1] * 5


def test_a_full_journal_loses_nothing(room: Room) -> None:
    late = finding("late-bet", "BT1")
    with room.service() as serving:
        (pages,) = serving.journal._rows("PRAGMA page_count")[0]
        serving.journal._do(f"PRAGMA max_page_count = {pages}")
        many = [finding("late-bet", "BT1", number=number, message="x" * 3000) for number in range(2, 60)]
        room.say(*many, late)
        time.sleep(0.5)
        assert room.hook.messages("anna") == []
        serving.journal._do("PRAGMA max_page_count = 1000000")
        until(lambda: "sent" in actions(room, late))


def test_the_next_address_of_a_person_is_tried_when_the_first_does_not_take_it_and_copies_always(room: Room) -> None:
    base = room.text().replace(
        f'urls = ["{room.hook.url("anna")}"]',
        f'urls = ["json://127.0.0.1:9/gone", "{room.hook.url("anna")}"]\ncopies = ["{room.hook.url("copy")}"]',
    )
    with room.service(room.routing(base=base.replace("{", "{{").replace("}", "}}"))):
        room.say(finding("late-bet", "BT1"))
        until(lambda: room.hook.messages("anna") and room.hook.messages("copy"))
    assert len(room.hook.messages("anna")) == len(room.hook.messages("copy")) == 1


def test_the_store_goes_away_and_comes_back_while_people_are_told(room: Room) -> None:
    server = StoreProcess(room.folder / "clickhouse")
    server.start()
    try:
        own = connect(server.url, patience=Patience(total=30.0))
        migrate(own, SchemaSettings())
        room.store = own
        late, other = finding("late-bet", "BT1"), finding("late-bet", "BT1", number=2)
        with room.service() as serving:
            room.say(late)
            until(lambda: "sent" in actions(room, late))
            server.stop(signal.SIGKILL)
            room.say(other)
            until(lambda: len(room.hook.messages("anna")) == 2)
            until(lambda: serving.recorder.away)
            server.start()
            until(lambda: actions(room, other) == ["raised", "sent"])
        assert actions(room, late) == ["raised", "sent"]
        assert len(room.hook.messages("anna")) == 2
    finally:
        server.stop()


def test_without_the_store_people_are_told_and_the_steps_come_later(room: Room) -> None:
    nowhere = connect("clickhouse://default@127.0.0.1:9/tablewatch", patience=Patience(total=0.2))
    late, other = finding("late-bet", "BT1"), finding("late-bet", "BT1", number=2)
    with room.service(store=nowhere) as serving:
        room.say(late, other)
        until(lambda: room.hook.messages("anna"))
        until(lambda: serving.recorder.away)
        until(lambda: serving.journal.owed_count() >= 4)
    assert actions(room, late) == []
    with room.service():
        until(lambda: actions(room, late) == ["raised", "sent"] and actions(room, other) == ["raised", "sent"])
    assert sum(late.id[:8] in message["message"] for message in room.hook.messages("anna")) == 1
