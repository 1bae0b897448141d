"""The self-test through a real worker, by hand and by the service: who hears when its alert does not come."""

import time

import orjson

from schemas.findings import finding_json
from schemas.topics import ALERTS
from streams.alerting.journal import Journal
from streams.alerting.places import Places
from streams.alerting.raising import SELF_TEST_TABLE
from streams.embedded.log import Log
from tests.store.floor import finding
from tests.streams.alerting.site import Site, stopped, worker
from tests.streams.alerting.webhook import until

ESCALATION = """
[[escalation]]
severity = ["critical"]
chain = [{{ after = "1s", tell = ["shift_manager"] }}]
"""


def test_the_self_test_comes_through_the_whole_pipeline_and_no_person_hears_of_it(site: Site) -> None:
    with worker(site):
        service = site.start("alerts", "run")
        proved = site.run("alerts", "self-test", "--within", "60")
        assert proved.exit_code == 0, proved.stderr
        assert proved.stdout.startswith("The alert came after ")
        site.room.say(finding("late-bet", "BT1"))
        until(lambda: site.room.hook.messages("anna"))
        assert stopped(service) == 0
    assert site.room.hook.titles("anna") == ["CRITICAL late-bet at BT1"]
    assert site.room.hook.messages("ada") == []
    journal = Journal(site.routes.parent / "journal")
    place = Places(site.room.store, journal).of(SELF_TEST_TABLE)
    journal.close()
    assert (place.pit, place.game) == (SELF_TEST_TABLE, "dragon_tiger_baccarat")
    with Log(site.room.log.folder) as log:
        values = [
            record.value
            for place, span in log.spans().items()
            if place.topic == ALERTS.name
            for record in log.read(*place, span.first)
        ]
    tables = [
        orjson.loads(value or b"{}")["table"] for value in values if value != finding_json(finding("late-bet", "BT1"))
    ]
    codes = [orjson.loads(value or b"{}")["code"] for value in values]
    assert set(tables) == {SELF_TEST_TABLE}
    assert codes.count("late-bet") == 2, codes


def test_a_self_test_that_comes_through_fails_where_the_alert_service_has_stopped(site: Site) -> None:
    with worker(site):
        unknown = site.run("alerts", "self-test", "--within", "60")
        assert unknown.exit_code == 0, unknown.stderr
        assert "no alert service has run with the data folder" in unknown.stderr
        assert stopped(site.start("alerts", "run")) == 0
        proved = site.run("alerts", "self-test", "--within", "60")
    assert proved.exit_code == 1
    assert proved.stdout.startswith("The alert came after ")
    assert proved.stderr.startswith("The alert service is not running: nobody would be told.")
    assert site.room.hook.messages("ada") == []


def test_a_self_test_whose_alert_does_not_come_alarms_the_administrators(site: Site) -> None:
    failed = site.run("alerts", "self-test", "--within", "1")
    assert failed.exit_code == 1
    assert "did not come within 1 s" in failed.stderr
    assert site.room.hook.titles("ada") == ["CRITICAL self-test-failed at no table"]
    (told,) = [orjson.loads(line) for line in site.run("alerts", "list", "--json").stdout.splitlines()]
    assert told["code"] == "self-test-failed"
    assert [(step["action"], step["recipient"]) for step in told["steps"]] == [("raised", ""), ("sent", "ada by json")]


def test_one_that_could_not_be_told_is_on_record_as_such(site: Site) -> None:
    site.room.hook.down()
    assert site.run("alerts", "self-test", "--within", "1").exit_code == 1
    (told,) = [orjson.loads(line) for line in site.run("alerts", "list", "--json").stdout.splitlines()]
    assert [step["action"] for step in told["steps"]] == ["raised", "failed"]
    assert told["steps"][1]["note"]


def test_the_alarm_of_a_self_test_by_hand_escalates_and_is_told_to_nobody_twice(site: Site) -> None:
    site.routes.write_text(site.room.text(ESCALATION))
    service = site.start("alerts", "run")
    assert site.run("alerts", "self-test", "--within", "1").exit_code == 1
    until(lambda: site.room.hook.messages("anna"), site.log.read_text())
    assert stopped(service) == 0
    assert site.room.hook.titles("anna") == ["Not acknowledged: CRITICAL self-test-failed at no table"]
    assert site.room.hook.titles("ada") == ["CRITICAL self-test-failed at no table"]
    assert "escalated" in site.run("alerts", "list").stdout


def test_the_daily_self_test_of_the_service_alarms_the_administrators(site: Site) -> None:
    soon = time.strftime("%H:%M", time.gmtime())
    text = site.room.text().replace("at = []", f'at = ["{soon}"]\nwithin = "1s"').replace("Asia/Singapore", "UTC")
    site.routes.write_text(text)
    service = site.start("alerts", "run")
    until(lambda: site.room.hook.messages("ada"), site.log.read_text())
    assert stopped(service) == 0
    assert site.room.hook.titles("ada") == ["CRITICAL self-test-failed at no table"]
    again = site.start("alerts", "run")
    site.room.say(finding("late-bet", "BT1"))
    until(lambda: site.room.hook.messages("anna"))
    assert stopped(again) == 0
    assert len(site.room.hook.messages("ada")) == 1, "one test for each time of day, also over a restart"
