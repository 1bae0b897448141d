"""`tablewatch alerts` as its users run it: exit codes, signals, kills."""

import os
import subprocess
import time
from dataclasses import replace

import httpx
import orjson
import pytest

from store.read.proof import access_entries
from streams.alerting.acts import SystemAct
from streams.alerting.desk import alert_with_steps, perform, record_raised
from streams.alerting.life import life_of
from streams.alerting.raising import SELF_TEST_TABLE, UNKNOWN_PLACE, alert_of
from streams.alerting.self_test import fault
from streams.lag import lag_of
from streams.publish import publish
from tests.store.floor import finding
from tests.streams.alerting.site import Site, stopped, worker
from tests.streams.alerting.webhook import until
from tests.streams.pipeline import COMMAND


def test_the_service_tells_measures_and_ends_with_0_on_sigterm(site: Site) -> None:
    service = site.start("alerts", "run")
    late = finding("late-bet", "BT1")
    site.room.say(late)
    until(lambda: site.room.hook.messages("anna"), site.log.read_text())
    until(lambda: alert_with_steps(site.room.store, late.id))
    port = int(site.log.read_text().split("metrics on port ")[1].split('"')[0])
    answers = {path: httpx.get(f"http://127.0.0.1:{port}{path}") for path in ("/metrics", "/healthz", "/readyz")}
    assert {answer.status_code for answer in answers.values()} == {200}
    told = answers["/metrics"].text
    assert 'tablewatch_alert_messages_sent_total{kind="raised",severity="critical"} 1.0' in told
    assert 'tablewatch_alerts_open{severity="critical"} 1.0' in told
    assert 'tablewatch_alert_delivery_seconds_count{severity="critical"} 1.0' in told
    second = subprocess.run(
        [*COMMAND, "alerts", "run"], check=False, env=site.environment, capture_output=True, text=True, timeout=60
    )
    assert (second.returncode, "another alert service" in second.stderr) == (2, True)
    assert stopped(service) == 0


def test_a_kill_between_sending_and_recording_repeats_one_message_at_most_and_the_step_is_there(site: Site) -> None:
    first = finding("late-bet", "BT1")
    others = [finding("late-bet", "BT1", number=number) for number in range(2, 6)]
    service = site.start("alerts", "run")
    hook = site.room.hook

    def kill_before_the_answer(_path: str, _message: object) -> int:
        hook.on_message = lambda _path, _message: 200
        hook.got.append(("/anna", {"title": "arrived", "message": f"{first.id[:8]}"}))
        service.kill()
        service.wait()
        return 500

    hook.on_message = kill_before_the_answer
    site.room.say(first)
    until(lambda: service.poll() is not None)
    history = alert_with_steps(site.room.store, first.id)
    assert history is None or "sent" not in {step.action for step in history.steps}
    site.room.say(*others)
    again = site.start("alerts", "run")
    until(lambda: all(was_sent(site, each.id) for each in (first, *others)))
    assert stopped(again) == 0
    texts = [message["message"] for message in hook.messages("anna")]
    assert sum(first.id[:8] in text for text in texts) == 2
    assert sum("may have had this message already" in text for text in texts) == 1
    assert all(sum(each.id[:8] in text for text in texts) == 1 for each in others)


def was_sent(site: Site, name: str) -> bool:
    """Whether the store knows that somebody was told of an alert."""
    history = alert_with_steps(site.room.store, name)
    return history is not None and any(step.action == "sent" for step in history.steps)


def test_kills_at_any_moment_lose_no_alert_and_repeat_one_message_at_most(site: Site) -> None:
    found = [finding("late-bet", "BT1", number=number) for number in range(1, 13)]
    for place, pause in ((0, 0.0), (4, 0.03), (8, 0.1)):
        service = site.start("alerts", "run")
        site.room.say(*found[place : place + 4])
        time.sleep(pause)
        service.kill()
        service.wait()
    last = site.start("alerts", "run")
    until(lambda: all(was_sent(site, each.id) for each in found))
    assert stopped(last) == 0
    texts = [message["message"] for message in site.room.hook.messages("anna")]
    counts = {each.id: sum(each.id[:8] in text for text in texts) for each in found}
    assert min(counts.values()) >= 1
    assert sum("may have had this message already" in text for text in texts) <= 3


