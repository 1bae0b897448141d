"""Reports of a shift and of an incident, over a stored evening."""

import csv
import io
from collections import defaultdict
from datetime import UTC, datetime, time
from fractions import Fraction
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from console.hold import hold_of
from console.shifts import InvalidShifts, Shifts, running_shift, shifts_of, zone_of
from console.table_file import csv_of
from games.odds import odds
from games.readings import DEFAULT_READINGS, Readings
from games.rulebook import rulebook
from store.read import reports
from streams.alerting.acts import SystemAct
from streams.alerting.desk import Done, perform
from streams.alerting.raising import SELF_TEST_TABLE, sentence_of
from tests.console.house import await_that, console_server
from tests.console.past.evening import Evening, Visitor

pytestmark = pytest.mark.xdist_group("evening")

HOUR = 3_600_000


def _span(evening: Evening) -> dict[str, int]:
    start = round(evening.start.timestamp() * 1000)
    return {"start": start - HOUR, "end": start + 3 * HOUR}


def test_a_shift_tells_rounds_handle_win_and_hold_of_every_round_once(evening: Evening) -> None:
    told = evening.client("shift_manager").get("/api/v1/reports/shift", **_span(evening)).json()
    (total,) = told["totals"]
    standing = [each for each in evening.rounds if each.verdict.status != "void"]
    assert total["rounds"] == len(evening.rounds)
    assert total["handle"] == sum(bet.stake for each in standing for bet in each.verdict.bets)
    moved = [bet.actual for each in evening.rounds for bet in each.verdict.bets if bet.actual]
    assert total["win"] == sum(each.collected - each.paid for each in moved)
    assert total["band"]["low"] < total["band"]["high"]
    assert told["span"]["running"]


def test_a_span_that_has_not_begun_is_not_running(evening: Evening) -> None:
    client, now = evening.client("shift_manager"), round(datetime.now(UTC).timestamp() * 1000)
    spans = [(now - 2 * HOUR, now - HOUR), (now - HOUR, now + HOUR), (now + HOUR, now + 2 * HOUR)]
    told = [client.get("/api/v1/reports/shift", start=start, end=end).json()["span"] for start, end in spans]
    assert [(each["begun"], each["running"]) for each in told] == [(True, False), (True, True), (False, False)]


def test_the_band_is_that_of_adding_up_every_round_by_itself(evening: Evening) -> None:
    told = evening.client("auditor").get("/api/v1/reports/shift/by/table", **_span(evening)).json()
    assert told["total"] > 1
    for line in told["lines"]:
        each = hold_of(evening.parts.store, line["name"], DEFAULT_READINGS)
        band = line["band"]
        assert (band["rounds"], band["handle"], band["win"]) == (each.rounds, each.handle, each.win)
        assert band["expected"] == pytest.approx(each.expected, abs=1)
        assert band["deviation"] == pytest.approx(each.deviation, abs=1)


def test_a_01_to_a_05_a_hold_is_held_against_the_odds_of_the_readings_that_are_set(
    evening: Evening, tmp_path: Path
) -> None:
    readings = Readings("literal", "each-natural", "cumulative", "layout", "layout")
    expected = {table: _expected(evening, table, readings) for table in {each.verdict.table for each in evening.rounds}}
    as_by_default = {table: _expected(evening, table, DEFAULT_READINGS) for table in expected}
    assert expected != as_by_default  # else this evening could not tell the readings apart
    with console_server(tmp_path, evening.server.broker, evening.parts.store, readings=readings) as otherwise:
        asked = Visitor(otherwise.client("auditor"))
        lines = asked.get("/api/v1/reports/shift/by/table", **_span(evening)).json()["lines"]
        assert {line["name"]: line["band"]["expected"] for line in lines} == pytest.approx(expected, abs=1)
        (total,) = asked.get("/api/v1/reports/shift", **_span(evening)).json()["totals"]
        assert total["band"]["expected"] == pytest.approx(sum(expected.values()), abs=len(expected))
        await_that(lambda: expected.keys() <= otherwise.parts.live.floor.tables.keys(), "all tables are on the floor")
        for table, win in expected.items():
            assert asked.get(f"/api/v1/tables/{table}/hold").json()["expected"] == pytest.approx(win, abs=1)


def _expected(evening: Evening, table: str, readings: Readings) -> float:
    """What the house wins on average of the stakes that the cards decided at a table: stake by stake, exactly."""
    games, win = rulebook(readings), Fraction(0)
    for each in evening.rounds:
        verdict = each.verdict
        if verdict.table != table or verdict.status == "void" or not verdict.outcome or verdict.game is None:
            continue
        if each.decks in games[verdict.game].decks:
            priced = odds(games[verdict.game], each.decks).wagers
            win -= sum(bet.stake * priced[bet.wager].mean for bet in verdict.bets if bet.wager in priced)
    return float(win)


