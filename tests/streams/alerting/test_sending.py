"""A message that cannot be sent keeps no other back, and what a fault interrupts goes again without a restart."""

import sqlite3
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.connect import Patience, connect
from store.rows.alerts import Alert
from streams.alerting import sending
from streams.alerting.intake import Intake
from streams.alerting.journal import Journal
from streams.alerting.message import text_of
from streams.alerting.outbox import Planned
from streams.alerting.places import Places
from streams.alerting.raising import TIME_HEADER, device_time
from streams.alerting.recipients import local_time
from streams.alerting.rules import parse_routing
from streams.alerting.sending import Sender
from tests.streams.alerting.room import PLAIN
from tests.streams.alerting.test_rules import ROUTING, alert
from tests.streams.alerting.webhook import Webhook, until

END_OF_TIME = 253_402_300_799_000_000
"""9999-12-31T23:59:59Z, in microseconds: in Singapore that is the year 10000."""
ZONES = sorted(available_timezones())


@dataclass
class Desk:
    """Journal, intake and sender without a store; one person who listens."""

    hook: Webhook
    journal: Journal
    intake: Intake
    sender: Sender

    def raise_alert(self, name: str, **more: Any) -> None:
        now = round(time.time() * 1000)
        self.intake.raise_alert(alert(id=name, message=f"about {name}", **({"time": now * 1000} | more)), now)

    def heard(self) -> str:
        """Everything that the person was sent; sends what is to be sent."""
        self.sender.dispatch()
        return "\n".join(message["message"] for message in self.hook.messages("anna"))


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    hook = Webhook()
    journal = Journal(tmp_path)
    routing = parse_routing(PLAIN.format(anna=hook.url("anna"), ada=hook.url("ada")))
    nowhere = connect("clickhouse://default@127.0.0.1:9/tablewatch", patience=Patience(total=0.0))
    sender = Sender(journal, routing)
    yield Desk(hook, journal, Intake(journal, routing, Places(nowhere, journal)), sender)
    sender.stop()
    journal.close()
    hook.down()


def fail_for(monkeypatch: pytest.MonkeyPatch, name: str, times: int) -> None:
    """The text of a message about this alert cannot be made, so many times."""
    left = [times]

    def made(kind: Any, alerts: Any, moments: Any, **more: Any) -> Any:
        if left[0] and any(each.id == name for each in alerts):
            left[0] -= 1
            raise RuntimeError("there are no words for it")
        return text_of(kind, alerts, moments, **more)

    monkeypatch.setattr(sending, "text_of", made)


def test_an_alert_of_the_year_9999_is_sent_and_those_beside_it(desk: Desk) -> None:
    desk.raise_alert("good")
    desk.raise_alert("late", time=END_OF_TIME)
    until(lambda: "good" in desk.heard() and "late" in desk.heard())


def test_a_text_that_cannot_be_made_once_is_sent_without_a_restart(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    fail_for(monkeypatch, "bad", 1)
    desk.raise_alert("bad")
    until(lambda: "about bad" in desk.heard())
    failed = [owed.body for owed in desk.journal.owed(20) if owed.body.get("action") == "failed"]
    assert ["there are no words for it" in each["note"] for each in failed] == [True], "the desk hears of it"


@pytest.mark.parametrize("severity", ["critical", "medium"])
def test_a_message_that_can_never_be_sent_keeps_no_other_of_its_parcel_back(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, severity: str
) -> None:
    fail_for(monkeypatch, "a1", 1_000)
    for number in range(4):
        name = f"a{number}"
        found = alert(id=name, severity=severity, message=f"about {name}")
        desk.journal.add_alert(found, 1, None)
    now = round(time.time() * 1000)
    held = severity != "critical"
    for number in range(4):
        desk.journal.plan([planned(f"a{number}", severity, now, held=held)])
    desk.journal.release_held(now, 1_000)
    until(lambda: all(f"about a{number}" in desk.heard() for number in (0, 2, 3)))
    assert "about a1" not in desk.heard()


def planned(name: str, severity: str, now: int, *, held: bool) -> Planned:
    return Planned(f"{name} raised", name, "anna", 0, "raised", severity, "", now, now, held)


def test_what_a_fault_of_the_journal_leaves_on_its_way_goes_again_and_says_so(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    full, sent = [True], Journal.sent

    def fails_once(self: Journal, *values: Any) -> None:
        if full.pop() if full else False:
            raise sqlite3.OperationalError("database or disk is full")
        sent(self, *values)

    monkeypatch.setattr(Journal, "sent", fails_once)
    desk.raise_alert("one")
    until(lambda: desk.heard().count("about one") == 2)
    assert "may have had this message already" in desk.heard()
    until(lambda: desk.journal._rows("SELECT status FROM message") == [("sent",)])


@given(st.integers(-(10**17), 10**17), st.sampled_from(ZONES))
def test_every_moment_has_a_time_on_every_clock(moment_ms: int, zone: str) -> None:
    assert local_time(ROUTING, _there(zone), moment_ms).tzinfo == ZoneInfo(zone)


@pytest.mark.parametrize("zone", ["Asia/Singapore", "America/Los_Angeles", "Pacific/Kiritimati", "UTC"])
@pytest.mark.parametrize("moment", [datetime.min, datetime.max])
def test_the_first_and_the_last_year_have_times_in_every_zone(moment: datetime, zone: str) -> None:
    moment_ms = round(moment.replace(tzinfo=UTC).timestamp() * 1000)
    assert local_time(ROUTING, _there(zone), moment_ms).strftime("%H:%M:%S")


def _there(zone: str) -> Alert:
    return alert(detail={"time_zone": zone})


@pytest.mark.parametrize(
    ("said", "time_us"),
    [
        (str(END_OF_TIME).encode(), END_OF_TIME),
        (b"9" * 19, 7_000),
        (b"9" * 5_000, 7_000),
        (b"-1", 7_000),
        (b"", 7_000),
    ],
)
def test_a_time_that_no_calendar_has_is_none_and_the_record_s_own_counts(said: bytes, time_us: int) -> None:
    assert device_time({TIME_HEADER: said}, 7) == time_us