def test_a_routing_file_that_is_named_must_be_there(site: Site) -> None:
    site.routes.unlink()
    for command in (("check",), ("test-message", "anna")):
        wrong = site.run("alerts", *command)
        assert (wrong.exit_code, "cannot be read" in wrong.stderr) == (2, True)
        assert "docs/operations.md" in wrong.stderr


def test_check_shows_who_is_told_and_names_faults_with_exit_code_2(site: Site) -> None:
    shown = site.run("alerts", "check")
    assert shown.exit_code == 0, shown.stderr
    lines = shown.stdout.splitlines()
    assert lines[0].split()[:2] == ["severity", "shift"]
    assert lines[1].split() == ["critical", "any", "time", "anna", "-"]
    assert lines[4].split() == ["low", "any", "time", "ada", "-"]
    rows = [orjson.loads(line) for line in site.run("alerts", "check", "--json").stdout.splitlines()]
    assert [row["told"] for row in rows] == [["anna"], ["anna"], ["ada"], ["ada"]]
    anna = '[people.anna]\nquiet = [{ from = "22:00", to = "06:00", days = ["fri"] }]'
    site.routes.write_text(site.room.text().replace("[people.anna]", anna))
    said = site.run("alerts", "check").stdout.splitlines()[-1]
    assert said == "Quiet, but for what is critical: anna: 22:00 to 06:00, beginning on fri (Asia/Singapore)."
    faulty = site.room.text().replace('tell = ["shift_manager"]', 'tell = ["shift_manger"]')
    site.routes.write_text(f'{faulty}\n[people.eve]\nurls = ["nonsense://token"]\n')
    wrong = site.run("alerts", "check")
    assert wrong.exit_code == 2
    assert "did you mean shift_manager?" in wrong.stderr
    assert "people.eve.urls.1: apprise cannot use this nonsense address" in wrong.stderr
    assert "Traceback" not in wrong.stderr


def test_a_test_message_says_what_became_of_each_address(site: Site) -> None:
    sent = site.run("alerts", "test-message", "anna")
    assert (sent.exit_code, sent.stdout) == (0, "json: taken\n")
    assert site.room.hook.titles("anna")[0].startswith("Test: ")
    site.room.hook.down()
    failed = site.run("alerts", "test-message", "anna")
    assert failed.exit_code == 1
    assert failed.stdout.startswith("json: not taken: ")
    assert site.run("alerts", "test-message", "nobody").exit_code == 2


def test_people_act_from_the_command_line_and_the_second_is_told_who_was_first(site: Site) -> None:
    late = finding("late-bet", "BT1")
    record_raised(site.room.store, [alert_of(late, UNKNOWN_PLACE, 1_760_000_000_000, {})])
    short = late.id[:8]
    assert short in site.run("alerts", "list").stdout
    for unknown in ("ack", "show"):
        refused = site.run("alerts", unknown, "nonsense")
        assert refused.exit_code == 2
        assert "no alert 'nonsense'" in refused.stderr and "tablewatch alerts list" in refused.stderr
    assert site.run("alerts", "ack", short, "--by", "anna").exit_code == 0
    second = site.run("alerts", "ack", short, "--by", "bob")
    assert second.exit_code == 1
    assert "anna (shift manager) was first" in second.stderr
    assert site.run("alerts", "take", short, "--by", "bob").exit_code == 0
    assert site.run("alerts", "hand-over", short, "--by", "bob", "--to", "anna").exit_code == 0
    resolved = site.run(
        "alerts", "resolve", short, "--by", "anna", "--disposition", "false alarm", "--note", "a cleaned reader"
    )
    assert resolved.exit_code == 0, resolved.stderr
    assert site.run("alerts", "reopen", late.id, "--note", "look again", "--role", "operator").exit_code == 1
    assert "No alert is open." in site.run("alerts", "list").stdout
    shown = site.run("alerts", "show", late.id).stdout
    assert "resolved by anna as false alarm (a cleaned reader)" in shown
    history = alert_with_steps(site.room.store, late.id)
    assert history is not None
    assert life_of(history.steps).disposition == "false alarm"
    noted = [entry for entry in access_entries(site.room.store) if entry.detail.get("alert") == late.id]
    deeds = ["acknowledge", "take", "hand over", "resolve"]
    assert [(entry.who, entry.action) for entry in noted] == [
        (who, f"alert: {deed}") for who, deed in zip(("anna", "bob", "bob", "anna"), deeds, strict=True)
    ]
    assert {entry.table for entry in noted} == {"BT1"}


