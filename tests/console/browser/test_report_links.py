"""From the findings of a shift report to the rounds in which they stand."""

import re

import pytest
from playwright.sync_api import Route, expect

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
