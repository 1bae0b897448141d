"""Quiet hours hold whatever the reason was for which a message waits, and end when the last of adjoining ones does."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from store.connect import Patience, connect
from streams.alerting.intake import Intake
from streams.alerting.journal import Journal
from streams.alerting.places import Places
from streams.alerting.recipients import quiet_until
from streams.alerting.rules import Routing, parse_routing
from tests.streams.alerting.test_rules import alert, at

SITE = """
time_zone = "Asia/Singapore"
[people.ada]
roles = ["administrator"]
urls = ["json://127.0.0.1/ada"]
quiet = [{quiet}]
"""
NIGHT = '{ from = "22:00", to = "06:00" }'
WHOLE_DAY = '{ from = "03:00", to = "03:00" }'


def site(*quiet: str) -> Routing:
    return parse_routing(SITE.replace("{quiet}", ", ".join(quiet)))


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    made = Journal(tmp_path)
    yield made
    made.close()


def intake_of(journal: Journal, routing: Routing) -> Intake:
    nowhere = connect("clickhouse://default@127.0.0.1:9/tablewatch", patience=Patience(total=0.0))
    return Intake(journal, routing, Places(nowhere, journal))


def test_a_hold_that_ends_in_quiet_hours_goes_on_until_they_end(journal: Journal) -> None:
    intake = intake_of(journal, site(NIGHT))
    for name in ("first", "second"):
        intake.raise_alert(alert("device-clock", id=name), at("21:58"))
    assert journal.next_parcel("ada", 0, at("21:58"), 20) is not None
    intake.release(at("22:04"))
    assert journal.ready_lines(at("22:04")) == []
    intake.release(at("05:59", 12))
    assert journal.ready_lines(at("05:59", 12)) == []
    intake.release(at("06:00", 12))
    parcel = journal.next_parcel("ada", 0, at("06:00", 12), 20)
    assert parcel is not None
    assert [each.id for each in parcel.alerts] == ["second"]


def test_what_is_held_for_somebody_who_is_named_no_more_is_let_go(journal: Journal) -> None:
    for name in ("first", "second"):
        intake_of(journal, site(NIGHT)).raise_alert(alert("device-clock", id=name), at("21:58"))
    without = parse_routing(SITE.replace("{quiet}", "").replace("ada", "tan"))
    intake_of(journal, without).release(at("22:04"))
    assert journal._rows("SELECT count(*) FROM message WHERE status = 'held'") == [(0,)]


@pytest.mark.parametrize(
    ("quiet", "until"),
    [
        ((NIGHT, '{ from = "06:00", to = "09:00" }'), at("09:00", 12)),
        ((NIGHT, '{ from = "05:00", to = "09:00" }', '{ from = "09:00", to = "10:00" }'), at("10:00", 12)),
        ((NIGHT, '{ from = "06:01", to = "09:00" }'), at("06:00", 12)),
        # The 11th is a Wednesday: the whole of Thursday follows its night, and Thursday's night follows that.
        ((NIGHT, '{ from = "00:00", to = "00:00", days = ["thu"] }'), at("06:00", 13)),
    ],
)
def test_quiet_hours_that_adjoin_end_with_the_last_of_them(quiet: tuple[str, ...], until: int) -> None:
    assert quiet_until(site(*quiet), "ada", "high", at("23:00")) == until


@pytest.mark.parametrize("quiet", [(WHOLE_DAY,), (NIGHT, '{ from = "06:00", to = "22:00" }')])
def test_quiet_hours_that_never_end_are_told_of_when_the_first_span_does(
    journal: Journal, quiet: tuple[str, ...]
) -> None:
    routing = site(*quiet)
    first = at("03:00", 12) if quiet == (WHOLE_DAY,) else at("06:00", 12)
    assert quiet_until(routing, "ada", "high", at("23:00")) == first
    assert quiet_until(routing, "ada", "critical", at("23:00")) is None
    intake = intake_of(journal, routing)
    intake.raise_alert(alert("device-clock"), at("23:00"))
    intake.release(first)
    assert journal.ready_lines(first) == [("ada", 0)]