def test_a_closed_alert_is_listed_shown_and_reopened_by_the_characters_that_messages_carry(site: Site) -> None:
    assert "No alert" in site.run("alerts", "list", "--closed").stdout
    now = time.time_ns() // 1_000_000
    found = [finding("late-bet", "BT1", number=number) for number in range(1, 4)]
    record_raised(site.room.store, [alert_of(each, UNKNOWN_PLACE, now, {}) for each in found])
    for each in (found[1], found[0]):
        site.run("alerts", "resolve", each.id, "--by", "anna", "--disposition", "test", "--note", "a drill")
    listed = site.run("alerts", "list", "--closed").stdout.splitlines()
    assert [line[:8] for line in listed] == [found[0].id[:8], found[1].id[:8]], "the one closed last first"
    assert "resolved as test by anna at " in listed[0]
    rows = [orjson.loads(line) for line in site.run("alerts", "list", "--closed", "--json").stdout.splitlines()]
    assert [(row["id"], row["state"]) for row in rows] == [(each.id, "resolved") for each in found[:2]]
    short = found[0].id[:8]
    assert "resolved by anna as test (a drill)" in site.run("alerts", "show", short).stdout
    late = site.run("alerts", "ack", short, "--by", "bob")
    assert (late.exit_code, "anna (shift manager) resolved it" in late.stderr) == (1, True)
    reopened = site.run("alerts", "reopen", short, "--note", "The video shows otherwise.")
    assert (reopened.exit_code, "reopened" in reopened.stdout) == (0, True), reopened.stderr
    assert short in site.run("alerts", "list").stdout


