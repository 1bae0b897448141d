"""What a person reads: one alert in full, many by number, critical ones all named, nothing that breaks a line."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.rows.alerts import Alert
from streams.alerting.message import Kind, Text, text_of
from streams.alerting.raising import UNKNOWN_PLACE, TablePlace, alert_of
from tests.store.floor import finding
from tests.streams.alerting.test_rules import alert

WHEN = datetime(2026, 11, 15, 7, 0, 5, tzinfo=UTC)


def message(kind: Kind, *alerts: Alert) -> Text:
    return text_of(kind, alerts, [WHEN] * len(alerts))


def test_one_alert_is_told_in_full() -> None:
    detail = {"finding": {"rule": "dragon-tiger-baccarat 5.15"}, "cameras": ["C1", "C2"]}
    text = message("raised", alert(message="Bet b1 came late.", shoe="S1", round=4, detail=detail))
    assert text.title == "CRITICAL late-bet at BT1 (P1)"
    assert text.body.splitlines() == [
        "Bet b1 came late.",
        "2026-11-15 07:00:05 UTC, table BT1 shoe S1 round 4",
        "Rule: dragon-tiger-baccarat 5.15",
        "Cameras: C1, C2",
        "Alert aaaaaaaa",
    ]
    assert text.urgency == "failure"


@pytest.mark.parametrize("kind", ["raised", "escalated", "cleared", "test"])
def test_a_message_of_whatever_kind_says_day_time_and_zone_once(kind: Kind) -> None:
    body = message(kind, alert()).body
    assert body.count("2026-11-15") == body.count("2026-11-15 07:00:05 UTC") == 1


@pytest.mark.parametrize("kind", ["raised", "escalated", "cleared"])
def test_alerts_of_one_day_told_together_say_day_and_zone_once(kind: Kind) -> None:
    lines = message(kind, alert(), alert(id="b" * 32), alert(id="c" * 32)).body.splitlines()
    assert lines[-4] == "2026-11-15 (UTC):"
    assert all(line.startswith("- 07:00:05 critical ") for line in lines[-3:])


def test_alerts_of_several_days_and_zones_told_together_each_stand_under_their_own() -> None:
    here = WHEN.astimezone(ZoneInfo("Asia/Singapore"))
    times = [here - timedelta(days=1), here, WHEN]
    alerts = [alert(id=letter * 32, time=number) for number, letter in enumerate("abc")]
    assert [line[:17] for line in text_of("raised", alerts, times).body.splitlines()] == [
        "2026-11-14 (+08):", "- 15:00:05 critic",
        "2026-11-15 (+08):", "- 15:00:05 critic",
        "2026-11-15 (UTC):", "- 07:00:05 critic",
    ]  # fmt: skip


def test_amounts_are_told_in_the_currency_of_the_table_alone_and_among_others() -> None:
    over = finding("above-maximum", "BT1", message="Bet b1 on banker is 350000, over the maximum of 300000.")
    yen = alert_of(over, TablePlace(currency="JPY"), 0, {})
    dollars = alert_of(over, TablePlace(currency="SGD"), 0, {})
    assert message("raised", dollars).body.startswith("Bet b1 on Banker is 3,500.00 SGD, over the maximum of 3,000.00.")
    together = message("raised", yen, dollars, alert_of(over, UNKNOWN_PLACE, 0, {})).body
    assert " is 350,000 JPY, over the maximum of 300,000. [" in together
    assert " is 3,500.00 SGD, over the maximum of 3,000.00. [" in together
    assert " is 350000, over the maximum of 300000. [" in together


def test_of_many_ten_are_named_and_the_rest_counted() -> None:
    text = message("raised", *(alert("device-gap", id=f"{number:032x}") for number in range(38)))
    assert text.title == "HIGH device-gap at BT1 (P1) and 37 more"
    assert len(text.body.splitlines()) == 12
    assert text.body.endswith("… and 28 more.")


def test_critical_ones_are_all_named_and_come_first() -> None:
    many = [alert("device-gap", id="b" * 32)] + [alert(id=f"{number:08x}" + "0" * 24) for number in range(20)]
    text = message("raised", *many)
    assert all(f"[{number:08x}]" in text.body for number in range(20))
    assert text.title == "CRITICAL late-bet at BT1 (P1) and 20 more"
    assert text.body.endswith("… and 1 more.")


def test_clearing_and_escalation_say_what_they_are() -> None:
    assert message("cleared", alert()).title.startswith("Cleared: ")
    assert message("cleared", alert()).urgency == "success"
    assert "Nobody has acknowledged this" in message("escalated", alert()).body


@given(st.text(min_size=1), st.text(min_size=1), st.text(min_size=1))
def test_names_from_devices_break_no_line_and_no_header(table: str, pit: str, said: str) -> None:
    text = message("raised", alert(table=table, pit=pit, message=said))
    assert text.title.isprintable()
    assert all(line.isprintable() for line in text.body.split("\n"))
    assert len(text.body.split("\n")) == 3