def test_findings_are_counted_by_code_and_alerts_by_how_they_were_met(evening: Evening) -> None:
    told = evening.client("auditor").get("/api/v1/reports/shift", **_span(evening)).json()
    found = [finding.code for each in evening.rounds for finding in each.verdict.findings]
    assert {each["code"]: each["findings"] for each in told["findings"]} == {code: found.count(code) for code in found}
    met = told["response"]
    assert (met["alerts"], met["acknowledged"], met["resolved"]) == (len(evening.alerts), 3, 2)
    assert (met["to_acknowledge"], met["to_resolve"]) == (pytest.approx(30), pytest.approx(90))
    assert (met["false_alarms"], met["judged"], met["false_share"]) == (1, 2, 0.5)


def test_the_self_test_is_in_no_report_and_no_search_unless_asked_for_by_name(evening: Evening) -> None:
    auditor = evening.client("auditor")
    assert reports.figures(evening.parts.store, "table", 0, 2**52, [SELF_TEST_TABLE])[0].rounds == 1
    told = auditor.get("/api/v1/reports/shift/by/table", **_span(evening)).json()
    assert {line["name"] for line in told["lines"]} == {each.verdict.table for each in evening.rounds}
    for by in ("dealer", "player"):
        lines = auditor.get(f"/api/v1/reports/shift/by/{by}", **_span(evening)).json()["lines"]
        assert sum(line["void"] for line in lines if line["name"] == "") == 0
    found = auditor.get("/api/v1/rounds", count=200).json()
    assert found["total"] == len(evening.rounds)
    assert auditor.get("/api/v1/rounds", table=SELF_TEST_TABLE).json()["total"] == 1


def test_players_are_named_to_those_who_need_it_and_numbered_to_others(evening: Evening) -> None:
    seen = evening.client("auditor").get("/api/v1/reports/shift/by/player", **_span(evening)).json()
    hidden = evening.client("operator").get("/api/v1/reports/shift/by/player", **_span(evening)).json()
    players = {bet.player for each in evening.rounds for bet in each.verdict.bets if bet.player}
    assert {line["name"] for line in seen["lines"]} == players
    assert [line["name"] for line in hidden["lines"]][:2] == ["••• 1", "••• 2"]
    assert [line["handle"] for line in hidden["lines"]] == [line["handle"] for line in seen["lines"]]


def test_a_table_is_downloaded_with_the_figures_of_the_page(evening: Evening) -> None:
    shift_manager = evening.client("shift_manager")
    answer = shift_manager.get("/api/v1/reports/shift/table.csv", **_span(evening))
    assert "attachment" in answer.headers["content-disposition"]
    rows = list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"))))
    lines = shift_manager.get("/api/v1/reports/shift/by/table", **_span(evening)).json()["lines"]
    told = [(row["name"], int(row["handle_minor"])) for row in rows]
    assert told == [(line["name"], line["handle"]) for line in lines]
    amounts = [[row[f"{name}_minor"] for name in ("expected_win", "standard_deviation")] for row in rows]
    bands = [line["band"] for line in lines]
    assert amounts == [[str(each["expected"]), str(each["deviation"])] if each else ["", ""] for each in bands]
    findings = shift_manager.get("/api/v1/reports/shift/findings.csv", **_span(evening)).content.decode("utf-8-sig")
    of_codes = list(csv.DictReader(io.StringIO(findings)))
    assert {row["code"] for row in of_codes} == {
        finding.code for each in evening.rounds for finding in each.verdict.findings
    }
    acknowledged = [row for row in of_codes if row["median_seconds_to_acknowledge"]]
    assert acknowledged
    for row in acknowledged:
        assert float(row["slowest_seconds_to_acknowledge"]) >= float(row["median_seconds_to_acknowledge"])


def test_a_name_that_a_spreadsheet_would_run_is_only_text() -> None:
    assert csv_of(["name", "win"], [("=HYPERLINK()", -5), ("@x", 1)]).decode("utf-8-sig").splitlines() == [
        "name,win", "'=HYPERLINK(),-5", "'@x,1",
    ]  # fmt: skip