def test_all_tables_of_an_alert_about_several_are_shown(site: Site) -> None:
    late = alert_of(finding("late-bet", "BT1"), UNKNOWN_PLACE, time.time_ns() // 1_000_000, {})
    record_raised(site.room.store, [replace(late, table=None, detail={"tables": ["BT1", "BT2"]})])
    assert "\n  tables: BT1, BT2\n" in site.run("alerts", "show", late.id).stdout


def test_whom_an_escalation_called_is_shown_and_nobody_is_said_to_have_escalated(site: Site) -> None:
    late = alert_of(finding("late-bet", "BT1"), UNKNOWN_PLACE, time.time_ns() // 1_000_000, {})
    perform(site.room.store, late.id, SystemAct(deed="escalate", at=1, role="shift_manager, anna"), late)
    assert " escalated to the shift manager and anna\n" in site.run("alerts", "show", late.id).stdout


def test_first_characters_of_several_alerts_are_told_with_what_these_are(site: Site) -> None:
    now = time.time_ns() // 1_000_000
    late = alert_of(finding("late-bet", "BT1"), UNKNOWN_PLACE, now, {})
    others = [replace(late, id=f"abc{number:029d}", table=f"BT{number}") for number in range(1, 13)]
    record_raised(site.room.store, others[:2])
    shown = site.run("alerts", "show", "abc")
    assert (shown.exit_code, shown.stdout) == (2, "")
    said = shown.stderr.splitlines()
    assert said[0] == "2 alerts begin with 'abc'; write more of the id:"
    assert [line.split()[0] for line in said[1:]] == [each.id for each in others[:2]]
    assert "BT1" in said[1] and "late-bet" in said[1] and "UTC" in said[1]
    resolve = ("alerts", "resolve", "--by", "anna", "--disposition", "test", "--note", "a drill")
    assert site.run(*resolve, others[0].id).exit_code == 0
    assert site.run("alerts", "reopen", "abc", "--note", "x").exit_code == 2
    assert site.run(*resolve, "abc").exit_code == 0, "only one of them is open"
    record_raised(site.room.store, others[2:])
    many = site.run("alerts", "show", "abc").stderr.splitlines()
    assert (many[0], len(many)) == ("More than 10 alerts begin with 'abc'; write more of the id:", 11)
    assert site.run("alerts", "show", "").exit_code == 2


def test_who_acts_without_a_name_is_the_one_who_is_set_or_a_number_that_nobody_has(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    late = finding("late-bet", "BT1")
    record_raised(site.room.store, [alert_of(late, UNKNOWN_PLACE, 1_760_000_000_000, {})])
    site.environment["TABLEWATCH_USER"] = "anna"
    assert site.run("alerts", "ack", late.id).exit_code == 0
    # As in a container that runs under a number without a name.
    del site.environment["TABLEWATCH_USER"]
    for name in ("LOGNAME", "USER", "LNAME", "USERNAME"):
        site.environment.pop(name, None)
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(os, "getuid", lambda: 2**31 - 7)
    assert site.run("alerts", "note", late.id, "seen").exit_code == 0
    history = alert_with_steps(site.room.store, late.id)
    assert history is not None
    assert [step.by for step in history.steps] == ["tablewatch", "anna", "unknown"]


def test_every_help_begins_with_examples(site: Site) -> None:
    names = ("run", "check", "test-message", "list", "show", "ack", "take", "resolve", "reopen", "hand-over", "note")
    for command in ((), *((name,) for name in names), ("self-test",)):
        said = site.run("alerts", *command, "--help").stdout.splitlines()
        assert next(line for line in said if line.strip() and "Usage:" not in line).strip() == "Examples:", said


def fault_at(table: str, mode: str) -> list[bytes]:
    """A late bet at a table of the floor."""
    lines: list[bytes] = []
    for line in fault(f"1-{table}", time.time_ns() // 1000):
        event = orjson.loads(line)
        event |= {"subject": table, "source": event["source"].replace(SELF_TEST_TABLE, table)}
        if event["type"] == "table.configured.v1":
            event["data"] |= {"mode": mode, "pit": "P3", "cameras": ["C7"], "time_zone": "Asia/Singapore"}
        lines.append(orjson.dumps(event))
    return lines


def test_a_table_in_test_or_closed_mode_alerts_nobody_and_a_live_one_does_with_its_pit_and_cameras(site: Site) -> None:
    with worker(site):
        service = site.start("alerts", "run")
        floor = [fault_at("BT7", "closed"), fault_at("BT8", "test"), fault_at("BT9", "live")]
        publish([line for lines in floor for line in lines[:2]], site.room.broker)
        until(lambda: lag_of(site.room.broker) == 0)
        publish([line for lines in floor for line in lines[2:]], site.room.broker)
        until(lambda: site.room.hook.messages("anna"), site.log.read_text())
        until(lambda: lag_of(site.room.broker) == 0)
        assert stopped(service) == 0
    (message,) = [each for each in site.room.hook.messages("anna") if "late-bet" in each["title"]]
    assert message["title"] == "CRITICAL late-bet at BT9 (P3)"
    assert "Cameras: C7" in message["message"]
    texts = "".join(each["message"] for each in site.room.hook.messages("anna") + site.room.hook.messages("ada"))
    assert "BT7" not in texts
    assert "BT8" not in texts
