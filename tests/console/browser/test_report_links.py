"""What a shift report leads to: the rounds of its findings, and files for those who get one."""

import re

import pytest
from playwright.sync_api import Route, expect

from console.auth.roles import Role
from tests.console.browser.conftest import Visitor
from tests.console.past.evening import Evening

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]


def test_a_code_leads_to_its_rounds_of_the_shift_and_one_of_devices_leads_nowhere(
    evening: Evening, visitor: Visitor
) -> None:
    page = visitor.page(evening.server, "shift_manager", "/rounds")

    def with_a_silence(route: Route) -> None:
        answer = route.fetch()
        told = answer.json()
        silence = {"code": "device-silent", "severity": "high", "findings": 2, "cleared": 0, "corrected": 0}
        route.fulfill(response=answer, json=told | {"findings": [*told["findings"], silence | {"rounds": 0}]})

    page.route(re.compile(r"/api/v1/reports/shift[?]"), with_a_silence)
    start = round(evening.start.timestamp() * 1000)
    page.goto(f"/reports?start={start - 60_000}&end={start + 10_800_000}")
    found = page.get_by_role("group", name="Findings")
    expect(found.get_by_role("cell", name="device-silent")).to_be_visible()
    assert found.get_by_role("link", name="device-silent").count() == 0
    found.get_by_role("link", name="payout-wrong").click()
    expect(page.locator("table.found tbody tr")).to_have_count(1)
    assert page.get_by_label("Opened from").input_value()


@pytest.mark.parametrize("role", ["operator", "auditor"])
def test_of_a_file_are_told_those_who_get_one(evening: Evening, visitor: Visitor, role: Role) -> None:
    start = round(evening.start.timestamp() * 1000)
    page = visitor.page(evening.server, role, f"/reports?start={start}&end={start + 10_800_000}")

    def more(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, json={**answer.json(), "total": 1_000})

    page.route("**/by/player*", more)
    page.get_by_role("button", name="Players").click()
    told = page.get_by_text("1,000, the highest handle first")
    expect(told).to_contain_text("are shown")
    assert ("the file has all" in told.inner_text()) == (role != "operator")
