"""The reports of a shift and of an incident in a real browser: on a desk, on a phone and on paper."""

import csv
import io
import re
from itertools import combinations
from pathlib import Path

import pytest
from playwright.sync_api import Route, expect

from console.auth.roles import ROLES, Role
from console.server.rights import PAGES
from streams.alerting.raising import sentence_of
from tests.console.browser.conftest import DESKTOP, PHONE, SIZES, WATCHING, Visitor, fits
from tests.console.past.evening import Evening

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("role", WATCHING)
def test_the_shift_report(evening: Evening, visitor: Visitor, role: Role, size: tuple[int, int]) -> None:
    start = round(evening.start.timestamp() * 1000)
    page = visitor.page(evening.server, role, f"/reports?start={start - 60_000}&end={start + 10_800_000}", size)
    expect(page.get_by_text("Hold here is theoretical")).to_contain_text("No drop or fills")
    total = page.locator(".total-of")
    expect(total).to_contain_text("95 % band")
    expect(total.locator("dd").first).to_have_text(str(len(evening.rounds)))
    expect(page.locator(".report-lines tbody tr")).to_have_count(len({each.key.table for each in evening.rounds}))
    expect(page.locator("#h-lines")).to_have_text("By table")
    page.get_by_role("button", name="Players").click()
    expect(page.locator("#h-lines")).to_have_text("By player")
    first = page.locator(".report-lines tbody tr td").first
    expect(first).to_contain_text("••• 1" if role == "operator" else "M1")
    assert page.get_by_role("link", name="CSV: table").count() == (0 if role == "operator" else 1)
    assert fits(page)


def test_a_shift_report_of_an_unknown_table_says_that_it_is(evening: Evening, visitor: Visitor) -> None:
    page = visitor.page(evening.server, "shift_manager", "/reports?table=XX99")
    expect(page.locator("main")).to_contain_text("Nobody has heard of a table XX99.")


@pytest.mark.parametrize("width", [PHONE[0], 1100, 1280, DESKTOP[0]])
def test_the_figures_of_a_shift_have_room_however_large(evening: Evening, visitor: Visitor, width: int) -> None:
    page = visitor.page(evening.server, "shift_manager", "/rounds", (width, 800))

    def richer(route: Route) -> None:
        answer = route.fetch()
        told = answer.json()
        told["totals"][0] |= {"handle": 98_765_432_150, "win": -12_345_678_925}
        route.fulfill(response=answer, json=told)

    page.route(re.compile(r"/api/v1/reports/shift[?]"), richer)
    start = round(evening.start.timestamp() * 1000)
    page.goto(f"/reports?start={start - 60_000}&end={start + 10_800_000}")
    expect(page.locator(".total-of")).to_contain_text("987,654,321.50")
    boxes = page.locator(".figures dd").evaluate_all(
        "nodes => nodes.map((node) => {"
        " const range = document.createRange(); range.selectNodeContents(node);"
        " const { top, bottom, left, right } = range.getBoundingClientRect(); return { top, bottom, left, right }; })"
    )
    assert max(box["right"] for box in boxes) <= width
    for one, other in combinations(boxes, 2):
        if one["top"] < other["bottom"] and other["top"] < one["bottom"]:
            assert one["right"] + 8 <= other["left"] or other["right"] + 8 <= one["left"]


def test_a_report_says_when_a_wrong_clock_counts(evening: Evening, visitor: Visitor) -> None:
    page = visitor.page(evening.server, "shift_manager", "/rounds")
    clock = {"code": "device-clock", "severity": "high", "findings": 58, "cleared": 0, "corrected": 0, "rounds": 0}

    def with_a_clock(route: Route) -> None:
        answer = route.fetch()
        told = answer.json()
        told["findings"].append(clock)
        route.fulfill(response=answer, json=told)

    start = round(evening.start.timestamp() * 1000)
    report = f"/reports?start={start - 60_000}&end={start + 10_800_000}"
    page.goto(report)
    expect(page.locator(".report-found tbody tr").first).to_be_visible()
    expect(page.locator(".report-found")).not_to_contain_text("by when it was found")
    page.route(re.compile(r"/api/v1/reports/shift[?]"), with_a_clock)
    page.goto(report)
    expect(page.locator(".report-found")).to_contain_text("device-clock, which says that this time is wrong, by when")


def test_a_shift_that_lies_ahead_is_not_called_running(evening: Evening, visitor: Visitor) -> None:
    page = visitor.page(evening.server, "shift_manager", "/reports")
    expect(page.locator("main")).to_contain_text("still running: these figures will change")
    page.get_by_role("button", name="After").click()
    expect(page.locator("main")).to_contain_text("has not begun yet")
    expect(page.locator("main")).not_to_contain_text("still running")


def test_a_report_is_downloaded_and_printed_without_the_bar(evening: Evening, visitor: Visitor, tmp_path: Path) -> None:
    start = round(evening.start.timestamp() * 1000)
    page = visitor.page(evening.server, "shift_manager", f"/reports?start={start - 60_000}&end={start + 10_800_000}")
    with page.expect_download() as coming:
        page.get_by_role("link", name="CSV: table").click()
    file = tmp_path / "shift.csv"
    coming.value.save_as(file)
    rows = list(csv.DictReader(io.StringIO(file.read_text("utf-8-sig"))))
    assert sum(int(row["rounds"]) for row in rows) == len(evening.rounds)
    page.emulate_media(media="print")
    expect(page.locator("#bar")).to_be_hidden()
    expect(page.get_by_role("button", name="Running shift")).to_be_hidden()
    expect(page.locator(".total-of")).to_be_visible()


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("role", [role for role in ROLES if role in PAGES["/reports/incidents/{finding}"]])
def test_an_incident_report(evening: Evening, visitor: Visitor, role: Role, size: tuple[int, int]) -> None:
    alert = evening.alerts[0]
    page = visitor.page(evening.server, role, f"/reports/incidents/{alert.id}", size)
    expect(page.get_by_text(sentence_of(alert, "SGD")).first).to_be_visible()
    expect(page.get_by_text("resolved as false alarm").first).to_be_visible()
    expect(page.get_by_text("Looked at the camera.")).to_be_visible()
    expect(page.get_by_role("heading", name=re.compile("^(The round|Bets in SGD)"))).to_have_count(2)
    assert fits(page)
    page.get_by_role("link", name="Replay the round").click()
    expect(page.locator(".stage .pinned").first).to_be_visible()