def test_an_incident_report_tells_the_finding_its_rule_its_round_and_who_did_what(evening: Evening) -> None:
    alert = evening.alerts[0]
    auditor = evening.client("auditor")
    told = auditor.get(f"/api/v1/reports/incidents/{alert.id}").json()
    assert told["finding"]["message"] == sentence_of(alert, "SGD")
    assert told["decimals"] == 2
    assert told["story"]["round"] == alert.round
    assert told["outcome"] == "resolved as false alarm"
    deeds = [(deed["who"], deed["what"]) for deed in told["deeds"]]
    assert ("operator", "acknowledged") in deeds
    assert ("shift-manager", "resolved as false alarm") in deeds
    assert [deed["at"] for deed in told["deeds"]] == sorted(deed["at"] for deed in told["deeds"])
    if told["finding"]["rule"]:
        assert told["subjects"][told["finding"]["rule"]]
    assert auditor.get(f"/api/v1/reports/incidents/{'0' * 32}").status_code == 404


def test_an_incident_report_tells_no_looks_at_other_alerts_of_its_round(evening: Evening) -> None:
    by_round = defaultdict(list)
    for each in evening.alerts:
        by_round[each.table, each.shoe, each.round].append(each)
    one, other = next(alerts for alerts in by_round.values() if len(alerts) > 1)[:2]
    assert evening.client("auditor").get(f"/api/v1/alerts/{one.id}").status_code == 200
    assert evening.client("operator").get(f"/api/v1/alerts/{other.id}").status_code == 200
    while evening.parts.access.carry_some():
        pass
    told = evening.client("auditor").get(f"/api/v1/reports/incidents/{one.id}").json()["deeds"]
    assert {deed["who"] for deed in told if deed["what"] == "looked at an alert"} == {"auditor"}


def test_an_incident_report_says_whom_an_escalation_called_and_not_that_they_escalated(evening: Evening) -> None:
    alert = evening.alerts[-1]
    act = SystemAct(deed="escalate", at=alert.raised * 1000 + 1, role="shift_manager, anna")
    assert isinstance(perform(evening.parts.store, alert.id, act), Done)
    auditor = evening.client("auditor")
    told = auditor.get(f"/api/v1/reports/incidents/{alert.id}").json()["deeds"]
    deeds = [(deed["who"], deed["role"], deed["what"]) for deed in told]
    assert ("tablewatch", "", "escalated to the shift manager and anna") in deeds
    steps = auditor.get(f"/api/v1/alerts/{alert.id}").json()["steps"]
    assert ("", "the shift manager and anna") in [(step["role"], step["recipient"]) for step in steps]


def test_a_table_without_rounds_in_a_time_is_told_from_one_that_nobody_has_heard_of(evening: Evening) -> None:
    table = evening.rounds[0].key.table
    heard = {
        name: evening.client("auditor").get("/api/v1/reports/shift", start=0, end=HOUR, table=name).json()["heard"]
        for name in (table, "XX99", "")
    }
    assert heard == {table: True, "XX99": False, "": True}


def test_a_span_that_makes_no_sense_is_refused(evening: Evening) -> None:
    auditor = evening.client("auditor")
    for query in ({"start": 5}, {"start": 5, "end": 5}, {"start": 0, "end": 400 * 24 * HOUR}):
        assert auditor.get("/api/v1/reports/shift", **query).status_code == 422
    assert auditor.get("/api/v1/reports/shift", start=0, end=HOUR).json()["totals"] == []


def test_the_running_shift_goes_over_midnight_and_over_a_change_of_clocks() -> None:
    shifts, singapore = Shifts(), ZoneInfo("Asia/Singapore")
    start, end = running_shift(shifts, singapore, datetime(2026, 3, 2, 18, 30, tzinfo=UTC))
    assert (start.isoformat(), end.isoformat()) == ("2026-03-02T22:00:00+08:00", "2026-03-03T06:00:00+08:00")
    start, end = running_shift(shifts, ZoneInfo("Europe/Vienna"), datetime(2026, 3, 29, 0, 30, tzinfo=UTC))
    assert (start.isoformat(), end.isoformat()) == ("2026-03-28T22:00:00+01:00", "2026-03-29T06:00:00+02:00")
    start, _ = running_shift(shifts, singapore, datetime(2026, 3, 2, 6, 0, tzinfo=UTC))
    assert start.isoformat() == "2026-03-02T14:00:00+08:00"


def test_the_site_has_the_time_zone_that_most_tables_name() -> None:
    shifts = shifts_of("07:30, 19:30", "UTC")
    assert shifts.begins == (time(7, 30), time(19, 30))
    assert zone_of(shifts, ["Asia/Singapore", None, "Asia/Singapore", "Asia/Macau"]).key == "Asia/Singapore"
    assert zone_of(shifts, ["Nowhere/Land", None]).key == "UTC"
    with pytest.raises(InvalidShifts):
        shifts_of("25:00", "UTC")
    with pytest.raises(InvalidShifts):
        shifts_of("06:00", "Nowhere/Land")
